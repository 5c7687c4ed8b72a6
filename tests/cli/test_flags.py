"""An error of Python's in the words of the command line."""

import argparse

import pytest
from command_line import UUID

from constructs_lib import TalosGpuWarning
from constructs_lib.arguments.errors import NOTHING, Argument, InPython, Phrase, Value, in_file, wrong, wrong_kind
from constructs_lib.cli import command
from constructs_lib.cli.flags import in_flags

GIVEN = argparse.Namespace(
    talos_version="1.13", label=["role=a b"], taint=[], gdrcopy=True, mps=None, time_slicing=4, driver_track=None, chosen="rtx", count="x"
)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (wrong("driver_track", "one of 'lts'", "beta"), "--driver-track must be one of 'lts' (got 'beta')"),
        (wrong("labels[role]", "a label value", "a b"), "--label must be a label value (got 'a b')"),
        (wrong("gdrcopy", Phrase(Value(False), " on Talos 1.11"), True), "--gdrcopy must be left out on Talos 1.11 (got --gdrcopy)"),
        (wrong("labels", "others", {"role": "a b"}), "--label must be others (got 'role=a b')"),
        (wrong("taints", "others", []), "--taint must be others (got nothing)"),
        (wrong("class", "a name", None), "--class must be a name (got 'rtx')"),
        (wrong("replicas", "at least 5", 4), "--time-slicing must be at least 5 (got 4)"),
        (
            wrong_kind("talos_version", Phrase("given", InPython(" to GpuNodes")), NOTHING, "no default is right"),
            "--talos must be given (got '1.13'); no default is right",
        ),
        (
            wrong("count", "less", 9, Phrase("with ", Argument("driver_track", "lts"), " or ", Argument("gdrcopy", True))),
            "--count must be less (got 9); with --driver-track 'lts' or --gdrcopy",
        ),
        (wrong("count", "one", 9, Phrase("did you mean ", Value(["a", "b"]), "?")), "--count must be one (got 9); did you mean 'a', 'b'?"),
        (wrong("nodes", "others", object(), part="labels"), "--label must be others (got 'role=a b')"),
    ],
)
def test_the_argument_is_its_flag_and_a_value_is_what_was_typed(error, expected):
    assert in_flags(error, GIVEN) == expected


def test_an_argument_without_a_flag_is_left_to_a_file():
    error = wrong("mig_devices", Phrase("given with ", Argument("sharing")), None, "each has a name")

    assert in_flags(error, GIVEN) == (
        "'mig_devices' must be given with --time-slicing (got nothing); each has a name; set this argument in a cluster file"
    )


@pytest.mark.parametrize(
    "words", ["with 'labels' and count='3'", "a kernel argument such as 'net.ifnames=0'", "must be (got 5); of GpuNodes"]
)
def test_words_are_never_taken_for_arguments(words):
    assert in_flags(wrong("count", words, 5, words), GIVEN) == f"--count must be {words} (got 5); {words}"


# The whole command

GROUNDS = "every generation of Talos needs other manifests, so no default is right for all nodes"
LABEL_VALUE = "a label value (at most 63 letters, digits, '-', '_' and '.', as a string)"
A_TAINT = "a taint such as 'dedicated=ai:NoSchedule'"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("patch", f"--talos must be given: {GROUNDS}"),
        ("patch --talos 1.13.x", "--talos must be a Talos version such as '1.14', from '1.8' on, with or without its patch (got '1.13.x'); did you mean '1.13'?"),
        ("patch --talos 1.13 --kernel-modules opn", "--kernel-modules must be one of 'open', 'proprietary' (got 'opn'); did you mean 'open'?"),
        ("patch --talos 1.13 --driver-track beta", "--driver-track must be one of 'lts', 'production', 'new-feature' (got 'beta')"),
        (
            "patch --talos 1.13 --passthrough 10de:2204,1002:1aef",
            "--passthrough must be a PCI ID of NVIDIA's such as '10de:2204' (got '1002:1aef'); NVIDIA's vendor ID is 10de",
        ),
        (
            "patch --talos 1.13 --passthrough 10de:2204 --time-slicing 4",
            "--time-slicing must be left out with --passthrough (got 4); one virtual machine has a whole card",
        ),
        (
            "schematic --talos 1.13 --passthrough 10de:2204 --fabric-manager",
            (
                "--fabric-manager must be left out with --passthrough (got --fabric-manager); the GPUs of these nodes belong to virtual machines, so "
                "the image has no NVIDIA extension"
            ),
        ),
        ("patch --talos 1.13 --mig-strategy mix", "--mig-strategy must be one of 'none', 'single', 'mixed' (got 'mix'); did you mean 'mixed'?"),
        ("patch --talos 1.13 --label role", "--label must be a label such as 'role=gpu' (got 'role')"),
        ("patch --talos 1.13 --taint =ai", f"--taint must be {A_TAINT} (got '=ai'); 'key' must be a label key ('name' or 'prefix/name', the name of at most 63 letters, digits, '-', '_' and '.') (got '')"),
        ("patch --talos 1.13 --taint a=b:Evict", f"--taint must be {A_TAINT} (got 'a=b:Evict'); 'effect' must be one of 'NoSchedule', 'PreferNoSchedule', 'NoExecute' (got 'Evict')"),
        ("patch --talos 1.13 --gpus-per-node 0", "--gpus-per-node must be a whole number of at least 1 (got 0)"),
        ("patch --talos 1.13 --count -1", "--count must be a whole number of at least 1 (got -1)"),
        ("patch --talos 1.13 --memory-per-gpu 16GB", "--memory-per-gpu must be a Kubernetes quantity above zero such as '16Gi' (got '16GB'); did you mean '16Gi'?"),
        ("patch --talos 1.13 --time-slicing 1", "--time-slicing must be a whole number of at least 2 (got 1); one pod for each GPU needs no --time-slicing"),
        ("patch --talos 1.13 --time-slicing 2 --mps 2", "--mps must be given without --time-slicing (got 2); a GPU has one kind of sharing"),
        ("patch --talos 1.13 --style yaml", "--style must be one of 'fields', 'documents' (got 'yaml')"),
        ("patch --talos 1.13 --style documents", "--style must be 'fields' on Talos 1.13 (got 'documents'); documents are new in Talos 1.14"),
        ("patch --talos 1.13 --for omni", "--cluster must be given, or --machine without a cluster"),
        (
            f"patch --talos 1.13 --for omni --cluster home --machine {UUID}",
            f"--machine must be given without --cluster (got '{UUID}'); this argument is for a machine in any cluster; for a machine in one cluster use --cluster-machine",
        ),
        ("patch --talos 1.13 --for omni --cluster a --machine-set b", "--machine-set must be the ID of a machine set of cluster 'a' (got 'b'); did you mean 'a-b'?"),
        ("patch --talos 1.13 --for omni --cluster a --cluster-machine b", "--cluster-machine must be the UUID of a machine, in lower case (got 'b')"),
        ("patch --talos 1.13 --for omni --machine b", "--machine must be the UUID of a machine, in lower case (got 'b')"),
        ("patch --talos 1.13 --for omni --cluster a --weight 1000", "--weight must be a whole number from 0 to 999 (got 1000)"),
        ("schematic --talos 1.13.9 --print iso --platform amazon", "--platform must be one of 'metal', 'akamai', 'alibabacloud', 'aws', 'azure', 'cloudstack', 'digital-ocean', 'exoscale', 'gcp', 'hcloud', 'nocloud', 'opennebula', 'openstack', 'oracle', 'scaleway', 'upcloud', 'vmware', 'vultr' (got 'amazon')"),
        ("schematic --talos 1.11 --gdrcopy", "--gdrcopy must be left out on Talos 1.11 (got --gdrcopy); Talos has the module gdrdrv from 1.12 on"),
        ("upgrade --talos 1.12.11", "--to must be given: set the Talos to upgrade to"),
        ("upgrade --talos 1.12.11 --to 1.12.11", "--to must be newer than 1.12.11, which the nodes run (got '1.12.11'); talosctl rollback returns to the Talos before the last upgrade"),
        ("upgrade --talos 1.12 --to 1.13 --route plugin", "--route must be one of 'standalone', 'operator' (got 'plugin')"),
        ("upgrade --talos 1.12 --to 1.13 --new-route plugin", "--new-route must be one of 'standalone', 'operator' (got 'plugin')"),
    ],
)  # fmt: skip
def test_an_error_names_the_flag(arguments, expected, refusal):
    assert refusal(*arguments.split()) == expected


def test_a_card_that_the_modules_can_not_run_is_refused(refusal):
    assert refusal("schematic", "--talos", "1.13", "--product", "GTX 1080", "--kernel-modules", "open") == (
        "--kernel-modules must be 'proprietary' with --product 'GTX 1080' (got 'open'); the open modules need a Turing card or newer, and this is a "
        "Pascal card"
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["patch", "--talos", "1.13", "--label", "role=a b"], f"--label must be {LABEL_VALUE} (got 'a b')"),
        (
            ["schematic", "--talos", "1.13", "--extension", "iscsi-tools"],
            "--extension must be an official extension of Talos 1.13 (got 'iscsi-tools'); did you mean 'siderolabs/iscsi-tools'?",
        ),
        (
            ["schematic", "--talos", "1.13", "--kernel-arg", "a b"],
            "--kernel-arg must be one kernel argument (got 'a b'); did you mean 'a', 'b'?",
        ),
        (["patch", "--talos", "1.13", "--mps", "1"], "--mps must be a whole number from 2 to 48 (got 1)"),
    ],
)
def test_an_error_within_a_list_or_a_kind_of_sharing_names_its_own_flag(arguments, expected, refusal):
    assert refusal(*arguments) == expected


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (
            ["--talos", "1.12", "--mps", "4"],
            (
                "--mps must be --time-slicing on Talos 1.12 (got 4); on Talos 1.12 the MPS server exits when a pod connects "
                "(NVIDIA/k8s-device-plugin#1614); use --time-slicing, or Talos 1.13"
            ),
        ),
        (
            ["--talos", "1.13", "--mps", "4", "--mig-strategy", "single"],
            "--mps must be --time-slicing with --mig-strategy 'single' (got 4); MPS does not support MIG devices",
        ),
        (
            ["--talos", "1.13", "--time-slicing", "4", "--mig-strategy", "mixed"],
            (
                "'mig_devices' must be given with --time-slicing and --mig-strategy 'mixed' (got nothing); the device plugin shares "
                "every MIG profile by its name; set this argument in a cluster file"
            ),
        ),
        (
            ["--talos", "1.14", "--for", "talhelper", "--style", "documents"],
            "--style must be 'fields' with --for talhelper (got 'documents'); talhelper knows no documents yet, and Talos 1.14 takes fields as well",
        ),
        (
            ["--talos", "1.13", "--driver-track", "production", "--kernel-modules", "proprietary", "--product", "GTX 1080"],
            (
                "--driver-track must be 'lts' on Talos 1.13 with --product 'GTX 1080' (got 'production'); this card needs a driver of at most 580, "
                "and the 'production' driver is 595.91.07"
            ),
        ),
    ],
)
def test_what_is_refused_is_said_in_flags_and_not_in_python(flags, expected, refusal):
    assert refusal("patch", *flags) == expected


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        ("first second", "nodes.yaml: 'labels' must be a mapping"),
        ("second", "nodes.yaml: 'labels' must be a mapping"),
        ("third", "nodes.yaml: 'labels' must be a mapping; did you mean 'second'?"),
    ],
)
def test_a_hint_with_one_word_of_a_files_value_is_left_out(got, expected):
    assert str(in_file("nodes.yaml", wrong("labels", "a mapping", got, "did you mean 'second'?"))) == expected


def test_a_warning_of_ours_names_flags_and_any_other_warning_is_shown_as_it_is():
    ours = TalosGpuWarning(Phrase("use ", Argument("driver_track", "lts")))

    assert command._words(ours, GIVEN) == "use --driver-track 'lts'"
    assert command._words(DeprecationWarning("use", "another"), GIVEN) == "('use', 'another')"
