"""The images that objects, charts and nodes want."""

import pytest
import yaml

from conftest import reference
from constructs_lib.observed.images.image_fields import UnreadImages, WantedImage
from constructs_lib.observed.images.wanted_images import wanted_images
from constructs_lib.observed.read.repository import read_text
from constructs_lib.upstream.charts import GPU_OPERATOR
from constructs_lib.upstream.version import Version

DIGEST = f"sha256:{'0a' * 32}"


def inputs_of(*documents, **given):
    return read_text(yaml.safe_dump_all(documents), **given)


def images(*documents, **given):
    return {f"{each.image}": each.wanted_by for each in wanted_images(inputs_of(*documents, **given)) if isinstance(each, WantedImage)}


def unknown(*documents, **given):
    return [each.reason for each in wanted_images(inputs_of(*documents, **given)) if isinstance(each, UnreadImages)]


def deployment(**pod):
    named = {"name": "app", "namespace": "ai"}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": named, "spec": {"template": {"spec": pod}}}


def custom(kind, spec, group="example.org/v1"):
    return {"apiVersion": group, "kind": kind, "metadata": {"name": "app"}, "spec": spec}


def release(chart, version, values=None):
    spec = {"chart": {"spec": {"chart": chart, "version": version}}, "values": values or {}}
    return {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": {"name": chart, "namespace": "gpu"}, "spec": spec}


def test_a_pod_template_wants_the_images_of_its_containers_and_volumes():
    found = images(
        deployment(
            initContainers=[{"name": "first", "image": "busybox"}],
            containers=[{"name": "app", "image": f"ghcr.io/a/b:1@{DIGEST}"}],
            volumes=[{"name": "model", "image": {"reference": "r.io/model:2"}}, {"name": "tmp", "emptyDir": {}}],
        )
    )

    assert found == {
        "docker.io/library/busybox:latest": "Deployment ai/app (container first)",
        f"ghcr.io/a/b@{DIGEST}": "Deployment ai/app (container app)",
        "r.io/model:2": "Deployment ai/app (volume model)",
    }


def test_an_image_has_the_file_and_the_line_of_its_key():
    inputs = inputs_of(deployment(containers=[{"name": "app", "image": "a:1"}]))
    (found,) = wanted_images(inputs)

    assert found.place[1] == 1 + yaml.safe_dump(deployment(containers=[{"name": "app", "image": "a:1"}])).split("image:")[0].count("\n")


@pytest.mark.parametrize(
    ("document", "image", "part"),
    [
        (
            custom("RayCluster", {"headGroupSpec": {"template": {"spec": {"containers": [{"name": "ray", "image": "a:1"}]}}}}),
            "a:1",
            "container ray",
        ),
        (custom("Workflow", {"templates": [{"name": "train", "container": {"image": "a:1"}}]}), "a:1", "container train"),
        (custom("Cluster", {"imageName": "a:1"}, "postgresql.cnpg.io/v1"), "a:1", "imageName"),
        (custom("Server", {"image": {"repository": "a", "tag": 1}}), "a:1", "image"),
        (
            custom("ClusterPolicy", {"dcgm": {"repository": "nvcr.io/x", "image": "a", "version": "1"}}, "nvidia.com/v1"),
            "nvcr.io/x/a:1",
            "dcgm",
        ),
        (
            custom("ClusterPolicy", {"dcgm": {"repository": "nvcr.io/x", "image": "a", "version": DIGEST}}, "nvidia.com/v1"),
            f"nvcr.io/x/a@{DIGEST}",
            "dcgm",
        ),
    ],
)
def test_a_custom_resource_wants_the_images_of_its_spec(document, image, part):
    whole = image if "nvcr.io" in image else f"docker.io/library/{image}"

    assert images(document) == {whole: f"{document['kind']} app ({part})"}


@pytest.mark.parametrize(
    "document",
    [
        custom("ClusterPolicy", {"rules": [{"validate": {"pattern": {"image": "*:latest"}}}]}, "kyverno.io/v1"),
        custom("ImageRepository", {"image": "ghcr.io/a/b"}, "image.toolkit.fluxcd.io/v1"),
        custom("CustomResourceDefinition", {"names": {"image": "a:1"}}, "apiextensions.k8s.io/v1"),
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "status": {"images": [{"image": "a:1"}]}},
    ],
)
def test_no_node_pulls_the_images_of_policies_sources_and_definitions_and_a_status_wants_none(document):
    assert (images(document), unknown(document)) == ({}, [])


@pytest.mark.parametrize(
    ("image", "reason"),
    [
        ("${IMAGE}", "another tool fills in the image ${IMAGE}"),
        ("ghcr.io/a/b:${TAG}", "another tool fills in the image ghcr.io/a/b:${TAG}"),
        ("a b", "'a b' is no image reference"),
    ],
)
def test_an_image_that_is_not_known_is_none_and_is_named(image, reason):
    document = deployment(containers=[{"name": "app", "image": image}])

    assert images(document) == {}
    assert unknown(document) == [reason]


def test_the_operator_wants_the_images_of_the_operands_that_are_on():
    off = {key: {"enabled": False} for key in ("driver", "toolkit", "migManager")}
    found = images(release("gpu-operator", "v26.7.0", {**off, "nfd": {"enabled": False}}))

    assert sorted(found) == [
        "nvcr.io/nvidia/gpu-operator:v26.7.0",
        "nvcr.io/nvidia/k8s-device-plugin:v0.20.0",
        "nvcr.io/nvidia/k8s/dcgm-exporter:4.6.0-4.8.3-distroless",
    ]


def test_the_operator_with_its_defaults_wants_nfd_the_toolkit_and_the_mig_manager_and_the_drivers_tag_is_not_known():
    document = release("gpu-operator", "v25.10.1")

    assert {"registry.k8s.io/nfd/node-feature-discovery:v0.18.2", "nvcr.io/nvidia/k8s/container-toolkit:v1.18.1"} < images(document).keys()
    assert "nvcr.io/nvidia/cloud-native/k8s-mig-manager:v0.13.1" in images(document)
    assert unknown(document) == ["the operator adds the operating system of the node to the tag of driver"]


@pytest.mark.parametrize(
    ("key", "operand"),
    [
        ("sandboxWorkloads", "vfioManager"),
        ("dcgm", "dcgm"),
        ("gds", "gds"),
        ("gdrcopy", "gdrcopy"),
        ("nodeStatusExporter", "nodeStatusExporter"),
    ],
)
def test_an_operand_that_is_off_by_default_counts_when_it_is_on(key, operand):
    def parts(values):
        return {each.part for each in wanted_images(inputs_of(release("gpu-operator", "v26.7.0", values))) if isinstance(each, WantedImage)}

    assert operand not in parts({})
    assert operand in parts({key: {"enabled": True}})


def test_the_values_change_the_image_of_an_operand():
    values = {"devicePlugin": {"repository": "r.io/x", "version": "v1"}, "gfd": {"image": "gfd", "version": DIGEST}}
    found = images(release("gpu-operator", "v26.7.0", values))

    assert {"r.io/x/k8s-device-plugin:v1", f"nvcr.io/nvidia/gfd@{DIGEST}"} < found.keys()


@pytest.mark.parametrize(
    ("chart", "version", "values", "expected"),
    [
        ("nvidia-device-plugin", "0.20.0", {}, ["nvcr.io/nvidia/k8s-device-plugin:v0.20.0"]),
        (
            "nvidia-device-plugin",
            "0.18.2",
            {"gfd": {"enabled": True}},
            ["nvcr.io/nvidia/k8s-device-plugin:v0.18.2", "registry.k8s.io/nfd/node-feature-discovery:v0.17.3"],
        ),
        ("nvidia-device-plugin", "0.20.0", {"image": {"repository": "r.io/p", "tag": "x"}}, ["r.io/p:x"]),
        ("node-feature-discovery", "0.19.0", {}, ["registry.k8s.io/nfd/node-feature-discovery:v0.19.0"]),
        ("dra-driver-nvidia-gpu", "0.5.0", {}, ["registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v0.5.0"]),
        ("dra-driver-nvidia-gpu", "25.8.1", {}, ["nvcr.io/nvidia/k8s-dra-driver-gpu:v25.8.1"]),
        ("dcgm-exporter", "4.8.2", {}, ["nvcr.io/nvidia/k8s/dcgm-exporter:4.5.3-4.8.2-distroless"]),
    ],
)
def test_a_known_chart_wants_the_image_of_its_version(chart, version, values, expected):
    document = release(chart, version, values)

    assert sorted(images(document)) == expected
    assert unknown(document) == []


@pytest.mark.parametrize(
    ("chart", "version", "reason"),
    [
        (
            "gpu-operator",
            "v99.1.0",
            (
                "this version of the chart is newer than the tables of images; "
                "helm template gpu-operator gpu-operator --version v99.1.0 --values VALUES | talos-gpu images -"
            ),
        ),
        (
            "ollama",
            "1.2.0",
            "the values do not show the other images of the chart; helm template ollama ollama --version 1.2.0 --values VALUES | talos-gpu images -",
        ),
    ],
)
def test_a_chart_whose_images_are_not_known_is_named_with_the_command_that_lists_them(chart, version, reason):
    assert unknown(release(chart, version)) == [reason]


def test_an_unknown_chart_wants_the_whole_images_of_its_values():
    values = {
        "image": {"registry": "quay.io", "repository": "a/b", "tag": "1"},
        "web": {"image": {"repository": "c"}},
        "name": {"image": "plain"},
    }

    assert list(images(release("ollama", "1.2.0", values))) == ["quay.io/a/b:1"]


def test_a_machine_configuration_wants_the_installer_and_the_images_of_its_parts():
    config = {
        "machine": {
            "install": {"image": "factory.talos.dev/metal-installer/abc:v1.13.2"},
            "kubelet": {"image": "ghcr.io/siderolabs/kubelet:v1.35.0"},
        },
        "cluster": {"apiServer": {"image": "registry.k8s.io/kube-apiserver:v1.35.0"}},
    }
    found = images({"version": "v1alpha1", **config})

    assert [each.rpartition("(")[2] for each in found.values()] == ["installer)", "machine.kubelet)", "cluster.apiServer)"]
    assert next(iter(found)) == "factory.talos.dev/metal-installer/abc:v1.13.2"


EXTENSIONS = ["siderolabs/nvidia-container-toolkit-production", "siderolabs/nvidia-open-gpu-kernel-modules-production"]


@pytest.mark.parametrize(("talos", "name"), [("1.9.5", "installer"), ("1.14.0", "metal-installer")])
def test_a_schematic_wants_its_installer_with_the_tag_of_talos(talos, name):
    found = images({"customization": {"systemExtensions": {"officialExtensions": EXTENSIONS}}}, talos=talos)

    (image,) = found
    assert image.startswith(f"factory.talos.dev/{name}/")
    assert image.endswith(f":v{talos}")


def test_the_installer_of_a_schematic_is_that_of_the_image_factory_with_its_fields_in_any_order():
    written = "customization:\n  systemExtensions: {officialExtensions: [a]}\n  extraKernelArgs: [x=1]\n"
    ordered = "customization:\n  extraKernelArgs: [x=1]\n  systemExtensions: {officialExtensions: [a]}\n"

    assert [f"{each.image}" for each in wanted_images(read_text(written, talos="1.14.0"))] == [
        f"{each.image}" for each in wanted_images(read_text(ordered, talos="1.14.0"))
    ]


@pytest.mark.parametrize(
    ("document", "talos", "reason"),
    [
        ({"customization": {}}, None, "the tag of the installer of schematic "),
        ({"customization": {}}, "1.14", "the tag of the installer of schematic "),
        ({"customization": {}, "overlay": {"name": "rpi", "image": "a/b"}}, "1.14.0", "the ID of this schematic is not known without"),
        (
            {"customization": {"secureboot": {"includeWellKnownCertificates": True}}},
            "1.14.0",
            "the ID of this schematic is not known without",
        ),
    ],
)
def test_an_installer_that_is_not_known_is_named(document, talos, reason):
    (found,) = unknown(document, talos=talos)

    assert found.startswith(reason)


REFERENCE_CHARTS = {
    "nvidia-device-plugin@0.20.0": "device-plugin-v0.20.0-seed002.yaml",
    "nvidia-device-plugin@0.18.2": "device-plugin-v0.18.2-seed004.yaml",
    "dcgm-exporter@4.8.2": "dcgm-exporter-4.8.2.yaml",
    "node-feature-discovery@0.19.0": "nfd-v0.19.0.yaml",
}


@pytest.mark.parametrize(("chart", "rendered"), REFERENCE_CHARTS.items())
def test_the_images_of_a_chart_are_those_that_helm_renders(chart, rendered):
    name, _, version = chart.partition("@")
    by_helm = {
        f"{each.image}" for each in wanted_images(read_text(reference(f"rendered/{rendered}").read_text())) if isinstance(each, WantedImage)
    }

    assert set(images(release(name, version))) <= by_helm


@pytest.mark.parametrize("version", ["v25.3.4-legacy", "v25.10.1-legacy", "v26.3.3-cdi", "v26.7.0-cdi"])
def test_the_operands_of_the_table_are_those_of_the_rendered_cluster_policy(version):
    path = reference(f"rendered/gpu-operator-{version}.yaml")
    (policy,) = (each for each in yaml.safe_load_all(path.read_text()) if each and each["kind"] == "ClusterPolicy")
    number = Version.parse(version.partition("-")[0])
    for key, image in GPU_OPERATOR.table.images_of(number).items():
        spec = policy["spec"].get(key, {})
        if "." not in key and spec.get("version", "").removeprefix("v")[:1].isdigit():  # not the tag of the unreleased operator
            assert image == f"{spec['repository']}/{spec['image']}:{spec['version']}", key
