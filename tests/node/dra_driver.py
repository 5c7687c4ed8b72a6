"""NVIDIA's DRA driver on real nodes: what `DraDriver` emits, rendered by Helm as Flux would, and what runs there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import charts

from talos_gpu_rehearsal.cluster import Cluster
from talos_gpu_rehearsal.sources import SOURCES

VERSION = SOURCES["dra-driver"].release
"""The release that the rehearsal builds."""


def rendered(release: Mapping[str, Any], **more: object) -> list[dict[str, Any]]:
    """The objects of the chart by the values of a HelmRelease; `more` are values over these."""
    spec, metadata = release["spec"], release["metadata"]
    namespace = spec.get("targetNamespace") or metadata["namespace"]
    return charts.rendered("dra-driver-nvidia-gpu", metadata["name"], namespace, {**spec["values"], **more})


def split(objects: list[dict[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The HelmRelease of the driver, and what the cluster itself takes."""
    (release,) = (each for each in objects if each["kind"] == "HelmRelease")
    return release, [each for each in objects if "fluxcd" not in each["apiVersion"]]


def devices(cluster: Cluster, node: str) -> dict[str, dict[str, Any]]:
    """The devices that a node offers, by their names. An attribute is its plain value."""
    slices = [each["spec"] for each in cluster.list("ResourceSlice") if each["spec"].get("nodeName") == node]
    return {
        device["name"]: {
            **{name: next(iter(value.values())) for name, value in device["attributes"].items()},
            **{f"capacity {name}": value["value"] for name, value in device["capacity"].items()},
        }
        for each in slices
        for device in each["devices"]
    }


def pods(cluster: Cluster, name: str) -> list[dict[str, Any]]:
    """The pods of a workload in a namespace of its own."""
    return [each for each in cluster.list("Pod", name) if each["metadata"]["labels"].get("app.kubernetes.io/name") == name]


def seen(cluster: Cluster, pod: Mapping[str, Any]) -> dict[str, Any]:
    """What the container of a pod sees, by the stand-in's first line."""
    line = cluster.kubectl("logs", "--namespace", pod["metadata"]["namespace"], pod["metadata"]["name"]).splitlines()[0]
    report: dict[str, Any] = json.loads(line)
    return report


def running(cluster: Cluster, name: str, number: int = 1) -> list[dict[str, Any]]:
    """What each pod of a workload sees, when all of them run."""
    found = cluster.eventually(lambda: pods(cluster, name), lambda all_: _run(all_) == number, f"{number} pods of {name}")
    return cluster.eventually(lambda: [seen(cluster, each) for each in found], what=f"the reports of {name}")


def waits_with(cluster: Cluster, name: str) -> str:
    """Why the scheduler places no pod of a workload."""

    def read() -> str:
        conditions = pods(cluster, name)[0]["status"]["conditions"]
        return [str(each["message"]) for each in conditions if each["type"] == "PodScheduled" and each["status"] == "False"][0]  # noqa: RUF015

    return cluster.eventually(read, what=f"the reason why {name} waits")


def _run(found: list[dict[str, Any]]) -> int:
    return sum(all(each["ready"] for each in pod["status"].get("containerStatuses", [{"ready": False}])) for pod in found)
