"""Write into the pages of docs/ what their examples print: each `python` or `sh` block is run, and the block below it is its output.

What is to be rendered and not quoted, such as a table, stands between `<!-- printed -->` and `<!-- end -->` in place of a block. The blocks
of one page share their names, and read their own lines as `__source__`. A line that is run after a block, and is none of the example, stands
below the block as `<!-- run: LINE -->`. The text of the rules of the checks stands between `<!-- rules -->` and `<!-- end -->`, the symptoms of logs between
`<!-- symptoms -->` and `<!-- end -->`, the recorded faults of a link of the doctor's chain between `<!-- faults LINK -->` and `<!-- end -->`, a table of the words of symptoms between `<!-- words -->` and `<!-- end -->`, the number of the rules between `<!-- count -->` and
`<!-- end -->`, every command with its flags between `<!-- commands -->` and `<!-- end -->`, how the rules are proven between `<!-- proofs -->` and `<!-- end -->`, and what each generation of Talos needs between `<!-- needs -->` and
`<!-- end -->`. Inside of a line stands the range of Talos of a constant of upstream/talos/generations.py: `<!-- when BRIDGED -->up to Talos 1.12<!-- end -->`, or with `talos`
in place of `when` as "Talos 1.12 and older". What the pages say of PyPI and of the repository's address is tools/publishing.py. README.md and SECURITY.md have only such tables and ranges. The JSON Schemas of the
settings and of cluster files, the manual talos-gpu.1, and the presets in renovate/, are written too, and the symptoms of the rules that `talos-gpu why` knows. With `--check` nothing is written, and a page that is not fresh is an error.
"""

import contextlib
import io
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DUMPS = ROOT / "tests" / "doctor" / "dumps"
sys.path.insert(0, str(ROOT))

from constructs_lib.checks.fixes.fixer import flags_of_fix  # noqa: E402
from constructs_lib.checks.formats.explain import (  # noqa: E402
    flags,
    table_text,
)
from constructs_lib.checks.rule import Example, Rule  # noqa: E402
from constructs_lib.checks.rules import RULES  # noqa: E402
from constructs_lib.checks.settings_file import schema  # noqa: E402
from constructs_lib.cli.command import main as talos_gpu  # noqa: E402
from constructs_lib.clusters.cluster_schema import schema_text  # noqa: E402
from constructs_lib.doctor.diagnosis import diagnose  # noqa: E402
from constructs_lib.doctor.doctor_report import doctor_report  # noqa: E402
from constructs_lib.doctor.dump_reader import read_dump  # noqa: E402
from constructs_lib.doctor.formats.doctor_markdown import plain, source_link  # noqa: E402
from constructs_lib.doctor.gpu_cluster import GpuCluster  # noqa: E402
from constructs_lib.symptoms.link import Link, Symptom  # noqa: E402
from constructs_lib.symptoms.symptom_table import SYMPTOMS  # noqa: E402
from constructs_lib.upstream.talos import generations  # noqa: E402
from constructs_lib.upstream.talos.generations import Needs  # noqa: E402
from constructs_lib.upstream.talos.minors import Minors  # noqa: E402
from constructs_lib.upstream.talos.releases import PREVIEW, TALOS  # noqa: E402
from tools import publishing  # noqa: E402
from tools.command_pages import commands_markdown, manual  # noqa: E402
from tools.proofs import JUDGED, ON_A_NODE, PROVEN, REPRODUCED, UNPROVEN  # noqa: E402
from tools.renovate_presets import presets  # noqa: E402

_EXAMPLE = re.compile(
    r"^```(?P<language>python|sh)\n(?P<code>.*?)^```\n(?:\n^<!-- run: (?P<line>[^\n]+) -->\n)?(?P<between>\n*)"
    r"(?:^```(?P<shown>yaml|json|text|markdown)\n(?P<output>.*?)^```\n|^(?P<rendered><!-- printed -->)\n.*?^<!-- end -->\n)?",
    re.MULTILINE | re.DOTALL,
)
_TABLE = re.compile(
    r"^<!-- (?P<name>rules|count|commands|symptoms|words|proofs|needs|faults \w+) -->\n.*?^<!-- end -->\n", re.MULTILINE | re.DOTALL
)
_RANGE = re.compile(r"<!-- (?P<form>when|talos) (?P<name>\w+) -->.*?<!-- end -->")


def fresh(page: str) -> str:
    """The page with what its examples print, and the rules say, today."""
    names: dict[str, object] = {}

    def run(found: re.Match[str]) -> str:
        names["__source__"] = found["code"]
        printed = _python(found["code"], names) if found["language"] == "python" else _command(found["code"])
        example = f"```{found['language']}\n{found['code']}```\n"
        if found["line"]:
            printed += _python(found["line"], names)
            example += f"\n<!-- run: {found['line']} -->\n"
        if found["rendered"]:
            return f"{example}\n<!-- printed -->\n{printed.rstrip()}\n<!-- end -->\n"
        if found["shown"] is None:
            if printed.strip():
                raise ValueError(f"an example prints something, and no block below it shows that:\n{found['code']}")
            return example + found["between"]
        return f"{example}\n```{found['shown']}\n{printed.rstrip()}\n```\n"

    return tabled(_EXAMPLE.sub(run, page))


def tabled(page: str) -> str:
    """The page with the tables and the ranges of Talos of today."""
    tables: dict[str, Callable[[], str]] = {
        "rules": _rules,
        "count": _count,
        "commands": commands_markdown,
        "symptoms": _symptoms,
        "words": _words,
        "proofs": _proofs,
        "needs": _needs,
        **{f"faults {link}": partial(_faults, link) for link in Link},
    }
    page = publishing.written(page, publishing.publication())
    page = _TABLE.sub(lambda found: f"<!-- {found['name']} -->\n{tables[found['name']]()}<!-- end -->\n", page)
    return _RANGE.sub(lambda found: f"<!-- {found['form']} {found['name']} -->{_range(found['form'], found['name'])}<!-- end -->", page)


def _range(form: str, name: str) -> str:
    """The words for a range of Talos."""
    talos: Minors = getattr(generations, name)
    return talos.when if form == "when" else str(talos)


def _needs() -> str:
    """A table of what each generation of Talos needs."""
    rows = [f"| {' | '.join(_row(row))} |\n" for row in generations.GENERATIONS]
    head = (
        "Talos",
        "libraries of the driver",
        "device list strategies",
        "RuntimeClass `nvidia` of a GPU pod",
        "agents get the driver by",
        "operator",
        "without it",
    )
    return f"| {' | '.join(head)} |\n|{'---|' * len(head)}\n{''.join(rows)}"


def _row(row: Needs) -> Iterator[str]:
    minors = [minor for minor in TALOS if int(minor.partition(".")[2]) in row.talos]
    spans = f"{minors[0]} – {minors[-1]}" if row.talos.since is None else ", ".join(minors)  # noqa: RUF001  # a range
    yield f"{spans}, a preview" if PREVIEW in minors else spans
    yield row.libraries
    yield _listed(row.strategies)
    if not row.by_class:
        yield "none, because containerd has no such handler"
    else:
        yield f"needed with {_listed(row.by_class)}, not with {_listed(row.by_containerd)}" if row.by_containerd else "needed"
    yield "RuntimeClass `nvidia`" if row.by_class else "NRI, from the operator's toolkit"
    yield "with the bridge, and without CDI" if row.has_bridge else f"≥ {row.operator}, without a bridge"
    parts = ["standalone plugin"] * bool(row.by_class) + ["DRA driver"] * row.has_dra
    yield ", ".join(parts) or "nothing"


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


@cache
def _recorded() -> dict[Link, dict[str, str]]:
    """The first line of the report for each fault of the recorded dumps, by link and name."""
    lines: dict[Link, dict[str, str]] = {link: {} for link in Link}
    for folder in sorted(each for each in DUMPS.glob("*") if each.is_dir()):
        report = doctor_report(diagnose(GpuCluster(read_dump([folder]))))
        for cause in report.diagnosis.causes:
            if cause.link is not None:
                lines[cause.link].setdefault(cause.fault.name, report.headline(cause))
    return lines


def _faults(link: Link) -> str:
    """A table of the recorded faults of a link."""
    rows = [f"| `{name}` | {plain(line)} |\n" for name, line in sorted(_recorded()[link].items())]
    return "".join(["| fault | first line of the report |\n|---|---|\n", *rows]) if rows else ""


def _rules() -> str:
    return "\n".join(_rule(RULES[name]) for name in sorted(RULES))


def _count() -> str:
    return f"`talos-gpu check` knows {len(RULES)} failure modes of NVIDIA GPUs on Talos (`talos-gpu check --list`).\n"


def _symptoms() -> str:
    return "\n".join(map(_symptom, SYMPTOMS))


def _symptom(symptom: Symptom) -> str:
    """A symptom with its words, cause and remedy."""
    words = "\n".join(symptom.phrases)
    commands = "\n".join(map(str, symptom.commands))
    return f"""\
### <a id="{symptom.name}"></a>{_plain(symptom.title)}

```text
{words}
```

{_plain(symptom.cause)}.

{_plain(symptom.remedy)}.

```bash
{commands}
```

{_pages(symptom)}. Source: {", ".join(map(source_link, symptom.source.split("; ")))}
"""


def _pages(symptom: Symptom) -> str:
    """The rules and alerts of a symptom as links."""
    rules = [f"[{rule}](rules.md#{rule.lower()})" for rule in symptom.rules]
    alerts = [f"[{alert}](alerts.md#{alert.lower()})" for alert in symptom.alerts]
    seen = f"In files: {', '.join(rules)}" if rules else "No rule finds this in files"
    return f"{seen}. Alerts: {', '.join(alerts)}" if alerts else seen


def _words() -> str:
    """A table of the symptoms by the words of their phrases."""
    rows = (
        f"| `{symptom.phrases[0].replace('|', chr(92) + '|')}` | {_plain(symptom.title)} | "
        + ", ".join([*(f"[{rule}](#{rule.lower()})" for rule in symptom.rules), f"[{symptom.name}](symptoms.md#{symptom.name})"])
        + " |\n"
        for symptom in SYMPTOMS
    )
    return "| words | meaning | pages |\n|---|---|---|\n" + "".join(rows)


def _proofs() -> str:
    """The number of rules that are proven, and of the others what shows the symptom."""
    rows = [f"| no, it takes {reason} | {len(rules)} | {_rules_as_links(rules)} |\n" for reason, rules in UNPROVEN.items()]
    return (
        f"{len(PROVEN)} of {len(RULES)} rules are proven so.\n\n| proven | rules | |\n|---|---|---|\n"
        f"| on a control plane | {len(REPRODUCED)} | {_rules_as_links(REPRODUCED)} |\n"
        f"| on a node with mock cards | {len(ON_A_NODE)} | {_rules_as_links(ON_A_NODE)} |\n"
        f"| by the decoders of Talos and Omni | {len(JUDGED)} | {_rules_as_links(JUDGED)} |\n{''.join(rows)}"
    )


def _rules_as_links(rules: Iterable[str]) -> str:
    return ", ".join(f"[{rule}](#{rule.lower()})" for rule in rules)


def _rule(rule: Rule) -> str:
    """A rule, headed by what people see and search for."""
    return f"""\
### <a id="{rule.id.lower()}"></a>{rule.id}: {_plain(rule.symptom)}

{_plain(rule.claim)} ({rule.severity}; {rule.talos}{_fixable(rule)}{_proven(rule)}).

{_plain(rule.fix)}. Source: {", ".join(map(source_link, rule.source.split("; ")))}

<details><summary>Examples</summary>

Fails{_given(rule.failing)}:

```yaml
{rule.failing.yaml.strip()}
```

Passes{_given(rule.passing)}:

```yaml
{rule.passing.yaml.strip()}
```
{_also(rule)}
</details>
"""


def _also(rule: Rule) -> str:
    return f"\nAlso passes: {_plain('; '.join(rule.also_passing))}.\n" if rule.also_passing else ""


def _fixable(rule: Rule) -> str:
    given = flags_of_fix(rule)
    return f"; fixable with `{given}`" if given else ""


def _proven(rule: Rule) -> str:
    return "; [reproduced](#reproduced)" if rule.id in PROVEN else ""


def _given(example: Example) -> str:
    given = flags(example)
    return f", with `{given}`" if given else ""


def _plain(words: str) -> str:
    """Words as they are, none of them a mark of Markdown's."""
    return re.sub(r"([*<\\])", r"\\\1", words)


def _python(code: str, names: dict[str, object]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, names)  # our own pages
    return printed.getvalue()


def _command(code: str) -> str:
    """The output of the lines that are our own command, which may find something; the other lines of the shell are for the reader."""
    messages = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(messages):
        for line in code.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["talos-gpu"] and not {">", "|"} & {*words} and talos_gpu(words[1:]) > 1:
                raise ValueError(f"an example fails: {line}\n{messages.getvalue()}")
    return printed.getvalue()


def main() -> None:
    """Every page, schema and table, or the first that is not fresh."""
    texts = {
        ROOT / "docs/settings-schema.json": json.dumps(schema(), indent=2) + "\n",
        ROOT / "docs/cluster-schema.json": schema_text(),
        ROOT / "constructs_lib/symptoms/rules.json": table_text(),
        ROOT / "docs/talos-gpu.1": manual(),
        **{ROOT / "renovate" / name: text for name, text in presets().items()},
    }
    texts |= {path: tabled(path.read_text(encoding="utf-8")) for path in (ROOT / "README.md", ROOT / "SECURITY.md")}
    for path in [*sorted((ROOT / "docs").glob("*.md")), *texts]:
        page = path.read_text(encoding="utf-8") if path.exists() else ""
        now = texts[path] if path in texts else fresh(page)
        if now != page and "--check" in sys.argv:
            sys.exit(f"{path.relative_to(ROOT)} does not show what its examples print: run make docs")
        path.write_text(now, encoding="utf-8")


if __name__ == "__main__":
    main()
