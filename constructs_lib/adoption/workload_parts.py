"""The workloads of a tree as parts of a cluster file.

`GpuWorkload`, or a recipe, if the pod that it makes is equivalent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..clusters.part_table import RECIPE_NAMES, part_of
from ..manifests.foreign.gpu_requests import pod_template, with_template
from ..manifests.objects import merged
from ..observed.model import at
from ..recipes.recipe_settings import RecipeSettings
from ..upstream.kubernetes.api import POD_TEMPLATES, SHARED_MEMORY
from ..upstream.nvidia.gpu_resources import VISIBLE_DEVICES, is_gpu
from .equivalence import Change, changes, normal_pod, normal_spec
from .tree import Made, Part, PlainObject, RefusedError, Tree, UnreadError, identity_of, without_named
from .workload_arguments import gpu_container, refuse_devices, target_of, workload_arguments

_KINDS = ("Deployment", "StatefulSet", "Job", "CronJob")
_SELECTING = ("Service", "PodDisruptionBudget", "NetworkPolicy", "CiliumNetworkPolicy", "PodMonitor")
_SCALING = ("HorizontalPodAutoscaler", "ScaledObject", "HTTPScaledObject", "VerticalPodAutoscaler")
_OF_POD = ("runtimeClassName", "automountServiceAccountToken", "enableServiceLinks", "securityContext", "nodeSelector", "affinity")
"""The fields of a pod spec that the construct may add."""
_OF_CONTAINER = ("allowPrivilegeEscalation", "ports", f"[{VISIBLE_DEVICES}]")
_OF_RECIPE = ("env", "startupProbe", "livenessProbe", "readinessProbe", "lifecycle", "securityContext", "terminationGracePeriodSeconds")
"""What a recipe may add to a container and to its pod."""
_OF_CONTROLLER = (
    "strategy", "updateStrategy", "revisionHistoryLimit", "progressDeadlineSeconds", "minReadySeconds", "podManagementPolicy",
    "successfulJobsHistoryLimit", "failedJobsHistoryLimit", "selector",
)  # fmt: skip
"""The fields of a controller that the construct decides: how it replaces pods, and what it keeps of old ones."""


def workload_part(tree: Tree, workload: PlainObject) -> Part:
    """The part for a workload of the tree, with the Service of its name.

    Raises `UnreadError` for one that no arguments say.
    """
    body = workload.body
    labels = at(pod_template(body), "metadata", "labels") or {}
    beside = [each for each in tree.objects if each.namespace == workload.namespace and each is not workload]
    for scaler in (each for each in beside if each.read.kind in _SCALING):
        if workload.name in (at(scaler.body, "spec", key, "name") for key in ("scaleTargetRef", "targetRef")):
            raise UnreadError(f"{scaler.read.label} scales it")
    own = next((each for each in beside if (each.read.kind, each.name) == ("Service", workload.name) and _selects(each, labels)), None)
    part: Part | None = None
    if own is not None:
        try:
            part = said(tree, body, own.body)
            part.replaces.append(own)
        except UnreadError:
            if workload.read.kind == "StatefulSet":
                raise
    part = part or said(tree, body, None)
    part.about, part.gaps = workload.read, workload.gaps
    part.replaces.insert(0, workload)
    made = next(each for each in tree.made(part.name, part.arguments, part.id).values() if each["kind"] in POD_TEMPLATES)
    new_labels = at(pod_template(made), "metadata", "labels") or {}
    for each in (each for each in beside if each not in part.replaces and _selects(each, labels)):
        if not _selects(each, new_labels):
            chosen = ", ".join(f"{key}={value}" for key, value in _selector(each).items())
            raise UnreadError(f"{each.read.label} selects its pods by {chosen}, and the pods of {part.name} have another name there")
    return part


def said(tree: Tree, workload: Mapping[str, Any], service: Mapping[str, Any] | None) -> Part:
    """The part that says a workload and its Service, without the objects that it replaces."""
    if workload["kind"] not in _KINDS:
        raise UnreadError(f"no construct makes a {workload['kind']} with GPUs")
    arguments = workload_arguments(workload, service, tree.nodes.classes)
    name = str(at(workload, "metadata", "name"))
    for recipe in _recipes(str(arguments["image"])):
        model = {"model": str((arguments.get("args") or [""])[0])} if recipe in ("Vllm", "Sglang") else {}
        try:
            return _checked(tree, recipe, name, _taken(tree, recipe, name, {**model, **arguments}), workload, service)
        except UnreadError:
            continue
    return _checked(tree, "GpuWorkload", name, arguments, workload, service)


def _recipes(image: str) -> Iterator[str]:
    repository = image.partition("@")[0].rpartition(":")[0]
    for name in RECIPE_NAMES:
        settings: type[RecipeSettings] = part_of(name).settings  # type: ignore[assignment]
        if any(known.rpartition(":")[0] == repository for known in settings.images.values()):
            yield name


def _taken(tree: Tree, name: str, id: str, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: A002
    """The arguments that a recipe takes: those that it decides itself are left out."""
    while True:
        try:
            tree.made(name, arguments, id)
        except RefusedError as refused:
            argument, volumes = getattr(refused.error, "argument", ""), arguments.get("volumes") or {}
            fewer = None if argument == "model" else without_named(arguments, refused.error)
            if argument == "shared_memory" and SHARED_MEMORY in volumes:
                fewer = {**arguments, "volumes": {path: each for path, each in volumes.items() if path != SHARED_MEMORY}}
            if fewer is None:
                raise
            arguments = fewer
        else:
            return arguments


def _checked(
    tree: Tree,
    name: str,
    id: str,  # noqa: A002
    arguments: dict[str, Any],
    workload: Mapping[str, Any],
    service: Mapping[str, Any] | None,
) -> Part:
    """The part with these arguments, and with what only `pod_spec` says.

    Raises `UnreadError` where its pod is another one.
    """
    made = tree.made(name, arguments, id)
    wanted = _named(workload, id)
    if identity_of(wanted) not in made:
        raise UnreadError(f"{name} gives it another name")
    if rest := _rest(pod_template(wanted)["spec"], pod_template(made[identity_of(wanted)])["spec"]):
        arguments = {**arguments, "pod_spec": rest}
        made = tree.made(name, arguments, id)
    notes = list(_notes(name, wanted, made, service))
    if refuse_devices(gpu_container(pod_template(wanted))[0]):
        notes.append(f"env.{VISIBLE_DEVICES} is left out: the device plugin says which GPU the container gets")
    return Part(name, id, str(at(workload, "metadata", "namespace") or ""), tree.smallest(name, id, arguments), notes=notes)


def _named(workload: Mapping[str, Any], id: str) -> dict[str, Any]:  # noqa: A002
    """A workload whose container with the GPUs has the name that the construct gives."""
    template = pod_template(workload)
    container, _ = gpu_container(template)
    containers = [{**each, "name": id} if each is container else each for each in template["spec"]["containers"]]
    return with_template(workload, {**template, "spec": {**template["spec"], "containers": containers}})


def _rest(wanted: Mapping[str, Any], made: Mapping[str, Any]) -> dict[str, Any]:
    """The smallest `pod_spec` that makes a pod the wanted one."""

    def with_(fields: Mapping[str, Any]) -> dict[str, Any]:
        return normal_pod(merged(made, fields))

    variables = at(gpu_container({"spec": wanted})[0], "env") or []
    containers = [
        {**each, "env": [one for one in each["env"] if one["name"] != VISIBLE_DEVICES]} if each.get("env") is variables else each
        for each in wanted["containers"]
    ]
    whole = {**wanted, "containers": containers}
    if all(each in (made.get("tolerations") or ()) for each in wanted.get("tolerations") or ()):
        whole.pop("tolerations", None)
    pod = with_(whole)
    rest: dict[str, Any] = _smallest(whole, lambda fields: with_(fields) == pod)
    own = [each for each in rest.get("containers", ()) if each["name"] == made["containers"][0]["name"]]
    if any("$(" in f"{each.get('value')}" for each in variables) and any(each.get("env") for each in own):
        raise UnreadError("a variable names another one, and the order of the two would change")
    return rest


def _smallest(value: Any, is_enough: Callable[[Any], bool]) -> Any:
    """A value without the fields and the items that are not needed."""
    if isinstance(value, Mapping):
        for key in list(value):
            fewer = {other: each for other, each in value.items() if other != key}
            value = fewer if is_enough(fewer) else {**value, key: _smallest(value[key], _inside(is_enough, value, key))}
    elif isinstance(value, list) and all(isinstance(each, Mapping) for each in value):
        for index in reversed(range(len(value))):
            fewer_items = [*value[:index], *value[index + 1 :]]
            if is_enough(fewer_items):
                value = fewer_items
            else:
                value = [*value[:index], _smallest(value[index], _inside(is_enough, value, index)), *value[index + 1 :]]
    return value


def _inside(is_enough: Callable[[Any], bool], around: Any, key: Any) -> Callable[[Any], bool]:
    """The question for a value inside of another one."""
    copy = dict(around) if isinstance(around, Mapping) else list(around)

    def inner(value: Any) -> bool:
        copy[key] = value
        return is_enough(copy)

    return inner


def _notes(name: str, wanted: Mapping[str, Any], made: Made, service: Mapping[str, Any] | None) -> Iterator[str]:
    """The decisions of the construct that differ from the tree. Raises `UnreadError` for a change that makes another
    pod of it."""
    ours, kind = made[identity_of(wanted)], wanted["kind"]
    theirs_of, ours_of = wanted.get("spec") or {}, ours.get("spec") or {}
    pods = [normal_pod(pod_template(each)["spec"], at(each, "spec", "volumeClaimTemplates") or ()) for each in (wanted, ours)]
    for change in changes(*pods):
        if not _may_change(change, is_recipe=name != "GpuWorkload"):
            raise UnreadError(f"{name} has no argument for {change.name}: {change.words}")
        if change.path == ("tolerations",):
            yield f"tolerations: {[each for each in change.ours if each not in (change.theirs or ())]} is added"
        elif f"[{VISIBLE_DEVICES}]" not in change.path or change.theirs is None:
            yield f"{change.name}: {change.words}"
    for change in changes(_controller(kind, theirs_of), _controller(kind, ours_of)):
        if change.path[0] not in _OF_CONTROLLER and change.path[:2] != ("jobTemplate", "spec"):
            raise UnreadError(f"{name} has no argument for {change.name}: {change.words}")
        if change.path[0] != "selector":
            yield f"{change.name}: {change.words}"
    yield from _beside(wanted, ours, made, service)


def _beside(wanted: Mapping[str, Any], ours: Mapping[str, Any], made: Made, service: Mapping[str, Any] | None) -> Iterator[str]:
    """The objects that the construct adds. Raises `UnreadError` where its Service is another one."""
    added = [f"{each['kind']} {at(each, 'metadata', 'name')}" for identity, each in made.items() if each is not ours]
    if service is not None:
        container, _ = gpu_container(pod_template(wanted))
        made_service = next((each for each in made.values() if each["kind"] == "Service"), {})
        marks = (at(service, "metadata", "annotations") or {}).items()
        is_alike = _service(service, container) == _service(made_service, gpu_container(pod_template(ours))[0])
        if not is_alike or not marks <= (at(made_service, "metadata", "annotations") or {}).items():
            raise UnreadError("its Service differs from the one that the construct makes")
        added = [each for each in added if not each.startswith("Service ")]
    if added:
        yield f"{', '.join(added)} is added"


def _controller(kind: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    result = {key: value for key, value in spec.items() if key not in ("template", "volumeClaimTemplates", "jobTemplate")}
    if kind == "CronJob":
        job = {key: value for key, value in (at(spec, "jobTemplate", "spec") or {}).items() if key != "template"}
        return {**normal_spec(kind, result), **{f"job {key}": value for key, value in normal_spec("Job", job).items()}}
    return normal_spec(kind, result)


def _may_change(change: Change, *, is_recipe: bool) -> bool:
    """Whether a pod stays equivalent.

    The construct adds a default of safety, or the placement that follows from the class of nodes.
    """
    path = tuple(map(str, change.path))
    if path == ("tolerations",):
        return all(each in (change.ours or ()) for each in change.theirs or ())
    if path[0] == "affinity" or any(step in _OF_CONTAINER for step in path):
        return True
    if change.theirs is not None:
        return False
    is_added = path[0] in _OF_POD or (path[-2:-1] == ("requests",) and is_gpu(path[-1]))
    return is_added or (is_recipe and any(step in _OF_RECIPE for step in path))


def _service(service: Mapping[str, Any], container: Mapping[str, Any]) -> Any:
    """A Service as its clients see it."""
    spec = {key: value for key, value in (service.get("spec") or {}).items() if key not in ("selector", "ports")}
    ports = [
        {**{key: value for key, value in each.items() if key != "name"}, "targetPort": target_of(each, container)}
        for each in at(service, "spec", "ports") or ()
    ]
    return normal_spec("Service", {**spec, "ports": ports})


def _selector(each: PlainObject) -> dict[str, Any]:
    spec = each.body.get("spec") or {}
    selector: Mapping[str, Any] = next(
        (spec[key] for key in ("selector", "podSelector", "endpointSelector") if isinstance(spec.get(key), Mapping)), {}
    )
    labels = selector.get("matchLabels", {} if "matchExpressions" in selector else selector)
    return dict(labels) if isinstance(labels, Mapping) else {}


def _selects(each: PlainObject, labels: Mapping[str, Any]) -> bool:
    selector = _selector(each) if each.read.kind in _SELECTING else {}
    return bool(selector) and selector.items() <= labels.items()
