"""What holds for everything that the seven clusters of main.py emit, and for golden dist/."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import main
from constructs_lib.upstream.kubernetes.api import CLUSTER_SCOPED

ROOT = Path(__file__).resolve().parent.parent
CLUSTERS = [cluster.__name__.replace("_", "-") for cluster in main.CLUSTERS]


@pytest.fixture(scope="session")
def synthesized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "main.py"], cwd=ROOT, env={**os.environ, "CDK8S_OUTDIR": str(output)}, check=True)
    return output


def read(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def objects(cluster: str) -> list[dict[str, Any]]:
    files = sorted((ROOT / "dist" / cluster / "manifests").glob("*.yaml"))
    return [made for file in files for made in yaml.safe_load_all(file.read_text())]


def leaves(value: Any, path: str = "") -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in leaves(item, f"{path}/{key}")]
    if isinstance(value, list):
        return [leaf for index, item in enumerate(value) for leaf in leaves(item, f"{path}/{index}")]
    return [(path, value)]


def pod_templates(made: dict[str, Any]) -> list[dict[str, Any]]:
    spec = made.get("spec", {})
    templates = [spec.get("template"), spec.get("jobTemplate", {}).get("spec", {}).get("template")]
    return [template for template in templates if isinstance(template, dict) and "spec" in template]


def test_dist_is_what_main_synthesizes(synthesized):
    assert read(ROOT / "dist") == read(synthesized)


def test_two_synths_are_byte_identical(synthesized, tmp_path):
    subprocess.run([sys.executable, "main.py"], cwd=ROOT, env={**os.environ, "CDK8S_OUTDIR": str(tmp_path)}, check=True)

    assert read(tmp_path) == read(synthesized)


def test_every_cluster_has_a_page_a_folder_for_kubernetes_and_one_for_talos_and_nothing_else_lives_in_dist():
    assert sorted(path.name for path in (ROOT / "dist").iterdir()) == sorted(CLUSTERS)
    for cluster in CLUSTERS:
        assert sorted(path.name for path in (ROOT / "dist" / cluster).iterdir()) == ["README.md", "manifests", "talos"]
        assert {Path(name).suffix for name in read(ROOT / "dist" / cluster / "manifests")} == {".yaml"}


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_nothing_is_null(cluster):
    assert [(made["kind"], path) for made in objects(cluster) for path, value in leaves(made) if value is None] == []


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_nothing_cluster_scoped_has_a_namespace(cluster):
    scoped = [made for made in objects(cluster) if made["kind"] in CLUSTER_SCOPED]

    assert scoped
    assert [made["kind"] for made in scoped if "namespace" in made["metadata"]] == []


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_every_namespace_that_is_used_is_made_or_is_there_anyway(cluster):
    made = {each["metadata"]["name"] for each in objects(cluster) if each["kind"] == "Namespace"}
    used = {each["metadata"]["namespace"] for each in objects(cluster) if "namespace" in each["metadata"]}

    assert used - made <= {"kube-system", "default", "argocd", "flux-system"}


def gpu_pods(cluster: str) -> list[dict[str, Any]]:
    templates = [template["spec"] for made in objects(cluster) for template in pod_templates(made)]
    return [
        spec for spec in templates if any("nvidia.com/gpu" in each.get("resources", {}).get("limits", {}) for each in spec["containers"])
    ]


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_gpu_limit_implies_runtime_class_toleration_and_selector(cluster):
    pods = gpu_pods(cluster)

    assert pods
    for spec in pods:
        assert spec["runtimeClassName"] == "nvidia"
        assert {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"} in spec["tolerations"]
        assert ("nodeSelector" in spec) != ("affinity" in spec)


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_no_workload_names_the_devices_that_it_sees(cluster):
    containers = [container for spec in gpu_pods(cluster) for container in spec["containers"]]

    assert "NVIDIA_VISIBLE_DEVICES" not in [variable["name"] for container in containers for variable in container.get("env", [])]


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_selector_matches_the_pods_it_is_written_for_and_no_others_of_its_namespace(cluster):
    made = [each for each in objects(cluster) if each["kind"] in ("DaemonSet", "Deployment")]

    for each in made:
        wanted = each["spec"]["selector"]["matchLabels"].items()
        same = [other for other in made if other["metadata"]["namespace"] == each["metadata"]["namespace"]]
        matched = [other for other in same if wanted <= other["spec"]["template"]["metadata"]["labels"].items()]
        assert matched == [each]


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_pod_that_mounts_the_node_runs_where_pod_security_allows_it(cluster):
    privileged = {"kube-system"} | {
        each["metadata"]["name"]
        for each in objects(cluster)
        if each["kind"] == "Namespace" and each["metadata"].get("labels", {}).get("pod-security.kubernetes.io/enforce") == "privileged"
    }
    mounting = [
        each["metadata"]["namespace"]
        for each in objects(cluster)
        for template in pod_templates(each)
        if any("hostPath" in volume for volume in template["spec"].get("volumes", []))
    ]

    assert set(mounting) <= privileged


@pytest.mark.parametrize(
    ("cluster", "bridge", "own_runtime_class", "delivery"),
    [
        ("operator-argocd", True, False, "Application"),
        ("operator-flux", True, False, "HelmRelease"),
        ("standalone-shared", False, True, "Application"),
        ("runtime-class-taint", False, True, None),
        ("single-node-h100", False, True, None),
        ("today", False, False, "HelmRelease"),
    ],
)
def test_each_cluster_takes_its_route(cluster, bridge, own_runtime_class, delivery):
    kinds = {each["kind"] for each in objects(cluster)}
    names = {each["metadata"]["name"] for each in objects(cluster)}

    assert ("nvidia-validation-bridge" in names) is bridge
    assert ("RuntimeClass" in kinds) is own_runtime_class
    assert kinds & {"Application", "HelmRelease"} == ({delivery} if delivery else set())


def test_a_workload_of_cdk8s_plus_gets_its_gpu_starts_as_root_and_is_reached_by_an_ingress():
    made = {each["kind"]: each for each in objects("today") if each["metadata"].get("namespace") == "comfyui"}
    deployment, service, ingress = (made[kind]["spec"] for kind in ("Deployment", "Service", "Ingress"))
    pod = deployment["template"]["spec"]
    (container,), (rule,) = pod["containers"], ingress["rules"]

    assert (deployment["replicas"], deployment["strategy"]) == (1, {"type": "Recreate"})
    assert container["resources"]["limits"]["nvidia.com/gpu"] == 1
    assert (container["securityContext"]["runAsNonRoot"], container["securityContext"]["readOnlyRootFilesystem"]) == (False, False)
    assert pod["runtimeClassName"] == "nvidia"
    backend = rule["http"]["paths"][0]["backend"]["service"]
    assert backend == {"name": made["Service"]["metadata"]["name"], "port": {"number": service["ports"][0]["port"]}}
    assert service["ports"][0]["targetPort"] == container["ports"][0]["containerPort"]
    assert service["selector"].items() <= deployment["template"]["metadata"]["labels"].items()


def test_flux_applies_the_folder_that_was_pushed_and_makes_a_changed_job_anew():
    made = {each["kind"]: each for each in objects("runtime-class-taint")}

    source, kustomization = made["OCIRepository"], made["Kustomization"]
    assert kustomization["spec"] == {
        "interval": "1h",
        "path": "./",
        "prune": True,
        "sourceRef": {"kind": "OCIRepository", "name": source["metadata"]["name"]},
    }
    # A Job is immutable: another content is a Job of another name, and the old one is pruned.
    assert re.fullmatch(r"smoke-test-[0-9a-f]{8}", made["Job"]["metadata"]["name"])
    assert kustomization["metadata"]["namespace"] == source["metadata"]["namespace"] == "flux-system"


def test_a_cluster_reads_in_half_a_page():
    assert {cluster.__name__: len(inspect.getsource(cluster).splitlines()) for cluster in main.CLUSTERS if
            len(inspect.getsource(cluster).splitlines()) > 30} == {}  # fmt: skip
