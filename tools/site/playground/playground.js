// The page of the playground. Text of users is only ever text: no string becomes HTML.
import { Editor } from "./editor.js";
import { Python } from "./python.js";
import { pageOf, paragraph, Report } from "./report.js";
import { packed, unpacked } from "./share.js";
import { zipOf } from "./zip.js";

const element = (id) => document.getElementById(id);
const state = { files: new Map([["pasted.yaml", ""]]), current: "pasted.yaml", findings: [], turn: 0, whyTurn: 0 };
const EXAMPLE = new URL("./example.yaml", import.meta.url);
const LARGEST = 20_000_000; // characters of all files
const TRIED = 200_000; // characters of files whose fixes are tried one by one
const PAUSE = 400;
const IN_A_TERMINAL = "The command talos-gpu does the same in a terminal.";

const editor = new Editor(element("text"), element("gutter"));
const list = new Report(element("findings"), element("more"), { select, fix });
let python;

function start() {
  if (typeof WebAssembly !== "object" || typeof Worker !== "function") say(`This browser has no WebAssembly, which the playground needs. ${IN_A_TERMINAL}`);
  else python = new Python(begin, (text) => say(`${text} ${IN_A_TERMINAL}`));
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
  element("make").disabled = false;
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
  draw();
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
      tell(`The files are larger than ${LARGEST / 1e6} MB together. The command talos-gpu check reads folders of any size.`);
      return;
    }
    files.push([name, await file.text()]);
  }
  if (!files.length) return;
  tell("");
  take(files);
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

function draw() {
  editor.draw(state.findings.filter(({ file }) => file === state.current));
}

function select(file, line) {
  if (!state.files.has(file)) return;
  if (file !== state.current) show(file);
  editor.select(line);
}

// The check

const given = () => ({ files: Object.fromEntries(state.files), talos: element("talos").value.trim() });
const size = () => [...state.files.values()].reduce((sum, text) => sum + text.length, 0);

// The files or the version are others now: answers about the former ones are not wanted.
function changed() {
  state.turn += 1;
  python?.cancel();
}

async function check() {
  if (!document.body.dataset.ready) return;
  changed();
  const turn = state.turn;
  if (![...state.files.values()].some((text) => text.trim())) {
    report({ report: null, notes: "" });
    return;
  }
  say(size() > TRIED ? `Checking ${(size() / 1e6).toFixed(1)} MB, which can take a minute. The next change of the text ends the check.` : "Checking …");
  try {
    const answer = await python.ask("check", given());
    if (turn !== state.turn) return;
    report(answer);
    if (!answer.report?.findings.length || size() > TRIED) return;
    say("Looking for fixes …");
    const outcomes = await python.ask("outcomes", { ...given(), findings: answer.report.findings });
    if (turn !== state.turn) return;
    list.offer([...state.findings.filter(({ rule }) => !rule).map(() => ({})), ...outcomes]);
    element("fix").disabled = !list.hasSafeFix;
    say("Ready.");
    document.body.dataset.offered = turn;
  } catch (error) {
    if (turn === state.turn) say(`The check failed: ${error.message}`);
  }
}

function report({ report: found, notes }) {
  const broken = (found?.skipped ?? []).filter(({ reason }) => reason.startsWith("not YAML"));
  const unread = broken.map(({ file, line, reason }) => ({ file, line, severity: "error", message: `${reason}. This document was not checked`, fix: "", related: [] }));
  state.findings = [...unread, ...(found?.findings ?? [])];
  list.show(state.findings);
  const lines = notes.split("\n").filter((line) => line && !/--all lists them|nothing was checked: .*not YAML/.test(line)).map((line) => line.replace(/^talos-gpu check: /, ""));
  element("summary").textContent = found && lines.length ? lines.pop() : "";
  if (found && size() > TRIED) lines.push("The files are large: the fixes of single findings were not tried. Apply all safe fixes fixes what is safe.");
  itemize("notes", lines);
  element("fix").disabled = !found?.findings.length;
  say("Ready.");
  draw();
  document.body.dataset.answered = state.turn;
}

function itemize(id, lines) {
  element(id).replaceChildren(...lines.map((line) => Object.assign(document.createElement("li"), { textContent: line })));
}

async function fix(finding = null) {
  changed();
  const turn = state.turn;
  say("Fixing …");
  try {
    const answer = await python.ask("fix", { ...given(), finding });
    if (turn !== state.turn) {
      say("The files have changed meanwhile, so nothing was fixed.");
      return;
    }
    state.files = new Map(Object.entries(answer.files));
    show(state.current);
    tell(`${answer.fixed} fixed${answer.left.length ? `, ${answer.left.length} left:` : "."}`, answer.left);
    await check();
  } catch (error) {
    say(`The fix failed: ${error.message}`);
  }
}

// A message that stays until the text changes: what a fix did, or that a link is damaged.
function tell(text, lines = []) {
  element("told").textContent = text;
  itemize("told-lines", lines);
}

// A new node

let made = {};

async function make(event) {
  event.preventDefault();
  say("Writing …");
  try {
    const answer = await python.ask("node", Object.fromEntries(new FormData(element("form"))));
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
    const { symptoms } = log.trim() ? await python.ask("why", { log }) : { symptoms: [] };
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
    tell("The files are too large for a link. Save them as a zip.");
    return;
  }
  history.replaceState(null, "", `#${fragment}`);
  await navigator.clipboard?.writeText(location.href).catch(() => undefined);
  tell("The link is in the address bar, and in the clipboard where the browser allows it. The part after # never leaves the browser.");
}

async function restore() {
  if (location.hash.length < 2) return;
  const shared = await unpacked(location.hash.slice(1));
  if (!shared) {
    tell("The link is damaged: a part of it is missing or changed. Ask for the link again; the page starts empty.");
    return;
  }
  element("talos").value = shared.talos;
  if (shared.files.length) take(shared.files);
  if (shared.log) {
    element("log").value = shared.log;
    choose(element("tab-why"));
    why();
  }
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

function edited() {
  changed();
  tell("");
  checkLater();
}

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
  draw();
  edited();
});
element("talos").addEventListener("input", edited);
element("log").addEventListener("input", later(why));
element("file").addEventListener("change", () => show(element("file").value));
element("fix").addEventListener("click", () => fix());
element("clear").addEventListener("click", () => {
  tell("");
  take([]);
});
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
