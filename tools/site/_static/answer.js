// Above the results of a search: what `talos-gpu why` says of the query, if it is a line of a log. Text is only ever text.
import { why } from "./why.js";

const MOST = 5;
const results = document.getElementById("search-results");
const query = new URLSearchParams(location.search).get("q") ?? "";

function node(name, text, more = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...more });
}

function item({ symptom, strength }) {
  const line = document.createElement("li");
  line.append(node("a", symptom.title, { href: symptom.page }), strength === "sure" ? "" : ` (${strength})`);
  for (const text of [symptom.cause, `Fix: ${symptom.remedy}`]) if (text) line.append(node("p", `${text}.`));
  return line;
}

// A field of one line drops the ends of pasted lines, so that words grow together: another mark keeps the lines apart.
for (const field of document.querySelectorAll("input[name=q]")) {
  field.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text");
    if (!/[\r\n]/.test(text.trim())) return;
    event.preventDefault();
    field.setRangeText(text.trim().replace(/\r\n|[\r\n]/g, "\u2028"), field.selectionStart, field.selectionEnd, "end");
  });
}

if (results && query.trim()) {
  const table = await (await fetch(new URL("symptoms.json", import.meta.url))).json();
  const found = why(table, query);
  if (found.length) {
    const answer = node("section", "", { id: "answer" });
    const list = document.createElement("ol");
    list.append(...found.slice(0, MOST).map(item));
    answer.append(node("h2", "The log line means"), list);
    results.before(answer);
  }
  document.body.dataset.answer = found.length;
}
