/** A click does what stands beside the first selector that it fits; on a link with a modifier it is the browser's own. */
export function onClicks(root, actions) {
  root.addEventListener("click", (event) => {
    const hasModifier = event.ctrlKey || event.metaKey || event.shiftKey;
    for (const [selector, act] of actions) {
      const element = event.target.closest(selector);
      if (!element) continue;
      if (hasModifier && element.matches("a[href]")) return;
      event.preventDefault();
      act(element, event);
      return;
    }
  });
}
