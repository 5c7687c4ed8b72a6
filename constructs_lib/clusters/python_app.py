"""The Python app of a cluster: a cdk8s app whose constructs make the objects that the cluster file describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arguments.public_names import package_of
from ..manifests.foreign.gpu_requests import pod_template, with_template
from ..manifests.objects import json_pointer
from ..nodes.nodes_file import SHARING
from ..nodes.taints import Taint, TaintEffect
from ..talos.config.machine_config import MachineConfigPatch
from ..talos.image.schematic import Schematic
from ..upstream.kubernetes.api import CLUSTER_SCOPED, POD_TEMPLATES
from .app_registry import SHARED
from .argument_types import arguments_of
from .composer import OBJECT, Composer
from .file_chart import REQUEST_GPUS, container_requests
from .file_values import EVERY, arguments_in, with_nodes
from .part_table import BESIDE_A_WORKLOAD, part_of
from .python_text import LONG, Call, Code, Names, written
from .talos_outputs import CONTROL_PLANE, OF_THE_IMAGE, control_plane, kubelet_gates

_OF_A_CLASS = {"dra": "Dra", "passthrough": "Passthrough"}
"""The values of a class of nodes that the file writes as a mapping of their arguments."""
_METADATA = ("name", "namespace", "labels", "annotations")
_VARIABLES = ("app", "os", "chart", "api_object", "pod", "folder", "talos", "schematic", "patch", "image", "target", "talconfig")
_FUNCTIONS = ("attach", "gpu_pod", "merge_into_talconfig", "omni_config_patch", "omni_extensions")
_START = """\
folder = Path(os.environ.get("CDK8S_OUTDIR", "dist"))
app = App(outdir=str(folder / "manifests"))
attach(app)"""
_CHART, _SCHEMATIC, _PATCH = Code("chart"), Code("schematic"), Code("patch")


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
        self._imports: dict[str, set[str]] = {"cdk8s": {"App"}, "constructs_lib": {"attach"}}
        self._names = Names((*_VARIABLES, *_FUNCTIONS, *BESIDE_A_WORKLOAD))
        self._lines: list[str] = []
        self._classes: dict[str | None, Code] = {}
        self._workloads: dict[str, Code] = {}
        self._here = ""

    def text(self) -> str:
        """The text of the app."""
        given = self._description["nodes"]
        for each in given if isinstance(given, list) else [given]:
            self._node_class(each)
        for name, chart in (self._description.get("charts") or {}).items():
            self._chart(name, chart)
        talos = self._description.get("talos", [])
        entries = talos if isinstance(talos, list) else [talos]
        needed = (
            control_plane(self._description.get("control_plane"), self._composer) if entries or "control_plane" in self._description else {}
        )
        if entries or needed:
            self._lines += ["", 'talos = folder / "talos"', "talos.mkdir(parents=True, exist_ok=True)"]
        for entry in entries:
            self._talos(entry or {})
        if needed:
            self._add(self._call("ControlPlanePatch", **needed), Code("control_plane"))
            self._file(CONTROL_PLANE, "control_plane.text")
        imports = [_import(package, sorted(names)) for package, names in sorted(self._imports.items())]
        return "\n\n".join(
            [
                '"""A cluster with NVIDIA GPUs: its nodes, the objects for its GPUs, and its Talos files."""',
                "\n".join(["import os", "from pathlib import Path", "", *imports]),
                _START,
                "\n".join(self._lines),
                "app.synth()\n",
            ]
        )

    def nodes(self, argument: str, name: str) -> Any:
        """The class of nodes of this name."""
        return self.every()[0] if name == EVERY else self._classes[self._composer.class_name(name)]

    def every(self) -> list[Any]:
        """Every class of nodes."""
        return list(self._classes.values())

    def workload(self, argument: str, name: str) -> Any:
        """The workload of this id in the same chart, or of `chart/id`."""
        return self._workloads[name if "/" in name else f"{self._here}/{name}"]

    def value(self, kind: Any, /, *given: Any, **arguments: Any) -> Call:
        """The call that makes the value of a class."""
        return self._construct(kind.__name__, kind, arguments, *given)

    def _construct(self, name: str, owner: Any, arguments: Mapping[str, Any], *given: Any) -> Call:
        """A call. The first required arguments stand by their position, as readers write them."""
        keywords = dict(arguments)
        positional = list(given)
        for argument, kind in arguments_of(owner).items():
            if not (kind.is_positional and kind.is_required and argument in keywords):
                break
            positional.append(keywords.pop(argument))
        return self._call(name, *positional, **keywords)

    def _call(self, function: str, /, *positional: Any, **keywords: Any) -> Call:
        """A call of something in this library."""
        self._imports.setdefault(package_of(function), set()).add(function)
        return Call(function, positional, keywords)

    def _cdk8s(self, function: str, /, *positional: Any, **keywords: Any) -> Call:
        """A call of something in cdk8s, or of its method."""
        self._imports["cdk8s"].add(function.partition(".")[0])
        return Call(function, positional, keywords)

    def _add(self, expression: Any, variable: Code | None = None) -> None:
        self._lines.append(f"{variable.text} = {written(expression)}" if variable else written(expression))

    def _node_class(self, given: Mapping[str, Any]) -> None:
        arguments = dict(given)
        for name, value in given.items():
            if name == "taints":
                arguments[name] = [self._taint(Taint.parse(name, each)) for each in value]
            elif name == "sharing" and value is not None:
                ((kind, settings),) = value.items()
                own = settings if isinstance(settings, Mapping) else {"replicas": settings}
                arguments[name] = self._call(SHARING[kind].__name__, **own)
            elif name in _OF_A_CLASS and value is not None:
                arguments[name] = self._call(_OF_A_CLASS[name], **value)
        variable = self._classes[given.get("name")] = self._names.new(given.get("name") or "nodes", "nodes")
        self._add(self._call("GpuNodes", **arguments), variable)

    def _taint(self, taint: Taint) -> Call:
        effect = {} if taint.effect is TaintEffect.NO_SCHEDULE else {"effect": str(taint.effect)}
        return self._call("Taint", taint.key, *(() if taint.value is None else (taint.value,)), **effect)

    def _chart(self, name: str, chart: Mapping[str, Any]) -> None:
        self._here, namespace, objects = name, chart.get("namespace"), chart["objects"]
        self._lines.append("")
        self._add(self._cdk8s("Chart", Code("app"), name, **({} if namespace is None else {"namespace": namespace})), _CHART)
        if chart.get("create_namespace"):
            id = next(each for each in ("namespace", *(f"namespace-{n}" for n in range(2, len(objects) + 3))) if each not in objects)  # noqa: A001
            self._object(id, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}, namespace)
        for id, part in objects.items():  # noqa: A001
            ((word, given),) = part.items()
            if word == REQUEST_GPUS:
                self._requested(id, given, namespace)
            elif word != OBJECT:
                self._part(id, word, given or {})
            elif not self._is_made_by_a_part(name, id, given):
                self._object(id, given, namespace)

    def _is_made_by_a_part(self, chart: str, id: str, given: Mapping[str, Any]) -> bool:  # noqa: A002
        """Whether the app has an identical object without this one.

        A part leaves a shared object out for that of a file.
        """
        if given["kind"] not in SHARED:
            return False
        (made,) = (body for path, body in self._composer.charts[chart].objects if path == f"{chart}/{id}")
        charts = self._description["charts"]
        objects = {name: part for name, part in charts[chart]["objects"].items() if name != id}
        others = Composer({**self._description, "charts": {**charts, chart: {**charts[chart], "objects": objects}}}, self._composer.aliases)
        others.compose()
        return any(body == made for each in others.charts.values() for _, body in each.objects)

    def _part(self, id: str, name: str, given: Mapping[str, Any]) -> None:  # noqa: A002
        part = part_of(name)
        arguments = with_nodes(part.settings, arguments_in(part.settings, given, (), self), self)
        for argument, inner in part.passed_on.items():
            if isinstance(arguments.get(argument), Mapping):
                arguments[argument] = arguments_in(part_of(inner).settings, arguments[argument], (), self)
        if name in BESIDE_A_WORKLOAD:
            self._add(self._construct(name, part.settings, arguments))
            return
        variable = self._workloads[f"{self._here}/{id}"] = self._names.new(id, "workload")
        self._add(self._construct(name, part.settings, arguments, _CHART, id), variable)

    def _requested(self, id: str, given: Mapping[str, Any], namespace: str | None) -> None:  # noqa: A002
        """Write a workload whose pods get GPUs. A Pod is its own template, so a variable holds the Pod."""
        workload, nodes = given["workload"], self.nodes("nodes", given.get("nodes", EVERY))
        is_pod = not POD_TEMPLATES[workload["kind"]]
        pod: Any = {name: workload[name] for name in ("metadata", "spec")} if is_pod else pod_template(workload)
        for each in container_requests(dict(given), ()):
            pod = self._call("gpu_pod", pod, **{"nodes": nodes, **each})
        if is_pod:
            self._add(pod, Code("pod"))
            metadata = {**workload["metadata"], "labels": Code('pod["metadata"]["labels"]')}
            manifest = {**workload, "metadata": metadata, "spec": Code('pod["spec"]')}
        else:
            manifest = with_template(workload, pod)
        self._object(id, manifest, namespace)

    def _object(self, id: str, manifest: Mapping[str, Any], namespace: str | None) -> None:  # noqa: A002
        """Write an object as it is. cdk8s has arguments for a part of the metadata; patches add the rest."""
        metadata = dict(manifest["metadata"])
        has_none = manifest["kind"] in CLUSTER_SCOPED or metadata.get("namespace", "") is None
        if has_none:
            metadata.pop("namespace", None)
        typed = {name: value for name in _METADATA if (value := _typed(metadata.get(name))) is not None}
        rest = {f"/{json_pointer(key)}": value for key, value in manifest.items() if key not in ("apiVersion", "kind", "metadata")}
        rest |= {f"/metadata/{json_pointer(key)}": value for key, value in metadata.items() if key not in typed}
        patches = [self._cdk8s("JsonPatch.add", path, value) for path, value in rest.items() if value is not None]
        if has_none and namespace is not None:
            patches.append(self._cdk8s("JsonPatch.remove", "/metadata/namespace"))
        kind = {"api_version": manifest["apiVersion"], "kind": manifest["kind"]}
        self._add(self._cdk8s("ApiObject", _CHART, id, **kind, metadata=self._cdk8s("ApiObjectMetadata", **typed)), Code("api_object"))
        if patches:
            self._add(Call("api_object.add_json_patch", tuple(patches)))

    def _talos(self, given: Mapping[str, Any]) -> None:
        """Write the statements for the Talos files of an entry of `talos`."""
        name = given.get("nodes", EVERY)
        nodes = next(iter(self._composer.classes.values())) if name == EVERY else self._composer.classes[name]
        fields = arguments_in(Schematic, {"nodes": EVERY, **given}, (), self)
        operator = {"operator": True} if nodes in self._composer.with_operator else {}
        gates = kubelet_gates(self._composer, nodes, fields.get("kubelet_feature_gates", ()))
        prefix = f"{nodes.name}-" if nodes.name else ""
        self._add(self._call("Schematic", **_of(Schematic, fields)), _SCHEMATIC)
        image = {key: value for key, value in fields.items() if key in OF_THE_IMAGE}
        self._add(Call("schematic.installer_image", keywords=image), Code("image"))
        self._add(
            self._call("MachineConfigPatch", **_of(MachineConfigPatch, {**operator, **fields, **gates})),
            _PATCH,
        )
        self._file(f"{prefix}schematic.yaml", "schematic.text")
        self._file(f"{prefix}installer-image.txt", 'f"{image}\\n"')
        self._file(f"{prefix}machine-config.yaml", "patch.text")
        if "omni" in given:
            self._add(self._call("OmniTarget", **given["omni"]), Code("target"))
            parts = (("omni_config_patch", _PATCH), ("omni_extensions", _SCHEMATIC))
            documents = [written(self._call(function, about, target=Code("target"))) for function, about in parts]
            self._file(f"{prefix}omni.yaml", ' + "---\\n" + '.join(documents))
        if "talconfig" in given:
            source = Code(f"(Path(__file__).parent / {given['talconfig']['file']!r}).read_text()")
            arguments = {"hostnames": given["talconfig"].get("hostnames", []), "schematic": _SCHEMATIC, "patch": _PATCH}
            self._add(self._call("merge_into_talconfig", source, **arguments), Code("talconfig"))
            self._file(f"{prefix}talconfig.yaml", "talconfig")

    def _file(self, name: str, text: str) -> None:
        self._lines.append(f"(talos / {name!r}).write_text({text})")


def _import(package: str, names: list[str]) -> str:
    line = f"from {package} import {', '.join(names)}"
    return line if len(line) <= LONG else f"from {package} import (\n" + "".join(f"    {name},\n" for name in names) + ")"


def _of(owner: Any, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a class, the nodes first."""
    known = arguments_of(owner)
    return {"nodes": fields["nodes"], **{name: value for name, value in fields.items() if name in known}}


def _typed(value: Any) -> Any:
    """A value of the metadata as cdk8s' types have it; None for a value of another type."""
    if isinstance(value, Mapping):
        items = {key: each for key, each in value.items() if each is not None}
        return items if all(isinstance(each, str) for each in items.values()) else None
    return value if isinstance(value, str | Code) else None
