// Ways to keep a scene: a link, a file, a picture.

/** Longer links are refused by too many programs on the way. */
export const LONGEST_FRAGMENT = 8000;

/** What was given cannot be used; the message says why, for the user. */
export class Unusable extends Error {}

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** A replay as text for the fragment of an address. */
export async function pack(replay) {
  const bytes = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(JSON.stringify(replay)));
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

export async function unpack(text) {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = await through(new DecompressionStream('deflate-raw'), Uint8Array.from(binary, (c) => c.charCodeAt(0)));
  return checked(JSON.parse(new TextDecoder().decode(bytes)));
}

/** A replay, or a sentence on why it is none. */
export function checked(replay) {
  if (!replay || !Array.isArray(replay.messages) || !replay.messages[0]?.open) throw new Unusable('This is not a replay of tickstar play.');
  return replay;
}

/** The same replay up to a tick after its last beginning. */
export function until(replay, tick) {
  const messages = structuredClone(replay.messages);
  let begin = 0;
  messages.forEach((message, i) => {
    if (message.open || message.restart) begin = i;
  });
  let at = 0;
  for (let i = begin + 1; i < messages.length; i++) {
    const { tick: ticks } = messages[i];
    if (!ticks) continue;
    if (at + ticks.count >= tick) {
      ticks.count = tick - at;
      return { ...replay, messages: messages.slice(0, ticks.count > 0 ? i + 1 : i) };
    }
    at += ticks.count;
  }
  return { ...replay, messages };
}

export function download(name, blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A name for files: letters, digits, hyphens. */
export const fileName = (name, tick) => `tickstar-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'scene'}-${tick}`;

function wrap(context, text, width) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (context.measureText(longer).width > width && lines.at(-1)) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/**
 * All panes side by side with a title and their figures.
 * `panes`: [{ name, canvas, state, figures: [[label, value], …] }]; `ratio`: device pixels per CSS pixel.
 */
export function picture({ title, subtitle, panes, colors, background, ratio }) {
  const margin = 20, gap = 14;
  const each = panes.map(({ canvas }) => ({ width: canvas.width / ratio, height: canvas.height / ratio }));
  const narrow = Math.min(...each.map(({ width }) => width));
  const columns = Math.max(1, Math.floor(narrow / 150));
  const rows = Math.max(...panes.map(({ figures }) => Math.ceil(figures.length / columns)));
  const width = Math.max(360, 2 * margin + each.reduce((sum, pane) => sum + pane.width, 0) + gap * (panes.length - 1));
  const tall = Math.max(...each.map(({ height }) => height));
  const canvas = document.createElement('canvas');
  const c = canvas.getContext('2d');
  const font = (size, weight = 400) => `${weight} ${size}px system-ui, -apple-system, "Segoe UI", sans-serif`;
  c.font = font(13);
  const lines = wrap(c, subtitle, width - 2 * margin);
  const top = margin + 26 + lines.length * 18 + 10;
  const height = top + 28 + tall + 12 + rows * 40 + margin;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  c.scale(ratio, ratio);
  c.fillStyle = background;
  c.fillRect(0, 0, width, height);
  c.fillStyle = colors.text;
  c.textBaseline = 'top';
  c.font = font(19, 650);
  c.fillText(title, margin, margin);
  c.font = font(13);
  lines.forEach((line, i) => c.fillText(line, margin, margin + 28 + i * 18));
  let x = margin;
  panes.forEach((pane, i) => {
    c.font = font(14, 650);
    c.fillText(pane.name, x, top);
    const named = c.measureText(pane.name).width;
    c.font = font(13);
    c.fillText(pane.state, x + named + 10, top + 1);
    c.drawImage(pane.canvas, x, top + 24, each[i].width, each[i].height);
    pane.figures.forEach(([label, value], n) => {
      const fx = x + (n % columns) * (each[i].width / columns), fy = top + 24 + tall + 12 + Math.floor(n / columns) * 40;
      c.globalAlpha = 0.75;
      c.font = font(12);
      c.fillText(label, fx, fy);
      c.globalAlpha = 1;
      c.font = font(13, 600);
      c.fillText(value, fx, fy + 16);
    });
    x += each[i].width + gap;
  });
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}
