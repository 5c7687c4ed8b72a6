"""What a change of an object, or of a node, does in the cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..observed.model import ChartRelease, Inputs, KubernetesObject, NodeConfig, Read, at, is_among, is_unknown, known_str
from ..observed.pods.pod_counts import whole_number
from ..observed.pods.workloads import Workload, surge
from ..upstream.charts import DCGM_EXPORTER, DEVICE_PLUGIN, DRA_DRIVER, FEATURE_DISCOVERY, GPU_OPERATOR, NODE_FEATURE_DISCOVERY
from ..upstream.kubernetes.api import POD_TEMPLATES
from .field_changes import FieldChange, field_changes
from .filled_in import is_filled_in
from .refused_changes import refused

_IMAGE_FIELDS = ("extensions", "image", "kernel_args", "talos_version")
"""The fields of a node that its image has; the others are applied to the running node."""
IMAGES = ("image", "tag", "digest")
"""The fields that name an image."""
_NO_OFFER = "a node offers no GPU until its device plugin has registered again; pods that run keep theirs"
_LABELS = "its pods restart; the labels of the nodes stay meanwhile"
_OF_CHARTS = {
    DEVICE_PLUGIN.name: f"its pods restart: {_NO_OFFER}",
    GPU_OPERATOR.name: f"the operator starts anew and replaces the agents that its release changes; where the device plugin is one of them, {_NO_OFFER}",
    DRA_DRIVER.name: "its pods restart: a new pod with a claim waits until the driver of its node has registered again; pods that run keep their devices",
    DCGM_EXPORTER.name: "its pods restart: the metrics of a node have a gap; GPU programs run on",
    FEATURE_DISCOVERY.name: _LABELS,
    NODE_FEATURE_DISCOVERY.name: _LABELS,
}
"""What a new version of a chart does. Nobody has measured the times."""
_RECREATED = "its pods end before new ones start"
_STAY = "its pods stay as they are until somebody deletes them"
_ONE_BY_ONE = "its pods are replaced one after the other"


def object_effects(
    was: KubernetesObject, now: KubernetesObject, fields: Sequence[FieldChange], workload: Workload | None, *, is_plugin: bool
) -> Iterator[str]:
    """What the change of an object does, as far as its kind is known."""
    fields = [each for each in fields if not is_filled_in(each, now)]
    sentence = refused(was, now, fields) or _unpulled(now, fields)
    if sentence is not None:
        yield sentence
        return
    if now.kind == "Deployment" and was.at("spec", "paused") is True and now.at("spec", "paused") in (None, False):
        yield "the Deployment is paused no more: its pods get every change that waited"
    template = POD_TEMPLATES.get(now.kind)
    if not template or now.pod_path is None or not any(each.path[: len(template)] == template for each in fields):
        return
    if now.kind == "DaemonSet":
        yield from _of_daemon_set(now, is_plugin=is_plugin)
    elif now.kind in ("Deployment", "StatefulSet"):
        yield _without_pods(was, now) or (_of_deployment(now, workload) if now.kind == "Deployment" else _of_stateful_set(now))
    elif now.kind == "CronJob":
        yield "the next run has it"


def chart_effects(was: ChartRelease | None, now: ChartRelease | None, inputs: Inputs) -> Iterator[str]:
    """What another version of a chart does; nothing where the chart comes or goes, or Flux can't pull it."""
    if was is None or now is None or now.known_chart is None:
        return
    sources = (each for each in inputs.of_kind("OCIRepository") if _is_unpulled(each))
    if any((known_str(each.at("spec", "url")) or "").endswith(f"/{now.chart}") for each in sources):
        return
    tag = known_str(now.value("image", "tag"))
    is_same = was.complete and now.complete and not any(field_changes(was.given, now.given))
    yield (
        f"the values keep the image {tag}: its pods restart only where the new templates differ"
        if tag and is_same
        else _OF_CHARTS[now.known_chart.name]
    )


def _unpulled(now: KubernetesObject, fields: Sequence[FieldChange]) -> str | None:
    """The sentence about a digest of an OCIRepository that no registry knows.

    Source: fluxcd/source-controller api/v1/ocirepository_types.go, OCIRepositoryRef.Digest (2026-11-28)
    """
    changed = now.kind == "OCIRepository" and any(each.path[:3] == ("spec", "ref", "digest") for each in fields)
    if not changed or not _is_unpulled(now):
        return None
    return (
        "Flux can't pull the digest, which goes before the tag: it must begin with sha256: or another algorithm; the release stays as it is"
    )


def _is_unpulled(source: Read) -> bool:
    digest = known_str(source.at("spec", "ref", "digest"))
    return bool(digest) and ":" not in f"{digest}"


def node_effects(was: NodeConfig, now: NodeConfig, fields: Sequence[FieldChange]) -> Iterator[str]:
    """What the change of a node configuration does."""
    if any(each.where.startswith(_IMAGE_FIELDS) for each in fields):
        yield "the node needs the new image: an upgrade, which reboots it"
    placing = [each for each in fields if each.where.startswith(("labels", "taints"))]
    if placing and all(each.path[0] == "labels" and len(each.path) > 1 and each.old is None for each in placing):
        yield "new pods that select the added labels may be placed on it"
    elif placing:
        yield f"pods are placed by labels and taints: {_of_running_pods(was, now)}, new ones may find no node"


def _of_running_pods(was: NodeConfig, now: NodeConfig) -> str:
    """What new taints do to the pods that run.

    Source: https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ (2026-11-28)
    """
    had = {f"{each}" for each in was.taints or ()}
    added = [(f"{each}", is_among(each.effect, ("NoExecute",))) for each in now.taints or () if f"{each}" not in had]
    evicting = [(name, answer.is_yes) for name, answer in added if not answer.is_no]
    if not evicting:
        return "pods that run stay"
    names = " or ".join(name for name, _ in evicting)
    are = "are" if any(is_sure for _, is_sure in evicting) else "may be"
    return f"pods that run and do not tolerate {names} {are} evicted once the node has the taint"


def _without_pods(was: Read, now: Read) -> str | None:
    if whole_number(now.at("spec", "replicas")) == 0:
        return "it has no pods: replicas is 0"
    return "its pods start: it had none" if whole_number(was.at("spec", "replicas")) == 0 else None


def _of_daemon_set(about: Read, *, is_plugin: bool) -> Iterator[str]:
    if known_str(about.at("spec", "updateStrategy", "type")) == "OnDelete":
        yield _STAY
        return
    unavailable = about.at("spec", "updateStrategy", "rollingUpdate", "maxUnavailable")
    is_one = unavailable is None or whole_number(unavailable) == 1
    yield f"its pods restart, {'one node after the other' if is_one else 'on as many nodes at a time as maxUnavailable says'}"
    if is_plugin:
        yield _NO_OFFER


def _of_deployment(about: Read, workload: Workload | None) -> str:
    if about.at("spec", "paused") is True:
        return "its pods stay as they are: the Deployment is paused"
    if known_str(about.at("spec", "strategy", "type")) == "Recreate":
        return _RECREATED
    replicas = about.at("spec", "replicas")
    pods = 1 if replicas is None else whole_number(replicas) or 0
    return (_beside(workload, pods) if workload is not None else None) or _ONE_BY_ONE


def _beside(workload: Workload, pods: int) -> str | None:
    """The sentence about new pods that need GPUs beside those of the old ones; None where none do."""
    if not any(number != 0 for number in workload.gpus.values()) or not surge(workload, pods):
        return None
    if pods == 1:
        return "it starts a new pod beside the old one, which needs another free GPU"
    return "it starts new pods beside the old ones, which need other free GPUs"


def release_effects(release: ChartRelease | None, workloads: Sequence[Workload], fields: Sequence[FieldChange]) -> tuple[str, ...]:
    """What other values of a release do to its GPU programs, as far as its chart is known."""
    if release is None or not all("values" in each.path for each in fields):
        return ()
    if release.known_chart is not None and release.known_chart is not GPU_OPERATOR and any(each.path[-1] in IMAGES for each in fields):
        return (_OF_CHARTS[release.known_chart.name],)
    deployments = [each for each in workloads if each.asks_for_gpus and each.kind == "Deployment"]
    are_recreated = (known_str(at(each.controller, "strategy", "type")) == "Recreate" for each in deployments)
    found = [_RECREATED if is_so else _beside(each, each.pods.most or 0) for each, is_so in zip(deployments, are_recreated, strict=True)]
    return tuple(dict.fromkeys(filter(None, found)))


def _of_stateful_set(about: Read) -> str:
    if known_str(about.at("spec", "updateStrategy", "type")) == "OnDelete":
        return _STAY
    partition = about.at("spec", "updateStrategy", "rollingUpdate", "partition")
    first, replicas = whole_number(partition), about.at("spec", "replicas")
    pods = 1 if replicas is None else whole_number(replicas)
    start = about.at("spec", "ordinals", "start")
    ordinal = 0 if start is None else whole_number(start)
    if is_unknown(partition) or (first and (pods is None or ordinal is None)):
        return "its pods from the number of the partition on are replaced one after the other"
    if not first or first <= (ordinal or 0):
        return _ONE_BY_ONE
    if first >= (ordinal or 0) + (pods or 0):
        return f"its pods stay as they are: the partition is {first}"
    return f"its pods from number {first} on are replaced one after the other: the partition"
