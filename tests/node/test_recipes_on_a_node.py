"""Every recipe on a real node: its pod comes up as the recipe emits it, with a program of ours in place of its image."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from recipe_cases import ARGUMENTS, RECIPES

from constructs_lib.arguments.quantities import amount_of
from constructs_lib.clusters.part_table import part_of
from nodes import GENERATIONS, allocated, apply, card_files, emitted, plugin_objects, pods_of, report, start
from talos_gpu_rehearsal.cards import RTX_4090, placed
from talos_gpu_rehearsal.cluster import Cluster
from talos_gpu_rehearsal.run import give_volumes

CARDS = (RTX_4090,) * len(RECIPES)
FILES = {each.uuid: f"/dev/nvidia{each.place}" for each in placed(CARDS, "gpu-1")}
LEVELS = {name: "baseline" if part_of(name).settings.user is None else "restricted" for name in RECIPES}
"""The level of Pod Security that a recipe keeps, which is the name of its namespace here."""
SERVERS = [name for name in RECIPES if name != "CudaSmokeTest"]
SERVICE_LINK = re.compile(r"(?!KUBERNETES_)\w+_(SERVICE_HOST|PORT_\d+_TCP)")
_Object = dict[str, Any]


def recipes(talos: str) -> list[_Object]:
    """The objects of every recipe, and a namespace for each level of Pod Security."""
    made: list[_Object] = []
    for level in sorted(set(LEVELS.values())):
        labels = {"pod-security.kubernetes.io/enforce": level}
        made.append({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": level, "labels": labels}})
        parts = {name.lower(): {name: ARGUMENTS[name]} for name in RECIPES if LEVELS[name] == level}
        made += emitted({"talos_version": talos, "gpus_per_node": len(CARDS)}, parts, level).objects
    return made


@pytest.fixture(scope="module", params=["1.12", "1.14"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with a node that has a card for each recipe, and all recipes on it."""
    talos = GENERATIONS[request.param]
    objects = [*plugin_objects(talos), *recipes(talos)]
    node = emitted({"talos_version": talos}, {"runtime-class": {"NvidiaRuntimeClass": {}}}).node("gpu-1", talos, CARDS)
    with start(tmp_path_factory.mktemp("recipes") / "cluster", [node], objects) as cluster:
        apply(cluster, objects)
        give_volumes(cluster, set())
        yield cluster


@pytest.fixture(params=SERVERS)
def server(request: pytest.FixtureRequest, made: Cluster) -> tuple[_Object, _Object]:
    """The pod of a recipe that serves, and what its container sees."""
    [pod] = pods_of(made, request.param.lower(), LEVELS[request.param])
    return pod, report(made, pod["metadata"]["name"], pod["metadata"]["namespace"], request.param.lower())


def test_a_server_is_ready_and_has_what_its_recipe_emits(made, server):
    pod, seen = server
    [container] = pod["spec"]["containers"]
    [card] = allocated(made, pod["metadata"]["name"], pod["metadata"]["namespace"])
    assert card_files(seen) == [FILES[card]]
    assert seen["words"] == [*container.get("command", []), *container.get("args", [])]
    assert {each["name"]: each["value"] for each in container.get("env", [])}.items() <= seen["environment"].items()
    assert not [each for each in seen["environment"] if SERVICE_LINK.fullmatch(each)]
    assert {each["mountPath"] for each in container["volumeMounts"]} <= {each["path"] for each in seen["mounts"]}
    assert seen["shm_bytes"] == shared_memory(pod)


def test_a_server_has_the_rights_that_its_recipe_emits(made, server):
    pod, seen = server
    [container] = pod["spec"]["containers"]
    context = {**pod["spec"]["securityContext"], **container["securityContext"]}
    assert (seen["uid"], seen["gid"]) == (context.get("runAsUser", 0), context.get("runAsGroup", 0))
    assert seen["read_only"] is context.get("readOnlyRootFilesystem", False)
    for each in volumes_of(made, pod):
        assert each.stat().st_gid == context.get("fsGroup", 0)


def test_a_service_finds_its_server(made, server):
    pod, _ = server
    name, namespace = pod["metadata"]["labels"]["app.kubernetes.io/name"], pod["metadata"]["namespace"]
    service = made.get("Service", name, namespace)

    def slices() -> list[_Object]:
        return [each for each in made.list("EndpointSlice", namespace) if each["metadata"]["labels"]["kubernetes.io/service-name"] == name]

    [endpoints] = made.eventually(slices, lambda found: found and found[0]["endpoints"], f"the endpoints of {name}")
    assert [(each["addresses"], each["conditions"]["ready"]) for each in endpoints["endpoints"]] == [([pod["status"]["podIP"]], True)]
    assert {each["name"] for each in endpoints["ports"]} == {each["name"] for each in service["spec"]["ports"]}


def test_the_smoke_test_passes(made):
    [pod] = pods_of(made, "cudasmoketest", LEVELS["CudaSmokeTest"])
    assert made.kubectl("logs", "--namespace", pod["metadata"]["namespace"], pod["metadata"]["name"]).splitlines()[-1] == "passed all"


def shared_memory(pod: _Object) -> int:
    """The size of /dev/shm: that of the volume, or the container runtime's 64 MiB."""
    [container] = pod["spec"]["containers"]
    names = [each["name"] for each in container["volumeMounts"] if each["mountPath"] == "/dev/shm"]
    sizes = [each["emptyDir"]["sizeLimit"] for each in pod["spec"]["volumes"] if each["name"] in names]
    return int(amount_of(sizes[0] if sizes else "64Mi"))


def volumes_of(made: Cluster, pod: _Object) -> Iterator[Any]:
    """The folders of the node behind the claims of a pod."""
    for each in pod["spec"]["volumes"]:
        if claim := each.get("persistentVolumeClaim"):
            name = made.get("PersistentVolumeClaim", claim["claimName"], pod["metadata"]["namespace"])["spec"]["volumeName"]
            yield made.nodes["gpu-1"].folder / made.get("PersistentVolume", name)["spec"]["local"]["path"].lstrip("/")
