// What was typed in the draft before the tab was closed goes back into its fields; what it no longer fits lies above them.
import { copyText } from "../web/copy.js";
import { isSame } from "../web/kept.js";
import { worded } from "../web/words.js";

const FIELDS = "textarea, select";

/** The values of the form's fields by name. */
export function valuesOf(form) {
  return Object.fromEntries([...form.querySelectorAll(FIELDS)].map((field) => [field.name, field.value]));
}

/** What the site said of them when it sent the page, whatever the browser has put into them since. */
export function sentValuesOf(form) {
  return Object.fromEntries([...form.querySelectorAll(FIELDS)].map((field) => [field.name, sentValue(field)]));
}

/** Keep what differs from what is saved; nothing where nothing does. */
export function keepChanges({ form, kept, saved }) {
  const now = valuesOf(form);
  const changed = Object.keys(now).filter((name) => now[name] !== saved[name]);
  if (!changed.length) kept.forget("draft");
  else kept.keep("draft", Object.fromEntries(changed.map((name) => [name, { before: saved[name] ?? "", typed: now[name] }])));
}

/**
 * Put back what was kept; whether something was. Where the draft says something else by now, or can't be written any
 * more, what was typed is shown above it. `onPut` is called when its author puts it into the draft all the same.
 */
export function putBack({ form, kept, onPut }) {
  const aside = kept.read("aside") ?? [];
  let found = false;
  for (const [name, { before, typed }] of Object.entries(kept.read("draft") ?? {})) {
    const field = form.elements[name];
    const now = field ? sentValue(field) : "";
    if (field && isSame(now, typed)) continue;
    if (field && isSame(now, before) && !field.matches(":disabled")) {
      field.value = typed;
      found = true;
    } else if (typed.trim() && !aside.some((each) => each.name === name && each.typed === typed)) {
      aside.push({ name, label: field ? labelOf(field) : worded("A question"), typed });
    }
  }
  kept.forget("draft");
  show(aside, { form, kept, onPut });
  return found;
}

function show(aside, page) {
  const { form, kept } = page;
  document.querySelector("[data-draft-aside]")?.remove();
  if (!aside.length) {
    kept.forget("aside");
    return;
  }
  kept.keep("aside", aside);
  const box = element("section", { className: "notice warn small" });
  box.dataset.draftAside = "";
  box.setAttribute("role", "alert");
  box.append(element("p", {}, element("strong", {}, worded("You typed this here, and it was not saved.")), worded(" The draft says something else by now, or can't be changed. It stays in this browser until you discard it.")));
  box.append(...aside.map((each) => lineOf(each, aside, page)));
  form.before(box);
}

function lineOf(each, aside, page) {
  const done = () => show(aside.filter((other) => other !== each), page);
  const field = page.form.elements[each.name];
  const buttons = element("p", { className: "actions" });
  if (field && !field.matches(":disabled")) {
    buttons.append(button(worded("Put it into the draft"), () => {
      field.value = each.typed;
      done();
      page.onPut();
    }));
  }
  const copy = button(worded("Copy"), async () => {
    copy.textContent = (await copyText(each.typed)) ? worded("Copied ✓") : worded("Not copied: the browser does not allow it");
  });
  buttons.append(copy, button(worded("Discard"), done));
  const words = field?.matches("select") ? [...field.options].find((option) => option.value === each.typed)?.text : each.typed;
  return element("div", {}, element("p", { className: "draft-prose" }, element("strong", {}, `${each.label}: `), words ?? each.typed), buttons);
}

function sentValue(field) {
  if (!field.matches("select")) return field.defaultValue;
  const options = [...field.options];
  return (options.find((option) => option.defaultSelected) ?? options[0])?.value ?? "";
}

function labelOf(field) {
  const label = field.labels[0]?.cloneNode(true);
  for (const cap of label?.querySelectorAll("kbd") ?? []) cap.remove();
  return label?.textContent.trim() ?? field.name;
}

function button(text, act) {
  const made = element("button", { type: "button" }, text);
  made.addEventListener("click", act);
  return made;
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
