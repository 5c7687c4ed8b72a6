"""What rules ask about nodes: their Talos, runtime, labels, taints, extensions, card, and what Pod Security enforces."""

import pytest

from constructs_lib.nodes.talos_version import TalosVersion
from constructs_lib.observed.model import Answer, Inputs, NodeConfig, Unknown
from constructs_lib.observed.model.talos_documents import fragments, spec_dirs
from constructs_lib.observed.nodes.cards import named_card
from constructs_lib.observed.nodes.node_extensions import drivers, has_gdrcopy, modules, nvidia_extensions
from constructs_lib.observed.nodes.node_settings import default_runtime_is_nvidia, is_whole, talos_of
from constructs_lib.observed.nodes.pod_security import default_level
from constructs_lib.observed.read.repository import read_text


def config(**fields):
    return NodeConfig(**{"body": {}, "file": "a.yaml", "scope": "node", "name": "a", **fields})


def inputs(*configs, **more):
    return Inputs(node_configs=configs, **more)


@pytest.mark.parametrize(
    ("said", "talos"),
    [
        ("v1.12.4", TalosVersion(12, 4)),
        (None, TalosVersion(14)),
        (Unknown("${VERSION}"), TalosVersion(14)),
        ("v1.7.5", None),
        ("newest", None),
    ],
)
def test_the_talos_of_a_node_is_its_own_or_that_of_all(said, talos):
    assert talos_of(config(talos_version=said), Inputs(talos_version=TalosVersion(14))) == talos


GPU = ("nvidia",)


@pytest.mark.parametrize(
    ("configs", "answer"),
    [
        ([], None),
        ([config(kernel_modules=GPU, default_runtime="nvidia")], Answer.YES),
        ([config(scope="patch", complete=False, default_runtime="nvidia")], Answer.YES),
        ([config(kernel_modules=GPU)], Answer.NO),
        ([config(kernel_modules=GPU, default_runtime="runc")], Answer.NO),
        ([config(kernel_modules=("zfs",))], None),
        ([config(kernel_modules=GPU, complete=False)], None),
        ([config(kernel_modules=GPU, scope="patch")], None),
        ([config(kernel_modules=GPU), config(default_runtime=Unknown("${RUNTIME}"))], Answer.UNKNOWN),
    ],
)
def test_the_default_runtime_is_told_by_whole_configurations_of_gpu_nodes(configs, answer):
    assert default_runtime_is_nvidia(inputs(*configs)) is answer


def test_all_that_a_node_gets_is_of_one_node_and_complete():
    assert [is_whole(config(scope=scope, complete=complete)) for scope in ("node", "group") for complete in (True, False)] == [
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("configs", "level"),
    [
        ([], None),
        ([config(pod_security="baseline"), config()], "baseline"),
        ([config(pod_security="baseline"), config(pod_security="privileged")], "privileged"),
        ([config(pod_security="restricted"), config(pod_security="off")], "off"),
        ([config(pod_security="baseline"), config(pod_security="off", scope="patch", complete=False)], "baseline"),
        ([config(pod_security="off", scope="patch", complete=False)], "off"),
    ],
)
def test_pod_security_is_the_laxest_that_whole_configurations_say(configs, level):
    assert default_level(inputs(*configs)) == level


def test_pod_security_is_not_known_where_one_configuration_can_not_be_read():
    assert isinstance(default_level(inputs(config(pod_security=Unknown("${LEVEL}")), config(pod_security="off"))), Unknown)


@pytest.mark.parametrize(
    ("name", "kind", "track", "is_bare", "flavour"),
    [
        ("nvidia-open-gpu-kernel-modules-lts", "nvidia-open-gpu-kernel-modules", "lts", False, "open"),
        ("nonfree-kmod-nvidia-production", "nonfree-kmod-nvidia", "production", False, "proprietary"),
        ("nonfree-kmod-nvidia", "nonfree-kmod-nvidia", "lts", True, "proprietary"),
        ("nvidia-container-toolkit", "nvidia-container-toolkit", "lts", True, None),
        ("nvidia-fabricmanager-production", "nvidia-fabricmanager", "production", False, None),
        ("nvidia-gdrdrv-device", "nvidia-gdrdrv-device", None, False, None),
        ("nvidia-driver", "nvidia-driver", None, False, None),
        ("nvidia-container-toolkit-newest", "nvidia-container-toolkit-newest", None, False, None),
    ],
)
def test_an_extension_is_told_by_its_name(name, kind, track, is_bare, flavour):
    [found] = nvidia_extensions(config(extensions=(f"siderolabs/{name}:1.2.3",), paths={"extensions": ("extensions",)}))

    assert (found.name, found.kind, found.track, found.is_bare, found.flavour) == (f"siderolabs/{name}", kind, track, is_bare, flavour)
    assert found.path == ("extensions", 0)


def test_what_is_not_nvidias_or_may_not_be_there_is_left_out():
    names = ("siderolabs/zfs", Unknown("siderolabs/nonfree-kmod-nvidia-lts"), "somebody/nvidia-open-gpu-kernel-modules-lts")

    assert nvidia_extensions(config(extensions=names)) == []
    assert nvidia_extensions(config()) == []


def test_drivers_are_the_extensions_with_modules():
    names = ("siderolabs/nvidia-container-toolkit-lts", "siderolabs/nonfree-kmod-nvidia-lts", "siderolabs/nvidia-gdrdrv-device")
    found = config(extensions=names)

    assert [each.name for each in drivers(found)] == [names[1]]
    assert has_gdrcopy(found).name == names[2]
    assert has_gdrcopy(config(extensions=names[:2])) is None


def test_modules_are_named_as_the_kernel_names_them():
    assert modules(config(kernel_modules=("nvidia-uvm", "nvidia_drm", Unknown("nvidia")))) == {"nvidia_uvm", "nvidia_drm"}


@pytest.mark.parametrize(
    ("labels", "card"),
    [
        ({"nvidia.com/gpu.product": "Quadro-P2200"}, ("Quadro-P2200", "label nvidia.com/gpu.product")),
        ({"gpu.nvidia.com/model": "rtx-a5000"}, ("rtx-a5000", "label gpu.nvidia.com/model")),
        ({"accelerator": "t4"}, ("t4", "label accelerator")),
        ({"rack": "t4"}, None),
        ({"accelerator": "nvidia"}, None),
        ({"nvidia.com/gpu.product": Unknown("${CARD}")}, None),
        ({"nvidia.com/gpu.product": ""}, None),
        ({"nvidia.com/gpu.product": 4090}, None),
        (Unknown("${LABELS}"), None),
        (None, None),
    ],
)
def test_a_card_is_named_by_a_label_about_cards(labels, card):
    assert named_card(config(labels=labels), inputs()) == card


POD = """\
apiVersion: v1
kind: Pod
metadata: {name: %s}
spec: {nodeSelector: {nvidia.com/gpu.product: %s}, containers: []}
---
"""
OPEN = ("siderolabs/nvidia-open-gpu-kernel-modules-lts",)


def test_a_card_is_named_by_a_selector_where_all_gpu_nodes_have_the_same_modules():
    one, other = config(extensions=OPEN), config(extensions=("siderolabs/nonfree-kmod-nvidia-lts",))
    pods = read_text(POD % ("a", "Quadro-P2200")).objects
    two_cards = read_text(POD % ("a", "Quadro-P2200") + POD % ("b", "RTX-4090")).objects

    assert named_card(one, inputs(one, config(), objects=pods)) == ("Quadro-P2200", "nvidia.com/gpu.product in the nodeSelector of Pod a")
    assert named_card(one, inputs(one, other, objects=pods)) is None
    assert named_card(one, inputs(one, objects=two_cards)) is None


def test_fragments_are_the_parts_and_the_documents():
    documents = [
        {
            "machine": {
                "files": [{"path": "/etc/cri/conf.d/a.part", "content": "a"}, {"path": "/etc/other", "content": "b"}, {"path": None}]
            }
        },
        {"kind": "CRICustomizationConfig", "content": "c"},
        {"kind": "EtcFileConfig", "machine": {"files": [{"path": "/etc/cri/conf.d/d.part", "content": "d"}]}},
    ]

    assert list(fragments(documents)) == [((0, "machine", "files", 0, "content"), "a"), ((1, "content"), "c")]


def test_spec_dirs_are_those_where_containerd_reads_them():
    assert spec_dirs('[plugins."io.containerd.cri.v1.runtime"]\ncdi_spec_dirs = ["/a", "/b"]') == ["/a", "/b"]
    assert spec_dirs('cdi_spec_dirs = ["/a"]') == []
    assert spec_dirs(Unknown('[plugins."io.containerd.cri.v1.runtime"]\ncdi_spec_dirs = ["${A}"]')) == []
