"""The Python app of a cluster: a cdk8s app whose constructs make the objects that the cluster file describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..nodes.nodes_file import SHARING
from ..nodes.taints import Taint, TaintEffect
from .app_registry import SHARED
from .argument_types import arguments_of
from .composer import OBJECT, Composer
from .file_requests import REQUEST_GPUS, container_requests
from .file_values import EVERY, arguments_in, with_nodes
from .part_table import BESIDE_A_WORKLOAD, part_of
from .python_objects import namespace_object, plain_object, requested_object
from .python_statements import CHART, Statements
from .python_talos import talos_folder, talos_statements
from .python_text import Call, Variable

_OF_A_CLASS = {"dra": "Dra", "passthrough": "Passthrough"}
"""The values of a class of nodes that the file writes as a mapping of their arguments."""


def app_text(description: Mapping[str, Any]) -> str:
    """The text of the app for one cluster, from its description.

    Raises:
        TypeError, ValueError: The first error of the description.
    """
    composer = Composer(description)
    composer.compose()
    if composer.errors:
        raise composer.errors[0].error
    return _App(description, composer).text()


class _App:
    """An app that is written: the references of its description are variables, and its values are calls."""

    def __init__(self, description: Mapping[str, Any], composer: Composer) -> None:
        self._description, self._composer = description, composer
        self._statements = Statements()
        self._classes: dict[str | None, Variable] = {}
        self._workloads: dict[str, Variable] = {}
        self._chart = ""

    def text(self) -> str:
        """The text of the app."""
        given = self._description["nodes"]
        for each in given if isinstance(given, list) else [given]:
            self._node_class(each)
        for name, chart in (self._description.get("charts") or {}).items():
            self._write_chart(name, chart)
        talos = self._description.get("talos", [])
        entries = talos if isinstance(talos, list) else [talos]
        if entries:
            talos_folder(self._statements)
        for entry in entries:
            talos_statements(self._statements, entry or {}, self, self._composer)
        return self._statements.text()

    def nodes(self, argument: str, name: str) -> Any:
        """The class of nodes of this name."""
        return self.every()[0] if name == EVERY else self._classes[name]

    def every(self) -> list[Any]:
        """Every class of nodes."""
        return list(self._classes.values())

    def workload(self, argument: str, name: str) -> Any:
        """The workload of this id in the same chart, or of `chart/id`."""
        variable = self._workloads[name if "/" in name else f"{self._chart}/{name}"]
        variable.is_used = True
        return variable

    def value(self, kind: Any, /, *given: Any, **arguments: Any) -> Call:
        """The call that makes the value of a class."""
        return self._call(kind.__name__, kind, arguments, *given)

    def _call(self, name: str, owner: Any, arguments: Mapping[str, Any], *given: Any) -> Call:
        """A call. The first required arguments stand by their position, as readers write them."""
        keywords = dict(arguments)
        positional = list(given)
        for argument, kind in arguments_of(owner).items():
            if not (kind.is_positional and kind.is_required and argument in keywords):
                break
            positional.append(keywords.pop(argument))
        return self._statements.call(name, *positional, **keywords)

    def _node_class(self, given: Mapping[str, Any]) -> None:
        arguments = dict(given)
        for name, value in given.items():
            if name == "taints":
                arguments[name] = [self._taint(Taint.parse(name, each)) for each in value]
            elif name == "sharing" and value is not None:
                ((kind, settings),) = value.items()
                arguments[name] = self._statements.call(SHARING[kind].__name__, **settings)
            elif name in _OF_A_CLASS and value is not None:
                arguments[name] = self._statements.call(_OF_A_CLASS[name], **value)
        variable = self._classes[given.get("name")] = Variable(given.get("name") or "nodes", "nodes", is_used=True)
        self._statements.add(self._statements.call("GpuNodes", **arguments), variable)

    def _taint(self, taint: Taint) -> Call:
        effect = {} if taint.effect is TaintEffect.NO_SCHEDULE else {"effect": str(taint.effect)}
        return self._statements.call("Taint", taint.key, *(() if taint.value is None else (taint.value,)), **effect)

    def _write_chart(self, name: str, chart: Mapping[str, Any]) -> None:
        self._chart = name
        namespace: Any = chart.get("namespace")
        self._statements.start_chart(name, namespace)
        if chart.get("create_namespace"):
            namespace_object(self._statements, namespace, chart["objects"])
        for id, part in chart["objects"].items():  # noqa: A001
            ((word, given),) = part.items()
            if word == OBJECT:
                if not self._is_made_by_a_part(name, id, given):
                    plain_object(self._statements, id, given, namespace)
            elif word == REQUEST_GPUS:
                nodes = self.nodes("nodes", given.get("nodes", EVERY))
                requests = [{"nodes": nodes, **each} for each in container_requests(given, ())]
                requested_object(self._statements, id, given["workload"], requests, namespace)
            else:
                self._part(id, word, given or {})

    def _is_made_by_a_part(self, chart: str, id: str, given: Mapping[str, Any]) -> bool:  # noqa: A002
        """Whether the app has an identical object without this one: a part leaves a shared object out for that of a file, and knows no `ApiObject`."""
        if given["kind"] not in SHARED:
            return False
        (made,) = (body for path, body in self._composer.charts[chart].objects if path == f"{chart}/{id}")
        charts = self._description["charts"]
        objects = {name: part for name, part in charts[chart]["objects"].items() if name != id}
        others = Composer({**self._description, "charts": {**charts, chart: {**charts[chart], "objects": objects}}})
        others.compose()
        return any(body == made for each in others.charts.values() for _, body in each.objects)

    def _part(self, id: str, name: str, given: Mapping[str, Any]) -> None:  # noqa: A002
        part = part_of(name)
        arguments = with_nodes(part.settings, arguments_in(part.settings, given, (), self), self)
        for argument, inner in part.passed_on.items():
            if isinstance(arguments.get(argument), Mapping):
                arguments[argument] = arguments_in(part_of(inner).settings, arguments[argument], (), self)
        if name in BESIDE_A_WORKLOAD:
            self._statements.add(self._call(name, part.settings, arguments))
            return
        variable = self._workloads[f"{self._chart}/{id}"] = Variable(id, "workload")
        self._statements.add(self._call(name, part.settings, arguments, CHART, id), variable)
