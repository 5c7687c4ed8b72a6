import itertools
import warnings

import pytest
import yaml
from attrs.exceptions import FrozenInstanceError

from conftest import message
from constructs_lib import GpuNodes, Taint, TalosGpuWarning
from constructs_lib.talos.config.machine_config import MachineConfigPatch
from constructs_lib.talos.image.existing_schematic import ExistingSchematic
from constructs_lib.talos.image.schematic import Overlay, Schematic, SecureBoot
from constructs_lib.talos.targets.omni import OmniTarget, omni_config_patch, omni_extensions
from constructs_lib.talos.targets.omni_template import OmniTemplateKind, omni_template

MACHINE = "430d882a-51a8-48b3-ae00-90c5b0b5b0b0"
EXTENSIONS = ["siderolabs/nvidia-container-toolkit-production", "siderolabs/nvidia-open-gpu-kernel-modules-production"]
CLUSTER, MACHINE_SET, CLUSTER_MACHINE = "omni.sidero.dev/cluster", "omni.sidero.dev/machine-set", "omni.sidero.dev/cluster-machine"
WHOLE = OmniTarget(cluster="home")
SET = OmniTarget(cluster="home", machine_set="home-gpu")
IN_CLUSTER = OmniTarget(cluster="home", cluster_machine=MACHINE)
ANYWHERE = OmniTarget(machine=MACHINE)
ONE = "machine:\n  sysctls:\n    a: b\n"


def patch(talos="1.13", **given):
    return MachineConfigPatch(nodes=GpuNodes(talos_version=talos, labels={"role": "gpu"}, taints=[Taint("dedicated", "ai")]), **given)


def schematic(of=None, **given):
    return Schematic(nodes=of or patch().nodes, **given)


def resource(given=ONE, target=SET, **arguments):
    return yaml.safe_load(omni_config_patch(given, target=target, **arguments))


def test_a_config_patch_is_what_omnictl_applies():
    assert (
        omni_config_patch(patch(), target=SET, weight=303, name="gpu", description="NVIDIA: all of it")
        == f"""metadata:
  namespace: default
  type: ConfigPatches.omni.sidero.dev
  id: 303-home-gpu-gpu
  labels:
    {CLUSTER}: home
    {MACHINE_SET}: home-gpu
  annotations:
    name: gpu
    description: 'NVIDIA: all of it'
spec:
  data: |
    machine:
      kernel:
        modules:
          - name: nvidia
          - name: nvidia_uvm
          - name: nvidia_drm
          - name: nvidia_modeset
      nodeLabels:
        role: gpu
      nodeTaints:
        dedicated: ai:NoSchedule
      kubelet:
        extraConfig:
          registerWithTaints:
            - key: dedicated
              value: ai
              effect: NoSchedule
"""
    )


@pytest.mark.parametrize(
    ("target", "labels", "name", "weight"),
    [
        (WHOLE, {CLUSTER: "home"}, "cluster-home-nvidia-gpu", "200"),
        (SET, {CLUSTER: "home", MACHINE_SET: "home-gpu"}, "home-gpu-nvidia-gpu", "400"),
        (IN_CLUSTER, {CLUSTER: "home", CLUSTER_MACHINE: MACHINE}, f"cm-{MACHINE}-nvidia-gpu", "400"),
        (ANYWHERE, {"omni.sidero.dev/machine": MACHINE}, f"machine-{MACHINE}-nvidia-gpu", "400"),
    ],
)
def test_a_target_is_its_labels_and_a_part_of_the_id(target, labels, name, weight):
    metadata = resource(target=target)["metadata"]

    assert metadata["labels"] == labels
    assert metadata["id"] == f"{weight}-{name}"
    assert metadata["annotations"] == {"name": "nvidia-gpu"}


@pytest.mark.parametrize(("weight", "prefix"), [(0, "000"), (7, "007"), (999, "999")])
def test_the_weight_is_three_digits_so_that_ids_sort_by_it(weight, prefix):
    assert resource(weight=weight)["metadata"]["id"] == f"{prefix}-home-gpu-nvidia-gpu"


@pytest.mark.parametrize(("talos", "style"), [("1.12", None), ("1.14", "fields"), ("1.14", "documents")])
def test_the_data_is_the_patch_and_nothing_else(talos, style):
    given = patch(talos, style=style, default_runtime=True)

    assert list(yaml.safe_load_all(resource(given)["spec"]["data"])) == given.documents


def test_a_patch_of_ones_own_is_kept_with_its_comments():
    data = "# mine\nmachine:\n  # é\n  sysctls: {a: b}\n---\napiVersion: v1alpha1\nkind: KernelModuleConfig\nname: zfs\n"

    assert resource(data)["spec"]["data"] == data
    assert "  data: |\n    # mine\n    machine:\n" in omni_config_patch(data, target=SET)


@pytest.mark.parametrize("data", ["machine: {}", "machine:\n\ta: b\n".replace("\t", "  "), "machine: {}\n\n\n", "\nmachine: {}\n"])
def test_data_of_any_shape_is_read_as_it_was_given(data):
    assert resource(data)["spec"]["data"] == data


FORBIDDEN = [
    "cluster.clusterName",
    "cluster.id",
    "cluster.controlPlane.endpoint",
    "cluster.token",
    "cluster.secret",
    "cluster.aescbcEncryptionSecret",
    "cluster.secretboxEncryptionSecret",
    "cluster.ca",
    "cluster.acceptedCAs",
    "cluster.serviceAccount",
    "machine.token",
    "machine.ca",
    "machine.type",
    "machine.acceptedCAs",
]


@pytest.mark.parametrize("field", FORBIDDEN)
def test_a_field_that_omni_controls_is_refused_in_any_document(field):
    *outer, last = field.split(".")
    document = {last: None}
    for key in reversed(outer):
        document = {key: document}
    second = "apiVersion: v1alpha1\nkind: SysctlConfig\n---\n" + yaml.safe_dump(document)

    for data in (yaml.safe_dump(document), second):
        assert message(lambda data=data: resource(data)) == f"'patch' must be without fields that Omni manages (got '{field}')"


@pytest.mark.parametrize(
    ("data", "got"),
    [
        (
            "machine: {install: {disk: /dev/sda}}",
            "'machine.install.disk'); set the disk in the settings of the machine, or by 'install' in a template",
        ),
        (
            "machine: {install: {extensions: []}}",
            "'machine.install.extensions'); Omni takes extensions as an ExtensionsConfiguration: use omni_extensions",
        ),
        ("{apiVersion: v1alpha1, kind: UnattendedInstallConfig}", "'UnattendedInstallConfig')"),
        ("{apiVersion: v1alpha1, kind: DiscoveryIdentityConfig}", "'DiscoveryIdentityConfig')"),
        ("{apiVersion: v1alpha1, kind: KubeClusterConfig}", "'KubeClusterConfig')"),
        ("{apiVersion: v1alpha1, kind: KubeEtcdEncryptionConfig}", "'KubeEtcdEncryptionConfig')"),
        ("{apiVersion: v1alpha1, kind: KubeAPIServerCAConfig}", "'KubeAPIServerCAConfig')"),
        ("{apiVersion: v1alpha1, kind: KubeAggregatorCAConfig}", "'KubeAggregatorCAConfig')"),
        ("{apiVersion: v1alpha1, kind: KubeServiceAccountConfig, issuer: {privateKey: x}}", "'issuer.privateKey')"),
        (
            "{apiVersion: v1alpha1, kind: KubeTalosAPIAccessConfig, allowedRoles: ['os:reader', 'os:admin']}",
            "'os:admin in allowedRoles')",
        ),
        (
            "machine: {features: {kubernetesTalosAPIAccess: {allowedRoles: ['os:admin']}}}",
            "'os:admin in machine.features.kubernetesTalosAPIAccess.allowedRoles')",
        ),
    ],
)
def test_what_else_omni_controls_is_refused(data, got):
    expected = f"'patch' must be without fields that Omni manages (got {got}"

    assert message(lambda: resource(data)) == expected
    assert message(lambda: omni_template(schematic=schematic(), patch=data)) == expected


@pytest.mark.parametrize(
    "data",
    [
        "machine: {install: {image: x}}",
        "cluster: {controlPlane: {localAPIServerPort: 443}}",
        "{apiVersion: v1alpha1, kind: KubeServiceAccountConfig, issuer: {url: x}}",
        "machine: {features: {kubernetesTalosAPIAccess: {allowedRoles: ['os:reader']}}}",
        "{apiVersion: v1alpha1, kind: VolumeConfig, token: x}",
        "machine: ca",
    ],
)
def test_what_only_looks_like_it_is_taken(data):
    assert resource(data)["spec"]["data"] == data


@pytest.mark.parametrize(
    ("data", "error", "expected"),
    [
        ({}, TypeError, "'patch' must be a MachineConfigPatch, or a patch as YAML (got {})"),
        (" ", ValueError, "'patch' must be a MachineConfigPatch, or a patch as YAML (got ' ')"),
        ("# a", ValueError, "'patch' must be YAML of a Talos patch: mappings (got '# a')"),
        ("- a", ValueError, "'patch' must be YAML of a Talos patch: mappings (got '- a')"),
        (
            "@patch.yaml",
            ValueError,
            "'patch' must be YAML of a Talos patch: mappings (got '@patch.yaml'); line 1, column 1: found character that cannot start any token",
        ),
    ],
)
def test_what_is_no_patch_is_refused(data, error, expected):
    refused = message(lambda: resource(data), error)

    assert refused == expected
    assert "\n" not in refused


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "'cluster' must be given, or 'machine' without a cluster (got None)"),
        ({"machine_set": "home-gpu"}, "'cluster' must be given, or 'machine' without a cluster (got None)"),
        (
            {"cluster": "home", "machine": MACHINE},
            f"'machine' must be given without 'cluster' (got '{MACHINE}'); this argument is for a machine in any cluster; for a machine in one cluster use 'cluster_machine'",
        ),
        ({"machine": MACHINE, "machine_set": "a-b"}, "'machine_set' must be given with 'cluster' and no other argument (got 'a-b')"),
        (
            {"machine": MACHINE, "cluster_machine": MACHINE},
            f"'cluster_machine' must be given with 'cluster' and no other argument (got '{MACHINE}')",
        ),
        (
            {"cluster": "home", "machine_set": "home-gpu", "cluster_machine": MACHINE},
            f"'cluster_machine' must be given with 'cluster' and no other argument (got '{MACHINE}')",
        ),
        (
            {"cluster": "home", "machine_set": "gpu"},
            "'machine_set' must be the ID of a machine set of cluster 'home' (got 'gpu'); did you mean 'home-gpu'?",
        ),
        ({"cluster": "my home"}, "'cluster' must be a name of letters, digits, '-' and '_' (got 'my home')"),
        ({"cluster": "home", "machine_set": "home-é"}, "'machine_set' must be a name of letters, digits, '-' and '_' (got 'home-é')"),
        ({"machine": "gpu-1"}, "'machine' must be the UUID of a machine, in lower case (got 'gpu-1')"),
        (
            {"cluster": "home", "cluster_machine": MACHINE.upper()},
            f"'cluster_machine' must be the UUID of a machine, in lower case (got '{MACHINE.upper()}'); did you mean '{MACHINE}'?",
        ),
    ],
)
def test_a_target_is_one_level_of_omni(given, expected):
    assert message(lambda: OmniTarget(**given)) == expected


def test_a_target_is_frozen_equal_by_value_and_given_by_name():
    assert message(lambda: setattr(WHOLE, "cluster", "b"), FrozenInstanceError) == "can't set attribute"
    assert OmniTarget(cluster="home") == WHOLE
    assert message(lambda: OmniTarget("home"), TypeError) == (
        "'cluster' must be given by its name (got 'home'); such as OmniTarget(…, cluster=…)"
    )


def test_every_combination_of_levels_but_four_is_refused():
    values = {"cluster": "home", "machine_set": "home-gpu", "cluster_machine": MACHINE, "machine": MACHINE}
    taken = []
    for chosen in itertools.chain.from_iterable(itertools.combinations(values, count) for count in range(5)):
        try:
            OmniTarget(**{name: values[name] for name in chosen})
        except ValueError:
            continue
        taken.append(chosen)

    assert taken == [("cluster",), ("machine",), ("cluster", "machine_set"), ("cluster", "cluster_machine")]


@pytest.mark.parametrize(
    ("given", "error", "expected"),
    [
        ({"target": "home"}, TypeError, "'target' must be an OmniTarget (got 'home'); such as OmniTarget(cluster=\"home\")"),
        ({"weight": 1000}, ValueError, "'weight' must be a whole number from 0 to 999 (got 1000)"),
        ({"weight": -1}, ValueError, "'weight' must be a whole number from 0 to 999 (got -1)"),
        ({"weight": "5"}, TypeError, "'weight' must be a whole number from 0 to 999 (got '5'); did you mean 5?"),
        ({"description": ""}, ValueError, "'description' must be a string that is not empty (got '')"),
        (
            {"name": "NVIDIA GPU"},
            ValueError,
            (
                "'name' must be a DNS label (lower-case letters, digits and '-', starting with a letter, at most 63 characters) "
                "(got 'NVIDIA GPU'); did you mean 'nvidia-gpu'?"
            ),
        ),
    ],
)
def test_a_wrong_argument_of_a_config_patch_is_refused(given, error, expected):
    assert message(lambda: resource(**given), error) == expected


@pytest.mark.parametrize(
    ("target", "labels", "name"),
    [
        (SET, {CLUSTER: "home", MACHINE_SET: "home-gpu"}, "schematic-home-gpu"),
        (IN_CLUSTER, {CLUSTER: "home", CLUSTER_MACHINE: MACHINE}, f"schematic-{MACHINE}"),
    ],
)
def test_extensions_are_a_resource_of_their_own_with_the_id_of_omnis_templates(target, labels, name):
    assert yaml.safe_load(omni_extensions(schematic(extensions=["siderolabs/zfs"]), target=target)) == {
        "metadata": {"namespace": "default", "type": "ExtensionsConfigurations.omni.sidero.dev", "id": name, "labels": labels},
        "spec": {"extensions": [*EXTENSIONS, "siderolabs/zfs"]},
    }


WHOLE_CLUSTER = (
    "every machine of the cluster gets NVIDIA's extensions, and a machine without a GPU reboots every 70 minutes or so (siderolabs/talos#14373): "
    "create a machine set for the machines with a GPU"
)


def test_extensions_of_a_whole_cluster_warn():
    with pytest.warns(TalosGpuWarning) as caught:
        made = yaml.safe_load(omni_extensions(schematic(), target=WHOLE))
    with pytest.warns(TalosGpuWarning) as again:
        omni_template(schematic=schematic(), patch=patch(), kind="Cluster", name="home")

    assert made["metadata"]["id"] == "schematic-home"
    assert [str(each.message) for each in (*caught, *again)] == [WHOLE_CLUSTER] * 2
    assert caught[0].filename == again[0].filename == __file__


def test_kernel_arguments_of_a_machine_are_a_second_resource():
    made = omni_extensions(schematic(extra_kernel_args=["net.ifnames=0"]), target=IN_CLUSTER)

    assert [each["metadata"]["type"] for each in yaml.safe_load_all(made)] == [
        "ExtensionsConfigurations.omni.sidero.dev",
        "KernelArgs.omni.sidero.dev",
    ]
    assert (
        made.partition("---\n")[2]
        == f"""metadata:
  namespace: default
  type: KernelArgs.omni.sidero.dev
  id: {MACHINE}
spec:
  args:
    - net.ifnames=0
"""
    )


@pytest.mark.parametrize(
    ("given", "target", "expected"),
    [
        (
            {},
            ANYWHERE,
            f"'target' must be in a cluster (got {ANYWHERE!r}); Omni installs extensions only on machines of a cluster",
        ),
        (
            {"extra_kernel_args": ["a=b"]},
            SET,
            (
                f"'target' must be narrowed to one machine for an image with kernel arguments (got {SET!r}); "
                "the image has a=b, which Omni takes for one machine or in a template: use OmniTarget(…, cluster_machine=…) or omni_template"
            ),
        ),
        (
            {
                "meta": {10: "x"},
                "overlay": Overlay(image="siderolabs/sbc-rockchip", name="turingrk1"),
                "secure_boot": SecureBoot(enroll_keys="force"),
            },
            SET,
            (
                "'schematic' must be made of extensions and kernel arguments for Omni (got ['overlay', 'meta', 'secureboot']); "
                "Omni takes no other customizations: leave them out"
            ),
        ),
    ],
)
def test_what_omni_has_no_place_for_is_refused(given, target, expected):
    assert message(lambda: omni_extensions(schematic(**given), target=target)) == expected


def test_an_existing_schematic_has_no_extensions_that_omni_could_be_told():
    existing = ExistingSchematic("a" * 64)

    assert message(lambda: omni_extensions(existing, target=SET), TypeError) == (
        f"'schematic' must be a Schematic (got {existing!r}); the extensions of an existing schematic are not known"
    )
    assert message(lambda: omni_extensions(schematic(), target="home"), TypeError) == (
        "'target' must be an OmniTarget (got 'home'); such as OmniTarget(cluster=\"home\", machine_set=\"home-gpu\")"
    )


def test_a_template_of_workers_has_the_image_and_the_patch():
    of = patch("1.12", operator=True)

    assert yaml.safe_load(omni_template(schematic=schematic(of.nodes, extra_kernel_args=["a=b"]), patch=of, name="gpu")) == {
        "kind": "Workers",
        "name": "gpu",
        "systemExtensions": EXTENSIONS,
        "kernelArgs": ["a=b"],
        "patches": [{"name": "nvidia-gpu", "inline": of.documents[0]}],
    }


def test_a_template_has_several_documents_as_a_list():
    of = patch("1.14")
    made = yaml.safe_load(omni_template(schematic=schematic(of.nodes), patch=of, patch_name="gpu"))

    assert list(made) == ["kind", "systemExtensions", "patches"]
    assert made["patches"] == [{"name": "gpu", "inline": of.documents}]
    assert len(of.documents) > 1


def test_a_template_takes_a_patch_of_ones_own():
    made = yaml.safe_load(omni_template(schematic=schematic(), patch="machine: {sysctls: {a: '1'}}"))

    assert made["patches"][0]["inline"] == {"machine": {"sysctls": {"a": "1"}}}


@pytest.mark.parametrize(
    ("kind", "name", "named"),
    [
        ("ControlPlane", None, {}),
        ("Workers", None, {}),
        ("Workers", "gpu", {"name": "gpu"}),
        ("Machine", MACHINE, {"name": MACHINE}),
        (OmniTemplateKind.CLUSTER, "home", {"name": "home"}),
    ],
)
def test_a_document_of_each_kind_has_the_name_that_omni_wants(kind, name, named):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TalosGpuWarning)
        made = yaml.safe_load(omni_template(schematic=schematic(), patch=patch(), kind=kind, name=name))

    assert {key: made[key] for key in ("kind", "name") if key in made} == {"kind": str(kind), **named}


@pytest.mark.parametrize(
    ("given", "error", "expected"),
    [
        (
            {"kind": "Worker"},
            ValueError,
            "'kind' must be one of 'Cluster', 'ControlPlane', 'Workers', 'Machine' (got 'Worker'); did you mean 'Workers'?",
        ),
        (
            {"kind": "ControlPlane", "name": "a"},
            ValueError,
            "'name' must be left out of kind 'ControlPlane' (got 'a'); a cluster has one control plane",
        ),
        ({"kind": "Machine", "name": "a"}, ValueError, "'name' must be the UUID of a machine, in lower case (got 'a')"),
        ({"kind": "Machine"}, TypeError, "'name' must be the UUID of a machine, in lower case (got None)"),
        ({"kind": "Cluster"}, TypeError, "'name' must be a name of letters, digits, '-' and '_' (got None)"),
        (
            {"name": "control-planes"},
            ValueError,
            "'name' must be another name for workers (got 'control-planes'); the machine set of the control plane has this name",
        ),
        (
            {"schematic": Schematic(nodes=GpuNodes(talos_version="1.13"))},
            ValueError,
            f"'patch' must be for the nodes of the 'schematic' (got {patch().nodes!r}); the nodes of the schematic are GpuNodes(talos_version='1.13')",
        ),
        (
            {"patch_name": "GPU"},
            ValueError,
            (
                "'patch_name' must be a DNS label (lower-case letters, digits and '-', starting with a letter, at most 63 characters) "
                "(got 'GPU'); did you mean 'gpu'?"
            ),
        ),
        (
            {"schematic": "abc"},
            TypeError,
            "'schematic' must be a Schematic (got 'abc'); the extensions of an existing schematic are not known",
        ),
    ],
)
def test_a_wrong_argument_of_a_template_is_refused(given, error, expected):
    assert message(lambda: omni_template(**{"schematic": schematic(), "patch": patch(), **given}), error) == expected


@pytest.mark.parametrize("data", ["[" * 100_000, "machine: " + "{a: " * 100_000])
def test_a_patch_that_is_nested_without_end_is_refused(data):
    assert message(lambda: resource(data)).endswith("nested deeper than 100 levels")


def test_a_patch_with_one_document_that_is_no_mapping_is_refused():
    patch = "machine: {}\n---\nwords"

    assert message(lambda: resource(patch)) == (f"'patch' must be YAML of a Talos patch: mappings (got {patch!r})")
