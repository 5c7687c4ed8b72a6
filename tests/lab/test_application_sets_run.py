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
FINALIZER = "resources-finalizer.argocd.argoproj.io"
FILE = """\
talos: 1.14.0
nodes: {gpu: {}}
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
    lab.eventually(lambda: condition(lab, "talos-gpu", "ResourcesUpToDate")["status"], lambda status: status == "True")
    return lab


def application_set(**arguments: Any) -> Manifest:
    """The ApplicationSet of a delivery."""
    (text,) = fleet_delivery({"argocd": arguments}, ()).files({}).values()
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
    fleet.eventually(lambda: fleet.get(API_VERSION, "Application", f"talos-gpu-{gained[-1]}", NAMESPACE))
    after = fleet.eventually(lambda: fleet.applications("talos-gpu"), lambda found: found.keys() == expected)

    assert after.keys() == expected
    assert len(after) == SIZE
    assert versions(before).items() - versions(after).items() == {(name, versions(before)[name]) for name in before.keys() - after.keys()}


@pytest.fixture
def delivered(lab: ArgoCdControlPlane, request: pytest.FixtureRequest) -> Manifest:
    """The Application of a cluster, from an ApplicationSet with the policy of the test. Each test has a cluster and an ApplicationSet of its own."""
    name, policy = request.param
    own = application_set(repository=GIT, labels={name: "true"}, name=name)
    own["spec"]["syncPolicy"] |= policy
    lab.register([name], {name: "true"})
    lab.apply([own])
    return lab.eventually(lambda: lab.applications(name)).popitem()[1]


def leave(lab: ArgoCdControlPlane, name: str, *, registered: bool) -> dict[str, Manifest]:
    """The Applications after the cluster has lost its label or its registration, once the deletion has begun."""
    if registered:
        lab.register([name], {})
    else:
        lab.delete(registration(name, {}))
    return lab.eventually(
        lambda: lab.applications(name), lambda found: all("deletionTimestamp" in each["metadata"] for each in found.values())
    )


@pytest.mark.parametrize(
    ("delivered", "name", "registered"),
    [(("unlabelled", {}), "unlabelled", True), (("unregistered", {}), "unregistered", False)],
    indirect=["delivered"],
    ids=["unlabelled", "unregistered"],
)
def test_a_cluster_without_its_label_or_its_registration_loses_its_application_and_not_its_objects(lab, delivered, name, registered):
    # Only an Application with a finalizer takes its objects with it.
    assert "finalizers" not in delivered["metadata"]
    assert leave(lab, name, registered=registered) == {}


@pytest.mark.parametrize("delivered", [("deleting", {"preserveResourcesOnDeletion": False})], indirect=True, ids=["deleting"])
def test_without_preserve_resources_on_deletion_a_cluster_without_its_label_would_lose_its_objects(lab, delivered):
    (ending,) = leave(lab, "deleting", registered=True).values()

    assert delivered["metadata"]["finalizers"] == ending["metadata"]["finalizers"] == [FINALIZER]


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
    # Nobody has registered rome. The folder of the engines is there too.
    message = "application destination spec is invalid: there are no clusters with this name: rome"
    error = lab.eventually(lambda: condition(lab, "folders", "ErrorOccurred"), lambda found: found["message"] == message)

    assert found == folders
    assert (error["status"], error["message"]) == ("True", message)
