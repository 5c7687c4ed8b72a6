"""The ApplicationSet of a fleet under Argo CD's real controller: the Applications of 1,000 clusters, and what a change does to them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from application_sets import API_VERSION, NAMESPACE, ArgoCdControlPlane, registration

from conftest import needs
from constructs_lib.cli import command
from constructs_lib.clusters.fleet_delivery import fleet_delivery
from constructs_lib.manifests.objects import Manifest

GIT, OCI = "https://github.com/acme/fleet", "oci://ghcr.io/acme/clusters"
SIZE, OTHERS = 1_000, 10
LABELS = {"gpu": "true"}
PATIENCE = 300.0
"""Seconds for a turn of the controller over the large fleet: ten on a busy machine, and two for each change."""
FINALIZER = "resources-finalizer.argocd.argoproj.io"
FILE = """\
nodes: {talos_version: "1.14.0"}
charts:
  gpu:
    namespace: kube-system
    objects:
      device-plugin: {StandaloneDevicePlugin: {}}
delivery:
  argocd: {repository: https://github.com/acme/fleet, name: folders}
clusters:
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the git repository."""
    return tmp_path_factory.mktemp("repository")


@pytest.fixture(scope="module")
def lab(repository: Path) -> Iterator[ArgoCdControlPlane]:
    assets = Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))
    argocd = Path(needs("ARGOCD_ASSETS", "the folder with Argo CD's ApplicationSet controller (tools/argocd.sh)"))
    with ArgoCdControlPlane(assets, argocd, repository) as started:
        yield started


@pytest.fixture(scope="module")
def fleet(lab: ArgoCdControlPlane) -> ArgoCdControlPlane:
    """The large fleet: its clusters, those without its label, and its Applications."""
    lab.register((f"c{number}" for number in range(SIZE)), LABELS)
    lab.register((f"other{number}" for number in range(OTHERS)), {})
    lab.apply([application_set(repository=GIT, labels=LABELS)])
    lab.eventually(lambda: condition(lab, "talos-gpu", "ResourcesUpToDate")["status"], lambda status: status == "True", PATIENCE)
    return lab


def application_set(**arguments: Any) -> Manifest:
    """The ApplicationSet of a delivery."""
    (text,) = fleet_delivery({"argocd": arguments}, ()).files(()).values()
    return dict(yaml.safe_load(text))


def condition(lab: ArgoCdControlPlane, name: str, kind: str) -> dict[str, Any]:
    """A condition of an ApplicationSet."""
    status = lab.get(API_VERSION, "ApplicationSet", name, NAMESPACE).get("status", {})
    return next((each for each in status.get("conditions", ()) if each["type"] == kind), {"status": "Unknown", "message": ""})


def mapped(applications: dict[str, Manifest]) -> dict[str, tuple[str, str, str]]:
    """The repository, the folder and the cluster of each Application."""
    specs = {name: each["spec"] for name, each in applications.items()}
    return {name: (spec["source"]["repoURL"], spec["source"]["path"], spec["destination"]["name"]) for name, spec in specs.items()}


def versions(applications: dict[str, Manifest]) -> dict[str, tuple[str, str]]:
    """The state of each Application, which any write of it changes."""
    return {name: (each["metadata"]["uid"], each["metadata"]["resourceVersion"]) for name, each in applications.items()}


def test_each_of_a_thousand_clusters_with_the_label_gets_its_application(fleet):
    expected = {f"talos-gpu-c{number}": (GIT, f"dist/c{number}/manifests", f"c{number}") for number in range(SIZE)}

    assert mapped(fleet.applications("talos-gpu")) == expected
    assert condition(fleet, "talos-gpu", "ErrorOccurred")["status"] == "False"


def test_a_change_of_labels_touches_only_the_applications_of_its_clusters(fleet):
    before = fleet.applications("talos-gpu")
    gained, lost = [f"other{number}" for number in range(OTHERS)], [f"c{number}" for number in range(OTHERS)]
    expected = before.keys() - {f"talos-gpu-{name}" for name in lost} | {f"talos-gpu-{name}" for name in gained}
    fleet.register(gained, LABELS)
    fleet.register(lost, {})
    after = fleet.eventually(lambda: fleet.applications("talos-gpu"), lambda found: found.keys() == expected, PATIENCE)

    assert after.keys() == expected
    assert len(after) == SIZE
    assert versions(before).items() - versions(after).items() == {(name, versions(before)[name]) for name in before.keys() - after.keys()}


def test_a_cluster_that_is_no_longer_registered_loses_its_application_without_the_deletion_of_its_objects(fleet):
    before = fleet.applications("talos-gpu")
    assert "talos-gpu-c500" in before
    assert {name for name, each in before.items() if each["metadata"].get("finalizers")} == set()

    fleet.delete(registration("c500", LABELS))
    after = fleet.eventually(lambda: fleet.applications("talos-gpu"), lambda found: len(found) < len(before), PATIENCE)
    assert before.keys() - after.keys() == {"talos-gpu-c500"}


def test_without_preserve_resources_on_deletion_the_objects_of_a_cluster_without_the_label_would_be_deleted(lab):
    deleting = application_set(repository=GIT, labels={"deleting": "true"}, name="deleting")
    del deleting["spec"]["syncPolicy"]
    lab.register(["kept"], {"deleting": "true"})
    lab.apply([deleting])
    (application,) = lab.eventually(lambda: lab.applications("deleting")).values()
    lab.register(["kept"], {})
    (ending,) = lab.eventually(
        lambda: lab.applications("deleting"), lambda found: "deletionTimestamp" in found["deleting-kept"]["metadata"]
    ).values()

    assert application["metadata"]["finalizers"] == ending["metadata"]["finalizers"] == [FINALIZER]
    assert "deletionTimestamp" in ending["metadata"]


def test_an_artifact_of_a_registry_gets_the_application_of_its_cluster(lab):
    lab.register(["oslo"], {"artifact": "true"})
    lab.apply([application_set(repository=OCI, revision="v1", labels={"artifact": "true"}, name="artifacts")])

    assert mapped(lab.eventually(lambda: lab.applications("artifacts"))) == {"artifacts-oslo": (f"{OCI}/oslo", ".", "oslo")}


def test_a_folder_of_the_repository_gets_the_application_of_its_cluster(lab, repository, tmp_path):
    file = tmp_path / "fleet.yaml"
    file.write_text(FILE + "  berlin: {}\n  paris: {}\n  rome: {}\n")
    assert command.main(["synth", str(file), "--output-folder", str(repository / "dist"), "--no-check"]) == 0
    folders = {f"folders-{name}": (GIT, f"dist/{name}/manifests", name) for name in ("berlin", "paris")}
    lab.register(["berlin", "paris"], {})
    lab.apply(yaml.safe_load_all((repository / "dist" / "fleet" / "argocd.yaml").read_text()))
    found = lab.eventually(lambda: mapped(lab.applications("folders")), lambda found: len(found) == len(folders))
    error = lab.eventually(lambda: condition(lab, "folders", "ErrorOccurred"), lambda found: found["status"] == "True")

    # Nobody has registered rome. The folder of the engines is there too.
    assert found == folders
    assert (error["status"], error["message"]) == (
        "True",
        "application destination spec is invalid: there are no clusters with this name: rome",
    )
