// What is wrong with this page at this width, as sentences. `paper`: as it is printed.
async (width, paper) => {
  const problems = new Set();
  const short = (text) => JSON.stringify(text.trim().replace(/\s+/g, " ").slice(0, 40));
  const called = (element) => {
    const owner = element.closest("[id]");
    const kind = element.tagName.toLowerCase() + (element.classList[0] ? "." + element.classList[0] : "");
    return `${kind}${owner ? " in #" + owner.id : ""} ${short(element.textContent)}`;
  };
  const say = (element, what) => problems.add(`${called(element)} ${what}`);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const style = (element) => getComputedStyle(element);
  const up = function* (element) {
    for (let e = element; e; e = e.parentElement) yield e;
  };
  const meet = (a, b) => ({
    left: Math.max(a.left, b.left), right: Math.min(a.right, b.right),
    top: Math.max(a.top, b.top), bottom: Math.min(a.bottom, b.bottom),
  });
  const isArea = (r, least) => r.right - r.left > least && r.bottom - r.top > least;

  await Promise.all(all("img").map((image) => image.decode().catch(() => {})));

  // Nothing invisible.
  const parts = ".claim, .table, table, .chart, .picture, .drawing > svg, .chart-svg, figure, img, .badge, .tally";
  for (const part of all(parts)) {
    const box = part.getBoundingClientRect();
    const seen = part.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    const empty = part.tagName === "IMG" && !part.naturalWidth;
    if (!seen || empty || box.width < 1 || box.height < 1) say(part, "is not visible");
  }
  for (const details of all("details")) details.open = true;

  // Nothing wider than the page.
  const root = document.documentElement;
  if (root.scrollWidth > width) {
    problems.add(`the page is ${root.scrollWidth} pixels wide`);
  }
  if (innerWidth !== width) problems.add(`the page is laid out for ${innerWidth} pixels`);

  // Every piece of text that can be seen: where it is, and what part of that is not cut off.
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("style, script, title, desc") || !element.checkVisibility()) continue;
    // Text for screen readers, and links that appear with the focus.
    if (element.closest(".unseen, .skip")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const ancestors = [...up(element)];
    const scrolls = (e) => /auto|scroll/.test(style(e).overflowX + style(e).overflowY);
    const scroller = ancestors.find((e) => e !== root && e !== document.body && scrolls(e));
    const clips = ancestors.filter((e) => !(e instanceof SVGElement) && /hidden|clip/.test(style(e).overflowX + style(e).overflowY));
    const block = ancestors.find((e) => !/inline|contents/.test(style(e).display) || e instanceof SVGElement);
    const sticky = ancestors.some((e) => style(e).position === "sticky");
    for (const rect of range.getClientRects()) {
      if (rect.width < 0.5) continue;
      if (!scroller && (rect.left < -0.5 || rect.right > width + 0.5)) say(element, "is wider than the page");
      for (const clip of clips) {
        const box = clip.getBoundingClientRect();
        if (rect.left < box.left - 1 || rect.right > box.right + 1 || rect.top < box.top - 3 || rect.bottom > box.bottom + 3) {
          say(element, "is cut off");
        }
      }
      if (!(block instanceof SVGElement)) {
        const box = block.getBoundingClientRect();
        if (rect.right > box.right + 1 || rect.left < box.left - 1) say(element, "sticks out of its box");
      }
      const visible = scroller ? meet(rect, scroller.getBoundingClientRect()) : rect;
      // Letters are less high than their lines.
      const inset = (visible.bottom - visible.top) * 0.22;
      const ink = { left: visible.left, right: visible.right, top: visible.top + inset, bottom: visible.bottom - inset };
      if (isArea(ink, 1)) texts.push({ node, element, sticky, ink });
    }
  }

  // No text over other text.
  texts.sort((a, b) => a.ink.top - b.ink.top);
  for (let i = 0; i < texts.length; i++) {
    for (let j = i + 1; j < texts.length && texts[j].ink.top < texts[i].ink.bottom; j++) {
      const [a, b] = [texts[i], texts[j]];
      if (a.node !== b.node && a.sticky === b.sticky && isArea(meet(a.ink, b.ink), 1.5)) {
        say(a.element, `overlaps ${called(b.element)}`);
      }
    }
  }

  // No picture over text that is not its own, or over another picture.
  const visibleBox = (element) => {
    let box = element.getBoundingClientRect();
    for (const e of up(element.parentElement)) {
      if (e !== root && e !== document.body && style(e).overflowX !== "visible") box = meet(box, e.getBoundingClientRect());
    }
    return box;
  };
  const pictures = all("figure svg, figure img").map((element) => ({ element, box: visibleBox(element) }));
  for (const { element, box } of pictures) {
    for (const text of texts) {
      if (!text.sticky && !element.contains(text.element) && isArea(meet(box, text.ink), 2)) {
        say(element, `covers ${called(text.element)}`);
      }
    }
    for (const other of pictures) {
      if (other.element !== element && isArea(meet(box, other.box), 2)) say(element, `covers ${called(other.element)}`);
    }
  }

  // Boxes that scroll do so to the side only.
  for (const box of all(".scroll")) {
    if (box.scrollHeight > box.clientHeight + 1) say(box, "is cut off below");
    if (paper && box.scrollWidth > box.clientWidth + 1) say(box, "is cut off on paper");
  }

  // Labels of figures lie within them, and are large enough to read.
  for (const svg of all("svg")) {
    const frame = svg.getBoundingClientRect();
    for (const label of all("text", svg)) {
      const box = label.getBoundingClientRect();
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1) {
        say(label, "is outside of its picture");
      }
      const scale = Math.hypot(label.getScreenCTM().a, label.getScreenCTM().b);
      if (!paper && parseFloat(style(label).fontSize) * scale < 8.8) say(label, "is too small");
    }
    if (!svg.closest("[aria-hidden]") && !(svg.getAttribute("role") === "img" && svg.querySelector("title"))) {
      say(svg, "is not described");
    }
  }

  // Text that can be read.
  const channels = (color) => {
    const numbers = (color.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
    return numbers.length < 4 ? [...numbers, 1] : numbers;
  };
  const over = ([r, g, b, a], ground) => [r, g, b].map((value, i) => value * a + ground[i] * (1 - a));
  const light = (color) => {
    const [r, g, b] = color.map((value) => {
      const v = value / 255;
      return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const canvas = matchMedia("(prefers-color-scheme: dark)").matches && !paper ? [0, 0, 0] : [255, 255, 255];
  const ground = (element) => {
    const layers = [];
    for (const e of up(element)) {
      const color = channels(style(e).backgroundColor);
      layers.push(color);
      if (color[3] === 1) break;
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), canvas);
  };
  for (const element of new Set(texts.map((text) => text.element))) {
    const drawn = element instanceof SVGElement;
    const { color, fill, fontSize } = style(element);
    const below = ground(element);
    const [a, b] = [light(over(channels(drawn ? fill : color), below)), light(below)].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) say(element, `has a contrast of ${contrast.toFixed(2)}`);
    if (!drawn && !paper && parseFloat(fontSize) < 13.9) say(element, "is too small");
  }

  // What programs that read pages aloud need.
  const ids = new Set();
  for (const element of all("[id]")) {
    if (ids.has(element.id)) say(element, "has an id that is there twice");
    ids.add(element.id);
  }
  for (const link of all("a[href^='#']")) {
    if (!ids.has(link.getAttribute("href").slice(1))) say(link, "leads nowhere");
  }
  for (const attribute of ["aria-labelledby", "aria-describedby"]) {
    for (const element of all(`[${attribute}]`)) {
      if (!ids.has(element.getAttribute(attribute))) say(element, "refers to nothing");
    }
  }
  let level = 0;
  for (const heading of all("h1, h2, h3, h4, h5, h6")) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) say(heading, "skips a level of headings");
    level = next;
  }
  for (const heading of all("th:not([scope])")) say(heading, "is a heading without a scope");
  for (const image of all("img:not([alt])")) say(image, "has no description");
  if (!root.lang) problems.add("the page does not say its language");
  for (const details of all("details")) details.open = false;
  return [...problems];
}
