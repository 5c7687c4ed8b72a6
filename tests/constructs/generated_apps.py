"""Apps made by chance: constructs of this library, workloads of others and objects as people write them, with options, in every order."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cdk8s_plus_28 as kplus_28
import cdk8s_plus_32 as kplus_32
import yaml
from cdk8s import App, Chart

from constructs_lib import (
    ArgoCd,
    DcgmExporter,
    Dra,
    DraDriver,
    Flux,
    GpuAlerts,
    GpuClaim,
    GpuDashboard,
    GpuNodes,
    GpuWorkload,
    Mps,
    NodeFeatureDiscovery,
    NvidiaGpuOperator,
    NvidiaRuntimeClass,
    Persistent,
    PrivilegedNamespace,
    StandaloneDevicePlugin,
    Taint,
    TimeSlicing,
    ValidationBridge,
    gpu_pod,
    request_gpus,
)
from constructs_lib.checks.rules import RULES
from constructs_lib.constructs._emit import emit

_SHARING = (
    None, None, None, TimeSlicing(replicas=2), TimeSlicing(replicas=4, rename_by_default=True), Mps(replicas=4),
    TimeSlicing(replicas=4, fail_requests_greater_than_one=True),
)  # fmt: skip
_MIG: tuple[dict[str, Any], ...] = (
    {}, {}, {}, {}, {"mig_strategy": "mixed"}, {"mig_strategy": "single"}, {"mig_devices": {"1g.10gb": 7}}, {"mig_strategy": "single", "mig_devices": {"1g.10gb": 7}},
)  # fmt: skip
_PLACES: tuple[dict[str, Any], ...] = (
    {}, {}, {"labels": {"role": "gpu"}}, {"labels": {"nvidia.com/gpu.present": "true"}, "taints": [Taint("dedicated", "ai")]},
    {"taints": [Taint("nvidia.com/gpu")]}, {"extra_labels": {"nvidia.com/gpu.count": "2"}},
)  # fmt: skip
_SIZES: tuple[dict[str, Any], ...] = (
    {}, {}, {"gpus_per_node": 1, "count": 1}, {"gpus_per_node": 2, "count": 1, "memory_per_gpu": "24Gi", "product": "RTX 4090"},
    {"gpus_per_node": 8, "count": 2, "memory_per_gpu": "80Gi", "product": "H100 SXM5"},
)  # fmt: skip
_IMAGES = ("ollama/ollama:0.32.15", "vllm/vllm-openai:v0.28.0", "nvcr.io/nvidia/cuda:13.0.0-base-ubuntu24.04")
_NAMES = ("ai", "vllm", "default", "zz-last", "gpu", "nvidia")
# Texts that YAML may read as another value, or that another program fills in.
_ODD = (
    "yes",
    "1e3",
    "0x1f",
    "012",
    "1.0",
    "null",
    "~",
    "2026-11-22",
    "12:30:00",
    "${HOST}",
    "{{ .Values.host }}",
    "a: b",
    " x ",
    "#",
    "",
    "=",
    "é\n",
)


def nodes_by_chance(rng: random.Random, name: str | None = None) -> GpuNodes:
    """A class of nodes; raises a ValueError for a class that the library refuses."""
    talos = rng.choice(("1.11", "1.12", "1.13", "1.14", "1.14.1"))
    given = {**rng.choice(_PLACES), **rng.choice(_SIZES), **rng.choice(_MIG), "sharing": rng.choice(_SHARING), "name": name}
    if rng.random() < 0.15:
        share = rng.choice(({}, {"share": "claim"}, {"share": "time-slicing"}, {"share": "consumable", "shares": 4}))
        given = {**given, "sharing": None, "mig_strategy": None, "mig_devices": None, "dra": Dra(**share)}
    return GpuNodes(talos_version=talos, **given)


def objects_of_examples() -> list[dict[str, Any]]:
    """The Kubernetes objects in the examples of all rules."""
    found: dict[str, dict[str, Any]] = {}
    for rule in RULES.values():
        for example in (rule.failing, rule.passing):
            for each in kubernetes_objects(example.yaml):
                found.setdefault(str(each), each)
    return list(found.values())


def kubernetes_objects(text: str) -> Iterator[dict[str, Any]]:
    """The documents of a text that cdk8s can emit; none of a text that is not YAML."""
    try:
        documents = list(yaml.safe_load_all(text))
    except yaml.YAMLError:
        return
    for each in documents:
        is_named = isinstance(each, dict) and isinstance(each.get("metadata"), dict) and isinstance(each["metadata"].get("name"), str)
        if is_named and "/" in f"{each.get('apiVersion')}/" and isinstance(each.get("kind"), str) and each.get("apiVersion") != "v1alpha1":
            yield each


def app_by_chance(seed: int, outdir: Path, examples: list[dict[str, Any]]) -> App:
    """An app that `seed` decides. A construct that the library refuses beside the others is left out."""
    rng = random.Random(seed)
    app = App(outdir=str(outdir))
    names = rng.sample(_NAMES, rng.randint(1, 4))
    charts = [Chart(app, name, **rng.choice(({}, {"namespace": name}, {"namespace": "ai"}))) for name in names]
    classes = _classes(rng)
    # A few apps describe the same nodes twice, and differently.
    asking = [*classes, *(_classes(rng) if rng.random() < 0.1 else [])]
    makers = [*_stack(rng, classes), *_agents(rng, classes), *_workloads(rng, asking), *_objects(rng, examples)]
    rng.shuffle(makers)
    for number, make in enumerate(makers):
        try:
            make(rng.choice(charts), f"{rng.choice('amz')}{number}")
        except (ValueError, TypeError):
            continue
    if len(charts) > 1 and rng.random() < 0.2:
        charts[0].add_dependency(charts[1])
    return app


def _classes(rng: random.Random) -> list[GpuNodes]:
    names = rng.choice(([None], [None], ["rtx"], ["rtx", "h100"]))
    while True:
        try:
            return [nodes_by_chance(rng, name) for name in names]
        except ValueError:
            continue


_Maker = Callable[[Chart, str], object]


def _stack(rng: random.Random, classes: list[GpuNodes]) -> list[_Maker]:
    route = rng.choice(("plugin", "plugin", "operator", "operator", "both", "nothing"))
    delivery = rng.choice((Flux(), Flux(namespace="flux-system"), ArgoCd()))
    makers: list[_Maker] = []
    if route in ("plugin", "both"):
        for each in classes:
            discovery = rng.random() < 0.5
            makers.append(
                lambda chart, id, each=each, discovery=discovery: StandaloneDevicePlugin(chart, id, nodes=each, feature_discovery=discovery)  # noqa: A006
            )
    if route in ("operator", "both"):
        values = rng.choice(
            ({}, {}, {"devicePlugin": {"enabled": False}}, {"dcgmExporter": {"enabled": False}}, {"driver": {"enabled": True}})
        )
        makers.append(lambda chart, id: NvidiaGpuOperator(chart, id, nodes=classes, delivery=delivery, values=values))  # noqa: A006
    claimed = [each for each in classes if each.dra]
    if claimed and route != "nothing":
        makers.append(lambda chart, id: DraDriver(chart, id, nodes=claimed, delivery=delivery))  # noqa: A006
    if rng.random() < 0.7:
        makers.append(NvidiaRuntimeClass)
    return makers


def _agents(rng: random.Random, classes: list[GpuNodes]) -> list[_Maker]:
    nodes = rng.choice(classes)
    makers: list[_Maker] = [
        lambda chart, id: DcgmExporter(chart, id, nodes=nodes),  # noqa: A006
        lambda chart, id: NodeFeatureDiscovery(chart, id, nodes=classes, delivery=Flux()),  # noqa: A006
        lambda chart, id: ValidationBridge(chart, id, nodes=nodes),  # noqa: A006
        GpuAlerts,
        GpuDashboard,
        lambda chart, id: PrivilegedNamespace(chart, id, name=rng.choice(("nvidia", "gpu"))),  # noqa: A006
    ]
    return rng.sample(makers, rng.choice((0, 0, 1, 2, 3)))


def _workloads(rng: random.Random, classes: list[GpuNodes]) -> list[_Maker]:
    return [rng.choice((_workload, _workload, _plus, _pod, _claim))(rng, rng.choice(classes)) for _ in range(rng.randint(1, 5))]


def _request(rng: random.Random, nodes: GpuNodes) -> dict[str, Any]:
    gpus = rng.choice((1, 1, 1, 2, 3))
    return {"gpus": gpus, **({"profile": "1g.10gb"} if nodes.mig_strategy == "mixed" and rng.random() < 0.8 else {})}


def _workload(rng: random.Random, nodes: GpuNodes) -> _Maker:
    kind = rng.choice(("Deployment", "Deployment", "StatefulSet", "Job", "CronJob"))
    given: dict[str, Any] = {"image": rng.choice(_IMAGES), "nodes": nodes, "kind": kind, **_request(rng, nodes)}
    if kind == "CronJob":
        given["schedule"] = "0 0 * * *"
    if kind in ("Deployment", "StatefulSet"):
        given |= rng.choice(({}, {"port": 80}, {"replicas": 3}, {"volumes": {"/a": Persistent("1Gi")}}))
    given |= rng.choice(
        ({}, {}, {"gpu_memory": "20Gi"}, {"pod_spec": {"runtimeClassName": None}}, {"pod_annotations": {"a": rng.choice(_ODD)}})
    )
    return lambda chart, id: GpuWorkload(chart, id, **given)  # noqa: A006


def _plus(rng: random.Random, nodes: GpuNodes) -> _Maker:
    plus, request, replicas = rng.choice((kplus_28, kplus_32)), _request(rng, nodes), rng.choice((1, 2))

    def make(chart: Chart, id: str) -> None:  # noqa: A002
        made = plus.Deployment(chart, id, replicas=replicas, containers=[plus.ContainerProps(image="a:1", name="a")])
        request_gpus(made, nodes=nodes, **request)

    return make


def _pod(rng: random.Random, nodes: GpuNodes) -> _Maker:
    variable = {"name": "A", "value": rng.choice(_ODD)}
    template = {"spec": {"containers": [{"name": "a", "image": rng.choice(_IMAGES), "env": [variable]}]}}
    request, other = _request(rng, nodes), rng.choice((None, None, "nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.10gb"))

    def make(chart: Chart, id: str) -> None:  # noqa: A002
        spec = gpu_pod(template, nodes=nodes, **request)["spec"]
        if other:
            spec["containers"][0]["resources"] = {"limits": {other: 2}}
        emit(chart, id, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": id}, "spec": spec})

    return make


def _claim(rng: random.Random, nodes: GpuNodes) -> _Maker:
    return lambda chart, id: GpuClaim(chart, id, nodes=nodes)  # noqa: A006


def _objects(rng: random.Random, examples: list[dict[str, Any]]) -> list[_Maker]:
    chosen = rng.sample(examples, rng.choice((0, 0, 1, 2, 4)))
    return [lambda chart, id, each=each: emit(chart, id, each) for each in chosen]  # noqa: A006
