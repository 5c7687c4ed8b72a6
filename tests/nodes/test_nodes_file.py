"""The classes of GPU nodes of a cluster file: each argument of `GpuNodes`, several classes, and everything that is refused."""

import re
import textwrap
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from conftest import message
from constructs_lib import Dra, GpuNodes, Mps, Passthrough, Taint, TalosGpuWarning, TimeSlicing, read_nodes
from constructs_lib.nodes.file_classes import CLASS_KEYS, OF_GPU_NODES
from constructs_lib.nodes.nodes_file import class_document
from constructs_lib.talos import TalosVersion

A_VERSION = "must be a Talos version such as '1.14', from '1.8' on, with or without its patch"
RULE = "'nodes' must be YAML with the keys 'talos' and 'nodes'"
SUCH_AS = "; such as {talos: 1.14.0, nodes: {gpu-1: {card: RTX 4090}}}"
A_TAINT = "a taint such as 'dedicated=ai:NoSchedule'"
ONE_KIND = "'nodes.gpu.sharing' must be of one kind, such as {time_slicing: 4}"
LABEL_VALUE = "a label value (at most 63 letters, digits, '-', '_' and '.', as a string)"


def one(written):
    """The text of a file with one class."""
    return "talos: 1.13.9\nnodes:\n  gpu:\n" + textwrap.indent(written, "    ")


def refused(text, error=ValueError):
    return message(lambda: read_nodes(text), error)


def refused_kind(text):
    return refused(text, TypeError)


# Each argument

EACH = [
    ("kernel_modules: proprietary", {"kernel_modules": "proprietary"}),
    ("driver_track: lts", {"driver_track": "lts"}),
    ("labels: {role: gpu, example.com/zone: a}", {"labels": {"role": "gpu", "example.com/zone": "a"}}),
    ("labels:", {"labels": None}),
    ("extra_labels: {example.com/rack: a}", {"extra_labels": {"example.com/rack": "a"}}),
    ("taints: []", {"taints": []}),
    (
        "taints: ['dedicated=ai:NoExecute', gpu, 'a:PreferNoSchedule']",
        {"taints": [Taint("dedicated", "ai", "NoExecute"), Taint("gpu"), Taint("a", effect="PreferNoSchedule")]},
    ),
    ("card: RTX 5070 Ti", {"product": "RTX 5070 Ti"}),
    ("cards: 8", {"gpus_per_node": 8}),
    ("memory: 16Gi", {"memory_per_gpu": "16Gi"}),
    ("count: 3", {"count": 3}),
    ("sharing: {time_slicing: {replicas: 5}}", {"sharing": TimeSlicing(replicas=5)}),
    (
        "sharing: {time_slicing: {replicas: 5, rename_by_default: true, fail_requests_greater_than_one: true}}",
        {"sharing": TimeSlicing(replicas=5, rename_by_default=True, fail_requests_greater_than_one=True)},
    ),
    ("sharing: {time_slicing: 5}", {"sharing": TimeSlicing(replicas=5)}),
    ("sharing:", {}),
    ("mig_strategy: none", {"mig_strategy": "none"}),
    ("mig_strategy: mixed", {"mig_strategy": "mixed"}),
    ("mig_devices: {1g.10gb: 7}\nmig_strategy: single", {"mig_strategy": "single", "mig_devices": {"1g.10gb": 7}}),
    ("dra: {share: consumable, shares: 4}", {"dra": Dra(share="consumable", shares=4)}),
    ("dra:", {"dra": None}),
    (
        "passthrough: {pci_ids: ['10de:2204', '10de:1aef'], resource_name: example.com/card, iommu_args: []}",
        {"passthrough": Passthrough(pci_ids=["10de:2204", "10de:1aef"], resource_name="example.com/card", iommu_args=[])},
    ),
    ("passthrough:", {"passthrough": None}),
    ("name: rtx", {"name": "rtx"}),
]


@pytest.mark.parametrize(("written", "expected"), EACH)
def test_an_argument_is_written_as_python_has_it(written, expected):
    assert read_nodes(one(written)) == [GpuNodes(talos_version="1.13.9", **expected)]


def test_every_argument_is_tried_here():
    assert {written.partition(":")[0] for written, _ in EACH} | {"talos"} == set(OF_GPU_NODES)


@pytest.mark.parametrize("written", ['"1.13"', "'1.13'", '"v1.13"', "v1.13"])
def test_a_talos_without_its_patch_is_a_string(written):
    assert read_nodes(f"talos: {written}\nnodes: {{gpu: {{}}}}")[0].talos_version == TalosVersion(13)


def test_a_talos_with_its_patch_needs_no_quotes():
    assert read_nodes("nodes: {gpu: {talos: 1.12.11}}")[0].talos_version == TalosVersion(12, 11)


def test_mps_is_read_and_warns():
    with pytest.warns(TalosGpuWarning, match="no report is known of MPS working on Talos 1.13.9"):
        (nodes,) = read_nodes(one("sharing: {mps: 3}"))

    assert nodes.sharing == Mps(replicas=3)


def test_the_example_of_its_docstring_is_a_file():
    indented = read_nodes.__doc__.partition("with all arguments:\n")[2].partition("The only class")[0]

    assert read_nodes(textwrap.dedent(indented)) == [
        GpuNodes(
            talos_version="1.12.11", labels={"role": "gpu"}, taints=[Taint("dedicated", "ai")], sharing=TimeSlicing(replicas=5)
        )
    ]  # fmt: skip


# Several classes

TWO = [GpuNodes(talos_version="1.13.9", name="rtx"), GpuNodes(talos_version="1.13.9", driver_track="lts", name="p40")]


def test_several_classes_have_the_names_of_the_file_in_its_order():
    assert read_nodes("talos: 1.13.9\nnodes: {rtx: {}, p40: {driver_track: lts}}") == TWO


def test_the_only_class_has_no_name():
    assert [each.name for each in read_nodes("talos: 1.13.9\nnodes: {rtx: }")] == [None]


def test_nodes_with_an_address_that_are_described_alike_are_one_class():
    text = "talos: 1.13.9\nnodes: {a: {card: L4, address: 10.0.0.1}, b: {card: L4, address: 10.0.0.2}, c: {card: A2, address: 10.0.0.3}}"

    assert read_nodes(text) == [
        GpuNodes(talos_version="1.13.9", product="L4", count=2, name="a"),
        GpuNodes(talos_version="1.13.9", product="A2", count=1, name="c"),
    ]


def test_classes_that_are_described_alike_stay_two():
    assert len(read_nodes("talos: 1.13.9\nnodes: {a: {card: L4, count: 2}, b: {card: L4, count: 2}}")) == 2


@pytest.mark.parametrize("different", ["extensions: [siderolabs/iscsi-tools]", "name: other", "talos_files: false", "talos: 1.13.8"])
def test_nodes_that_differ_in_their_image_are_two_classes(different):
    assert len(read_nodes(f"talos: 1.13.9\nnodes: {{a: {{address: 10.0.0.1}}, b: {{address: 10.0.0.2, {different}}}}}")) == 2


def test_the_addresses_of_a_class_count_its_nodes():
    assert read_nodes("talos: 1.13.9\nnodes: {a: {addresses: [10.0.0.1, gpu-2.lan, '::1']}}") == [GpuNodes(talos_version="1.13.9", count=3)]


def test_an_error_says_which_of_several_classes_it_is():
    assert (
        refused_kind("nodes: {rtx: {talos: 1.13.9}, p40: {talos: 1.13}}") == f"'nodes.p40.talos' {A_VERSION} (got 1.13); quote it: '1.13'"
    )
    assert refused("talos: 1.13.9\nnodes: {rtx: {}, p40: {count: 0}}") == "'nodes.p40.count' must be a whole number of at least 1 (got 0)"


# What is refused


@pytest.mark.parametrize(
    ("text", "got"),
    [
        ("", "[]"),
        ("---\n---\n", "[]"),
        ("# nothing yet\n", "[]"),
        ("[]", "[[]]"),
        ("5", "[5]"),
        ("just words", "['just words']"),
        ("- 5", "[[5]]"),
    ],
)
def test_another_file_is_refused(text, got):
    assert refused_kind(text) == f"{RULE} (got {got}){SUCH_AS}"


def test_what_is_no_yaml_is_refused_with_its_beginning_and_the_place():
    text = 'talos: "1.13"\nnodes: ]\n' + "# " * 30

    assert refused(text) == f"{RULE} (got {text[:40]!r}); line 2, column 8: did not find expected node content"


def test_the_text_of_a_file_is_asked_for():
    assert message(read_nodes, TypeError) == "'text' must be given to read_nodes (got nothing); the text of the file is needed"
    assert refused_kind(Path("nodes.yaml")) == "'text' must be the text of a file (got PosixPath('nodes.yaml'))"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("talos: 1.10\nnodes: {gpu: {}}", f"'talos' {A_VERSION} (got 1.1); quote it: '1.10'"),
        ("talos: 113\nnodes: {gpu: {}}", f"'talos' {A_VERSION} (got 113)"),
        ("talos:\nnodes: {gpu: {}}", "'talos' must be given (got nothing); the Talos of the nodes, such as talos: 1.14.0"),
        ("talos: 1.13.9", "'nodes' must be given (got nothing); the nodes with GPUs by their names, such as nodes: {gpu-1: {card: RTX 4090}}"),
        ("talos: 1.13.9\nnodes: {gpu: 5}", "'nodes.gpu' must be a mapping of what the node is (got 5)"),
        ("talos: 1.13.9\nnodes: {1: {}}", "'nodes' must be a mapping of names to nodes, such as nodes: {gpu-1: {card: RTX 4090}} (got {1: {}}); the key 1 is not a string"),
        (one("address: 5"), "'nodes.gpu.address' must be the address or the name of a node, such as 192.168.1.21 (got 5)"),
        (one("addresses: 10.0.0.1"), "'nodes.gpu.addresses' must be a list of addresses, such as [192.168.1.21, 192.168.1.22] (got '10.0.0.1')"),
        (one("talos_files: 'no'"), "'nodes.gpu.talos_files' must be true or false (got 'no')"),
        (one("taints: dedicated"), "'nodes.gpu.taints' must be a list of taints (got 'dedicated'); such as ['dedicated=ai:NoSchedule']"),
        (one("taints:"), "'nodes.gpu.taints' must be a list of taints (got None); such as ['dedicated=ai:NoSchedule']"),
        (one("taints: {dedicated: ai}"), "'nodes.gpu.taints' must be a list of taints (got {'dedicated': 'ai'}); such as ['dedicated=ai:NoSchedule']"),
        (one("taints: [5]"), f"'nodes.gpu.taints' must be {A_TAINT} (got 5)"),
        (one("taints: [{key: a}]"), f"'nodes.gpu.taints' must be {A_TAINT} (got {{'key': 'a'}})"),
        (one("labels: {role: true}"), f"'nodes.gpu.labels[role]' must be {LABEL_VALUE} (got True); did you mean 'true'?"),
        (one("labels: [role]"), "'nodes.gpu.labels' must be a mapping of label keys to label values (got ['role'])"),
        (one("count: '3'"), "'nodes.gpu.count' must be a whole number of at least 1 (got '3'); did you mean 3?"),
        (one("card: 4090"), "'nodes.gpu.card' must be the name of a card, such as 'RTX 4090' (got 4090)"),
        (one("sharing: 4"), f"{ONE_KIND} (got 4)"),
        (one("sharing: [time_slicing]"), f"{ONE_KIND} (got ['time_slicing'])"),
        (one("sharing: {time_slicing: four}"), "'nodes.gpu.sharing.time_slicing' must be a number of pods, or a mapping such as {replicas: 4} (got 'four')"),
        (one("sharing: {mps: }"), "'nodes.gpu.sharing.mps' must be a number of pods, or a mapping such as {replicas: 4} (got None)"),
        (one("sharing: {mps: '4'}"), "'nodes.gpu.sharing.mps' must be a number of pods, or a mapping such as {replicas: 4} (got '4'); did you mean 4?"),
        (one("passthrough: {}"), "'nodes.gpu.passthrough.pci_ids' must be given (got nothing); Talos' kernel takes the devices with these IDs"),
        (one("sharing: {time_slicing: {}}"), "'nodes.gpu.sharing.time_slicing.replicas' must be given (got nothing); set the number of pods that share one GPU"),
        (one("sharing: {mps: {replica: 4}}"), "'nodes.gpu.sharing.mps.replica' must be an argument of Mps (got replica=4); did you mean 'replicas'?"),
    ],
)  # fmt: skip
def test_the_wrong_kind_is_refused(text, expected):
    assert refused_kind(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "talos: '1.7'\nnodes: {gpu: {}}",
            f"'talos' {A_VERSION} (got '1.7'); before Talos 1.8 the NVIDIA extensions have no tracks, and nodes have no labels for their extensions; upgrade Talos first",
        ),
        (one("kernel_modules: opn"), "'nodes.gpu.kernel_modules' must be one of 'open', 'proprietary' (got 'opn'); did you mean 'open'?"),
        (
            one("taints: ['a:Evict']"),
            f"'nodes.gpu.taints' must be {A_TAINT} (got 'a:Evict'); 'effect' must be one of 'NoSchedule', 'PreferNoSchedule', 'NoExecute' (got 'Evict')",
        ),
        (one("taints: ['']"), f"'nodes.gpu.taints' must be {A_TAINT} (got '')"),
        (one("sharing: {}"), f"{ONE_KIND} (got {{}})"),
        (one("sharing: {timeslicing: {replicas: 2}}"), f"{ONE_KIND} (got 'timeslicing'); did you mean 'time_slicing'?"),
        (one("sharing: {mig: {}}"), f"{ONE_KIND} (got 'mig'); the kinds are time_slicing and mps"),
        (
            one("sharing: {time_slicing: {replicas: 2}, mps: {replicas: 2}}"),
            f"{ONE_KIND} (got {{'time_slicing': {{'replicas': 2}}, 'mps': {{'replicas': 2}}}})",
        ),
        (
            one("sharing: {time_slicing: {replicas: 1}}"),
            "'nodes.gpu.sharing.time_slicing.replicas' must be a whole number of at least 2 (got 1); one pod for each GPU needs no 'sharing'",
        ),
        (
            one("sharing: {time_slicing: 1}"),
            "'nodes.gpu.sharing.time_slicing' must be a whole number of at least 2 (got 1); one pod for each GPU needs no 'sharing'",
        ),
        (
            one("passthrough: {pci_ids: []}"),
            "'nodes.gpu.passthrough.pci_ids' must be a list of PCI IDs, the GPU first (got []); lspci -nn -d 10de: prints the IDs",
        ),
        (
            one("dra: {share: half}"),
            "'nodes.gpu.dra.share' must be one of 'exclusive', 'claim', 'time-slicing', 'consumable' (got 'half')",
        ),
        (
            one("talos: 1.12.11\nsharing: {mps: 4}"),
            (
                "'nodes.gpu.sharing' must be 'time_slicing' on Talos 1.12 (got {'mps': 4}); on Talos 1.12 the MPS server exits when a pod connects "
                "(NVIDIA/k8s-device-plugin#1614); use 'time_slicing', or Talos 1.13"
            ),
        ),
        (
            one("card: RTX 5090\nkernel_modules: proprietary"),
            "'nodes.gpu.kernel_modules' must be 'open' with card='RTX 5090' (got 'proprietary'); Blackwell needs the open modules; with the proprietary modules the driver reports \"No devices were found\"",
        ),
    ],
)
def test_a_wrong_value_is_refused(text, expected):
    assert refused(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (one("count: 1\n# more\ncount: 2\n"), "line 6, column 5: the key 'count' is in line 4, too"),
        (one("labels: {role: gpu, role: cpu}"), "line 4, column 25: the key 'role' is in line 4, too"),
    ],
)
def test_a_key_that_stands_twice_is_refused_with_both_lines(text, expected):
    assert refused(text).endswith(f"; {expected}")


def test_what_is_merged_into_a_mapping_does_not_stand_there_twice():
    text = "talos: 1.13.9\nnodes:\n  rtx: &rtx {count: 1}\n  p40: {<<: *rtx, driver_track: lts, count: 2}\n"

    assert read_nodes(text) == [
        GpuNodes(talos_version="1.13.9", name="rtx", count=1),
        GpuNodes(talos_version="1.13.9", name="p40", driver_track="lts", count=2),
    ]


def test_an_anchor_within_itself_ends_in_an_error_and_not_in_a_loop():
    assert refused(one("labels: &a {role: *a}")).endswith("line 4, column 23: an alias has no anchor before it")


def test_two_classes_of_one_name_are_refused():
    assert (
        refused("talos: 1.13.9\nnodes: {rtx: {}, p40: {name: rtx}}") == "'nodes.p40.name' must be one that no other class has (got 'rtx')"
    )


def test_a_file_is_read_as_data_alone():
    assert refused('talos: !!python/object/apply:os.system ["true"]').startswith(f"{RULE} (got ")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=3),
    max_leaves=6,
)


def answer(text):
    """The classes, or the message with which the file is refused."""
    try:
        return read_nodes(text)
    except (TypeError, ValueError) as error:
        return str(error)


@pytest.mark.filterwarnings("ignore::constructs_lib.TalosGpuWarning")
@given(st.dictionaries(st.sampled_from(CLASS_KEYS), VALUES, max_size=4))
def test_any_arguments_give_a_class_or_an_error_that_names_one(arguments):
    answered = answer(yaml.safe_dump({"talos": "1.13.9", "nodes": {"gpu": arguments}}, allow_unicode=True))

    assert re.match(r"'[a-z_.]+(\[.*\])?' must be ", answered, re.DOTALL) if isinstance(answered, str) else len(answered) == 1


@given(st.text(max_size=30))
def test_any_text_is_refused_with_an_error_that_names_the_file_or_an_argument(text):
    answered = answer(text)

    assert isinstance(answered, str)
    assert re.match(r"'.*' must be ", answered, re.DOTALL)


@pytest.mark.parametrize("number", ["0b_", "0x_"])
def test_what_only_begins_like_a_number_is_refused_in_the_same_form(number):
    assert " must be " in refused_kind(one(f"count: {number}"))


def test_the_nodes_of_a_whole_cluster_file_are_read():
    assert read_nodes("{talos: 1.14.0, nodes: {a: {}}, stack: operator, charts: {}}") == [GpuNodes(talos_version="1.14.0")]


@pytest.mark.parametrize("dra", [Dra(share="consumable", shares=4), Dra(share="consumable", shares="memory"), Dra(selectors=["a"])])
def test_the_file_of_a_class_with_claims_is_the_class_again(dra):
    nodes = GpuNodes(talos_version="1.14.0", dra=dra)

    assert read_nodes(yaml.safe_dump(class_document(nodes))) == [nodes]
