"""The description of a cluster: a cluster file's words, translated into the classes of nodes, the charts and the Talos
files that the composer makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arguments.errors import Refusal, wrong, wrong_kind
from ..arguments.names import dns_label, namespace_name
from ..arguments.plain_values import mapping
from ..arguments.spelling import did_you_mean
from ..nodes.file_classes import FileClass, file_classes
from ..nodes.nodes_file import file_nodes
from ..nodes.talos_version import TalosVersion
from ..upstream.choice import Choice
from ..upstream.talos.features import EXEMPT_NAMESPACE
from .file_values import FileError, Path, placed
from .part_table import BESIDE_A_WORKLOAD, RECIPE_NAMES

STACK, WORKLOADS = "gpu", "workloads"
"""The chart of the stack, and the namespace and the chart of a workload that names no namespace."""
RECIPE, NAMESPACE = "recipe", "namespace"
RECIPES = (*RECIPE_NAMES, "Companion", "GpuGang", "GpuWorkload", "OpenWebUI")
"""The constructs that a workload may name as its recipe."""
_OWN = "GpuWorkload"
_EXISTING = ("default", EXEMPT_NAMESPACE, "kube-public", "kube-node-lease")


class Stack(Choice):
    """The component that gives pods their GPUs."""

    STANDALONE = "standalone"
    OPERATOR = "operator"
    NONE = "none"


class Gitops(Choice):
    """The engine in the cluster that installs Helm charts; with `none` Helm on this machine renders them."""

    FLUX = "flux"
    ARGOCD = "argocd"
    NONE = "none"


_DELIVERIES: Mapping[str, dict[str, Any]] = {"flux": {"Flux": {}}, "argocd": {"ArgoCd": {}}, "none": {"HelmTemplate": {}}}


class Description(dict[str, Any]):
    """The description of a cluster: `nodes`, `charts`, `talos` and `control_plane`, with the places of the file that they come
    from."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        super().__init__()
        self.content = content
        """The cluster, as the file has it."""
        self.places: dict[Path, Path] = {}
        """The place in the file of each part of the description that stands elsewhere."""
        self.notes: list[str] = []
        """What followed without a word of the file, with the reason."""
        self.errors: list[FileError] = []
        self.classes: list[FileClass] = []
        self._talos_keys: list[str] = []
        try:
            self._describe()
        except FileError as error:
            self.errors.append(error)

    def _describe(self) -> None:
        try:
            self.classes = file_classes(self.content)
        except Refusal as error:
            raise FileError(_path_of(error), error) from None
        self["nodes"] = [dict(each.arguments) for each in self.classes]
        given = self.content.get("charts")
        charts = {} if given is None else placed(("charts",), mapping, "charts", given)
        stack, workloads = self._stack(has_charts=bool(charts)), self._workloads(charts)
        if stack.keys() & workloads.keys():
            path = self.places["charts", STACK, "objects", next(iter(workloads[STACK]["objects"]))]
            raise FileError((*path, NAMESPACE), wrong(NAMESPACE, "another namespace than that of the file of 'stack'", STACK))
        own = {**stack, **workloads}
        for name in charts:
            if name in own:
                raise FileError(("charts", name), wrong("charts", "charts of other names than those of 'stack' and 'workloads'", name))
        if own or charts:
            self["charts"] = {**own, **charts}
        self._talos()
        if (control_plane := self.content.get("control_plane")) is not None:
            self["control_plane"] = placed(("control_plane",), mapping, "control_plane", control_plane)

    @property
    def aliases(self) -> dict[str, str | None]:
        """The names of the classes, by the keys of their first nodes in the file."""
        return {key: each.name for each in self.classes for key in each.keys}

    def told(self, error: FileError) -> FileError:
        """An error with its place in the file, and in its words."""
        path = error.path
        if error in self.errors:
            return error
        if path[:1] == ("nodes",) and isinstance(error.error, Refusal) and len(path) > 1:
            number = path[1] if isinstance(path[1], int) else 0
            told = self.classes[number].told(error.error)
            return FileError(_path_of(told), told)
        if path[:1] == ("talos",):
            own = ("nodes",) if len(path) == 1 else ("nodes", self._talos_keys[int(path[1])], *path[2:])
            return FileError(own, error.error)
        for length in range(len(path), 0, -1):
            if path[:length] in self.places:
                return FileError((*self.places[path[:length]], *path[length:]), error.error)
        return error

    def _talos(self) -> None:
        """The Talos files: of each class whose Talos names a patch, because an image is of one release."""
        entries = []
        for each in self.classes:
            version = each.arguments["talos_version"]
            try:
                has_patch = TalosVersion.parse("talos", version).patch is not None
            except (TypeError, ValueError):
                continue  # the class is refused with this error
            if each.has_talos_files and has_patch:
                self._talos_keys.append(each.keys[0])
                entries.append({**({} if each.name is None else {"nodes": each.keys[0]}), **each.machine})
            elif each.has_talos_files:
                self.notes.append(
                    f"Talos files: none of {each.keys[0]}, because an image is of one release and Talos {version} names no patch"
                )
        if entries:
            self["talos"] = entries

    def _stack(self, *, has_charts: bool) -> dict[str, Any]:
        """The chart of the stack."""
        given, gitops = self.content.get("stack"), _choice("gitops", self.content.get("gitops"), Gitops)
        arguments: dict[str, Any] = {"monitoring": False}
        if isinstance(given, Mapping):
            arguments |= placed(("stack",), mapping, "stack", given)
            stack = Stack.OPERATOR if arguments.get("operator") else Stack.STANDALONE
        else:
            stack = _choice("stack", given, Stack, "'standalone', 'operator', 'none', or the arguments of GpuStack") or self._follows(
                has_charts
            )
        if stack is Stack.NONE:
            return {}
        if not isinstance(given, Mapping):
            arguments["operator"] = stack is Stack.OPERATOR
        if gitops is not None and "delivery" in arguments:
            raise FileError(("gitops",), wrong("gitops", "left out beside 'delivery' of 'stack'", str(gitops)))
        if gitops is not None:
            arguments.setdefault("delivery", _DELIVERIES[gitops])
        elif stack is Stack.STANDALONE and "delivery" not in arguments:
            arguments.setdefault("discovery", False)
        self.places |= {
            ("charts", STACK): ("stack",),
            ("charts", STACK, "objects", "stack"): ("stack",),
            ("charts", STACK, "objects", "stack", "GpuStack"): ("stack",),
            ("charts", STACK, "objects", "stack", "GpuStack", "delivery"): ("gitops",) if gitops is not None else ("stack", "delivery"),
        }
        return {STACK: {"objects": {"stack": {"GpuStack": arguments}}}}

    def _follows(self, has_charts: bool) -> Stack:
        """The stack that follows from Talos, the nodes and the charts, where the file names none."""
        if has_charts:
            self.notes.append("stack: none, because the file has charts of its own, which may have one; stack: standalone adds it")
            return Stack.NONE
        if all(each.arguments.get("passthrough") is not None for each in self.classes):
            self.notes.append("stack: none, because the cards of all nodes belong to virtual machines, and KubeVirt itself advertises them")
            return Stack.NONE
        for each in self.classes:
            try:
                talos = TalosVersion.parse("talos", each.arguments["talos_version"])
            except (TypeError, ValueError):
                continue  # the class is refused with this error
            if not talos.needs.by_class:
                reason = "because its containerd gives no container a GPU without the toolkit of the operator"
                self.notes.append(f"stack: operator, the only route that is known for Talos {talos.minor_version}, {reason}")
                return Stack.OPERATOR
        return Stack.STANDALONE

    def _workloads(self, charts: Mapping[str, Any]) -> dict[str, Any]:
        """The charts of the workloads: one for each namespace."""
        given = self.content.get("workloads")
        workloads = {} if given is None else placed(("workloads",), mapping, "workloads", given, "a mapping of names to workloads")
        made: dict[str, Any] = {}
        there = {chart.get(NAMESPACE) for chart in charts.values() if isinstance(chart, Mapping) and chart.get("create_namespace")}
        for id, each in workloads.items():  # noqa: A001
            path: Path = ("workloads", id)
            fields = placed(path, mapping, "workloads", each, "a mapping such as {recipe: Ollama}")
            placed(path, dns_label, "workloads", id)
            namespace = placed((*path, NAMESPACE), namespace_name, NAMESPACE, fields.pop(NAMESPACE, WORKLOADS))
            recipe = placed((*path, RECIPE), _recipe, fields.pop(RECIPE, None), fields)
            chart = made.setdefault(namespace, {NAMESPACE: namespace, "objects": {}})
            if namespace not in _EXISTING and namespace not in there:
                chart["create_namespace"] = True
            beside = {part: fields.pop(part) for part in BESIDE_A_WORKLOAD if part in fields}
            chart["objects"][id] = {recipe: fields}
            base: Path = ("charts", namespace, "objects")
            self.places |= {("charts", namespace): ("workloads",), (*base, id): path, (*base, id, recipe): path}
            for part, arguments in beside.items():
                own = {} if arguments is None else placed((*path, part), mapping, part, arguments)
                if f"{id}-{part}" in workloads:
                    raise FileError((*path, part), wrong("workloads", f"other names than that of '{part}' of '{id}'", f"{id}-{part}"))
                chart["objects"][f"{id}-{part}"] = {part: {"workload": id, **own}}
                self.places |= {(*base, f"{id}-{part}"): (*path, part), (*base, f"{id}-{part}", part): (*path, part)}
        return made


def _choice(key: str, given: object, kind: type[Any], rule: str = "") -> Any:
    if given is None:
        return None
    words = [str(each) for each in kind]
    if given not in words:
        rule = rule or f"one of {', '.join(map(repr, words))}"
        error = wrong(key, rule, given, did_you_mean(given, words)) if isinstance(given, str) else wrong_kind(key, rule, given)
        raise FileError((key,), error)
    return kind(given)


def _recipe(given: object, fields: Mapping[str, Any]) -> str:
    """The construct of a workload: that of its recipe, or a container of its own."""
    if given is None and "image" in fields:
        return _OWN
    rule = "the name of a recipe, such as Ollama"
    if not isinstance(given, str):
        raise wrong_kind(RECIPE, rule, "nothing" if given is None else given, "or give the workload an 'image'")
    if given not in RECIPES:
        close = {each.lower(): each for each in RECIPES}
        hint = f"did you mean '{close[given.lower()]}'?" if given.lower() in close else did_you_mean(given, RECIPES)
        raise wrong(RECIPE, rule, given, hint or f"the recipes are {', '.join(RECIPES)}")
    return given


def _path_of(error: Refusal) -> Path:
    """The place that an error in the words of the file names."""
    return tuple(error.argument.partition("[")[0].split("."))


def file_form(description: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a cluster file with this description."""
    nodes, talos = description["nodes"], description.get("talos", [])
    classes, entries = (given if isinstance(given, list) else [given] for given in (nodes, talos))
    machines: list[Mapping[str, Any] | None] = []
    for each in classes:
        own = next((entry or {} for entry in entries if len(classes) == 1 or (entry or {}).get("nodes") == each.get("name")), None)
        has_patch = TalosVersion.parse("talos_version", each["talos_version"]).patch is not None
        machines.append({name: value for name, value in own.items() if name != "nodes"} if own is not None else None if has_patch else {})
    charts = description.get("charts")
    own = {name: description[name] for name in ("control_plane",) if name in description}
    return {**file_nodes(classes, machines), **own, **({"charts": charts} if charts else {"stack": str(Stack.NONE)})}
