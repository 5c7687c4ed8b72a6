"""Several builds of one base: each is judged by itself, whatever the name of its folder is."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.model import Unknown

OPERATOR = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: gpu, namespace: kube-system}
spec:
  chart: {spec: {chart: gpu-operator, version: v26.7.0}}
  values: {driver: {enabled: false}, toolkit: {enabled: false}, hostPaths: {driverInstallDir: /usr/local}}
"""
PLUGIN = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: plugin, namespace: kube-system}
spec:
  chart: {spec: {chart: nvidia-device-plugin, version: 0.20.0}}
  values: {runtimeClassName: nvidia, nodeSelector: {gpu: "yes"}, affinity: null}
"""
DRIVER = "- {op: replace, path: /spec/values/driver/enabled, value: true}"
TOLERATION = "- {op: add, path: /spec/values/tolerations, value: [{key: dedicated, operator: Exists}]}"
TALCONFIG = """\
clusterName: %s
endpoint: https://%s.example.com:6443
talosVersion: v1.13.9
nodes:
- hostname: %s-1
  ipAddress: 10.0.0.2
  kernelModules: [{name: nvidia}, {name: nvidia_uvm}]
  nodeLabels: {gpu: "yes"}
"""
TAINT = "  nodeTaints: {dedicated: 'gpu:NoSchedule'}\n"


def overlay(patch: str = "") -> str:
    patches = f"patches:\n- target: {{kind: HelmRelease}}\n  patch: |-\n    {patch}\n" if patch else ""
    return f"resources: [../base]\n{patches}"


def kustomization(cluster: str) -> str:
    return (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\n"
        f"spec: {{path: ./apps/{cluster}, sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
    )


def overlays(text: str, **patches: str) -> dict[str, str]:
    """A base with one object, and its overlays."""
    files = {"base/object.yaml": text, "base/kustomization.yaml": "resources: [object.yaml]\n"}
    return files | {f"{name}/kustomization.yaml": overlay(patch) for name, patch in patches.items()}


def found(given, rule: str) -> list[tuple[str, str]]:
    return [(str(each.severity), each.file) for each in run_rules(given, select=[rule])]


@pytest.mark.parametrize("name", ["dev", "zdev"])
def test_a_fault_of_one_overlay_is_found_whatever_its_name_is(inputs, name):
    assert found(inputs(overlays(OPERATOR, prod="", **{name: DRIVER})), "TG010") == [("error", f"{name}/kustomization.yaml")]


def test_overlays_without_a_fault_have_no_finding(inputs):
    assert found(inputs(overlays(OPERATOR, prod="", dev=TOLERATION)), "TG010") == []


def test_in_the_whole_what_two_overlays_make_differently_is_unknown(inputs):
    given = inputs(overlays(OPERATOR, prod="", dev=DRIVER))
    (release,) = given.releases

    assert isinstance(release.value("driver", "enabled"), Unknown)
    assert release.value("toolkit", "enabled") is False
    assert {name: each.releases[0].value("driver", "enabled") for name, each in given.variants.items()} == {"dev": True, "prod": False}


def test_overlays_that_make_the_same_are_of_one_cluster(inputs):
    given = inputs(overlays(OPERATOR, prod="", dev=""))

    assert (given.clusters_of, given.variants) == ({}, {})


def test_an_overlay_is_judged_with_the_builds_of_other_bases(inputs):
    files = overlays(OPERATOR, prod="", dev=DRIVER)
    files |= {f"other/{name}": text for name, text in overlays(PLUGIN, one="").items()}

    assert {file for _, file in found(inputs(files), "TG026")} == {"other/base/object.yaml"}


def clusters(a: str, b: str, *, tainted: str = "a") -> dict[str, str]:
    """Two clusters with an overlay each; the node of one has a taint."""
    files = {f"talos/{name}/talconfig.yaml": TALCONFIG % (name, name, name) + (TAINT if name == tainted else "") for name in "ab"}
    files |= {f"clusters/{name}/apps.yaml": kustomization(name) for name in "ab"}
    files |= {f"apps/{name}": text for name, text in overlays(PLUGIN, a=a, b=b).items()}
    return files


def test_a_cluster_gets_the_objects_of_its_own_overlay(inputs):
    assert found(inputs(clusters(TOLERATION, "")), "TG053") == []


def test_a_toleration_in_the_overlay_of_another_cluster_tolerates_nothing(inputs):
    assert [severity for severity, _ in found(inputs(clusters("", TOLERATION)), "TG053")] == ["error"]


def names_beside_one_cluster_of_talos(one: str, other: str) -> dict[str, str]:
    """The folders of two deployers, whose names are no proof of two clusters."""
    files = {"talos/talconfig.yaml": TALCONFIG % ("home", "home", "home")}
    files |= {f"clusters/{name}/apps.yaml": kustomization(name) for name in "ab"}
    return files | {f"apps/{name}": text for name, text in overlays(OPERATOR, a=one, b=other).items()}


def test_deployers_of_two_names_that_make_one_object_differently_are_of_two_clusters(inputs):
    given = inputs(names_beside_one_cluster_of_talos("", DRIVER))

    assert [file for _, file in found(given, "TG010")] == ["apps/b/kustomization.yaml"]
    assert sorted(given.variants) == ["a", "b"]


def test_deployers_of_two_names_that_make_the_same_may_be_of_one_cluster(inputs):
    given = inputs(names_beside_one_cluster_of_talos(DRIVER, DRIVER))

    assert (given.clusters_of, given.variants) == ({}, {})


def test_a_namespace_that_two_deployers_label_differently_is_no_proof_of_two_clusters(inputs):
    files = names_beside_one_cluster_of_talos("", "")
    for name in "ab":
        files[f"clusters/{name}/apps.yaml"] = kustomization(name).replace(
            "spec: {", f"spec: {{commonMetadata: {{labels: {{app: {name}}}}}, "
        )
    files["apps/base/object.yaml"] = "apiVersion: v1\nkind: Namespace\nmetadata: {name: gpu}\n"

    assert inputs(files).clusters_of == {}


def test_more_overlays_than_are_judged_apart_are_one_of_unknown_values(inputs):
    given = inputs(overlays(OPERATOR, **{f"o{number}": DRIVER if number else "" for number in range(25)}))

    assert (given.variants, found(given, "TG010")) == ({}, [])
