// The words that this page paints, in the order of its source, wherever it has to be scrolled to see them.
// A word is painted where a point of its box hits its element and no ancestor makes it transparent.
() => {
  const sheet = document.createElement("style");
  sheet.textContent = "*{pointer-events:auto!important}";
  document.documentElement.append(sheet);
  const opaque = new Map();
  const isOpaque = (element) => {
    if (!element) return true;
    if (!opaque.has(element)) {
      const { opacity, filter } = getComputedStyle(element);
      const clear = Number(opacity) === 0 || /\bopacity\(0%?\)/.test(filter);
      opaque.set(element, !clear && isOpaque(element.parentElement));
    }
    return opaque.get(element);
  };
  const hitsNow = (element, box) => {
    if (box.width < 0.5 || box.height < 0.5) return false;
    const inside = (x, y) => document.elementsFromPoint(x, y).some((each) => each === element || element.contains(each));
    const middle = box.top + box.height / 2;
    return [0.5, 0.1, 0.9].some((share) => inside(box.left + box.width * share, middle));
  };
  // boxesOf gives the boxes of a word or a field as they stand now: they move when the page is scrolled.
  const hits = (element, boxesOf) => {
    const first = boxesOf().find((box) => box.width >= 0.5 && box.height >= 0.5);
    if (!first) return false;
    const beside = first.left < 0 || first.right > innerWidth;
    if (first.top < 0 || first.bottom > innerHeight || beside) {
      scrollTo({ left: beside ? scrollX + first.left - 100 : 0, top: scrollY + first.top - 60, behavior: "instant" });
    }
    return boxesOf().some((box) => hitsNow(element, box));
  };
  const isVisible = (element) => getComputedStyle(element).visibility === "visible" && isOpaque(element);
  const isInline = (element) => ["inline", "contents", "ruby"].includes(getComputedStyle(element).display);
  const blockOf = (element) => {
    while (element.parentElement && isInline(element)) element = element.parentElement;
    return element;
  };
  const control = (element) => {
    if (element.tagName === "SELECT") {
      const chosen = element.size > 1 || element.multiple ? element.options : element.selectedOptions;
      return [...chosen].map((option) => option.text).join("\n");
    }
    const typed = ["text", "search", "email", "url", "tel", "number", "submit", "reset", "button"];
    if (element.tagName === "INPUT" && !typed.includes(element.type)) return "";
    const named = { submit: "Submit", reset: "Reset" }[element.type] ?? "";
    return element.getAttribute("value") === null && named ? named : element.value || element.placeholder || "";
  };
  const parts = [];
  let block = null;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === Node.ELEMENT_NODE) {
      if (["BR", "TD", "TH"].includes(node.tagName)) parts.push(" ");
      if (["INPUT", "TEXTAREA", "SELECT"].includes(node.tagName)) {
        const shown = isVisible(node) && hits(node, () => [node.getBoundingClientRect()]);
        parts.push(shown ? ` ${control(node)} ` : " ");
      }
      continue;
    }
    const parent = node.parentElement;
    if (!parent || parent.closest("script,style,noscript,template,textarea,select,iframe,noframes")) continue;
    const visible = isVisible(parent);
    const around = blockOf(parent);
    if (around !== block) parts.push(" ");
    block = around;
    let position = 0;
    for (const word of node.data.matchAll(/[\p{L}\p{N}\p{M}_]+/gu)) {
      parts.push(node.data.slice(position, word.index));
      position = word.index + word[0].length;
      range.setStart(node, word.index);
      range.setEnd(node, position);
      parts.push(visible && hits(parent, () => [...range.getClientRects()]) ? word[0] : " ");
    }
    parts.push(node.data.slice(position));
  }
  return parts.join("");
}
