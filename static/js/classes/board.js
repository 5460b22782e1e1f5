// The two columns of the grouping bench: the line in hand, what is chosen, and putting in what the server sent.
import { worded } from "../web/words.js";

const SIDES = ["waiting", "classes"];

/** `narrow()` hides the lines of new columns that have not the words that are asked for. */
export function createBoard(bench, narrow) {
  const columns = Object.fromEntries(SIDES.map((side) => [side, bench.querySelector(`[data-column=${side}]`)]));
  const lastOf = {}; // side -> key of the line that was in hand there
  let side = "waiting";

  const rowsOf = (name) => [...columns[name].querySelectorAll("[data-row]")].filter((row) => !row.closest("[hidden]"));
  const rowOf = (key) => (key ? bench.querySelector(`[data-row="${key}"]`) : null);
  const boxOf = (row) => row.querySelector("[data-box]");
  const here = () => rowOf(lastOf[side]);

  const take = (row) => {
    for (const other of bench.querySelectorAll("[data-here]")) other.removeAttribute("data-here");
    for (const name of SIDES) if (columns[name].contains(row)) side = name;
    const before = rowOf(lastOf[side]);
    if (before) boxOf(before).tabIndex = -1;
    lastOf[side] = row.dataset.row;
    row.setAttribute("data-here", "");
    boxOf(row).tabIndex = 0;
  };

  const go = (row) => {
    if (!row) return;
    take(row);
    boxOf(row).focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  };

  // The column in hand, and where in it: "Classes: 3 of 8".
  const where = () => {
    const rows = rowsOf(side);
    return rows.length ? `${columns[side].closest("section").ariaLabel}: ${worded("{place} of {all}", { place: rows.indexOf(here()) + 1, all: rows.length })}` : "";
  };

  const prepare = () => {
    for (const box of bench.querySelectorAll("[data-box]")) box.tabIndex = -1;
    for (const link of bench.querySelectorAll("[data-document-link]")) link.tabIndex = -1;
    for (const tool of bench.querySelectorAll("[data-act][hidden], [data-step][hidden]")) tool.hidden = false;
    for (const name of SIDES) {
      const row = rowOf(lastOf[name]);
      const first = row && columns[name].contains(row) ? row : rowsOf(name)[0];
      if (first) boxOf(first).tabIndex = 0;
    }
  };

  // The line to go to when the one in hand moved away: the next that is still in this column.
  const following = (keys, index) => {
    const stays = (key) => key !== undefined && columns[side].contains(rowOf(key)) && !rowOf(key).closest("[hidden]");
    const key = keys.slice(index).find(stays) ?? keys.slice(0, index).reverse().find(stays);
    return key ? rowOf(key) : null;
  };

  bench.addEventListener("focusin", (event) => {
    const row = event.target.matches("[data-box]") && event.target.closest("[data-row]");
    if (row) take(row);
  });

  const chosen = (name) => [...bench.querySelectorAll(`[data-box][name=${name}]:checked`)];
  const inHand = (name) => {
    const box = here() && boxOf(here());
    return box?.name === name ? [box] : [];
  };

  return {
    here,
    get side() { return side; },

    /** The boxes of the answers that are chosen; the one in hand when none is. */
    items() {
      const boxes = chosen("item");
      return boxes.length ? boxes : inHand("item");
    },

    /** The classes that are chosen, and with fewer than `least` the one in hand, too. */
    classes(least) {
      const views = chosen("class").map((box) => box.closest("[data-class]"));
      const current = here()?.closest("[data-class]");
      return views.length < least && current && !views.includes(current) ? [...views, current] : views;
    },

    get all() { return [...columns.classes.querySelectorAll("[data-class]")]; },

    begin() {
      prepare();
      go(rowsOf("waiting")[0] ?? rowsOf("classes")[0]);
    },

    step(by) {
      const rows = rowsOf(side);
      const index = rows.indexOf(here());
      const end = index < 0 || index + by in rows ? "" : by < 0 ? worded("This is the first line.") : worded("This is the last line.");
      go(rows[Math.max(0, Math.min(rows.length - 1, index + by))] ?? rowsOf("waiting")[0] ?? rowsOf("classes")[0]);
      return [end, where()].filter(Boolean).join(" ");
    },

    across() {
      const other = side === "waiting" ? "classes" : "waiting";
      if (!rowsOf(other).length) return worded("There is nothing under “{column}”.", { column: columns[other].closest("section").ariaLabel });
      const row = rowOf(lastOf[other]);
      go(row && columns[other].contains(row) ? row : rowsOf(other)[0]);
      return where();
    },

    focus() { go(here()); },
    go,
    take,

    /** Show that these answers are on their way, and choose nothing any more. */
    send(boxes) {
      for (const box of boxes) box.closest("[data-row]")?.setAttribute("data-pending", worded("saving…"));
      for (const box of bench.querySelectorAll("[data-box]:checked")) box.checked = false;
    },

    unsend() {
      for (const row of bench.querySelectorAll("[data-pending]")) row.removeAttribute("data-pending");
    },

    /** Put in the columns that the server sent; the line in hand stays, or the next one takes its place. */
    put(answer) {
      const keys = rowsOf(side).map((row) => row.dataset.row);
      const index = Math.max(0, keys.indexOf(lastOf[side]));
      const hadFocus = document.activeElement === document.body || Boolean(document.activeElement?.closest("[data-column], .bench-foot"));
      for (const name of SIDES) {
        columns[name].replaceChildren(...nodesOf(answer[name]));
      }
      narrow();
      prepare();
      const touched = answer.touched && columns.classes.querySelector(`[data-class="${answer.touched}"]`);
      touched?.setAttribute("data-touched", "");
      touched?.scrollIntoView({ block: "nearest" });
      const row = following(keys, index) ?? rowsOf(side)[0] ?? rowsOf("waiting")[0] ?? rowsOf("classes")[0];
      if (!row) return;
      if (hadFocus) go(row);
      else take(row);
    },
  };
}

// The server sends a column as text; a page of its own that was fetched has it as it is.
function nodesOf(column) {
  return typeof column === "string" ? new DOMParser().parseFromString(column, "text/html").body.childNodes : column;
}
