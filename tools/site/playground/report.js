// The report of a check as elements of the page, a part at a time: thousands of findings at once would stop the browser.
import { severityOf } from "./editor.js";

const PART = 100;
const SAFE = "--fix";

export function paragraph(...parts) {
  const each = document.createElement("p");
  each.append(...parts);
  return each;
}

export function pageOf(kind, name) {
  return Object.assign(document.createElement("a"), { textContent: name, href: `../${kind}-${name.toLowerCase()}.html`, target: "_blank", rel: "noopener" });
}

export class Report {
  // `select` gets the file and the line of a place, and `fix` a finding.
  constructor(list, more, { select, fix }) {
    Object.assign(this, { list, more, select, fix, findings: [], outcomes: [] });
    more.addEventListener("click", () => this.#show());
  }

  show(findings) {
    this.findings = findings;
    this.outcomes = [];
    this.list.replaceChildren();
    this.#show();
  }

  // What `talos-gpu check --fix` makes of each finding: a button, or the reason for which it is left.
  offer(outcomes) {
    this.outcomes = outcomes;
    for (const [index, line] of [...this.list.children].entries()) this.#offer(line, index);
  }

  get hasSafeFix() {
    return this.outcomes.some(({ flags }) => flags === SAFE);
  }

  #show() {
    const from = this.list.children.length;
    for (const [index, finding] of this.findings.slice(from, from + PART).entries()) {
      const line = this.#item(finding);
      this.#offer(line, from + index);
      this.list.append(line);
    }
    const rest = this.findings.length - this.list.children.length;
    this.more.hidden = !rest;
    this.more.textContent = `Show ${Math.min(rest, PART)} of ${rest} more`;
  }

  #offer(line, index) {
    const { flags, reason } = this.outcomes[index] ?? {};
    if (flags) {
      const name = flags === SAFE ? "Apply this fix" : "Apply this fix, which may change more than the finding";
      const apply = Object.assign(document.createElement("button"), { textContent: name, className: "apply" });
      apply.addEventListener("click", () => this.fix(this.findings[index]));
      line.append(apply);
    } else if (reason) line.append(Object.assign(paragraph(`Not fixed here: ${reason}`), { className: "left" }));
  }

  #item(finding) {
    const line = document.createElement("li");
    line.className = severityOf(finding);
    line.append(paragraph(`${finding.severity} `, ...(finding.rule ? [pageOf("rules", finding.rule), " "] : []), this.#place(finding)), paragraph(finding.message));
    for (const each of finding.related) line.append(paragraph(this.#place(each), ` ${each.text}`));
    if (finding.fix) line.append(paragraph(`Fix: ${finding.fix}`));
    return line;
  }

  #place({ file, line }) {
    const place = Object.assign(document.createElement("button"), { className: "place", textContent: line ? `${file}:${line}` : file });
    place.addEventListener("click", () => this.select(file, line ?? 1));
    return place;
  }
}
