// The item that lies on the bench: fetched as the fragment that the page itself includes, the next ones in advance.
import { startDrafts } from "../grade/drafts.js";
import { createAhead } from "./ahead.js";
import { openAsk } from "./ask.js";
import { createEarlyKeys } from "./early-keys.js";
import { elementsOf, fetchItem, Gone } from "./fragments.js";
import { showZoom } from "./image-zoom.js";
import { showMarkTools } from "./marks.js";
import { createStore } from "./store.js";
import { replaceIn } from "./to-work.js";
import { worded } from "../web/words.js";

const MOVE_ON = "assay.stay-after-judging";
const LATER = worded("This item can't be loaded now. It will be tried again.");

/** `onBegin(line, isNew)`: it lies there; `list` knows the lines that are judged next. */
export function startItem(frame, { onBegin, list }) {
  const { bench, say } = frame;
  const holder = bench.querySelector("[data-bench-item]");
  const ahead = createAhead(holder);
  let shown = null;
  let asItCame = ""; // what was said of it then
  let view = "";
  let lastOpened = ""; // which view or document of it was asked for last
  const early = createEarlyKeys({ bench, holder, say });
  const address = (line, asked = "") => {
    const parameters = new URLSearchParams(asked ? new URL(asked, location.href).search : "");
    parameters.delete("item");
    if (asked) view = parameters.get("view") === "source" ? view : parameters.get("view") ?? "";
    else if (view) parameters.set("view", view);
    return `${bench.dataset.base}items/${line.id}/?${parameters}`;
  };

  const prepare = (lines) => { for (const line of lines) ahead.prepare(address(line)); };
  const store = createStore({ frame, ahead, address, isShown: (line) => line === shown, list });

  // It is elsewhere in the list, a panel or a field; opening what belongs to the topic only took it there to be read.
  const hasFocus = () => holder.contains(document.activeElement) || document.activeElement.matches("body, [data-context-body]");
  const put = (html, url, line) => {
    const hadFocus = hasFocus();
    ahead.put(html, url);
    begin(line, []);
    if (hadFocus) holder.querySelector("[data-answer]").focus({ preventScroll: true });
    if (bench.querySelector("[data-did]").textContent === LATER) say(""); // said by a key (keys.js)
    bringIntoSight(holder.querySelector(".bench-thing"));
  };

  /** Another view of the document, or another document: the form stays as it is. */
  const open = async (href) => {
    const line = shown;
    lastOpened = href;
    const html = await fetchItem(address(line, href)).catch(() => null);
    if (shown !== line || lastOpened !== href) return;
    const opened = holder.querySelector("[data-opened]");
    const found = html === null || html instanceof Gone ? null : elementsOf(html).map((each) => each.querySelector("[data-opened]")).find(Boolean);
    if (found) replaceIn(opened, ...found.childNodes);
    else replaceIn(opened, notice(worded("The document can't be loaded now. Try again.")));
    showMarkTools(opened);
    showZoom(opened);
    onBegin(line, false);
  };

  // Of what is left as it came nothing is asked again; where others decide the same, it may be other by now.
  const said = ({ values, note, notes, evidence, flag }) => JSON.stringify([values, note, notes, evidence, flag]);
  const leave = () => { if (shown && bench.matches("[data-ahead]") && said(shown) === asItCame) ahead.keep(); };

  const show = async (line, following) => {
    if (line !== shown) leave();
    shown = line;
    asItCame = "";
    early.begin();
    holder.setAttribute("aria-busy", "true"); // what can be seen is still the item before
    const url = address(line);
    history.replaceState(null, "", `${bench.dataset.base}?${bench.dataset.kept ?? ""}item=${line.id}`);
    const html = await ahead.take(url);
    if (shown !== line) return;
    if (html === null || html instanceof Gone) {
      const gone = bench.dataset.gone || html?.why || worded("This item is not here any more. Reload the page to see what is.");
      const hadFocus = hasFocus();
      holder.querySelector(".bench-thing").replaceChildren(notice(html === null ? LATER : gone));
      if (hadFocus) holder.querySelector(".bench-thing > .notice").focus({ preventScroll: true });
      holder.querySelector(".bench-form").replaceChildren();
      early.drop();
      if (html === null) setTimeout(() => { if (shown === line) show(line, following); }, 3000);
      else holder.removeAttribute("aria-busy");
      return void (html !== null && prepare(following));
    }
    put(html, url, line);
    asItCame = said(line);
    prepare(following);
    early.goOn();
  };

  const begin = (line, following) => {
    shown = line;
    ahead.begin(address(line));
    holder.removeAttribute("aria-busy");
    for (const part of holder.querySelectorAll("[data-later], [data-move-on], [data-move-on-label]")) part.hidden = false;
    holder.querySelector("[data-move-on]").checked = movesOn();
    holder.querySelector("[data-ask-open]")?.addEventListener("click", openAsk);
    showMarkTools(holder);
    showZoom(holder);
    onBegin(line, true);
    prepare(following);
    store.fill(line);
  };

  holder.addEventListener("change", (event) => {
    if (!event.target.matches("[data-move-on]")) return;
    try { localStorage.setItem(MOVE_ON, event.target.checked ? "0" : "1"); } catch { /* as it was */ }
  });
  /** Nothing is said of the item in sight until another is shown, or what this gives is called. */
  const wait = () => {
    const isWaiting = holder.hasAttribute("aria-busy");
    holder.setAttribute("aria-busy", "true");
    return () => { if (!isWaiting) holder.removeAttribute("aria-busy"); };
  };
  // What a machine said comes in once this is answered: then one stays and looks.
  const goesOn = () => movesOn() && !holder.querySelector("[data-draft-to-come]");
  /** Doing something to the item, once it can be seen. Until then what is pressed does nothing, and that is said. */
  const seen = (act) => (element, event) => {
    if (!holder.hasAttribute("aria-busy")) return void act(element, event);
    early.didNothing(element.dataset.key ?? element.dataset.gradeKey ?? "…");
  };
  startDrafts(frame, holder);
  addEventListener("assay-refused", () => ahead.clear()); // what was fetched before may be untrue by now
  addEventListener("assay-logged-in", () => { if (shown && holder.hasAttribute("aria-busy")) show(shown, []); });
  return { holder, early, show, begin, wait, open, close: () => replaceIn(holder.querySelector("[data-opened]")), movesOn: goesOn, seen };
}

function movesOn() {
  try { return localStorage.getItem(MOVE_ON) !== "1"; } catch { return true; }
}
// In one column an item may lie below the window or above it: then its head goes to the top, at once and without the focus.
function bringIntoSight(thing) {
  const { top } = thing.getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) thing.scrollIntoView();
}

function notice(text) {
  const element = Object.assign(document.createElement("p"), { className: "notice bad", tabIndex: -1, textContent: text });
  element.setAttribute("role", "alert");
  return element;
}
