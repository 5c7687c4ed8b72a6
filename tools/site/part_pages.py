"""The page of a rule and the page of a symptom: facts in a table, the fix and the examples under headings, and links that open an example in the playground."""

from __future__ import annotations

import base64
import json
import re
import textwrap
import zlib
from collections.abc import Iterable, Mapping

from constructs_lib.checks.fixes.fixer import flags_of_fix
from constructs_lib.checks.formats.explain import flags
from constructs_lib.checks.rule import SAFE, Example, Rule, Witness
from constructs_lib.doctor.formats.doctor_markdown import source_link
from constructs_lib.symptoms.link import Symptom

_PROOFS = {
    Witness.CONTROL_PLANE: "on a control plane",
    Witness.NODE: "on a node with mock cards",
    Witness.DECODER: "by the decoders of Talos and Omni",
}


def rule_page(rule: Rule) -> str:
    """The text below the heading of a rule."""
    facts = {
        "severity": f"{rule.severity}",
        "Talos": f"{rule.talos}",
        "fix": _fix(flags_of_fix(rule)),
        "reproduced": f"[{_PROOFS.get(rule.shown_by, f'no, it takes {rule.shown_by.value}')}](rules.md#reproduced)",
        "in a terminal": f"`talos-gpu check --explain {rule.id}`",
    }
    passing = f"\nAlso passes: {_plain('; '.join(rule.also_passing))}.\n" if rule.also_passing else ""
    return (
        f"[Checks](rules.md)\n\n{_plain(rule.claim)}.\n\n{_table(facts)}\n## Fix\n\n{_plain(rule.fix)}.\n\n"
        f"## Fails\n\n{_example(rule.failing)}\n## Passes\n\n{_example(rule.passing)}{passing}\n{_source(rule.source)}"
    )


def symptom_page(symptom: Symptom) -> str:
    """The text below the heading of a symptom."""
    link = symptom.link
    facts = {
        "broken step": f"{link}. {link.consequence}" if link else "nothing: card and driver work on",
        "at fault": "the card or the machine" if symptom.is_hardware else "the configuration or a program",
        "rules that find it in files": ", ".join(f"[{rule}](rules-{rule.lower()}.md)" for rule in symptom.rules) or "none",
        "alerts": ", ".join(f"[{alert}](alerts.md#{alert.lower()})" for alert in symptom.alerts) or "none",
    }
    lines, commands = "\n".join(symptom.phrases), "\n".join(map(str, symptom.commands))
    opened = _open({"files": [], "talos": "", "log": symptom.phrases[0]})
    return (
        f"[Symptoms](symptoms.md)\n\n{_plain(symptom.cause)}.\n\n{_table(facts)}\n## Log lines\n\n{opened}\n\n```text\n{lines}\n```\n\n"
        f"## Fix\n\n{_plain(symptom.remedy)}.\n\n" + (f"```bash\n{commands}\n```\n\n" if commands else "") + _source(symptom.source)
    )


def playground_link(shared: Mapping[str, object]) -> str:
    """The address that opens files, or lines of a log, in the playground: share.js reads it."""
    packed = base64.urlsafe_b64encode(zlib.compress(json.dumps(shared).encode(), 9)).decode().rstrip("=")
    return f"playground/index.html#{packed}"


def _open(shared: Mapping[str, object]) -> str:
    return f'<a class="open" href="{playground_link(shared)}">Open in the playground</a>'


def _example(example: Example) -> str:
    """An example, with the link that opens it. The playground lacks the flag `--chart`, so values open in a HelmRelease."""
    given = flags(example)
    link = _open({"files": [*_files(example).items()], "talos": example.talos or ""}) + (
        " as a HelmRelease of Flux" if example.chart else ""
    )
    words = " · ".join(each for each in (f"With `{given}`" if given else "", link) if each)
    others = "".join(f"\n`{name}`:\n\n```yaml\n{text.strip()}\n```\n" for name, text in example.files.items())
    return f"{words}\n\n```yaml\n{example.yaml.strip()}\n```\n{others}"


def _files(example: Example) -> dict[str, str]:
    text = _release(example.yaml, example.chart) if example.chart else example.yaml
    files = {"kustomization.yaml" if example.files else "example.yaml": text, **example.files}
    return files | ({".talos-gpu.yaml": example.nodes_file} if example.nodes_file else {})


def _release(values: str, chart: str) -> str:
    """The values of a chart, as a release that installs it."""
    name, _, version = chart.partition("@")
    return f"""\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: {name}, namespace: {name}}}
spec:
  chart: {{spec: {{chart: {name}, version: {version}, sourceRef: {{kind: HelmRepository, name: nvidia}}}}}}
  values:
{textwrap.indent(values, "    ")}"""


def _fix(given: str) -> str:
    if not given:
        return "by hand: more than one value, one line or one manifest"
    return f"`{given}`: {'safe' if given == SAFE else 'may change more than the finding'}"


def _table(facts: Mapping[str, str]) -> str:
    return "| | |\n|---|---|\n" + "".join(f"| {name} | {value.replace('|', chr(92) + '|')} |\n" for name, value in facts.items())


def _source(source: str) -> str:
    return f"## Source\n\n{_listed(map(source_link, source.split('; ')))}\n"


def _listed(items: Iterable[str]) -> str:
    return "\n".join(f"- {each}" for each in items)


def _plain(words: str) -> str:
    """Words as they are, none of them a mark of Markdown's."""
    return re.sub(r"([*<\\])", r"\\\1", words)
