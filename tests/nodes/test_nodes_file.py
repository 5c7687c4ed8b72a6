"""The YAML file of classes of GPU nodes: each argument of `GpuNodes`, several classes, and everything that is refused."""

import re
from pathlib import Path

import attrs
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from conftest import message
from constructs_lib import Dra, GpuNodes, Mps, Passthrough, Taint, TalosGpuWarning, TimeSlicing, read_nodes
from constructs_lib.nodes.nodes_file import class_document
from constructs_lib.talos import TalosVersion

TALOS = 'talos_version: "1.13.9"\n'
RULE = "'nodes' must be YAML with the arguments of GpuNodes, or a list of such mappings"
SUCH_AS = '; such as talos_version: "1.14"'
A_VERSION = "'talos_version' must be a Talos version such as '1.14', from '1.8' on, with or without its patch"
A_TAINT = "a taint such as 'dedicated=ai:NoSchedule'"
ONE_KIND = "'sharing' must be of one kind, such as {time_slicing: {replicas: 4}}"
OPEN_MODULES = "'kernel_modules' must be 'open' with product='RTX 5090'"
LABEL_VALUE = "a label value (at most 63 letters, digits, '-', '_' and '.', as a string)"


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
    ("product: RTX 5070 Ti", {"product": "RTX 5070 Ti"}),
    ("gpus_per_node: 8", {"gpus_per_node": 8}),
    ("memory_per_gpu: 16Gi", {"memory_per_gpu": "16Gi"}),
    ("count: 3", {"count": 3}),
    ("sharing: {time_slicing: {replicas: 5}}", {"sharing": TimeSlicing(replicas=5)}),
    (
        "sharing: {time_slicing: {replicas: 5, rename_by_default: true, fail_requests_greater_than_one: true}}",
        {"sharing": TimeSlicing(replicas=5, rename_by_default=True, fail_requests_greater_than_one=True)},
    ),
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
    assert read_nodes(TALOS + written) == [GpuNodes(talos_version="1.13.9", **expected)]


def test_every_argument_is_tried_here():
    assert {written.partition(":")[0] for written, _ in EACH} | {"talos_version"} == {each.name for each in attrs.fields(GpuNodes)}


@pytest.mark.parametrize("written", ['"1.13"', "'1.13'", '"v1.13"', "v1.13"])
def test_a_talos_without_its_patch_is_a_string(written):
    assert read_nodes(f"talos_version: {written}")[0].talos_version == TalosVersion(13)


def test_a_talos_with_its_patch_needs_no_quotes():
    assert read_nodes("talos_version: 1.12.11")[0].talos_version == TalosVersion(12, 11)


def test_mps_is_read_and_warns():
    with pytest.warns(TalosGpuWarning, match="no report is known of MPS working on Talos 1.13.9"):
        (nodes,) = read_nodes(TALOS + "sharing: {mps: {replicas: 3}}")

    assert nodes.sharing == Mps(replicas=3)


def test_the_example_of_its_docstring_is_a_file():
    indented = read_nodes.__doc__.partition("with the arguments:\n")[2].partition("Raises:")[0]

    assert read_nodes("\n".join(line.strip() for line in indented.splitlines())) == [
        GpuNodes(
            talos_version="1.12.11", labels={"role": "gpu"}, taints=[Taint("dedicated", "ai")], sharing=TimeSlicing(replicas=5)
        )
    ]  # fmt: skip


# Several classes

TWO = [GpuNodes(talos_version="1.13.9", name="rtx"), GpuNodes(talos_version="1.13.9", driver_track="lts", name="p40")]


@pytest.mark.parametrize(
    "text",
    [
        '- {talos_version: "1.13.9", name: rtx}\n- {talos_version: "1.13.9", driver_track: lts, name: p40}',
        '{talos_version: "1.13.9", name: rtx}\n---\n{talos_version: "1.13.9", driver_track: lts, name: p40}',
        '---\ntalos_version: "1.13.9"\nname: rtx\n---\n---\ntalos_version: "1.13.9"\nname: p40\ndriver_track: lts\n---\n',
    ],
    ids=["a list", "documents", "documents, and empty ones"],
)
def test_several_classes_are_a_list_or_documents_in_their_order(text):
    assert read_nodes(text) == TWO


def test_a_list_of_one_is_one_class():
    assert read_nodes('- talos_version: "1.13.9"\n  name: rtx') == TWO[:1]


@pytest.mark.parametrize(
    ("second", "named"),
    [("{talos_version: 1.13, name: p40}", "p40"), ("{talos_version: 1.13}", "2"), ("{talos_version: 1.13, name: 7}", "7")],
)
def test_an_error_says_which_of_several_classes_it_is(second, named):
    expected = f"{A_VERSION} (got 1.13); quote it: '1.13'; the class is '{named}'"

    assert refused_kind(f'- {{talos_version: "1.13.9", name: rtx}}\n- {second}') == expected


def test_an_error_of_a_wrong_value_is_still_one_of_a_wrong_value():
    assert refused('- {talos_version: "1.13"}\n- {talos_version: "1.13", count: 0, name: rtx}') == (
        "'count' must be a whole number of at least 1 (got 0); the class is 'rtx'"
    )


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
        ("-", "[[None]]"),
        ('- talos_version: "1.13"\n- 5', "[[{'talos_version': '1.13'}, 5]]"),
        ('- - talos_version: "1.13"', "[[[{'talos_version': '1.13'}]]]"),
    ],
)
def test_another_file_is_refused(text, got):
    assert refused_kind(text) == f"{RULE} (got {got}){SUCH_AS}"


def test_what_is_no_yaml_is_refused_with_its_beginning_and_the_place():
    text = 'talos_version: "1.13"\nlabels: ]\n' + "# " * 30

    assert refused(text) == f"{RULE} (got {text[:40]!r}); line 2, column 9: did not find expected node content"


def test_the_text_of_a_file_is_asked_for():
    assert message(read_nodes, TypeError) == "'text' must be given to read_nodes (got nothing); the text of the file is needed"
    assert refused_kind(Path("nodes.yaml")) == "'text' must be the text of a file (got PosixPath('nodes.yaml'))"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("talos_version: 1.10", f"{A_VERSION} (got 1.1); quote it: '1.10'"),
        ("talos_version: 1.13", f"{A_VERSION} (got 1.13); quote it: '1.13'"),
        ("talos_version: 113", f"{A_VERSION} (got 113)"),
        ("talos_version:", f"{A_VERSION} (got None)"),
        (
            "name: rtx",
            "'talos_version' must be given to GpuNodes (got nothing); every generation of Talos needs other manifests, so no default is right for all nodes",
        ),
        (TALOS + "diver_track: lts", "'diver_track' must be an argument of GpuNodes (got diver_track='lts'); did you mean 'driver_track'?"),
        (
            TALOS + "tolerations: []",
            "'tolerations' must be an argument of GpuNodes (got tolerations=[]); give the 'taints' to GpuNodes: every pod for these nodes tolerates the taints",
        ),
        ("1: 2", "'nodes' must be a mapping (got {1: 2}); the key 1 is not a string"),
        (TALOS + "taints: dedicated", "'taints' must be a list of taints (got 'dedicated'); such as ['dedicated=ai:NoSchedule']"),
        (TALOS + "taints:", "'taints' must be a list of taints (got None); such as ['dedicated=ai:NoSchedule']"),
        (TALOS + "taints: {dedicated: ai}", "'taints' must be a list of taints (got {'dedicated': 'ai'}); such as ['dedicated=ai:NoSchedule']"),
        (TALOS + "taints: [5]", f"'taints' must be {A_TAINT} (got 5)"),
        (TALOS + "taints: [{key: a}]", f"'taints' must be {A_TAINT} (got {{'key': 'a'}})"),
        (TALOS + "labels: {role: true}", f"'labels[role]' must be {LABEL_VALUE} (got True); did you mean 'true'?"),
        (TALOS + "labels: [role]", "'labels' must be a mapping of label keys to label values (got ['role'])"),
        (TALOS + "count: '3'", "'count' must be a whole number of at least 1 (got '3'); did you mean 3?"),
        (TALOS + "product: 4090", "'product' must be the name of a card, such as 'RTX 4090' (got 4090)"),
        (TALOS + "sharing: 4", f"{ONE_KIND} (got 4)"),
        (TALOS + "sharing: [time_slicing]", f"{ONE_KIND} (got ['time_slicing'])"),
        (TALOS + "sharing: {time_slicing: 4}", "'sharing[time_slicing]' must be a mapping of the arguments of TimeSlicing, such as {replicas: 4} (got 4)"),
        (TALOS + "sharing: {mps: }", "'sharing[mps]' must be a mapping of the arguments of Mps, such as {replicas: 4} (got None)"),
        (TALOS + "sharing: {time_slicing: {}}", "'replicas' must be given to TimeSlicing (got nothing); set the number of pods that share one GPU"),
        (TALOS + "sharing: {mps: {replica: 4}}", "'replica' must be an argument of Mps (got replica=4); did you mean 'replicas'?"),
    ],
)  # fmt: skip
def test_the_wrong_kind_is_refused(text, expected):
    assert refused_kind(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "talos_version: '1.7'",
            f"{A_VERSION} (got '1.7'); before Talos 1.8 the NVIDIA extensions have no tracks, and nodes have no labels for their extensions; upgrade Talos first",
        ),
        (TALOS + "kernel_modules: opn", "'kernel_modules' must be one of 'open', 'proprietary' (got 'opn'); did you mean 'open'?"),
        (
            TALOS + "taints: ['a:Evict']",
            f"'taints' must be {A_TAINT} (got 'a:Evict'); 'effect' must be one of 'NoSchedule', 'PreferNoSchedule', 'NoExecute' (got 'Evict')",
        ),
        (TALOS + "taints: ['']", f"'taints' must be {A_TAINT} (got '')"),
        (TALOS + "sharing: {}", f"{ONE_KIND} (got {{}})"),
        (TALOS + "sharing: {timeslicing: {replicas: 2}}", f"{ONE_KIND} (got 'timeslicing'); did you mean 'time_slicing'?"),
        (TALOS + "sharing: {mig: {}}", f"{ONE_KIND} (got 'mig')"),
        (
            TALOS + "sharing: {time_slicing: {replicas: 2}, mps: {replicas: 2}}",
            f"{ONE_KIND} (got {{'time_slicing': {{'replicas': 2}}, 'mps': {{'replicas': 2}}}})",
        ),
        (
            TALOS + "sharing: {time_slicing: {replicas: 1}}",
            "'replicas' must be a whole number of at least 2 (got 1); one pod for each GPU needs no 'sharing'",
        ),
        (
            TALOS + "product: RTX 5090\nkernel_modules: proprietary",
            f"{OPEN_MODULES} (got 'proprietary'); Blackwell needs the open modules; with the proprietary modules the driver reports \"No devices were found\"",
        ),
    ],
)
def test_a_wrong_value_is_refused(text, expected):
    assert refused(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TALOS + "count: 1\n# more\ncount: 2\n", "line 4, column 1: the key 'count' is in line 2, too"),
        (TALOS + "labels: {role: gpu, role: cpu}", "line 2, column 21: the key 'role' is in line 2, too"),
        (f"- {{{TALOS.strip()}, name: a}}\n- name: b\n  name: c\n", "line 3, column 3: the key 'name' is in line 2, too"),
        (f"{TALOS}---\n{TALOS}name: a\nname: b\n", "line 5, column 1: the key 'name' is in line 4, too"),
    ],
)
def test_a_key_that_stands_twice_is_refused_with_both_lines(text, expected):
    assert refused(text).endswith(f"; {expected}")


def test_what_is_merged_into_a_mapping_does_not_stand_there_twice():
    text = "- &rtx {talos_version: '1.13.9', name: rtx, count: 1}\n- {<<: *rtx, name: p40, driver_track: lts, count: 2}\n"

    assert read_nodes(text) == [
        GpuNodes(talos_version="1.13.9", name="rtx", count=1),
        GpuNodes(talos_version="1.13.9", name="p40", driver_track="lts", count=2),
    ]


def test_an_anchor_within_itself_ends_in_an_error_and_not_in_a_loop():
    assert refused(TALOS + "labels: &a {role: *a}").endswith("line 2, column 19: an alias has no anchor before it")


@pytest.mark.parametrize(("names", "numbers"), [(["rtx", "rtx"], "1 and 2"), (["p40", "rtx", "a", "rtx"], "2 and 4")])
def test_two_classes_of_one_name_are_refused(names, numbers):
    text = "".join(f"- {{talos_version: '1.13.9', name: {name}}}\n" for name in names)

    assert refused(text) == f"'nodes' must be classes with different names (got 'rtx'); classes {numbers} have the same name"


def test_several_classes_may_have_no_name():
    assert len(read_nodes(f"- {{{TALOS.strip()}}}\n- {{{TALOS.strip()}}}\n")) == 2


def test_a_file_is_read_as_data_alone():
    assert refused('talos_version: !!python/object/apply:os.system ["true"]').startswith(f"{RULE} (got ")


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
@given(st.dictionaries(st.sampled_from([each.name for each in attrs.fields(GpuNodes)]), VALUES, max_size=4))
def test_any_arguments_give_a_class_or_an_error_that_names_one(arguments):
    answered = answer(yaml.safe_dump({"talos_version": "1.13.9", **arguments}, allow_unicode=True))

    assert re.match(r"'[a-z_]+(\[.*\])?' must be ", answered, re.DOTALL) if isinstance(answered, str) else len(answered) == 1


@given(st.text(max_size=30))
def test_any_text_is_refused_with_an_error_that_names_the_file_or_an_argument(text):
    answered = answer(text)

    assert isinstance(answered, str)
    assert re.match(r"'.*' must be ", answered, re.DOTALL)


@pytest.mark.parametrize("number", ["0b_", "0x_"])
def test_what_only_begins_like_a_number_is_refused_in_the_same_form(number):
    assert " must be " in refused_kind(f"{TALOS}count: {number}")


@pytest.mark.parametrize("text", ["nodes: {talos_version: '1.14.0'}", "{nodes: [], charts: {}}", "clusters: {}"])
def test_a_cluster_file_is_named_with_the_command_that_reads_it(text):
    assert message(lambda: read_nodes(text)) == (
        "'nodes' must be YAML with the arguments of GpuNodes, or a list of such mappings (got 'a cluster file'); talos-gpu synth writes the "
        "schematic and the machine configuration of its nodes"
    )


@pytest.mark.parametrize("dra", [Dra(share="consumable", shares=4), Dra(share="consumable", shares="memory"), Dra(selectors=["a"])])
def test_the_file_of_a_class_with_claims_is_the_class_again(dra):
    nodes = GpuNodes(talos_version="1.14.0", dra=dra)

    assert read_nodes(yaml.safe_dump(class_document(nodes))) == [nodes]
