"""Names of NVIDIA extensions that the Image Factory does not have."""

from __future__ import annotations

from collections.abc import Iterator

from ...nodes.talos_version import dated
from ...observed.model import Inputs
from ...observed.nodes.node_extensions import nvidia_extensions, without_version
from ...observed.nodes.node_settings import talos_of
from ...upstream.talos.extension_names import GDRDRV, PREFIX, extension_names, is_whole
from ...upstream.talos.features import GDRCOPY
from ..edit import set_to
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._talos import OPEN, once


@once
def _no_such(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        talos = talos_of(config, inputs)
        for each in nvidia_extensions(config):
            if each.written != each.name and without_version(each.written) == each.written:
                yield Violation(
                    severity=Severity.ERROR,
                    message=f"the Image Factory has no extension with the name {each.written}, and builds no image with it. The name begins with {PREFIX}",
                    about=config,
                    path=each.path,
                    edits=set_to(each.name),
                    fix=f"Write {each.name}",
                )
            if each.track or (each.kind == GDRDRV if talos is None else each.kind in extension_names(talos.minor)):
                continue
            known = talos is not None and is_whole(talos.version)
            unknown = dated(f"the extension {each.name} is not known{f' for Talos {talos}' if talos else ''}")
            message = f"the extension {each.name} does not exist for Talos {talos}" if known else unknown
            yield Violation(
                severity=Severity.ERROR if known else Severity.WARNING,
                message=f"{message}. The Image Factory builds no image with {'it' if known else 'an extension that does not exist'}",
                about=config,
                path=each.path,
                fix=f"Remove {each.name}: the extension exists from Talos {GDRCOPY.first} on" if each.kind == GDRDRV else None,
            )


def _schematic(*names: str) -> str:
    listed = "".join(f"      - siderolabs/{name}\n" for name in names)
    return f"customization:\n  systemExtensions:\n    officialExtensions:\n{listed}"


RULES = (
    Rule(
        **WORDS["TG089"],
        severity=Severity.ERROR,
        check=_no_such,
        failing=Example(yaml=_schematic("nvidia-driver", "nvidia-container-toolkit-production"), talos="1.11"),
        passing=Example(yaml=_schematic(*OPEN, "nvidia-gdrdrv-device"), talos="1.12"),
    ),
)
