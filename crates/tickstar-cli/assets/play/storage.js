// What the page remembers between visits; a browser may forbid it.

export function remember(key, value) {
  try {
    localStorage.setItem(`tickstar.${key}`, value);
  } catch {
    // Nothing is lost but comfort.
  }
}

export function recall(key) {
  try {
    return localStorage.getItem(`tickstar.${key}`);
  } catch {
    return null;
  }
}
