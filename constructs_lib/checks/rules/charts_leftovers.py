"""Leftovers of Talos 1.12 in charts: its library paths, and the validation bridge."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.agents.bridges import bridges
from ...observed.agents.operators import Operator, operators
from ...observed.agents.plugin_options import plugin_options
from ...observed.model import Inputs, Path, at, contains, mappings
from ...upstream.nvidia.plugin_words import DRIVER_ROOT_OPTION
from ...upstream.talos.features import CDI_LAYOUT, DRIVER_ROOT, LEGACY_ROOT
from ..edit import removal, set_to
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS

_COMPONENTS = ("devicePlugin", "gfd", "dcgm", "dcgmExporter", "toolkit", "validator")
# NVIDIA_DRIVER_ROOT of these components is a plugin option, and checked as a plugin option.
_PLUGINS = ("devicePlugin", "gfd")
_OF_VALIDATOR = ("driver", "toolkit", "cuda", "plugin")


def _left_over(inputs: Inputs) -> Iterator[Violation]:
    for option in plugin_options(inputs):
        # A variable of a pod is checked with the pods (TG061).
        is_of_a_pod = option.reader is not None and not isinstance(option.reader, Operator) and option.reader.release is None
        if option.name == DRIVER_ROOT_OPTION and _names_it(option.value) and (option.in_file or not is_of_a_pod):
            yield Violation(
                severity=Severity.ERROR if option.wins else Severity.INFO,
                message=f"{option.written} is {option.value}, a path that Talos {inputs.talos_version} no longer has. The plugin finds no driver there",
                about=option.about,
                path=option.path,
                fix=_other_root(option.written),
                edits=set_to(DRIVER_ROOT) if not option.in_file else (),
            )
    for operator in operators(inputs):
        for path, name, value in _variables(operator):
            if _names_it(value):
                alone = name == "LD_LIBRARY_PATH"
                effect = "The variable has no effect" if alone else "The driver is below /usr/local since Talos 1.13"
                yield Violation(
                    severity=Severity.INFO if alone else Severity.ERROR,
                    message=f"{name} is {value}, a path that Talos {inputs.talos_version} no longer has. {effect}",
                    about=operator.about,
                    path=path,
                    fix=f"Remove the paths below {LEGACY_ROOT} from {name}" if alone else _other_root(name),
                    edits=removal(path[:-1], safe=False) if alone else set_to(DRIVER_ROOT, path) if name == "NVIDIA_DRIVER_ROOT" else (),
                )
    for bridge in bridges(inputs):
        yield Violation(
            severity=Severity.INFO,
            message=f"the bridge writes the operator's marker files. On Talos {inputs.talos_version} the operator's own validator writes them",
            about=bridge.about,
            path=bridge.path,
            fix="Set hostPaths.driverInstallDir: /usr/local in the operator's values, and delete the bridge",
        )


def _other_root(name: str) -> str:
    return f"Remove {name}, or set it to the driver root of Talos 1.13, /usr/local"


def _variables(operator: Operator) -> Iterator[tuple[Path, str, object]]:
    paths = [(component, "env") for component in _COMPONENTS] + [("validator", part, "env") for part in _OF_VALIDATOR]
    for path in paths:
        for index, variable in mappings(operator.written(*path)):
            name = at(variable, "name")
            if isinstance(name, str) and (name != "NVIDIA_DRIVER_ROOT" or path[0] not in _PLUGINS):
                yield (*operator.path(*path), index, "value"), name, at(variable, "value")


def _names_it(value: object) -> bool:
    return contains(value, LEGACY_ROOT).is_yes


_VALUES = """\
driver: {enabled: false}
toolkit: {enabled: false}
migManager: {enabled: false}
hostPaths: {driverInstallDir: /usr/local}
devicePlugin: {env: [{name: NVIDIA_DRIVER_ROOT, value: %s}]}
"""

RULES = (
    Rule(
        **WORDS["TG021"],
        severity=Severity.ERROR,
        check=_left_over,
        failing=Example(chart="gpu-operator@v26.7.0", talos="1.13", yaml=_VALUES % "/usr/local/glibc/usr"),
        passing=Example(chart="gpu-operator@v26.7.0", talos="1.13", yaml=_VALUES % "/"),
        talos=CDI_LAYOUT,
    ),
)
