"""Leftovers of an older Talos in node configurations: paths below /usr/local/glibc."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...observed.model import Inputs, NodeConfig, Path, known_str, known_text
from ...observed.nodes.node_settings import talos_of
from ...upstream.talos.features import CDI_LAYOUT, DRIVER_ROOT, LEGACY_LIBRARIES, LEGACY_ROOT, has_legacy_root
from ..edit import set_to
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._talos import once

_LIBRARY_PATH = "LD_LIBRARY_PATH"


@once
def _old_paths(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        talos = talos_of(config, inputs)
        if talos and has_legacy_root(talos.version):
            continue
        for path, text in _texts(config):
            lines = [line for line in text.splitlines() if LEGACY_ROOT in line]
            if lines:
                alone = known_str(path[-1]) == _LIBRARY_PATH or all(_LIBRARY_PATH in line for line in lines)
                yield Violation(
                    severity=Severity.INFO if alone else Severity.ERROR,
                    message=f"the node configuration names {LEGACY_ROOT}, a path that Talos {talos} no longer has"
                    + (
                        f". {_LIBRARY_PATH} finds nothing there"
                        if alone
                        else ". The driver is in /usr/local/lib and /usr/local/bin since Talos 1.13"
                    ),
                    about=config,
                    path=path,
                    edits=set_to(f"{DRIVER_ROOT}/lib", safe=False) if text == LEGACY_LIBRARIES else (),
                )


def _texts(config: NodeConfig) -> Iterator[tuple[Path, str]]:
    for index, document in config.documents:
        yield from _strings(document, ("documents", index))


def _strings(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _strings(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _strings(item, (*path, index))
    elif text := known_text(value):
        yield path, text


_PATCH = """\
machine:
  files:
    - path: /var/lib/nvidia/ld.so.conf
      op: create
      content: /usr/local/%s
"""

RULES = (
    Rule(
        **WORDS["TG077"],
        severity=Severity.ERROR,
        check=_old_paths,
        failing=Example(yaml=_PATCH % "glibc/usr/lib", talos="1.13"),
        passing=Example(yaml=_PATCH % "glibc/usr/lib", talos="1.12"),
        talos=CDI_LAYOUT,
    ),
)
