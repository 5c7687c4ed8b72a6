"""The delivery of a release.

A construct takes its place only where nothing of the delivery is lost, and every change is named.
"""

import pytest
import yaml

from constructs_lib.adoption.adopted_cluster import adopt
from constructs_lib.adoption.differences import differences
from constructs_lib.observed.read.repository import read_text

NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gpu-operator"}}
VALUES = {"driver": {"enabled": False}, "toolkit": {"enabled": False}, "hostPaths": {"driverInstallDir": "/usr/local"}}


def with_(body, path, value):
    """A copy of a mapping with a value at a path with dots."""
    key, _, rest = path.partition(".")
    return {**body, key: with_(body.get(key) or {}, rest, value) if rest else value}


def flux(path="spec.interval", value="30m", *, source_path="spec.interval", source_value="1h"):
    """A HelmRelease and its HelmRepository, each with a value at a path."""
    chart = {"chart": "gpu-operator", "version": "v26.7.0", "sourceRef": {"kind": "HelmRepository", "name": "nvidia"}}
    release = {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "gpu-operator", "namespace": "gpu-operator"},
        "spec": {"interval": "30m", "chart": {"spec": chart}, "values": VALUES},
    }
    source = {
        "apiVersion": "source.toolkit.fluxcd.io/v1",
        "kind": "HelmRepository",
        "metadata": {"name": "nvidia", "namespace": "gpu-operator"},
        "spec": {"interval": "1h", "url": "https://helm.ngc.nvidia.com/nvidia"},
    }
    return [with_(release, path, value), with_(source, source_path, source_value), NAMESPACE]


SOURCE = {
    "repoURL": "https://helm.ngc.nvidia.com/nvidia",
    "chart": "gpu-operator",
    "targetRevision": "v26.7.0",
    "helm": {"releaseName": "gpu-operator", "valuesObject": VALUES},
}


def argo(path="spec.project", value="default"):
    """An Application with a value at a path."""
    application = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "gpu-operator", "namespace": "argocd"},
        "spec": {
            "project": "default",
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "gpu-operator"},
            "source": SOURCE,
        },
    }
    return [with_(application, path, value), NAMESPACE]


def adopted(objects):
    """The names of the parts by their ids, and the lines."""
    adoption = adopt(read_text(yaml.safe_dump_all(objects)), "1.14.0")
    parts = {id: next(iter(part)) for chart in adoption.description.get("charts", {}).values() for id, part in chart["objects"].items()}  # noqa: A001
    return parts, [each.text for each in differences(adoption)]


@pytest.mark.parametrize("objects", [flux(), argo()], ids=("flux", "argo"))
def test_a_plain_delivery_becomes_that_of_the_construct(objects):
    assert adopted(objects)[0]["gpu-operator"] == "NvidiaGpuOperator"


FLUX = {
    "spec.suspend": True,
    "spec.kubeConfig": {"secretRef": {"name": "paris"}},
    "spec.postRenderers": [{"kustomize": {"patches": []}}],
    "spec.dependsOn": [{"name": "cilium"}],
    "spec.serviceAccountName": "deployer",
    "spec.chart.spec.verify": {"provider": "cosign"},
    "spec.install.crds": "Skip",
    "spec.install.disableHooks": True,
    "metadata.labels": {"team": "ml"},
    "metadata.annotations": {"a": "b"},
    "metadata.finalizers": ["example.com/keep"],
}
FLUX_SOURCE = {"spec.secretRef": {"name": "login"}, "spec.certSecretRef": {"name": "ca"}, "metadata.labels": {"team": "ml"}}
ARGO = {
    "metadata.annotations": {"argocd.argoproj.io/sync-wave": "-5"},
    "metadata.finalizers": ["resources-finalizer.argocd.argoproj.io"],
    "spec.destination": {"name": "paris", "namespace": "gpu-operator"},
    "spec.source.helm.skipCrds": True,
    "spec.sources": [SOURCE, {"repoURL": "https://github.com/acme/other", "path": "gpu-extras", "targetRevision": "main"}],
    "spec.ignoreDifferences": [{"group": "nvidia.com", "kind": "ClusterPolicy", "jsonPointers": ["/spec/x"]}],
    "spec.syncPolicy": {"syncOptions": ["Replace=true"]},
}
LOSSES = [
    *((flux(path, value), path) for path, value in FLUX.items()),
    *((flux(source_path=path, source_value=value), path) for path, value in FLUX_SOURCE.items()),
    *((argo(path, value), path) for path, value in ARGO.items()),
]


@pytest.mark.parametrize(("objects", "path"), LOSSES, ids=[path for _, path in LOSSES])
def test_a_release_with_a_setting_of_its_delivery_without_an_argument_stays_and_the_setting_is_named(objects, path):
    parts, lines = adopted(objects)

    assert "NvidiaGpuOperator" not in parts.values()
    assert any(line.startswith("not understood") and path in line for line in lines)


def test_a_label_by_which_tools_show_a_release_is_left_out_by_name():
    parts, lines = adopted(flux("metadata.labels", {"app.kubernetes.io/part-of": "gpus"}))

    assert parts["gpu-operator"] == "NvidiaGpuOperator"
    assert any("left out: metadata.labels.app.kubernetes.io/part-of" in line for line in lines)


def test_a_second_source_with_only_values_is_no_loss():
    values = {"repoURL": "https://github.com/acme/values", "targetRevision": "main", "ref": "values"}
    parts, _ = adopted(argo("spec.sources", [SOURCE, values]))

    assert parts["gpu-operator"] == "NvidiaGpuOperator"


def test_the_name_in_cluster_is_the_address_of_the_cluster():
    assert adopted(argo("spec.destination", {"name": "in-cluster", "namespace": "gpu-operator"}))[0]["gpu-operator"] == "NvidiaGpuOperator"


def test_each_change_of_a_delivery_is_named_and_none_is_said_to_be_set():
    _, lines = adopted(flux("spec.maxHistory", 3))
    of_delivery = [line.partition(": delivery: ")[2] for line in lines if ": delivery: " in line]

    assert "left out: spec.maxHistory" in of_delivery
    assert any(line.startswith("added: ") and "spec.install.remediation.retries" in line for line in of_delivery)
    assert "by itself" not in "".join(lines)


def test_a_release_that_makes_its_namespace_still_gets_one():
    release, source, _ = flux("spec.install", {"createNamespace": True})
    adoption = adopt(read_text(yaml.safe_dump_all([release, source])), "1.14.0")

    assert "kind: Namespace" in adoption.files["manifests/gpu-operator.k8s.yaml"]


def mirrored(**ref):
    release, _, namespace = flux()
    release = with_(with_(release, "spec.chart", None), "spec.chartRef", {"kind": "OCIRepository", "name": "gpu-operator"})
    source = {
        "apiVersion": "source.toolkit.fluxcd.io/v1",
        "kind": "OCIRepository",
        "metadata": {"name": "gpu-operator", "namespace": "gpu-operator"},
        "spec": {"interval": "1h", "url": "oci://ghcr.io/example/gpu-operator", "ref": {"tag": "v26.7.0", **ref}},
    }
    return adopt(read_text(yaml.safe_dump_all([release, source, namespace])), "1.14.0")


def test_a_release_of_a_mirrored_chart_keeps_its_mirror():
    assert "oci://ghcr.io/example/gpu-operator" in mirrored().files["manifests/gpu-operator.k8s.yaml"]


def test_a_digest_of_a_chart_stays_in_its_file():
    adoption = mirrored(digest=f"sha256:{'0' * 64}")

    assert adoption.parts == []
    assert [each.reason for each in adoption.left] == ["no argument says spec.ref.digest of its delivery"]


def test_a_placeholder_in_the_values_stays_as_it_is_written_and_is_named():
    parts, lines = adopted(flux("spec.values", {**VALUES, "toolkit": {"enabled": False, "version": "${TOOLKIT}"}}))

    assert parts["gpu-operator"] == "NvidiaGpuOperator"
    assert any("the file has ${TOOLKIT} as it is written" in line for line in lines)
