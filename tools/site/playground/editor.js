// The editor: line numbers beside a text, with the worst finding of each line.

const RANK = { error: 3, warning: 2, remark: 1 };

export const severityOf = ({ severity }) => (severity in RANK ? severity : "remark");

export class Editor {
  constructor(text, gutter) {
    this.text = text;
    this.gutter = gutter;
    text.addEventListener("scroll", () => (gutter.scrollTop = text.scrollTop));
  }

  // Draw the line numbers, and mark the lines of the findings.
  draw(findings) {
    const worst = new Map();
    for (const { line, severity } of findings) {
      if ((RANK[severity] ?? 0) > (RANK[worst.get(line)] ?? 0)) worst.set(line, severity);
    }
    const lines = this.text.value.split("\n").length;
    const parts = [];
    let plain = "";
    for (let line = 1; line <= lines; line += 1) {
      if (worst.has(line)) {
        parts.push(plain, Object.assign(document.createElement("span"), { className: worst.get(line), textContent: `● ${line}\n` }));
        plain = "";
      } else plain += `${line}\n`;
    }
    this.gutter.replaceChildren(...parts, plain);
    this.gutter.scrollTop = this.text.scrollTop;
  }

  select(line) {
    const lines = this.text.value.split("\n");
    const begin = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    this.text.focus();
    this.text.setSelectionRange(begin, begin + (lines[line - 1] ?? "").length);
    this.text.scrollTop = (this.text.scrollHeight / lines.length) * Math.max(0, line - 5);
  }
}
