// The nugget list: which nugget is in hand, and what waits for the server's answer.
import { speakOf } from "./forms.js";
import { worded } from "../web/words.js";
export function startList(bench, edits, say) {
  const holder = bench.querySelector("[data-list]");
  const expected = new Map(); // client_key -> words of a nugget that is not written yet
  const rows = () => [...holder.querySelectorAll("[data-nugget]")];
  const row = (number) => holder.querySelector(`[data-nugget="${number}"]`);
  let number = holder.querySelector("[data-current]")?.dataset.nugget ?? "";

  const select = (wanted, focus) => {
    const before = holder.querySelector("[data-current]");
    const next = row(wanted);
    if (before && before !== next) {
      before.removeAttribute("data-current");
      before.querySelector("a").removeAttribute("aria-current");
      before.querySelector("a").tabIndex = -1;
    }
    number = next ? String(wanted) : "";
    if (next) {
      const link = next.querySelector("a");
      next.setAttribute("data-current", "");
      link.setAttribute("aria-current", "true");
      link.removeAttribute("tabindex");
      next.scrollIntoView({ block: "nearest" });
      if (focus) link.focus({ preventScroll: true });
    }
    paint(next);
  };

  // The forms speak of the nugget in hand; one that is open, of the one for which it was opened.
  const paint = (next) => {
    for (const form of bench.querySelectorAll("[data-forms] form")) if (!form.closest("details[open]")) speakOf(form, number);
    const groups = bench.querySelector("[data-groups]");
    if (groups) groups.value = next?.dataset.group ?? "";
    const weigh = bench.querySelector("[data-weigh]");
    if (weigh && next) weigh.value = next.dataset.importance === "vital" ? "okay" : "vital";
    const into = bench.querySelector("details:not([open]) [data-into]");
    if (into) {
      into.value = "";
      bench.querySelector("[data-into-words]").textContent = "";
    }
  };

  const showExpected = () => {
    for (const old of holder.querySelectorAll("[data-expected]")) old.remove();
    for (const text of expected.values()) {
      const line = document.createElement("li");
      line.dataset.expected = "";
      line.textContent = worded("… {text} (not saved yet)", { text });
      holder.querySelector(".nugget-list").append(line);
    }
  };

  // The list as it is now. The nugget in hand stays there, by its number; `takes`: the one named comes into the hand instead.
  const show = (nodes, wanted, takes) => {
    const hadFocus = holder.contains(document.activeElement);
    const open = [...holder.querySelectorAll("details.gone[open]")].length > 0;
    const { scrollTop } = holder.parentElement;
    const at = rows().findIndex((each) => each.dataset.nugget === number);
    holder.replaceChildren(...nodes);
    holder.parentElement.scrollTop = scrollTop;
    if (open) holder.querySelector("details.gone")?.setAttribute("open", "");
    const there = rows();
    const next = (takes && row(wanted)) || row(number || 0) || row(wanted) || there[Math.min(Math.max(at, 0), there.length - 1)];
    select(next?.dataset.nugget ?? "", hadFocus);
    showExpected();
  };

  const sayEnd = (by) => say(by > 0 ? worded("This is the last {unit}.", { unit: bench.dataset.noun }) : worded("This is the first {unit}.", { unit: bench.dataset.noun }));

  holder.addEventListener("click", (event) => {
    const link = event.target.closest("a.nugget");
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    select(link.parentElement.dataset.nugget, true);
  });
  bench.addEventListener("click", (event) => {
    const button = event.target.closest("[data-nugget-step]");
    if (!button) return;
    const all = rows();
    const at = all.findIndex((each) => each.dataset.nugget === number);
    const by = Number(button.dataset.nuggetStep);
    const next = all[at + by];
    if (next) {
      select(next.dataset.nugget, true);
      say(""); // the nugget itself is read
    } else if (at >= 0) sayEnd(by);
  });
  bench.querySelector("[data-into]")?.addEventListener("input", (event) => {
    const target = row(event.target.value.trim() || 0);
    bench.querySelector("[data-into-words]").textContent = target ? target.querySelector("[data-nugget-text]").textContent : "";
  });
  select(number, false);

  return {
    show: (html, wanted, takes) => show(new DOMParser().parseFromString(html, "text/html").body.childNodes, wanted, takes),
    /** Take over the list from the bench as it is now; whether it was edited elsewhere. */
    takeOver(found) {
      if (!edits.takeCount(found)) return false;
      show(found.querySelector("[data-list]").childNodes, number, false);
      return true;
    },
    /** Take a nugget into the hand, with the focus. */
    take: (wanted) => select(wanted, true),
    focus: () => row(number || 0)?.querySelector("a").focus(),
    textOf: (wanted) => row(wanted || 0)?.querySelector("[data-nugget-text]").textContent ?? "",
    expect(entry) {
      if (entry.fields.do === "add") expected.set(entry.fields.client_key, entry.fields.text);
      showExpected();
    },
    settle(entry) {
      expected.delete(entry.fields.client_key);
      showExpected();
    },
    get number() { return number; },
    /** The group of the nugget in hand. */
    get group() { return row(number || 0)?.dataset.group ?? ""; },
    /** The place of the next nugget of the same group, or of the one before; null where there is none, which is said. */
    placeBeside(by) {
      const all = rows();
      const beside = all[all.findIndex((each) => each.dataset.nugget === number) + by];
      if (beside?.dataset.group === this.group) return Number(beside.dataset.place);
      if (beside) say(worded("Its group ends here. o puts it into the next group."));
      else sayEnd(by);
      return null;
    },
  };
}
