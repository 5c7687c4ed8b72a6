"""What Prometheus itself says of an expression: whether it can be read, and what it gives for series that a test writes.

`PROMTOOL` names the binary. Of Grafana's own variables those of time become times, and those that a reader chooses match everything, as
"All" does, or what a test has chosen.
"""

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from conftest import SHORT_LIVED, needs

_TIMES = {"__rate_interval": "5m", "__range": "1h"}
ANYTHING = ".*"


def as_asked(expr: str, **chosen: str) -> str:
    """An expression as Grafana sends it."""
    return re.sub(r"\$(__\w+|[a-z]\w*)", lambda found: _TIMES.get(found[1]) or chosen.get(found[1], ANYTHING), expr)


def check(folder: Path, expressions: Sequence[str]) -> str:
    """What promtool has to say against the expressions; nothing when Prometheus reads them all."""
    rules = [{"record": f"expression:{number}", "expr": expr} for number, expr in enumerate(expressions)]
    (folder / "rules.yaml").write_text(yaml.safe_dump({"groups": [{"name": "all", "rules": rules}]}))
    done = _promtool("check", "rules", str(folder / "rules.yaml"))
    assert done.returncode in (0, 1), done.stderr
    return "" if done.returncode == 0 else done.stdout + done.stderr


def gives(folder: Path, series: Mapping[str, object], expr: str, expected: Mapping[str, float], *, at: str = "10m", **chosen: str) -> None:
    """Claim what an expression gives: a value for each set of labels. A series with one value has had it for an hour."""
    _all_give(folder, series, {as_asked(expr, **chosen): expected}, at)


def agree(folder: Path, series: Mapping[str, object], pairs: Sequence[tuple[str, str]], *, at: str = "1h") -> None:
    """Claim that the two expressions of each pair give something, and the same: as many series, of the same labels and values."""
    same = "group(count(abs(({0}) - ({1})) <= 1e-9 * abs({0})) == count({0}) == count({1}))"
    _all_give(folder, series, {same.format(*map(as_asked, pair)): {"{}": 1} for pair in pairs}, at)


def _all_give(folder: Path, series: Mapping[str, object], expected: Mapping[str, Mapping[str, float]], at: str) -> None:
    written = [{"series": name, "values": values if isinstance(values, str) else f"{values}x60"} for name, values in series.items()]
    asked = [
        {"expr": expr, "eval_time": at, "exp_samples": [{"labels": labels, "value": value} for labels, value in samples.items()]}
        for expr, samples in expected.items()
    ]
    test: dict[str, Any] = {"interval": "1m", "input_series": written, "promql_expr_test": asked}
    file = folder / "test.yaml"
    file.write_text(yaml.safe_dump({"rule_files": [], "evaluation_interval": "1m", "tests": [test]}, width=10_000))
    done = _promtool("test", "rules", str(file))
    assert done.returncode == 0, done.stdout + done.stderr


def _promtool(*arguments: str) -> subprocess.CompletedProcess[str]:
    binary = needs("PROMTOOL", "Prometheus' own promtool")
    return subprocess.run([binary, *arguments], env=SHORT_LIVED, capture_output=True, text=True, check=False)
