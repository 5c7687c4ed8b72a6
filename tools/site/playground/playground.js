// The page of the playground. Text of users is only ever text: no string becomes HTML.
import { zipOf } from "./zip.js";
import { packed, unpacked } from "./share.js";

const element = (id) => document.getElementById(id);
const state = { files: new Map([["pasted.yaml", ""]]), current: "pasted.yaml", findings: [], turn: 0, whyTurn: 0, done: "" };
const EXAMPLE = new URL("./example.yaml", import.meta.url);
const LARGEST = 20_000_000;
const PAUSE = 400;
const SAFE = "--fix";

// Python, in a worker

const waiting = new Map();
let worker;
let number = 0;

function ask(name, argument) {
  return new Promise((resolve, reject) => {
    number += 1;
    waiting.set(number, { resolve, reject });
    worker.postMessage({ id: number, name, argument });
  });
}

function start() {
  if (typeof WebAssembly !== "object" || typeof Worker !== "function") {
    say("This browser has no WebAssembly, which the playground needs. The command talos-gpu does the same in a terminal.");
    return;
  }
  worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onerror = () => say("Python could not be loaded. The command talos-gpu does the same in a terminal.");
  worker.onmessage = ({ data }) => {
    if ("ready" in data) {
      if (data.ready) begin(data.about);
      else say(`Python could not be loaded: ${data.error}`);
      return;
    }
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if ("error" in data) reject(new Error(data.error));
    else resolve(data.answer);
  };
}

function say(text) {
  element("state").textContent = text;
}

function begin(about) {
  for (const [id, values] of [["versions", about.talos], ["cards", about.cards]]) {
    element(id).replaceChildren(...values.map((value) => Object.assign(document.createElement("option"), { value })));
  }
  const version = document.querySelector("#form [name=talos_version]");
  version.value ||= about.newest;
  for (const id of ["fix", "make"]) element(id).disabled = false;
  say("Ready.");
  document.body.dataset.ready = "true";
  check();
  why();
}

// Files

function show(name) {
  state.current = name;
  element("text").value = state.files.get(name);
  element("file").replaceChildren(
    ...[...state.files.keys()].map((each) => Object.assign(document.createElement("option"), { value: each, textContent: each, selected: each === name })),
  );
  drawGutter();
}

function take(files) {
  state.files = new Map(files.length ? files : [["pasted.yaml", ""]]);
  show(state.files.keys().next().value);
  check();
}

async function read(list) {
  const files = [];
  let size = 0;
  for (const [name, file] of list) {
    size += file.size;
    if (size > LARGEST) {
      say(`The files are larger than ${LARGEST / 1e6} MB together. The command talos-gpu check reads folders of any size.`);
      return;
    }
    files.push([name, await file.text()]);
  }
  if (files.length) take(files);
}

async function entriesOf(entry, path = "") {
  if (entry.isFile) return [[path + entry.name, await new Promise((resolve, reject) => entry.file(resolve, reject))]];
  if (entry.name === ".git" || entry.name === "node_modules") return [];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const lot = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!lot.length) return found;
    for (const each of lot) found.push(...(await entriesOf(each, `${path}${entry.name}/`)));
  }
}

// The editor: line numbers, with the worst finding of each line

const RANK = { error: 3, warning: 2, remark: 1 };

function drawGutter() {
  const worst = new Map();
  for (const each of state.findings) {
    if (each.file === state.current && (RANK[each.severity] ?? 0) > (RANK[worst.get(each.line)] ?? 0)) worst.set(each.line, each.severity);
  }
  const lines = element("text").value.split("\n").length;
  const parts = [];
  let plain = "";
  for (let line = 1; line <= lines; line += 1) {
    if (worst.has(line)) {
      parts.push(plain, Object.assign(document.createElement("span"), { className: worst.get(line), textContent: `● ${line}\n` }));
      plain = "";
    } else plain += `${line}\n`;
  }
  element("gutter").replaceChildren(...parts, plain);
  element("gutter").scrollTop = element("text").scrollTop;
}

function select(file, line) {
  if (!state.files.has(file)) return;
  if (file !== state.current) show(file);
  const text = element("text");
  const lines = text.value.split("\n");
  const begin = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  text.focus();
  text.setSelectionRange(begin, begin + (lines[line - 1] ?? "").length);
  text.scrollTop = (text.scrollHeight / lines.length) * Math.max(0, line - 5);
}

// The check

const given = () => ({ files: Object.fromEntries(state.files), talos: element("talos").value.trim() });

async function check() {
  if (!document.body.dataset.ready) return;
  state.turn += 1;
  const turn = state.turn;
  if (![...state.files.values()].some((text) => text.trim())) {
    report({ report: null, notes: "" });
    return;
  }
  say("Checking …");
  try {
    const answer = await ask("check", given());
    if (turn !== state.turn) return;
    report(answer);
    if (!state.findings.length) return;
    const outcomes = await ask("outcomes", { ...given(), findings: state.findings });
    if (turn === state.turn) offer(outcomes);
  } catch (error) {
    if (turn === state.turn) say(`The check failed: ${error.message}`);
  }
}

function report({ report: found, notes }) {
  state.findings = found ? found.findings : [];
  element("findings").replaceChildren(...state.findings.map(item));
  const lines = notes.split("\n").filter(Boolean).map((line) => line.replace(/^talos-gpu check: /, ""));
  element("summary").textContent = found && lines.length ? lines.pop() : "";
  element("notes").replaceChildren(...lines.map((line) => Object.assign(document.createElement("li"), { textContent: line })));
  element("fix").disabled = true;
  say(state.findings.length ? "Looking for fixes …" : "Ready.");
  drawGutter();
  document.body.dataset.answered = state.turn;
}

// What `talos-gpu check --fix` makes of each finding: a button, or the reason for which it is left
function offer(outcomes) {
  const lines = element("findings").children;
  for (const [index, { flags, reason }] of outcomes.entries()) {
    if (flags) {
      const name = flags === SAFE ? "Apply this fix" : "Apply this fix, which may change more than the finding";
      const apply = Object.assign(document.createElement("button"), { textContent: name, className: "apply" });
      apply.addEventListener("click", () => fix(state.findings[index]));
      lines[index].append(apply);
    } else lines[index].append(Object.assign(paragraph(`Not fixed here: ${reason}`), { className: "left" }));
  }
  element("fix").disabled = !outcomes.some(({ flags }) => flags === SAFE);
  say(state.done || "Ready.");
  state.done = "";
  document.body.dataset.offered = state.turn;
}

function pageOf(kind, name) {
  return Object.assign(document.createElement("a"), { textContent: name, href: `../${kind}-${name.toLowerCase()}.html`, target: "_blank", rel: "noopener" });
}

function paragraph(...parts) {
  const each = document.createElement("p");
  each.append(...parts);
  return each;
}

function placeOf({ file, line }) {
  const place = Object.assign(document.createElement("button"), { className: "place", textContent: line ? `${file}:${line}` : file });
  place.addEventListener("click", () => select(file, line ?? 1));
  return place;
}

function item(finding) {
  const line = document.createElement("li");
  line.className = finding.severity in RANK ? finding.severity : "remark";
  const rule = pageOf("rules", finding.rule);
  const place = placeOf(finding);
  line.append(paragraph(`${finding.severity} `, rule, " ", place), paragraph(finding.message));
  for (const each of finding.related) line.append(paragraph(placeOf(each), ` ${each.text}`));
  line.append(paragraph(`Fix: ${finding.fix}`));
  return line;
}

async function fix(finding = null) {
  say("Fixing …");
  const before = JSON.stringify(given());
  try {
    const { files, fixed, left } = await ask("fix", { ...given(), finding });
    if (JSON.stringify(given()) !== before) {
      say("The files have changed meanwhile, so nothing was fixed.");
      return;
    }
    state.files = new Map(Object.entries(files));
    show(state.current);
    state.done = [`${fixed} fixed.`, ...left].join(" ");
    await check();
    if (!state.findings.length) say(state.done);
  } catch (error) {
    say(`The fix failed: ${error.message}`);
  }
}

// A new node

let made = {};

async function make(event) {
  event.preventDefault();
  say("Writing …");
  try {
    const answer = await ask("node", Object.fromEntries(new FormData(element("form"))));
    made = answer.files;
    element("refusal").textContent = answer.error;
    element("files").replaceChildren(...Object.entries(made).map(([name, text], index) => fileOf(name, text, index === 0)));
    element("node-save").disabled = !Object.keys(made).length;
    say("Ready.");
  } catch (error) {
    say(`The files could not be written: ${error.message}`);
  }
}

function fileOf(name, text, open) {
  const details = Object.assign(document.createElement("details"), { open });
  const copy = Object.assign(document.createElement("button"), { textContent: "Copy", type: "button" });
  copy.addEventListener("click", () => navigator.clipboard.writeText(text));
  details.append(Object.assign(document.createElement("summary"), { textContent: name }), copy, Object.assign(document.createElement("pre"), { textContent: text }));
  return details;
}

// A line of a log

async function why() {
  if (!document.body.dataset.ready) return;
  state.whyTurn += 1;
  const turn = state.whyTurn;
  const log = element("log").value;
  try {
    const { symptoms } = log.trim() ? await ask("why", { log }) : { symptoms: [] };
    if (turn !== state.whyTurn) return;
    element("causes").replaceChildren(...symptoms.map(cause));
    const isUnknown = log.trim() && !symptoms.length;
    element("why-summary").textContent = isUnknown ? "Nothing known matches. Check YAML finds faults in files without a log." : "";
  } catch (error) {
    if (turn === state.whyTurn) say(`The search failed: ${error.message}`);
  }
}

function cause({ name, title, cause: reason, remedy, commands, rules, line, text }) {
  const each = document.createElement("li");
  const pages = [...rules.map((rule) => pageOf("rules", rule)), ...(rules.includes(name) ? [] : [pageOf("symptoms", name)])];
  each.append(paragraph(Object.assign(document.createElement("strong"), { textContent: title })), paragraph(`Line ${line}: ${text}`));
  if (reason) each.append(paragraph(`Cause: ${reason}`));
  each.append(paragraph(`Fix: ${remedy}`));
  if (commands.length) each.append(Object.assign(document.createElement("pre"), { textContent: commands.join("\n") }));
  each.append(paragraph("Pages: ", ...pages.flatMap((page, index) => (index ? [", ", page] : [page]))));
  return each;
}

// Share and save

async function share() {
  const fragment = await packed({ files: [...state.files], talos: element("talos").value });
  if (fragment === null) {
    say("The files are too large for a link. Save them as a zip.");
    return;
  }
  history.replaceState(null, "", `#${fragment}`);
  await navigator.clipboard?.writeText(location.href).catch(() => undefined);
  say("The link is in the address bar, and in the clipboard where the browser allows it. The part after # never leaves the browser.");
}

async function restore() {
  if (location.hash.length < 2) return false;
  const shared = await unpacked(location.hash.slice(1));
  if (!shared) {
    say("The link is damaged. The page starts empty.");
    return false;
  }
  element("talos").value = shared.talos;
  take(shared.files);
  return true;
}

function save(name, files) {
  const address = URL.createObjectURL(new Blob([zipOf(files)], { type: "application/zip" }));
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// Events

function choose(tab) {
  for (const each of document.querySelectorAll("[role=tab]")) {
    const isChosen = each === tab;
    each.setAttribute("aria-selected", isChosen);
    each.tabIndex = isChosen ? 0 : -1;
    element(each.getAttribute("aria-controls")).hidden = !isChosen;
  }
}

function later(answer) {
  let pause;
  return () => {
    clearTimeout(pause);
    pause = setTimeout(answer, PAUSE);
  };
}
const checkLater = later(check);

const tabs = [...document.querySelectorAll("[role=tab]")];
for (const [index, tab] of tabs.entries()) {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!step) return;
    const next = tabs[(index + step + tabs.length) % tabs.length];
    choose(next);
    next.focus();
  });
}
element("text").addEventListener("input", () => {
  state.files.set(state.current, element("text").value);
  drawGutter();
  checkLater();
});
element("text").addEventListener("scroll", () => (element("gutter").scrollTop = element("text").scrollTop));
element("talos").addEventListener("input", checkLater);
element("log").addEventListener("input", later(why));
element("file").addEventListener("change", () => show(element("file").value));
element("fix").addEventListener("click", () => fix());
element("clear").addEventListener("click", () => take([]));
element("share").addEventListener("click", share);
element("save").addEventListener("click", () => save("files.zip", Object.fromEntries(state.files)));
element("node-save").addEventListener("click", () => save("gpu-nodes.zip", made));
element("form").addEventListener("submit", make);
element("example").addEventListener("click", async () => {
  element("talos").value ||= "1.13";
  take([["example.yaml", await (await fetch(EXAMPLE)).text()]]);
});
for (const id of ["open", "folder"]) {
  element(id).addEventListener("change", ({ target }) => {
    read([...target.files].map((file) => [file.webkitRelativePath || file.name, file]));
    target.value = "";
  });
}
for (const name of ["dragenter", "dragover"]) {
  addEventListener(name, (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
}
addEventListener("dragleave", ({ relatedTarget }) => relatedTarget || document.body.classList.remove("dropping"));
addEventListener("drop", async (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  const entries = [...event.dataTransfer.items].map((each) => each.webkitGetAsEntry()).filter(Boolean);
  read((await Promise.all(entries.map((each) => entriesOf(each)))).flat());
});

const wanted = tabs.find(({ id }) => id === `tab-${new URLSearchParams(location.search).get("task")}`);
if (wanted) choose(wanted);
show(state.current);
start();
restore();
