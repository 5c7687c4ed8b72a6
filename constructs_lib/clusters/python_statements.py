"""The statements of a Python app in their order, with the imports, the constants and the variables that they need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arguments.public_names import package_of
from .part_table import BESIDE_A_WORKLOAD
from .python_text import LINE, Call, Code, Names, Variable, block, is_block, written

CHART = Code("chart")
"""The variable of the chart whose objects follow."""
API_OBJECT, POD = Code("api_object"), Code("pod")
"""The variables of the object, and of the Pod, whose statements follow."""
FOLDER, TALOS, SCHEMATIC, PATCH, IMAGE = map(Code, ("folder", "talos", "schematic", "patch", "image"))
TARGET, TALCONFIG = Code("target"), Code("talconfig")
"""The variables of the folders, and of the files for Talos."""
_OURS, _CDK8S = "constructs_lib", "cdk8s"
_FUNCTIONS = ("attach", "gpu_pod", "merge_into_talconfig", "omni_config_patch", "omni_extensions")
_VARIABLES = (CHART, API_OBJECT, POD, FOLDER, TALOS, SCHEMATIC, PATCH, IMAGE, TARGET, TALCONFIG)
_TAKEN = ("app", "os", *(each.text for each in _VARIABLES), *BESIDE_A_WORKLOAD, *_FUNCTIONS)
_START = f"""\
{FOLDER.text} = Path(os.environ.get("CDK8S_OUTDIR", "dist"))
app = App(outdir=str({FOLDER.text} / "manifests"))
attach(app)"""


class Statements:
    """The statements of an app."""

    def __init__(self) -> None:
        self._imports: dict[str, set[str]] = {_CDK8S: {"App"}, _OURS: {"attach"}}
        self._constants: dict[str, str] = {}
        self._names = Names(_TAKEN)
        self._lines: list[tuple[Any, Variable | Code | None]] = []

    def call(self, function: str, /, *positional: Any, **keywords: Any) -> Call:
        """A call of something in this library."""
        return self._imported(package_of(function.partition(".")[0]), function, positional, keywords)

    def cdk8s(self, function: str, /, *positional: Any, **keywords: Any) -> Call:
        """A call of something in cdk8s, or of its method."""
        return self._imported(_CDK8S, function, positional, keywords)

    def _imported(self, package: str, function: str, positional: tuple[Any, ...], keywords: Mapping[str, Any]) -> Call:
        self._imports.setdefault(package, set()).add(function.partition(".")[0])
        return Call(
            function,
            tuple(self._lifted(each, function) for each in positional),
            {name: self._lifted(each, name) for name, each in keywords.items()},
        )

    def _lifted(self, value: Any, words: str) -> Any:
        """A value in which a constant holds each text of several lines."""
        if isinstance(value, str) and is_block(value):
            if value not in self._constants:
                self._constants[value] = self._names.new(words, "text").upper()
            return Code(self._constants[value])
        if isinstance(value, Mapping):
            return {key: self._lifted(each, str(key)) for key, each in value.items()}
        return [self._lifted(each, words) for each in value] if isinstance(value, list | tuple) else value

    def add(self, expression: Any, variable: Variable | Code | None = None) -> None:
        """Add an expression, and the variable that it is assigned to."""
        self._lines.append((expression, variable))

    def blank(self) -> None:
        """Begin a paragraph."""
        self._lines.append((Code(""), None))

    def start_chart(self, name: str, namespace: str | None) -> None:
        """Begin the objects of a chart."""
        self.blank()
        place = {} if namespace is None else {"namespace": namespace}
        self.add(self.cdk8s("Chart", Code("app"), name, **place), CHART)

    def text(self) -> str:
        """The text of the app."""
        for _, variable in self._lines:
            if isinstance(variable, Variable) and variable.is_used:
                variable.name = self._names.new(variable.words, variable.fallback)
        imports = "\n".join(_import(package, names) for package, names in sorted(self._imports.items()))
        paragraphs = [
            '"""A cluster with NVIDIA GPUs: its nodes, the objects for its GPUs, and its Talos files."""',
            f"import os\nfrom pathlib import Path\n\n{imports}",
            *(block(name, text) for text, name in self._constants.items()),
            _START,
            "\n".join(_statement(*each) for each in self._lines),
            "app.synth()",
        ]
        return "\n\n".join(paragraphs) + "\n"


def _statement(expression: Any, variable: Variable | Code | None) -> str:
    name = variable.text if isinstance(variable, Code) else variable.name if variable else ""
    return written(expression, before=f"{name} = " if name else "")


def _import(package: str, names: set[str]) -> str:
    """An import in the order of isort: classes, then functions."""
    ordered = sorted(names, key=lambda name: (name[0].islower(), name.lower()))
    line = f"from {package} import {', '.join(ordered)}"
    return line if len(line) <= LINE else f"from {package} import (\n" + "".join(f"    {name},\n" for name in ordered) + ")"
