"""The changes that move images to their copies."""

import yaml

from constructs_lib.manifests.image_digests import ImageCopies, ImageDigests
from constructs_lib.manifests.registry_map import RegistryMap
from constructs_lib.observed.images.moved_images import moved_images
from constructs_lib.observed.read.repository import read_text

HOME = RegistryMap(
    "registries",
    {"nvcr.io": "r.io/nvcr", "docker.io": "r.io/hub", "registry.k8s.io": "r.io/k8s", "nvcr.io/nvidia/cloud-native/dcgm": "r.io/d"},
)


DIGEST = f"sha256:{'0a' * 32}"


def moved(document, ignored=(), digests=()):
    copies = ImageCopies(HOME, ImageDigests("digests", [f"{each}@{DIGEST}" for each in digests]) if digests else None)
    return moved_images(read_text(yaml.safe_dump(document)), copies, frozenset(ignored))


def changes(document, *digests):
    return {".".join(map(str, each.path)): each.value for each in moved(document, digests=digests).changes}


def custom(spec, kind="ClusterPolicy"):
    return {"apiVersion": "nvidia.com/v1", "kind": kind, "metadata": {"name": "a"}, "spec": spec}


def release(chart, version, values):
    spec = {"chart": {"spec": {"chart": chart, "version": version}}, **({} if values is None else {"values": values})}
    return {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": {"name": "a", "namespace": "gpu"}, "spec": spec}


def test_a_whole_reference_is_replaced():
    assert changes(custom({"pods": [{"image": "busybox:1"}]}, "Job")) == {"spec.pods.0.image": "r.io/hub/library/busybox:1"}


def test_the_fields_of_an_operand_get_the_name_in_two_parts():
    fields = {"repository": "nvcr.io/nvidia/cloud-native", "image": "dcgm", "version": "4"}

    assert changes(custom({"dcgm": fields})) == {"spec.dcgm.repository": "r.io", "spec.dcgm.image": "d"}
    assert changes(custom({"gfd": {**fields, "image": "gfd"}})) == {"spec.gfd.repository": "r.io/nvcr/nvidia/cloud-native"}


def test_the_registry_of_values_stays_apart_from_the_repository():
    fields = {"registry": "docker.io", "repository": "ollama/ollama", "tag": "1"}

    assert changes(custom({"image": fields}, "Server")) == {"spec.image.registry": "r.io", "spec.image.repository": "hub/ollama/ollama"}


def test_a_release_gets_the_keys_of_its_charts_images_and_keeps_its_values():
    off = {key: {"enabled": False} for key in ("driver", "toolkit", "migManager", "dcgmExporter", "gfd")}
    values = {**off, "devicePlugin": {"env": []}, "nfd": {"enabled": True}}

    assert changes(release("gpu-operator", "v26.7.0", values)) == {
        "spec.values.devicePlugin.repository": "r.io/nvcr/nvidia",
        "spec.values.node-feature-discovery": {"image": {"repository": "r.io/k8s/nfd/node-feature-discovery"}},
        "spec.values.operator": {"repository": "r.io/nvcr/nvidia"},
        "spec.values.validator": {"repository": "r.io/nvcr/nvidia"},
    }


def test_a_release_without_values_gets_them():
    document = release("nvidia-device-plugin", "0.20.0", None)

    assert changes(document) == {"spec.values": {"image": {"repository": "r.io/nvcr/nvidia/k8s-device-plugin"}}}


def test_a_release_of_another_chart_is_unknown_unless_it_is_ignored():
    document = release("ollama", "1.2.0", {"image": {"repository": "ollama/ollama", "tag": "1"}})

    assert [each.chart for each in moved(document).unknown] == ["ollama"]
    assert moved(document, ["ollama"]) == ([], [], [])


def test_a_digest_stands_behind_the_tag_in_every_form_of_an_image():
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [{"name": "a", "image": "busybox:1"}]}}
    operand = custom({"gfd": {"repository": "nvcr.io/nvidia", "image": "k8s-device-plugin", "version": "v1"}})
    values = custom(
        {"image": {"registry": "nvcr.io", "repository": "a/b", "tag": "v1"}, "other": {"image": {"repository": "busybox"}}}, "App"
    )

    assert changes(pod, "busybox:1") == {"spec.containers.0.image": f"r.io/hub/library/busybox:1@{DIGEST}"}
    assert changes(operand, "nvcr.io/nvidia/k8s-device-plugin:v1") == {
        "spec.gfd.repository": "r.io/nvcr/nvidia",
        "spec.gfd.version": f"v1@{DIGEST}",
    }
    assert changes(values, "nvcr.io/a/b:v1", "busybox:latest") == {
        "spec.image.registry": "r.io",
        "spec.image.repository": "nvcr/a/b",
        "spec.image.tag": f"v1@{DIGEST}",
        "spec.other.image.repository": "r.io/hub/library/busybox",
        "spec.other.image.tag": f"latest@{DIGEST}",
    }


def test_the_tag_of_a_release_gets_the_digest_also_where_the_chart_has_it_by_default():
    plugin = release("nvidia-device-plugin", "0.20.0", None)

    assert changes(plugin, "nvcr.io/nvidia/k8s-device-plugin:v0.20.0") == {
        "spec.values": {"image": {"repository": "r.io/nvcr/nvidia/k8s-device-plugin", "tag": f"v0.20.0@{DIGEST}"}}
    }
    pinned = release(
        "nvidia-device-plugin", "0.20.0", {"image": {"repository": "r.io/nvcr/nvidia/k8s-device-plugin", "tag": f"v0.20.0@{DIGEST}"}}
    )
    assert changes(pinned, "nvcr.io/nvidia/k8s-device-plugin:v0.20.0") == {}
