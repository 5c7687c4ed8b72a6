"""Cards that the files name: whether they run on another driver, and with which kernel modules."""

import pytest
from test_cluster_change import change, rows
from test_parts import SERVER

from constructs_lib.changes.cards import card_changes
from constructs_lib.changes.change_text import change_markdown, change_text, summary
from constructs_lib.changes.node_drivers import node_drivers
from constructs_lib.nodes.gpu_nodes import GpuNodes
from constructs_lib.observed.model import Inputs

TALCONFIG = """\
clusterName: home
talosVersion: v1.12.3
endpoint: https://10.0.0.1:6443
nodes:
  - hostname: gpu-1
    ipAddress: 10.0.0.2
    controlPlane: false
    nodeLabels: {nvidia.com/gpu.product: CARD}
    schematic:
      customization:
        systemExtensions:
          officialExtensions: [siderolabs/MODULES-TRACK, siderolabs/nvidia-container-toolkit-TRACK]
"""
OPEN, PROPRIETARY = "nvidia-open-gpu-kernel-modules", "nonfree-kmod-nvidia"


def talconfig(talos, card, modules, track="production"):
    text = TALCONFIG.replace("v1.12.3", talos).replace("CARD", card)
    return text.replace("MODULES", modules).replace("TRACK", track)


def cards(old, new):
    return [str(each) for each in change(old, new).cards]


def test_a_card_that_the_new_driver_does_not_run_is_told_first():
    """Branch 580 is the last one for Pascal."""
    old, new = (talconfig(talos, "Tesla-P40", PROPRIETARY) for talos in ("v1.12.3", "v1.13.3"))
    found = change(old, new)

    line = "Tesla-P40 (gpu-1): runs no more: this card needs a driver of at most 580, and the 'production' driver is 595"
    assert [*map(str, found.cards)] == [line]
    assert list(change_text(found))[1] == f"  {line}\n"
    assert list(change_markdown(found))[2] == f"- {line}\n"
    assert summary(found).startswith("1 card that the driver does not run; ")


def test_a_card_that_runs_on_is_told_with_its_driver_and_modules():
    old, new = (talconfig(talos, "NVIDIA-GeForce-RTX-4090", OPEN) for talos in ("v1.12.3", "v1.13.3"))
    found = change(old, new)

    assert [*map(str, found.cards)] == ["NVIDIA-GeForce-RTX-4090 (gpu-1): still runs: driver 595 (production) with the open kernel modules"]
    assert "does not run" not in summary(found)


def test_other_modules_that_do_not_run_the_card_are_told():
    old, new = (talconfig("v1.12.3", "Tesla-P40", modules, "lts") for modules in (PROPRIETARY, OPEN))

    reason = "the open modules need a Turing card or newer, and this is a Pascal card"
    assert cards(old, new) == [f"Tesla-P40 (gpu-1): runs no more: {reason}"]
    assert cards(new, old) == ["Tesla-P40 (gpu-1): runs now: driver 580 (lts) with the proprietary kernel modules"]
    newer = new.replace("v1.12.3", "v1.13.3")
    assert cards(new, newer) == [f"Tesla-P40 (gpu-1): runs on neither side: {reason}"]


def test_a_gb10_on_which_cuda_fails_or_whose_modules_are_disputed_is_not_said_to_run():
    old, failing, new = (talconfig(talos, "NVIDIA-GB10", OPEN) for talos in ("v1.12.3", "v1.14.0", "v1.14.6"))

    assert [each.runs for each in change(old, failing).cards] == [False]
    assert "CUDA" in change(old, failing).cards[0].words
    assert cards(failing, new)[0].startswith("NVIDIA-GB10 (gpu-1): may run: sources disagree about its kernel modules, and 595")


def test_a_new_or_renamed_node_whose_card_does_not_run_is_told():
    old, new = (talconfig(talos, "Tesla-P40", PROPRIETARY) for talos in ("v1.12.3", "v1.13.3"))

    reason = "this card needs a driver of at most 580, and the 'production' driver is 595"
    assert cards(old, new.replace("gpu-1", "gpu-9")) == [f"Tesla-P40 (gpu-9): does not run: {reason}"]
    assert cards(new, old.replace("gpu-1", "gpu-9")) == []


def test_another_card_than_before_is_not_said_to_run_still_or_no_more():
    old = talconfig("v1.12.3", "RTX-4090", OPEN)

    assert cards(old, talconfig("v1.13.3", "L4", OPEN)) == ["L4 (gpu-1): runs: driver 595 (production) with the open kernel modules"]
    assert cards(old, talconfig("v1.13.3", "Tesla-P40", OPEN))[0].startswith("Tesla-P40 (gpu-1): does not run: ")


@pytest.mark.parametrize("card", ["Tesla-P40", "NVIDIA-GeForce-RTX-4090"])
def test_a_driver_that_stays_says_nothing_of_the_card(card):
    old = talconfig("v1.12.3", card, PROPRIETARY)

    assert cards(old, old + "# a comment\n") == []


def test_cards_with_the_same_answer_are_one_line_and_those_that_stop_are_first():
    text = talconfig("v1.12.3", "RTX-3090", PROPRIETARY)
    head, node = text[: text.index("  - hostname")], text[text.index("  - hostname") :]
    old = head + "".join(
        node.replace("gpu-1", f"gpu-{number}").replace("10.0.0.2", f"10.0.0.{number + 1}").replace("RTX-3090", card)
        for number, card in enumerate(("RTX-3090", "RTX-3090", "GTX-1080"), 1)
    )

    assert cards(old, old.replace("v1.12.3", "v1.13.3")) == [
        "GTX-1080 (gpu-3): runs no more: this card needs a driver of at most 580, and the 'production' driver is 595",
        "RTX-3090 (gpu-1, gpu-2): still runs: driver 595 (production) with the proprietary kernel modules",
    ]


def test_without_an_image_the_only_card_is_told_for_each_track():
    text = TALCONFIG.partition("    nodeLabels")[0]
    old = text + "---\n" + SERVER.replace("spec: {containers", "spec: {nodeSelector: {nvidia.com/gpu.product: Tesla-P40}, containers")

    assert cards(old, old.replace("v1.12.3", "v1.13.3")) == [
        "Tesla-P40 (production track): runs no more: this card needs a driver of at most 580, and the 'production' driver is 595",
        "Tesla-P40 (lts track): still runs: driver 580 (lts) with the proprietary kernel modules",
    ]


def test_a_driver_whose_card_is_not_named_is_told_as_not_compared():
    old, new = (talconfig(talos, "unknown", OPEN) for talos in ("v1.12.3", "v1.13.3"))
    found = change(old, new)

    assert found.cards == []
    assert (
        "whether the cards (gpu-1) run on the new driver: no file names one that the tables know, such as by the label nvidia.com/gpu.product\n"
        in list(change_text(found))
    )
    assert change(new, new.replace("v1.13.3", "v1.13.4")).without_card == []


def test_described_classes_have_the_driver_of_their_card():
    old, new = (GpuNodes(talos_version=talos, name="old", product="GTX 1080") for talos in ("1.12.3", "1.13.3"))
    found = card_changes([node_drivers(Inputs(nodes=(each,), talos_version=each.talos_version)) for each in (old, new)])
    assert [*map(str, found)] == ["GTX 1080 (old): still runs: driver 580 (lts) with the proprietary kernel modules"]


def test_a_branch_and_its_exact_driver_are_no_change():
    newest = GpuNodes(talos_version="1.13").talos_version.release.newest
    old = talconfig("v1.13.3", "RTX-3090", OPEN)

    assert [each for each in rows(change(old, old.replace("v1.13.3", f"v{newest}"))) if each[0].startswith("NVIDIA driver")] == []
