// The editor of a design: numbers beside the lines, those with a fault marked, checked a moment after one stops typing.
// A field of its forms is written into the text once it is left.
import { replaceForms } from "./design_forms.js";
import { fetchHere } from "../web/asking.js";

const WAIT_MS = 500;
const EDITS = /^(question$|(write|up|remove|list) )/;

function startEditor(root) {
  const text = root.querySelector("[data-design-text]");
  const lines = root.querySelector("[data-design-lines]");
  const form = text.form;
  let waiting = 0;
  let asked = null;

  const number = () => {
    const count = text.value.split("\n").length;
    if (lines.childElementCount !== count) {
      lines.replaceChildren(...Array.from({ length: count }, (_, place) => {
        const line = document.createElement("span");
        line.textContent = place + 1;
        return line;
      }));
    }
    lines.scrollTop = text.scrollTop;
  };
  const mark = () => {
    const faults = new Set([...document.querySelectorAll("#design-found [data-fault-line]")].map((each) => Number(each.dataset.faultLine)));
    [...lines.children].forEach((line, place) => line.classList.toggle("fault", faults.has(place + 1)));
  };
  const ask = async (edit, signal) => {
    const fields = new FormData(form);
    ["file", "beside"].forEach((name) => fields.delete(name));
    if (edit) fields.set("do", edit);
    const typed = text.value;
    const answer = await fetchHere(form.action, { method: "POST", body: fields, headers: { "HX-Request": "true" }, signal });
    if (answer.redirected) return;
    const { body } = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = body.querySelector("#design-found");
    if (!found || text.value !== typed) return;
    const written = body.querySelector("[data-design-text]");
    if (edit && written && written.value !== typed) text.value = written.value;
    replaceFound(document.adoptNode(found));
    replaceForms(document.adoptNode(body.querySelector("#design-forms")), fields);
    number();
    mark();
  };
  const check = async () => {
    clearTimeout(waiting);
    asked?.abort();
    asked = new AbortController();
    try {
      await ask("", asked.signal);
    } catch {
      // The network is away, or something newer was typed: the button checks, too.
    }
  };
  // One after the other: each is made of the text that the one before it wrote.
  let written = Promise.resolve();
  const write = (edit) => {
    clearTimeout(waiting);
    asked?.abort();
    written = written.then(() => ask(edit)).catch(() => {});
  };
  const soon = () => {
    number();
    clearTimeout(waiting);
    waiting = setTimeout(check, WAIT_MS);
  };
  const go = (line) => {
    const before = text.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    const end = text.value.indexOf("\n", before);
    text.focus();
    text.setSelectionRange(before, end < 0 ? text.value.length : end);
    const height = text.scrollHeight / text.value.split("\n").length;
    text.scrollTop = Math.max(0, (line - 5) * height);
    number();
  };

  text.addEventListener("input", soon);
  text.addEventListener("scroll", number);
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    check();
  });
  form.elements.sample?.addEventListener("input", soon);
  form.elements.stage?.addEventListener("change", check);
  form.addEventListener("change", (event) => {
    const part = event.target.closest("[data-design-part]");
    if (part) write(`write ${part.dataset.designPart}`);
  });
  form.addEventListener("submit", (event) => {
    if (EDITS.test(event.submitter?.value)) {
      event.preventDefault();
      write(event.submitter.value);
      return;
    }
    const hasFiles = ["file", "beside"].some((name) => form.elements[name]?.files.length);
    if (event.submitter?.value !== "check" || hasFiles) return;
    event.preventDefault();
    check();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-go-line]");
    if (!link) return;
    event.preventDefault();
    go(Number(link.dataset.goLine));
  });
  number();
  mark();
}

// While a text has faults the bench of the last one without any stays in sight.
function replaceFound(found) {
  const before = document.getElementById("design-found");
  const bench = before.querySelector("[data-design-bench]");
  if (bench && !found.querySelector("[data-design-bench]")) found.append(bench);
  before.replaceWith(found);
}

for (const root of document.querySelectorAll("[data-design-editor]")) startEditor(root);
