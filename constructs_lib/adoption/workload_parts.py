"""The workloads of a tree as parts of a cluster file.

`GpuWorkload`, or a recipe, if the pod that it makes is equivalent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..clusters.part_table import part_of
from ..manifests.foreign.gpu_requests import pod_template
from ..observed.model import at
from ..recipes.recipe_settings import RecipeSettings
from ..upstream.kubernetes.api import POD_TEMPLATES, SHARED_MEMORY
from ..upstream.kubernetes.fields import OF_CONTAINER, OF_POD, OF_PROBE
from ..upstream.nvidia.gpu_resources import VISIBLE_DEVICES, is_gpu
from .equivalence import Change, changes, normal, normal_pod, normal_spec
from .tree import Made, Part, PlainObject, RefusedError, Tree, UnreadError, identity_of
from .workload_arguments import gpu_container, refuse_devices, target_of, workload_arguments

RECIPES = (
    "ComfyUI", "CudaSmokeTest", "Frigate", "ImmichMachineLearning", "Jellyfin", "Jupyter", "LlamaCpp", "Ollama", "Plex", "Sglang",
    "TextEmbeddings", "Triton", "Vllm", "Whisper", "WyomingWhisper",
)  # fmt: skip
"""The recipes of workloads."""
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
    if scaler := next((each for each in beside if each.read.kind in _SCALING and _target(each) == workload.name), None):
        raise UnreadError(f"{scaler.read.label} scales it")
    own = next((each for each in beside if each.read.kind == "Service" and each.name == workload.name), None)
    if own is not None and not _selects(own, labels):
        own = None
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
    _refuse_lost_selectors(tree, part, [each for each in beside if each not in part.replaces and _selects(each, labels)])
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
    for name in RECIPES:
        settings: type[RecipeSettings] = part_of(name).settings  # type: ignore[assignment]
        if any(known.rpartition(":")[0] == repository for known in settings.images.values()):
            yield name


def _taken(tree: Tree, name: str, id: str, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: A002
    """The arguments that a recipe takes: those that it decides itself are left out."""
    while True:
        try:
            tree.made(name, arguments, id)
        except RefusedError as refused:
            argument, _, inner = str(getattr(refused.error, "argument", "")).partition("[")
            value = arguments.get(argument)
            own = next(
                (word for word in (inner.rstrip("]"), str(getattr(refused.error, "got", ""))) if isinstance(value, dict) and word in value),
                None,
            )
            if own is not None and isinstance(value, dict):
                arguments = {**arguments, argument: {key: each for key, each in value.items() if key != own}}
            elif argument == "shared_memory" and SHARED_MEMORY in (arguments.get("volumes") or {}):
                arguments = {**arguments, "volumes": {path: each for path, each in arguments["volumes"].items() if path != SHARED_MEMORY}}
            elif argument in arguments and argument not in ("nodes", "model"):
                arguments = {key: each for key, each in arguments.items() if key != argument}
            else:
                raise
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
    container, _ = gpu_container(pod_template(workload))

    def renamed(value: Any) -> Any:
        if value is container:
            return {**value, "name": id}
        if isinstance(value, Mapping):
            return {key: renamed(each) for key, each in value.items()}
        return [renamed(each) for each in value] if isinstance(value, list) else value

    result: dict[str, Any] = renamed(workload)
    return result


def _rest(wanted: Mapping[str, Any], made: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a pod spec that the made one lacks, as `pod_spec` takes it."""
    main, ours = wanted["containers"][0], made["containers"][0]
    main = next((each for each in wanted["containers"] if each["name"] == ours["name"]), main)
    others = [each for each in wanted["containers"] if each is not main]
    mounts = [
        each
        for each in main.get("volumeMounts") or ()
        if each["mountPath"] not in {own["mountPath"] for own in ours.get("volumeMounts") or ()}
    ]
    variables = {each["name"] for each in ours.get("env") or ()} | {VISIBLE_DEVICES}
    known_ports = {(each["containerPort"], each.get("protocol", "TCP")) for each in ours.get("ports") or ()}
    fields: dict[str, Any] = {
        "env": [each for each in main.get("env") or () if each["name"] not in variables],
        "volumeMounts": mounts,
        "ports": [each for each in main.get("ports") or () if (each["containerPort"], each.get("protocol", "TCP")) not in known_ports],
        "resources": _lacking(
            {section: _without_gpus(amounts) for section, amounts in (main.get("resources") or {}).items()}, ours.get("resources")
        ),
        **{
            key: _lacking(value, ours.get(key), key)
            for key, value in main.items()
            if key not in (*_BY_ITEM, "name") and OF_CONTAINER.get(key) != value
        },
    }
    if fields["env"] and any("$(" in f"{each.get('value')}" for each in main["env"]):
        raise UnreadError("a variable names another one, and the order of the two would change")
    own = {key: value for key, value in fields.items() if value not in (None, {}, [])}
    used = {
        mount["name"]
        for each in (*others, *(wanted.get("initContainers") or ()), {"volumeMounts": mounts})
        for mount in each.get("volumeMounts") or ()
    }
    volumes = [each for each in wanted.get("volumes") or () if each["name"] in used - {own["name"] for own in made.get("volumes") or ()}]
    selector = {
        key: value for key, value in (wanted.get("nodeSelector") or {}).items() if (made.get("nodeSelector") or {}).get(key) != value
    }
    tolerations = wanted.get("tolerations") or []
    rest: dict[str, Any] = {
        "containers": [*([{"name": main["name"], **own}] if own else []), *others],
        "volumes": volumes,
        "initContainers": [] if made.get("initContainers") else wanted.get("initContainers"),
        "nodeSelector": selector,
        "tolerations": [] if all(each in (made.get("tolerations") or ()) for each in tolerations) else tolerations,
        **{
            key: _lacking(value, made.get(key), key) for key, value in wanted.items() if key not in _OF_THE_POD and OF_POD.get(key) != value
        },
    }
    return {key: value for key, value in rest.items() if value not in (None, {}, [])}


_BY_ITEM = ("env", "volumeMounts", "ports", "resources")
_OF_THE_POD = ("containers", "initContainers", "volumes", "nodeSelector", "tolerations", "imagePullSecrets")


def _without_gpus(amounts: Mapping[str, Any] | None) -> dict[str, Any]:
    return {key: value for key, value in (amounts or {}).items() if not is_gpu(key)}


def _lacking(wanted: Any, made: Any, key: str = "") -> Any:
    """The part of a value that another one lacks; None where it lacks nothing."""
    if isinstance(wanted, Mapping) and isinstance(made, Mapping):
        is_probe = key.endswith("Probe")
        found = {
            name: _lacking(value, made.get(name), "limits" if key in ("", "limits") else name)
            for name, value in wanted.items()
            if not (is_probe and made.get(name) is None and OF_PROBE.get(name) == value)
            and not (name == "port" and isinstance(made.get(name), str))
        }
        return {name: value for name, value in found.items() if value is not None} or None
    is_alike = (
        normal({"x": wanted}, "limits") == normal({"x": made}, "limits") if key == "limits" else normal(wanted, key) == normal(made, key)
    )
    return None if is_alike else wanted


def _notes(name: str, wanted: Mapping[str, Any], made: Made, service: Mapping[str, Any] | None) -> Iterator[str]:
    """The decisions of the construct that differ from the tree. Raises `UnreadError` for a change that makes another pod of it."""
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


def _target(scaler: PlainObject) -> Any:
    return at(scaler.body, "spec", "scaleTargetRef", "name") or at(scaler.body, "spec", "targetRef", "name")


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


def _refuse_lost_selectors(tree: Tree, part: Part, selecting: list[PlainObject]) -> None:
    """Refuse a workload whose pods an object of the tree would no longer select."""
    made = next(each for each in tree.made(part.name, part.arguments, part.id).values() if each["kind"] in POD_TEMPLATES)
    labels = at(pod_template(made), "metadata", "labels") or {}
    for each in selecting:
        if not _selector(each).items() <= labels.items():
            chosen = ", ".join(f"{key}={value}" for key, value in _selector(each).items())
            raise UnreadError(f"{each.read.label} selects its pods by {chosen}, and the pods of {part.name} have another name there")
