"""What Talos' own documents and the Image Factory's schematics tell of nodes."""

import json
from pathlib import Path

import pytest

from conftest import needs
from constructs_lib import GpuNodes
from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.documents import documents
from constructs_lib.observed.read.repository import read, read_text
from constructs_lib.observed.read.talos.documents import is_talos
from constructs_lib.observed.read.talos.node_configs import _CLUSTER, _MACHINE
from constructs_lib.talos import Schematic


def configs(text, file="talos.yaml"):
    inputs = read_text(text, file=file)
    assert inputs.skipped == ()
    return list(inputs.node_configs)


def only(text, file="talos.yaml"):
    [config] = configs(text, file)
    return config


FIELDS = """\
machine:
  type: worker
  install: {image: 'factory.talos.dev/metal-installer/0b97c67c1c2feb9a5ae7c196445e624332c6e381c45ef4c84f9c48debd4fa70c:v1.13.7'}
  kernel: {modules: [{name: nvidia}, {name: nvidia-uvm, parameters: [a=1]}]}
  sysctls: {net.core.bpf_jit_harden: 1}
  nodeLabels: {role: gpu}
  nodeTaints: {dedicated: 'ai:NoSchedule', gpu: NoSchedule, empty: ':NoExecute'}
  files:
    - {path: /var/a, op: create, content: a}
  kubelet:
    image: ghcr.io/siderolabs/kubelet:v1.36.3@sha256:1234
    extraConfig: {registerWithTaints: [{key: dedicated, value: ai, effect: NoSchedule}, {key: late, effect: NoSchedule}]}
    extraArgs: {register-with-taints: 'workload=ai:NoSchedule, bare:NoExecute'}
"""
DOCUMENTS = """\
apiVersion: v1alpha1
kind: KernelModuleConfig
name: nvidia
---
apiVersion: v1alpha1
kind: KernelModuleConfig
name: nvidia_uvm
---
apiVersion: v1alpha1
kind: SysctlConfig
params: {a: '1'}
---
apiVersion: v1alpha1
kind: KubeNodeConfig
labels: {role: gpu}
taints: {dedicated: 'ai:NoSchedule'}
---
apiVersion: v1alpha1
kind: KubeletConfig
image: ghcr.io/siderolabs/kubelet:v1.37.0
config: {registerWithTaints: [{key: late, effect: NoSchedule}]}
extraArgs: {register-with-taints: [workload=ai:NoSchedule]}
---
apiVersion: v1alpha1
kind: HostnameConfig
hostname: gpu-1
---
apiVersion: v1alpha1
kind: CRICustomizationConfig
name: nvidia
content: |
  [plugins."io.containerd.cri.v1.runtime".containerd]
    default_runtime_name = "nvidia"
"""


def test_a_machine_configuration_says_what_its_fields_say():
    config = only(FIELDS)

    assert (config.scope, config.name, config.complete, config.control_plane) == ("patch", "talos.yaml", False, False)
    assert (config.talos_version, config.kubernetes_version) == ("v1.13.7", "v1.36.3")
    assert config.kernel_modules == ("nvidia", "nvidia-uvm")
    assert config.sysctls == {"net.core.bpf_jit_harden": 1}
    assert config.labels == {"role": "gpu"}
    assert config.taints == (
        ("dedicated", "ai", "NoSchedule"),
        ("gpu", "", "NoSchedule"),
        ("empty", "", "NoExecute"),
        ("late", "", "NoSchedule"),
        ("workload", "ai", "NoSchedule"),
        ("bare", "", "NoExecute"),
    )
    assert config.files == ({"path": "/var/a", "op": "create", "content": "a"},)
    assert (config.extensions, config.default_runtime, config.pod_security) == (None, None, None)


def test_the_documents_of_1_14_say_the_same():
    config = only(DOCUMENTS)

    assert (config.scope, config.name) == ("patch", "gpu-1")
    assert config.kernel_modules == ("nvidia", "nvidia_uvm")
    assert config.sysctls == {"a": "1"}
    assert config.labels == {"role": "gpu"}
    assert config.taints == (("dedicated", "ai", "NoSchedule"), ("late", "", "NoSchedule"), ("workload", "ai", "NoSchedule"))
    assert config.kubernetes_version == "v1.37.0"
    assert config.default_runtime == "nvidia"


def test_each_field_says_where_it_stands():
    config = only(FIELDS)

    assert {field: config.line_of(path) for field, path in config.paths.items()} == {
        "image": 3,
        "kernel_modules": 4,
        "sysctls": 5,
        "labels": 6,
        "taints": 7,
        "files": 8,
        "talos_version": 3,
        "kubernetes_version": 11,
    }
    assert config.line_of((*config.paths["files"], 0)) == 9
    assert {field: only(DOCUMENTS).line_of(path) for field, path in only(DOCUMENTS).paths.items()} == {
        "kernel_modules": 3,
        "sysctls": 11,
        "labels": 15,
        "taints": 16,
        "kubernetes_version": 20,
    }


def test_what_nothing_is_said_of_is_none():
    config = only("machine: {time: {disabled: true}}")

    said = ("control_plane", "image", "talos_version", "kernel_modules", "sysctls", "labels", "taints", "files", "default_runtime")
    assert [getattr(config, field) for field in said] == [None] * len(said)
    assert config.paths == {}


def test_the_value_of_a_document_wins_over_that_of_a_field():
    config = only("machine: {sysctls: {a: '1', b: '1'}}\n---\napiVersion: v1alpha1\nkind: SysctlConfig\nparams: {a: '2'}\n")

    assert config.sysctls == {"a": "2", "b": "1"}


def test_what_is_filled_in_later_is_unknown():
    config = only("machine: {type: '${ROLE}', nodeLabels: '${LABELS}', kernel: {modules: [{name: '${MODULE}'}]}, nodeTaints: {a: '${B}'}}")

    assert config.control_plane is None
    assert isinstance(config.labels, Unknown)
    assert [isinstance(each, Unknown) for each in config.kernel_modules] == [True]
    assert [(key, isinstance(value, Unknown), isinstance(effect, Unknown)) for key, value, effect in config.taints] == [("a", True, True)]


def test_a_version_is_read_where_only_the_schematic_is_filled_in_later():
    config = only("machine: {install: {image: 'factory.talos.dev/metal-installer/{{ ENV.SCHEMATIC }}:v1.13.9'}}")

    assert (config.talos_version, config.extensions) == ("v1.13.9", None)


@pytest.mark.parametrize(
    ("content", "runtime"),
    [
        ('[plugins."io.containerd.cri.v1.runtime".containerd]\ndefault_runtime_name = "nvidia"', "nvidia"),
        ('[plugins."io.containerd.cri.v1.runtime".containerd]\ndefault_runtime_name = "runc"', "runc"),
        ('[plugins."io.containerd.cri.v1.runtime"]\ndefault_runtime_name = "nvidia"', None),
        ('[plugins."io.containerd.grpc.v1.cri".containerd]\ndefault_runtime_name = "nvidia"', None),
        ("default_runtime_name = nvidia, and no TOML", None),
        ("[a]\n" * 2000, None),
    ],
)
def test_the_default_runtime_is_what_containerd_reads(content, runtime):
    text = json.dumps({"machine": {"files": [{"path": "/etc/cri/conf.d/20-customization.part", "op": "create", "content": content}]}})

    assert only(text).default_runtime == runtime


def test_a_default_runtime_that_is_filled_in_later_is_unknown():
    content = '[plugins."io.containerd.cri.v1.runtime".containerd]\ndefault_runtime_name = "${RUNTIME}"'
    text = json.dumps({"machine": {"files": [{"path": "/etc/cri/conf.d/20-customization.part", "op": "create", "content": content}]}})

    assert isinstance(only(text).default_runtime, Unknown)


WHOLE = """\
version: v1alpha1
machine:
  type: %s
  token: abc
  ca: {crt: a}
cluster:
  controlPlane: {endpoint: https://10.0.0.10:6443}
"""


def test_a_whole_configuration_with_a_name_is_all_that_a_node_gets():
    config = only(WHOLE % "controlplane" + "---\napiVersion: v1alpha1\nkind: HostnameConfig\nhostname: cp-1\n")

    assert (config.scope, config.name, config.complete, config.control_plane) == ("node", "cp-1", True, True)
    # Without the plugin's configuration, which only a generator puts there, nothing is enforced.
    assert config.pod_security == "off"


def test_a_whole_configuration_without_a_name_is_that_of_a_role():
    config = only(WHOLE % "worker", "worker.yaml")

    assert (config.scope, config.name, config.complete, config.control_plane, config.pod_security) == (
        "group",
        "worker.yaml",
        False,
        False,
        None,
    )


def test_a_second_machine_configuration_in_a_stream_is_another_one():
    found = configs(
        "machine: {type: worker}\n---\napiVersion: v1alpha1\nkind: KernelModuleConfig\nname: nvidia\n---\nmachine: {type: controlplane}\n"
    )

    assert [(each.control_plane, each.kernel_modules) for each in found] == [(False, ("nvidia",)), (True, None)]


def test_a_template_says_what_is_sure_and_never_all(tmp_path):
    (tmp_path / "gpu.yaml.j2").write_text(
        "machine:\n"
        "  type: worker\n"
        "  token: op://talos/TOKEN\n"
        "  ca: {crt: op://talos/CA}\n"
        "  network: {hostname: gpu-1}\n"
        "  install:\n"
        "    image: factory.talos.dev/installer/{{ ENV.SCHEMATIC }}:{{ ENV.TALOS_VERSION }}\n"
        "  kernel:\n"
        "    modules:\n"
        "      - name: nvidia\n"
        "      {% if ENV.DISPLAY %}\n"
        "      - name: nvidia_drm\n"
        "      {% endif %}\n"
    )
    [config] = read([tmp_path]).node_configs

    assert (config.scope, config.name, config.complete, config.talos_version) == ("node", "gpu-1", False, None)
    assert [(str(each), isinstance(each, Unknown)) for each in config.kernel_modules] == [("nvidia", False), ("nvidia_drm", True)]


@pytest.mark.parametrize(
    "text",
    [
        "machine: {kubelet: {}}",
        "cluster: {apiServer: {admissionControl: []}}",
        "version: v1alpha1\npersist: true\nmachine: {type: worker}\n",
        "apiVersion: v1alpha1\nkind: VolumeConfig\nname: EPHEMERAL\n",
        "customization: {}",
        "overlay: {image: a, name: b}\ncustomization: {systemExtensions: {officialExtensions: []}}\n",
        "clusterName: home\nendpoint: https://10.0.0.1:6443\nnodes: []\n",
        "kind: Workers\nmachines: []\n",
        "metadata: {labels: {omni.sidero.dev/cluster: home}}\nspec: {data: 'machine: {}'}\n",
    ],
)
def test_a_document_of_talos_is_known(text):
    [document] = documents(text, "a.yaml")[0]
    assert is_talos(document.value)


@pytest.mark.parametrize(
    "text",
    [
        "machine: {size: large}",
        "cluster: {name: home}",
        "cluster: {network: {}}\nreplicas: 3\n",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n",
        "apiVersion: v1alpha1\nkind: Thing\nmetadata: {name: a}\n",
        "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: a}\n",
        "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Machine\nmetadata: {name: a}\n",
        "customization: {}\nreplicas: 1\n",
        "clusterName: home\nnodes: 3\n",
        "metadata: {labels: {omni.sidero.dev/cluster: home}}\nspec: {matchlabels: []}\n",
        "apiVersion: v1\nkind: A\nmetadata: {labels: {omni.sidero.dev/cluster: home}}\nspec: {data: 'machine: {}'}\n",
        "metadata: {labels: {app: a}}\nspec: {data: 'machine: {}'}\n",
        "- {op: remove, path: /machine}\n",
        "text",
        "machine: text",
    ],
)
def test_what_only_looks_like_one_is_none(text):
    [document] = documents(text, "a.yaml")[0]
    assert not is_talos(document.value)


def test_a_schematic_says_which_extensions_an_image_has():
    config = only(
        "customization:\n  systemExtensions:\n    officialExtensions:\n      - siderolabs/zfs\n      - siderolabs/nvidia-container-toolkit-lts\n"
    )

    assert (config.scope, config.name, config.extensions) == (
        "patch",
        "talos.yaml",
        ("siderolabs/zfs", "siderolabs/nvidia-container-toolkit-lts"),
    )
    assert config.line_of((*config.paths["extensions"], 1)) == 5


@pytest.mark.parametrize(
    ("text", "extensions"),
    [
        ("customization: {extraKernelArgs: [a]}", ()),
        ("customization: {systemExtensions: {officialExtensions: []}}", ()),
        ("customization: {systemExtensions: {officialExtensions: '${LIST}'}}", None),
        ("customization: '${ALL}'", None),
    ],
)
def test_a_schematic_without_extensions_has_none_and_one_that_is_filled_in_later_may_have_any(text, extensions):
    assert only(text).extensions == extensions


def test_an_image_tells_its_extensions_where_its_schematic_is_a_known_one():
    schematic = Schematic(nodes=GpuNodes(talos_version="1.13.9"))
    known = only(f"machine: {{install: {{image: '{schematic.installer_image()}'}}}}")
    plain = only("machine: {install: {image: 'ghcr.io/siderolabs/installer:v1.13.9'}}")
    other = only(f"machine: {{install: {{image: 'factory.talos.dev/installer/{'0' * 64}:v1.13.9'}}}}")

    assert known.extensions == tuple(schematic.official_extensions)
    assert plain.extensions == ()
    assert other.extensions is None


@pytest.mark.parametrize("minor", ["12", "13", "14"])
def test_the_fields_by_which_a_machine_configuration_is_known_are_those_of_talos(minor):
    schema = json.loads((Path(needs("TALOS_SCHEMAS", "the schemas that Talos publishes")) / f"config.schema-v1.{minor}.json").read_text())

    assert set(schema["$defs"]["v1alpha1.MachineConfig"]["properties"]) <= set(_MACHINE.split())
    assert set(schema["$defs"]["v1alpha1.ClusterConfig"]["properties"]) <= set(_CLUSTER.split())


UNATTENDED = """\
apiVersion: v1alpha1
kind: UnattendedInstallConfig
installer:
  image: factory.talos.dev/metal-installer/%s:v1.14.6
provisioning: {diskSelector: {match: 'disk.transport == "nvme"'}}
"""


def test_the_installer_image_of_talos_1_14_is_in_a_document():
    config = only(UNATTENDED % "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba")

    assert config.image.endswith(":v1.14.6")
    assert config.talos_version == "v1.14.6"
    assert config.extensions == ()
    assert config.line_of(config.paths["image"]) == 4


def test_a_document_without_an_image_leaves_the_image_open():
    config = only("apiVersion: v1alpha1\nkind: UnattendedInstallConfig\nprovisioning: {diskSelector: {match: 'true'}}\n")

    assert (config.image, config.extensions) == (None, None)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("customization: {extraKernelArgs: [a, b=c]}", ("a", "b=c")),
        ("customization: {systemExtensions: {officialExtensions: [siderolabs/zfs]}}", ()),
        ("customization: {extraKernelArgs: a}", None),
        (UNATTENDED % ("a" * 64), None),
        ("machine: {install: {extraKernelArgs: [a]}}", None),
        ("machine: {install: {image: 'ghcr.io/siderolabs/installer:v1.13.9', extraKernelArgs: [a]}}", ("a",)),
    ],
)
def test_kernel_arguments_are_known_with_the_schematic(text, arguments):
    assert only(text).kernel_args == arguments
