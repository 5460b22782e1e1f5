// <button data-copy-table="id-of-table">: the table's rows as CSV on the clipboard.
import { worded } from "./words.js";
export function startCopy(root = document) {
  for (const button of root.querySelectorAll("[data-copy-table]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const table = document.getElementById(button.dataset.copyTable);
      const done = await copyText(tableAsCsv(table));
      const label = button.textContent;
      button.textContent = done ? worded("Copied ✓") : worded("Not copied: the browser does not allow it");
      setTimeout(() => { button.textContent = label; }, 2000);
    });
  }
}

/** The table as CSV with \r\n line ends. A cell that a spreadsheet would run as a formula gets a ' before it. */
export function tableAsCsv(table) {
  const rows = [...table.rows].map((row) => [...row.cells].map((cell) => quote(cellText(cell))).join(","));
  return rows.join("\r\n") + "\r\n";
}

function cellText(cell) {
  const text = (cell.dataset.value ?? cell.textContent).trim().replace(/\s+/g, " ");
  return /^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
}

function quote(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Put a text on the clipboard; whether the browser let it. */
export async function copyText(text) {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch { /* refused: the old way below */ }
  }
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}
