// What axe-core finds on a page, as [rule, element] of each: by all rules of these tags, or of those that look at colours
// alone. Contrast is asked of one of all texts that look alike, unless of every text: three quarters of what axe computes.
async ({ tags, everyText, ...options }) => {
  const alike = new Map();
  for (const each of document.body.querySelectorAll("*")) {
    const text = [...each.childNodes].map(({ nodeType, data }) => (nodeType === Node.TEXT_NODE ? data : "")).join("");
    const isField = each.matches("input, select, textarea");
    if (isField || text.trim()) {
      const looks = JSON.stringify([isField && [each.type, each.value === ""], ...looksOf(each, text)]);
      alike.set(looks, [...(alike.get(looks) ?? []), each]);
    }
  }
  const some = [...alike.values()].map((texts) => texts[texts.length >> 1]); // the first may lie under a bar
  const found = async (where, rules) => (await axe.run(where, { ...options, ...rules })).violations;
  const whole = tags ? { runOnly: tags, rules: { "color-contrast": { enabled: false } } } : { runOnly: ["link-in-text-block"] };
  const told = [
    ...(await found(document, whole)),
    ...(await found(everyText ? document : { include: some }, { runOnly: ["color-contrast"] })),
  ];
  return told.flatMap(({ id, nodes }) => nodes.map(({ html }) => [id, html.slice(0, 200)]));

  // All that contrast depends on, and all for which axe passes a text over: hidden, disabled, outside, a sign, not a word.
  function looksOf(each, text) {
    const { color, fontSize, fontWeight, textShadow, webkitTextStrokeWidth } = getComputedStyle(each);
    const { width, height, right, bottom } = each.getBoundingClientRect();
    const isOutside = width < 2 || height < 2 || right < 0 || bottom + scrollY < 0;
    const control = each.closest("label")?.control ?? each;
    const isOff = control.closest(":disabled, [aria-disabled=true], [inert], [aria-hidden=true]") !== null;
    const isLarge = parseFloat(fontSize) >= (fontWeight >= 700 ? 18.66 : 24); // of which WCAG asks less
    const looks = [color, isLarge, textShadow, webkitTextStrokeWidth, isOutside, isOff, each.checkVisibility()];
    looks.push(/[\p{L}\p{N}]{2}/u.test(text));
    for (let at = each; at; at = at.parentElement) {
      const { backgroundColor, backgroundImage, clip, clipPath, filter, opacity, position } = getComputedStyle(at);
      const ground = [backgroundColor, backgroundImage, clip, clipPath, filter, opacity, position].join();
      if (ground !== "rgba(0, 0, 0, 0),none,auto,none,none,1,static") looks.push(ground);
    }
    return looks;
  }
}
