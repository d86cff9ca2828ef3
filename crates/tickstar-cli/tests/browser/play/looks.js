// What is wrong with this page at this width, as sentences: `controls` must be seen, and nothing may stick out.
(width, controls, view) => {
  const problems = new Set();
  const say = (what) => problems.add(`${view}: ${what}`);
  const root = document.documentElement;
  if (root.scrollWidth > width) say(`the page is ${root.scrollWidth} pixels wide`);
  if (innerWidth !== width) say(`the page is laid out for ${innerWidth} pixels`);
  const named = (element) => {
    const owner = element.closest("[id], [data-testid]");
    return `${element.tagName.toLowerCase()} of ${owner?.id || owner?.dataset.testid} "${element.textContent.trim().slice(0, 30)}"`;
  };

  // A control is there if it can be pressed in its middle. What is pressed may be its label.
  const isSeen = (control, name) => {
    const element = control?.type === "radio" ? control.closest("label") : control;
    if (!element) return say(`there is no ${name}`);
    element.scrollIntoView({ block: "nearest" });
    const box = element.getBoundingClientRect();
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || box.width < 4 || box.height < 4) return say(`${name} cannot be seen`);
    if (box.left < -0.5 || box.right > width + 0.5 || box.top < -0.5 || box.bottom > innerHeight + 0.5) return say(`${name} is not on the screen`);
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    if (!element.contains(top)) say(`${name} is covered by ${top && named(top)}`);
  };
  for (const name of controls.split(" ").filter(Boolean)) isSeen(document.querySelector(`[data-testid="${name}"]`), name);
  if (controls.includes("scrubber")) {
    for (const map of document.querySelectorAll("canvas.map")) {
      map.scrollIntoView({ block: "nearest" });
      const box = map.getBoundingClientRect();
      if (box.width < 100 || box.height < 60) say(`a map has only ${Math.round(box.width)} by ${Math.round(box.height)} pixels`);
    }
    scrollTo(0, 0);
  }

  // Texts end on the page, and within what holds them.
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest("script, .skip, option, [inert]") || !element.checkVisibility({ visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const box = range.getBoundingClientRect();
    if (box.width < 1) continue;
    // Text for screen readers is no larger than a pixel.
    let scrolls = false, cut = false, unseen = false;
    for (let e = element; e && e !== document.body; e = e.parentElement) {
      const style = getComputedStyle(e);
      scrolls ||= /auto|scroll/.test(style.overflowX);
      cut ||= style.textOverflow === "ellipsis";
      unseen ||= style.clipPath.startsWith("inset(50%");
    }
    if (unseen) continue;
    if (!scrolls && !cut && (box.left < -0.5 || box.right > width + 0.5)) say(`${named(element)} is wider than the page`);
    if (!cut && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && /hidden|clip/.test(getComputedStyle(element).overflowX)) say(`${named(element)} is cut off`);
    if (parseFloat(getComputedStyle(element).fontSize) < 11) say(`${named(element)} is too small`);
  }
  return [...problems];
}
