"""The apps of docs/apps.md on a real control plane: every object is taken strictly, every pod is admitted and has its GPU, and every workload rolls out."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from apps_page import SECTIONS
from control_plane import ControlPlane
from lab_site import Site, furnish, volume
from machines import Card, Machine

from conftest import needs
from constructs_lib import GpuNodes
from constructs_lib.talos import MachineConfigPatch, Schematic
from constructs_lib.testing import synthesize

CRD_GROUPS = ("gateway.networking.k8s.io", "keda.sh", "kueue.x-k8s.io", "monitoring.coreos.com_servicemonitors")
CARDS = {"RTX 4090": Card(), "H100": Card("NVIDIA H100 80GB HBM3", 81559, "0302")}
NAMESPACES = {"chat": "baseline", "home": "baseline", "models": "restricted", "training": "baseline", "photos": "restricted"}
"""The namespaces of the apps, and the level of Pod Security that each app keeps."""


@pytest.fixture(scope="module")
def lab() -> Iterator[ControlPlane]:
    assets = Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))
    crds = Path(needs("CRDS", "the CRDs of the Gateway API, KEDA, Kueue, Flux and Prometheus (tools/reference.py)"))
    with ControlPlane(assets) as started:
        furnish(started, crds)
        files = [path for path in sorted(crds.glob("*.yaml")) if path.name.startswith(CRD_GROUPS)]
        started.apply([crd for path in files for crd in yaml.safe_load_all(path.read_text(encoding="utf-8"))])
        yield started


def machines_of(nodes: GpuNodes) -> list[Machine]:
    """The machines of a class, and one without a GPU."""
    is_hgx = nodes.product == "H100"  # eight of them in a machine are on a board with NVSwitch
    config = MachineConfigPatch(nodes=nodes, fabric_manager=is_hgx).text
    image, talos = Schematic(nodes=nodes, fabric_manager=is_hgx).text, str(nodes.talos_version)
    cards = (CARDS[str(nodes.product)],) * (nodes.gpus_per_node or 0)
    gpu = [Machine(f"gpu-{index}", config, image, talos, cards) for index in range(nodes.count or 0)]
    return [*gpu, Machine("plain", "", "customization: {systemExtensions: {officialExtensions: []}}", talos, ())]


def shared_volumes(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A volume for each claim that several nodes mount."""
    claims = [each for each in objects if each["kind"] == "PersistentVolumeClaim" and "ReadWriteMany" in each["spec"]["accessModes"]]
    made = [volume(index) for index in range(len(claims))]
    for each in made:
        each["metadata"]["name"] = f"shared-{each['metadata']['name']}"
        each["spec"]["accessModes"] = ["ReadWriteMany"]
    return made


@pytest.mark.parametrize("title", SECTIONS)
def test_an_app_of_the_page_is_admitted_and_all_of_it_runs(lab, title):
    app, nodes = SECTIONS[title].run()
    objects = synthesize(app)
    levels = {name: level for name, level in NAMESPACES.items() if name in {each["metadata"].get("namespace") for each in objects}}
    with Site(lab, machines_of(nodes)) as site:
        site.apply(
            {
                "apiVersion": "v1",
                "kind": "Namespace",
                "metadata": {"name": name, "labels": {"pod-security.kubernetes.io/enforce": level}},
            }
            for name, level in levels.items()
        )
        site.apply(shared_volumes(objects))
        site.apply(objects)

        assert len(levels) == 1
        assert site.eventually(site.rollouts, site.desired()) == site.desired()
