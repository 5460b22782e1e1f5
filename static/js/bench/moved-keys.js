// The keys of a question's answers win over those of the bench itself, which move to Shift on such a page, or to Alt where
// that is no letter or taken, too; and are shown so.
const OWN = new Set(["H", "D", "S", "L", "W"]); // keys with Shift that the bench has already

let taken = new Set();

/** The key that a token of data-key stands for: another one where an answer has it. */
export function keyOf(token, element) {
  if (!isMoved(token, element)) return token;
  return hasShift(token) ? token.toUpperCase() : `Alt+${token}`;
}

/** What a key is called on buttons and in the list of keys. */
export function nameOfKey(token, element) {
  if (!isMoved(token, element)) return token;
  return `${hasShift(token) ? "Shift" : "Alt"}+${token}`;
}

/** What is pressed, as `keyOf` names it; "" where it is nothing of ours. */
export function pressed(event) {
  if (!event.altKey || isSignByAlt(event)) return meant(event);
  const letter = event.code.startsWith("Key") ? event.code.slice(3) : event.key;
  return taken.size ? `Alt+${event.shiftKey ? letter : letter.toLowerCase()}` : "";
}

/**
 * The key that is meant: a letter as it would be without Caps Lock, and the digit of a key of their row that has it with
 * Shift alone, as French and Czech keyboards do, unless what it has without is a key here.
 */
export function meant(event) {
  const digit = /^Digit(\d)$/.exec(event.code)?.[1];
  if (digit && !event.shiftKey && !event.altKey && event.key !== digit && !document.querySelector(`[data-key~="${CSS.escape(event.key)}"]`)) return digit;
  if (!/^\p{L}$/u.test(event.key) || !event.getModifierState("CapsLock")) return event.key;
  return event.shiftKey ? event.key.toUpperCase() : event.key.toLowerCase();
}

// Signs such as # [ ] that a keyboard of a Mac has on its digits with the option key.
const isSignByAlt = ({ code, key }) => code.startsWith("Digit") && /^[^\p{L}\p{N}\s]$/u.test(key);

/** Begin: read which keys are taken, and call the bench's own by their names, those of parts that come later, too. */
export function startMovedKeys() {
  const bench = document.querySelector("[data-taken-keys]");
  taken = new Set(bench?.dataset.takenKeys.split(" ").filter(Boolean));
  if (!taken.size) return;
  showMoved(document.body);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) showMoved(node);
  }).observe(document.body, { childList: true, subtree: true });
}

function isMoved(token, element) {
  return taken.has(token) && !("gradeKey" in element.dataset);
}

function hasShift(token) {
  const upper = token.toUpperCase();
  return upper !== token && !taken.has(upper) && !OWN.has(upper);
}

function showMoved(root) {
  for (const element of [root, ...root.querySelectorAll("[data-key]")].filter((each) => each.matches("[data-key]"))) {
    const caps = [...element.querySelectorAll("kbd"), ...(element.labels ? [...element.labels].flatMap((each) => [...each.querySelectorAll("kbd")]) : [])];
    for (const cap of caps) {
      const token = cap.textContent.trim();
      if (element.dataset.key.split(" ").includes(token) && isMoved(token, element)) cap.textContent = nameOfKey(token, element);
    }
  }
}
