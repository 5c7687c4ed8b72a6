"""The parts of this library by the shapes of their objects: a part is recognised when it makes exactly the objects of the tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..clusters.file_values import FileError
from ..clusters.part_table import part_of
from ..observed.model import at
from ..recipes.recipe_settings import RecipeSettings
from ..upstream.kubernetes.api import SHARED_MEMORY
from ..upstream.talos.features import RUNTIME_CLASS
from .entries import Form
from .normal_form import normal
from .plain_objects import Identity, PlainObject
from .trial import Part, Trials
from .workload_arguments import workload_arguments

Tree = Mapping[Identity, PlainObject]
_WORKLOADS = ("Deployment", "StatefulSet", "Job", "CronJob")
RECIPES = (
    "ComfyUI", "CudaSmokeTest", "Frigate", "ImmichMachineLearning", "Jellyfin", "Jupyter", "LlamaCpp", "Ollama", "Plex", "Sglang",
    "TextEmbeddings", "Triton", "Vllm", "Whisper", "WyomingWhisper",
)  # fmt: skip
"""The recipes of workloads."""


def exact_form(about: PlainObject, tree: Tree, trials: Trials) -> Form | None:
    """The part that makes exactly an object of the tree, and the objects beside it; None where no part does."""
    for part in _candidates(about, tree, trials):
        made = _exact(about, part, tree, trials)
        if made is not None:
            smallest = _smallest(about, part, tree, trials)
            return Form(smallest, frozenset(made))
    return None


def _without_refused(about: PlainObject, name: str, arguments: dict[str, Any], trials: Trials) -> dict[str, Any]:
    """The arguments that a recipe takes: those that it decides itself are left out."""
    while isinstance(refused := trials.objects(about.name, {name: arguments}), FileError):
        argument, _, inner = str(getattr(refused.error, "argument", "")).partition("[")
        words = (inner.rstrip("]"), str(getattr(refused.error, "got", "")))
        value = arguments.get(argument)
        own = next((word for word in words if isinstance(value, dict) and word in value), None)
        if own is not None:
            arguments = {**arguments, argument: {key: each for key, each in arguments[argument].items() if key != own}}
        elif argument == "shared_memory" and SHARED_MEMORY in (arguments.get("volumes") or {}):
            arguments = {**arguments, "volumes": {path: each for path, each in arguments["volumes"].items() if path != SHARED_MEMORY}}
        elif argument in arguments and argument not in ("nodes", "model"):
            arguments = {key: each for key, each in arguments.items() if key != argument}
        else:
            break
    return arguments


def _candidates(about: PlainObject, tree: Tree, trials: Trials) -> Iterator[Part]:
    classes = trials.nodes
    namespace = {"namespace": about.namespace} if about.namespace else {}
    labels = at(about.body, "metadata", "labels") or {}
    if about.kind == "RuntimeClass":
        yield {"NvidiaRuntimeClass": {} if about.name == RUNTIME_CLASS else {"name": about.name}}
    elif about.kind == "Namespace":
        yield {"PrivilegedNamespace": {"name": about.name}}
    elif about.kind == "DaemonSet":
        for nodes in [each["name"] for each in classes] if len(classes) > 1 else [None]:
            common = {**({"nodes": nodes} if nodes else {}), **namespace}
            for feature_discovery in ({}, {"feature_discovery": True}):
                yield {"StandaloneDevicePlugin": {**common, **feature_discovery}}
            yield {"DcgmExporter": {**common, **_monitor_labels(about, tree)}}
            yield {"ValidationBridge": common}
    elif about.kind == "ConfigMap" and any(name.endswith(".json") for name in about.body.get("data") or ()):
        folder = next(iter((at(about.body, "metadata", "annotations") or {}).values()), None)
        yield {"GpuDashboard": {**namespace, **({"folder": folder} if folder else {})}}
    elif about.kind == "PrometheusRule":
        extra = {key: value for key, value in labels.items() if not key.startswith("app.kubernetes.io/")}
        for operator in ({"operator": True}, {}):
            yield {"GpuAlerts": {**namespace, **operator, **({"labels": extra} if extra else {})}}
    elif about.kind in _WORKLOADS:
        yield from _workloads(about, tree, trials)


def _monitor_labels(about: PlainObject, tree: Tree) -> dict[str, Any]:
    for each in tree.values():
        if (each.kind, each.namespace, each.name) == ("ServiceMonitor", about.namespace, about.name):
            own = at(about.body, "metadata", "labels") or {}
            labels = {key: value for key, value in (at(each.body, "metadata", "labels") or {}).items() if key not in own}
            return {"service_monitor_labels": labels} if labels else {}
    return {}


def _workloads(about: PlainObject, tree: Tree, trials: Trials) -> Iterator[Part]:
    beside = {(each.kind, each.name): each for each in tree.values() if each.namespace == about.namespace}
    arguments = workload_arguments(about, beside, trials.nodes)
    if arguments is None:
        return
    image = str(arguments["image"]).rpartition(":")[0]
    for name in RECIPES:
        settings: type[RecipeSettings] = part_of(name).settings  # type: ignore[assignment]
        if any(known.rpartition(":")[0] == image for known in settings.images.values()):
            model = {"model": str((arguments.get("args") or [""])[0])} if name in ("Vllm", "Sglang") else {}
            yield {name: _without_refused(about, name, {**model, **arguments}, trials)}
    yield {"GpuWorkload": arguments}


def _exact(about: PlainObject, part: Part, tree: Tree, trials: Trials) -> set[Identity] | None:
    """The objects that a part makes, if the tree has each of them as it is made."""
    made = trials.objects(about.name, part)
    if isinstance(made, FileError) or about.identity not in made:
        return None
    if all(identity in tree and normal(tree[identity].body) == normal(body) for identity, body in made.items()):
        return set(made)
    return None


def _smallest(about: PlainObject, part: Part, tree: Tree, trials: Trials) -> Part:
    """The part without the arguments that follow from the others."""
    ((name, arguments),) = part.items()
    wanted = _exact(about, part, tree, trials)
    for key in list(arguments):
        without = {other: value for other, value in arguments.items() if other != key}
        if _exact(about, {name: without}, tree, trials) == wanted:
            arguments = without
    for key, value in arguments.items():
        if isinstance(value, dict) and key in ("env", "volumes", "labels", "security_context", "pod_security_context"):
            for inner in list(value):
                fewer = {**arguments, key: {other: each for other, each in value.items() if other != inner}}
                if _exact(about, {name: fewer}, tree, trials) == wanted:
                    arguments = fewer
    return {name: arguments}
