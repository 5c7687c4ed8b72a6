"""`GpuWorkload` of each kind and `request_gpus` on a real node: what the kubelet makes of the objects that they emit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import cdk8s_plus_32 as kplus
import pytest
from cdk8s import ApiObject, App, Chart, Size

from constructs_lib import (
    ConfigMapFiles,
    ConfigMapKey,
    Empty,
    GpuNodes,
    GpuWorkload,
    HttpProbe,
    NvidiaRuntimeClass,
    OciImage,
    Persistent,
    StandaloneDevicePlugin,
    TcpProbe,
    request_gpus,
)
from constructs_lib.testing import synthesize
from nodes import GENERATIONS, allocated, apply, card_files, emitted, pods_of, report, start
from talos_gpu_rehearsal.cards import RTX_4090, placed
from talos_gpu_rehearsal.cluster import Cluster
from talos_gpu_rehearsal.namespaces import NamespaceError
from talos_gpu_rehearsal.run import give_volumes

CARDS = (RTX_4090,) * 9
FILES = {each.uuid: f"/dev/nvidia{each.place}" for each in placed(CARDS, "gpu-1")}
CUDA = "nvcr.io/nvidia/cuda:13.0.0-base-ubuntu24.04"
"""An image that shows its container every card, where nothing else is said."""
SLEEP = 3
DRAINED = {"ai": "the kubelet's own sleep", "older": "the program sleep, up to Talos 1.11"}
"""The namespaces with a workload that sleeps before it ends, and what sleeps."""
SETTINGS = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "ai"}, "data": {"level": "debug"}}
RIGHTS: dict[str, Any] = {"readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
BESIDE = {"image": CUDA, "securityContext": {"allowPrivilegeEscalation": False, **RIGHTS}}
WORKLOADS: dict[str, dict[str, Any]] = {
    "server": {
        "port": 8000,
        "env": {"MODE": "fast", "LEVEL": ConfigMapKey("settings", "level")},
        "volumes": {
            "/data": Persistent("1Gi"),
            "/cache": Empty(),
            "/settings": ConfigMapFiles("settings"),
            "/model": OciImage("registry.example.com/model:1"),
        },
        "shared_memory": "2Gi",
        "startup_probe": HttpProbe("/health", period=1, failure_threshold=60),
        "readiness_probe": HttpProbe("/ready", period=1),
        "liveness_probe": TcpProbe(),
        "init_containers": [
            {"name": "prepare", "args": ["prepare"], **BESIDE},
            {"name": "sidecar", "restartPolicy": "Always", "args": ["serve"], **BESIDE},
        ],
    },
    "replicas": {"kind": "StatefulSet", "port": 8000, "replicas": 2, "volumes": {"/data": Persistent("1Gi")}},
    "train": {"kind": "Job", "gpus": 2, "args": ["train"]},
    "nightly": {"kind": "CronJob", "schedule": "@yearly", "args": ["evaluate"]},
}
_Object = dict[str, Any]


def namespaced(app: App, name: str) -> Chart:
    """A chart with a namespace that keeps the level `restricted`."""
    chart = Chart(app, name, namespace=name)
    level = {"pod-security.kubernetes.io/enforce": "restricted"}
    ApiObject(chart, "namespace", api_version="v1", kind="Namespace", metadata={"name": name, "labels": level})
    return chart


def workload(chart: Chart, name: str, nodes: GpuNodes, **arguments: Any) -> None:
    """A workload without root."""
    user = {"runAsNonRoot": True, "runAsUser": 1000, "runAsGroup": 2000, "fsGroup": 3000}
    GpuWorkload(chart, name, nodes=nodes, image=CUDA, security_context=RIGHTS, pod_security_context=user, **arguments)


def objects_of(talos: str) -> list[_Object]:
    """What the constructs emit for workloads of each kind, and for one of Talos 1.11."""
    app, older = App(), App()
    nodes = GpuNodes(talos_version=talos, gpus_per_node=len(CARDS))
    agents = Chart(app, "agents", namespace="kube-system")
    NvidiaRuntimeClass(agents, "runtime-class")
    StandaloneDevicePlugin(agents, "device-plugin", nodes=nodes)
    chart = namespaced(app, "ai")
    for name, arguments in WORKLOADS.items():
        workload(chart, name, nodes, **arguments)
    plus(Chart(app, "plus", namespace="default"), nodes)
    for each, classes in ((chart, nodes), (namespaced(older, "older"), GpuNodes(talos_version="1.11"))):
        workload(each, "drained", classes, port=8000, pre_stop_sleep=SLEEP)
    return [*synthesize(app), SETTINGS, *synthesize(older)]


def plus(chart: Chart, nodes: GpuNodes) -> None:
    """A Deployment of cdk8s-plus, of which one container asks for a GPU. cdk8s-plus has its images always pulled."""
    resources = kplus.ContainerResources(
        cpu=kplus.CpuResources(request=kplus.Cpu.millis(10)), memory=kplus.MemoryResources(request=Size.mebibytes(16))
    )
    rights = kplus.ContainerSecurityContextProps(user=1000, group=2000)
    containers = [
        kplus.ContainerProps(name=name, image=CUDA, args=[name], port=port, security_context=rights, resources=resources)
        for name, port in (("main", 8000), ("beside", 8001))
    ]
    deployment = kplus.Deployment(chart, "plus", replicas=1, strategy=kplus.DeploymentStrategy.recreate(), containers=containers)
    deployment.pod_metadata.add_label("app.kubernetes.io/name", "plus")
    request_gpus(deployment, nodes=nodes, container="main")


@pytest.fixture(scope="module", params=["1.12", "1.14"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with a node with nine cards, and a workload of each kind on it."""
    talos = GENERATIONS[request.param]
    objects = objects_of(talos)
    node = emitted({"talos_version": talos}, {"runtime-class": {"NvidiaRuntimeClass": {}}}).node("gpu-1", talos, CARDS)
    with start(tmp_path_factory.mktemp("workloads") / "cluster", [node], objects) as cluster:
        apply(cluster, objects)
        volumes: set[str] = set()
        cluster.eventually(lambda: give_volumes(cluster, volumes) or len(volumes), lambda given: given == 3, "the claims")
        yield cluster


def seen_in(made: Cluster, pod: _Object, container: str) -> _Object:
    return report(made, pod["metadata"]["name"], pod["metadata"]["namespace"], container)


def cards_of(made: Cluster, pod: _Object) -> list[str]:
    """The device files of the cards that the kubelet has allocated to a pod."""
    return sorted(FILES[each] for each in allocated(made, pod["metadata"]["name"], pod["metadata"]["namespace"]))


def evict(made: Cluster, name: str, namespace: str) -> None:
    """Ask for the end of a pod, as the drain of a node does."""
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": namespace}}
    made.kubectl("create", "--raw", f"/api/v1/namespaces/{namespace}/pods/{name}/eviction", "-f", "-", stdin=json.dumps(eviction))


@contextmanager
def held(made: Cluster, name: str, namespace: str) -> Iterator[None]:
    """A pod that stays in the API until the end of the block, with the state of its containers."""

    def finalizers(*names: str) -> None:
        patch = json.dumps({"metadata": {"finalizers": names}})
        made.kubectl("patch", "pod", name, "--namespace", namespace, "--type=merge", f"--patch={patch}")

    finalizers("example.com/held")
    yield
    finalizers()


@pytest.fixture
def server(made: Cluster) -> _Object:
    [pod] = pods_of(made, "server", "ai")
    return pod


def test_a_server_sees_its_card_its_variables_and_its_volumes(made, server):
    seen = seen_in(made, server, "server")
    assert len(cards_of(made, server)) == 1
    assert card_files(seen) == cards_of(made, server)
    assert (seen["environment"]["MODE"], seen["environment"]["LEVEL"]) == ("fast", "debug")
    assert not [each for each in seen["environment"] if each.startswith(("SERVER_", "DRAINED_"))]
    assert {"/data", "/cache", "/settings", "/model"} <= {each["path"] for each in seen["mounts"]}


def test_a_server_is_ready_by_its_probes(server):
    [container] = server["spec"]["containers"]
    assert {"startupProbe", "readinessProbe", "livenessProbe"} <= container.keys()
    [status] = server["status"]["containerStatuses"]
    assert (status["started"], status["ready"], status["restartCount"]) == (True, True, 0)


def test_a_server_has_the_shared_memory_that_it_asks_for(made, server):
    seen = seen_in(made, server, "server")
    [shared] = [each for each in seen["mounts"] if each["path"] == "/dev/shm"]
    assert (shared["type"], seen["shm_bytes"]) == ("tmpfs", 2 * 2**30)


def test_a_server_runs_without_root_on_a_read_only_root_and_its_claim_is_of_its_group(made, server):
    seen = seen_in(made, server, "server")
    assert (seen["uid"], seen["gid"], seen["groups"], seen["read_only"]) == (1000, 2000, [2000, 3000], True)
    [claim] = [each["persistentVolumeClaim"]["claimName"] for each in server["spec"]["volumes"] if "persistentVolumeClaim" in each]
    [volume] = [each for each in made.list("PersistentVolume") if each["spec"]["claimRef"]["name"] == claim]
    assert (made.nodes["gpu-1"].folder / volume["spec"]["local"]["path"].lstrip("/")).stat().st_gid == 3000


@pytest.mark.parametrize("container", ["prepare", "sidecar"])
def test_an_init_container_sees_no_card_though_its_image_asks_for_all(made, server, container):
    seen = seen_in(made, server, container)
    assert seen["environment"]["NVIDIA_VISIBLE_DEVICES"] == "void"
    assert (seen["devices"], seen["nvidia_smi"]) == ([], None)


def test_each_replica_of_a_stateful_set_has_a_card_and_a_volume_of_its_own(made):
    pods = pods_of(made, "replicas", "ai", 2)
    cards = [card_files(seen_in(made, each, "replicas")) for each in pods]
    assert cards == [cards_of(made, each) for each in pods]
    assert len({card for each in cards for card in each}) == 2
    bound = {each["metadata"]["name"]: each["status"]["phase"] for each in made.list("PersistentVolumeClaim", "ai")}
    assert (bound["data-replicas-0"], bound["data-replicas-1"]) == ("Bound", "Bound")


def test_a_drain_stops_one_replica_at_a_time(made):
    first, second = (each["metadata"]["name"] for each in pods_of(made, "replicas", "ai", 2))
    evict(made, first, "ai")
    with pytest.raises(NamespaceError, match="Cannot evict pod as it would violate the pod's disruption budget"):
        evict(made, second, "ai")


def test_a_job_sees_its_two_cards_has_memory_for_nccl_and_ends(made):
    [pod] = pods_of(made, "train", "ai")
    seen = seen_in(made, pod, "train")
    # The kubelet forgets the devices of a pod that has ended, as this one may have.
    assert len(card_files(seen)) == 2
    assert cards_of(made, pod) in (card_files(seen), [])
    assert seen["shm_bytes"] == 2 * 2**30
    made.eventually(lambda: made.get("Job", "train", "ai")["status"]["succeeded"], lambda count: count == 1, "the end of the Job")


def test_a_run_of_a_cron_job_sees_its_card_and_ends(made):
    made.kubectl("create", "job", "--namespace", "ai", "--from=cronjob/nightly", "tonight")
    [pod] = pods_of(made, "nightly", "ai")
    assert card_files(seen_in(made, pod, "nightly")) == cards_of(made, pod)
    made.eventually(lambda: made.get("Job", "tonight", "ai")["status"]["succeeded"], lambda count: count == 1, "the end of the run")


def test_request_gpus_shows_the_card_to_the_container_that_asks_and_to_no_other(made):
    [pod] = pods_of(made, "plus")
    asking, other = (seen_in(made, pod, each) for each in ("main", "beside"))
    assert card_files(asking) == cards_of(made, pod)
    assert (other["environment"]["NVIDIA_VISIBLE_DEVICES"], other["devices"]) == ("void", [])


@pytest.mark.parametrize("namespace", DRAINED)
def test_an_evicted_server_goes_on_for_the_seconds_of_its_sleep_and_then_ends_by_sigterm(made, namespace):
    [pod] = pods_of(made, "drained", namespace)
    name = pod["metadata"]["name"]
    with held(made, name, namespace):
        before = datetime.now(UTC).replace(microsecond=0)  # the kubelet tells whole seconds
        evict(made, name, namespace)
        [end] = made.eventually(
            lambda: [each["state"]["terminated"] for each in made.get("Pod", name, namespace)["status"]["containerStatuses"]]
        )
    assert (end["exitCode"], end["reason"]) == (0, "Completed")
    assert datetime.fromisoformat(end["finishedAt"]) - before >= timedelta(seconds=SLEEP)
