"""NVIDIA's charts of the releases that the rehearsal builds, as Helm renders them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from functools import cache
from typing import Any

import yaml

from conftest import needs
from talos_gpu_rehearsal.sources import SOURCES

_CHARTS = {"nvidia-device-plugin": SOURCES["device-plugin-0.19"], "dra-driver-nvidia-gpu": SOURCES["dra-driver"]}
"""The charts, each in the Go module of its program."""


def rendered(chart: str, name: str, namespace: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The objects of a chart, on the Kubernetes of the rehearsal.

    Args:
        chart: The chart.
        name: The release.
        namespace: The namespace of the release.
        values: The values over those of the chart.
    """
    return list(yaml.safe_load_all(_rendered(chart, name, namespace, json.dumps(values))))


@cache
def _rendered(chart: str, name: str, namespace: str, values: str) -> str:
    source = _CHARTS[chart]
    folder = source.module.source_folder(source.release_of) / "deployments/helm" / chart
    helm = [needs("HELM", "the path of a Helm"), "template", name, str(folder), "--namespace", namespace]
    version = SOURCES["kubernetes"].release
    ran = subprocess.run([*helm, "--kube-version", version, "--values", "-"], input=values, capture_output=True, text=True, check=False)
    assert not ran.returncode, ran.stderr
    return yaml.safe_dump_all(each for each in yaml.safe_load_all(ran.stdout) if each)
