"""The flags that describe a class of nodes, and the file that does."""

import itertools

import pytest
from command_line import COMMANDS, WORKS

from constructs_lib import GpuNodes, Mps, Passthrough, Taint, TalosGpuWarning, TimeSlicing
from constructs_lib.cli import command as cli
from constructs_lib.cli import nodes_flags, streams
from constructs_lib.talos import MachineConfigPatch

FLAGS = [
    (["--talos", "1.13.9"], {}),
    (["--talos-version", "v1.13.9"], {}),
    (["--talos", "1.13.9", "--kernel-modules", "proprietary"], {"kernel_modules": "proprietary"}),
    (["--talos", "1.13.9", "--driver-track", "lts"], {"driver_track": "lts"}),
    (["--talos", "1.13.9", "--label", "role=gpu", "--label", "zone="], {"labels": {"role": "gpu", "zone": ""}}),
    (
        ["--talos", "1.13.9", "--taint", "dedicated=ai:NoExecute", "--taint", "gpu"],
        {"taints": [Taint("dedicated", "ai", "NoExecute"), Taint("gpu")]},
    ),
    (["--talos", "1.13.9", "--product", "RTX 5070 Ti"], {"product": "RTX 5070 Ti"}),
    (["--talos", "1.13.9", "--gpus-per-node", "8"], {"gpus_per_node": 8}),
    (["--talos", "1.13.9", "--memory-per-gpu", "16Gi"], {"memory_per_gpu": "16Gi"}),
    (["--talos", "1.13.9", "--count", "3"], {"count": 3}),
    (["--talos", "1.13.9", "--time-slicing", "5"], {"sharing": TimeSlicing(replicas=5)}),
    (["--talos", "1.13.9", "--mig-strategy", "single"], {"mig_strategy": "single"}),
    (["--talos", "1.13.9", "--name", "rtx"], {"name": "rtx"}),
    (["--talos", "1.13.9", "--passthrough", "10de:2204,10de:1aef"], {"passthrough": Passthrough(pci_ids=["10de:2204", "10de:1aef"])}),
]


@pytest.mark.parametrize(("flags", "expected"), FLAGS, ids=lambda value: " ".join(value) if isinstance(value, list) else "")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_flag_is_the_argument_of_the_class(command, flags, expected):
    rest = ["--to", "1.14"] if command == "upgrade" else []

    assert nodes_flags.nodes_of(cli._parser().parse_args([command, *flags, *rest])) == GpuNodes(talos_version="1.13.9", **expected)


def test_mps_is_the_argument_of_the_class():
    with pytest.warns(TalosGpuWarning):
        made = nodes_flags.nodes_of(cli._parser().parse_args(["patch", "--talos", "1.13.9", "--mps", "4"]))

    assert made.sharing == Mps(replicas=4)


@pytest.fixture
def cluster(tmp_path):
    path = tmp_path / "cluster.yaml"

    def written(text):
        path.write_text(text)
        return path

    return written


def test_the_nodes_may_come_from_a_cluster_file(answer, cluster):
    path = cluster("{talos: 1.13.9, nodes: {rtx: {card: L4}}}")

    assert answer("patch", path) == MachineConfigPatch(nodes=GpuNodes(talos_version="1.13.9", product="L4")).text
    assert answer("patch", path, "--class", "rtx") == answer("patch", path)


def test_a_class_of_a_file_is_chosen_by_its_name(answer, nodes_file):
    assert answer("patch", nodes_file, "--class", "p40") == MachineConfigPatch(nodes=GpuNodes(talos_version="1.14.0", name="p40")).text
    assert "role: gpu" in answer("patch", nodes_file, "--class", "rtx")


def test_a_class_of_a_fleet_is_chosen_with_its_cluster(answer, refusal, cluster):
    path = cluster(
        "{talos: 1.13.9, nodes: {a: {extensions: &more [siderolabs/iscsi-tools]}, b: {extensions: *more}}, clusters: {paris: {nodes: {b: {talos: 1.14.0}}}, rome: {nodes: {b: null}}}}"
    )

    assert answer("schematic", path, "--class", "paris/b", "--print", "installer").endswith(":v1.14.0\n")
    assert answer("schematic", path, "--class", "rome", "--print", "installer").endswith(":v1.13.9\n")
    assert refusal("schematic", path, "--class", "paris") == "--class must be given for a file with several classes, 'a', 'b' (got 'paris')"
    assert refusal("schematic", path, "--class", "rom") == (
        f"--class must be a cluster of {path}, 'paris', 'rome', or a class of one, such as paris/rtx (got 'rom'); did you mean 'rome'?"
    )


def test_what_a_class_says_about_its_image_and_configuration_is_taken_and_flags_come_before(answer, cluster):
    class_ = "{talos: 1.13.9, extensions: [siderolabs/iscsi-tools], platform: aws, sysctls: {vm.max_map_count: '262144'}}"
    path = cluster(f"{{nodes: {{gpu: {class_}}}, stack: operator}}")

    assert "siderolabs/iscsi-tools" in answer("schematic", path)
    assert "siderolabs/gvisor" in answer("schematic", path, "--extension", "siderolabs/gvisor")
    assert "/aws-installer/" in answer("schematic", path, "--print", "installer")
    assert "/metal-installer/" in answer("schematic", path, "--print", "installer", "--platform", "metal")
    assert answer("patch", path) == (
        MachineConfigPatch(nodes=GpuNodes(talos_version="1.13.9"), operator=True, sysctls={"vm.max_map_count": "262144"}).text
    )


def test_the_route_of_an_upgrade_follows_from_the_stack_of_the_file(answer, cluster):
    plan = {
        stack: answer("upgrade", cluster(f"{{talos: 1.13.9, nodes: {{gpu: }}, stack: {stack}}}"), "--to", "1.14.1")
        for stack in ("operator", "standalone")
    }
    flags = {route: answer("upgrade", "--talos", "1.13.9", "--to", "1.14.1", "--route", route) for route in plan}

    assert plan == flags
    assert plan["operator"] != plan["standalone"]


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ([], "--class must be given for a file with several classes, 'rtx', 'p40'"),
        (["--class", "rtxx"], "--class must be one of the classes of {}, 'rtx', 'p40' (got 'rtxx'); did you mean 'rtx'?"),
        (["--class", "a/rtx"], "--class must be a class of the only cluster of {}, without the name of a cluster (got 'a/rtx')"),
    ],
)
def test_a_class_that_the_file_does_not_have_is_refused(flags, expected, refusal, nodes_file):
    assert refusal("patch", nodes_file, *flags) == expected.format(nodes_file)


def test_two_taints_of_a_key_are_refused_by_the_flag_that_they_came_by(refusal):
    assert refusal("patch", "--talos", "1.13", "--taint", "a=b", "--taint", "a=c") == (
        "--taint must be a class with one taint for each key (got 'a=b', 'a=c'); the machine configuration is a map of taints by key"
    )


def test_flags_beside_a_file_are_refused_by_their_names(refusal, nodes_file):
    flags = ["--talos", "1.14", "--gpus-per-node", "3", "--label", "a=b", "--taint", "a", "--time-slicing", "3", "--kernel-modules", "open"]

    assert refusal("patch", nodes_file, *flags) == (
        f"--talos, --kernel-modules, --gpus-per-node, --label, --taint, --time-slicing or --mps must be left out beside the cluster file "
        f"{nodes_file}, which describes its nodes"
    )


def test_what_is_wrong_in_a_file_is_said_in_the_words_of_the_file_without_its_values(refusal, cluster):
    path = cluster("talos: 1.13.9\nnodes:\n  gpu:\n    cards: hunter2\n")

    assert refusal("patch", path) == f"{path}:4: 'nodes.gpu.cards' must be a whole number of at least 1"


@pytest.mark.parametrize(
    "arguments",
    [
        ["patch", "--talos", "1.13", "--for", "talhelper", "--talconfig", "none.yaml", "--hostname", "gpu-1"],
        ["upgrade", "--talos", "1.12", "--to", "1.13", "--leftovers", "none.yaml"],
        ["patch", "--talos", "1.13", "--output", "none.yaml/out"],
    ],
)
def test_a_missing_file_is_one_sentence_that_names_it(arguments, refusal, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    flag, path = next(pair for pair in itertools.pairwise(arguments) if "none.yaml" in pair[1])

    rule = "written" if flag == "--output" else "read"
    assert refusal(*arguments) == f"{flag} must be a file that can be {rule} (got '{path}'); no such file or directory"


@pytest.mark.parametrize("given", [[], ["--talos", "1.13", "--output"]])
def test_a_folder_is_no_file(given, refusal, tmp_path):
    assert refusal("patch", *given, tmp_path).endswith(f" (got '{tmp_path}'); is a directory")


def test_a_label_with_two_values_is_refused(refusal, answer):
    twice = ["patch", "--talos", "1.13", "--label", "role=gpu", "--label"]

    assert refusal(*twice, "role=ai") == "--label must be given with one value for each key (got 'role=ai'); another flag sets role=gpu"
    assert answer(*twice, "role=gpu") == answer(*twice[:-1])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["patch"], "FILE must be a file of text (got '{path}')"),
        (["upgrade", *WORKS["upgrade"], "--leftovers"], "--leftovers must be a file of text (got '{path}')"),
        (
            ["patch", "--talos", "1.13", "--for", "talhelper", "--hostname", "a", "--talconfig"],
            "--talconfig must be a file of text (got '{path}')",
        ),
    ],
)
def test_a_file_that_is_no_text_is_named(arguments, expected, refusal, tmp_path):
    path = tmp_path / "binary.yaml"
    path.write_bytes(b"\xff\xfe\x00")

    assert refusal(*arguments, path) == expected.format(path=path)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("--count x", "--count must be a whole number of at least 1 (got 'x')"),
        ("--gpus-per-node 1.5", "--gpus-per-node must be a whole number of at least 1 (got '1.5')"),
        (
            "--time-slicing many",
            "--time-slicing must be a whole number of at least 2 (got 'many'); one pod for each GPU needs no --time-slicing",
        ),
        ("--mps x", "--mps must be a whole number from 2 to 48 (got 'x')"),
        ("--for omni --cluster home --weight x", "--weight must be a whole number from 0 to 999 (got 'x')"),
    ],
)
def test_what_is_no_number_is_refused_by_the_rule_for_it(arguments, expected, refusal):
    assert refusal("patch", "--talos", "1.13", *arguments.split()) == expected


def test_the_reason_of_an_error_is_that_of_the_system_or_the_whole_text():
    assert streams.reason(FileNotFoundError(2, "No such file or directory", "a.yaml")) == "no such file or directory"
    assert streams.reason(OSError("Not a real file")) == "not a real file"
