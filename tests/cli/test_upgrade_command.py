"""`talos-gpu upgrade`: the plan in Markdown and JSON."""

import json

import pytest
from command_line import WORKS

from constructs_lib import GpuNodes, Schematic, UpgradePlan


@pytest.mark.parametrize(
    ("flags", "given", "image"),
    [
        ([], {}, {}),
        (["--route", "operator"], {"route": "operator"}, {}),
        (["--route", "standalone", "--new-route", "operator"], {"new_route": "operator"}, {}),
        (["--route", "operator", "--new-route", "standalone"], {"route": "operator", "new_route": "standalone"}, {}),
        (["--extension", "siderolabs/zfs", "--fabric-manager"], {}, {"extensions": ["siderolabs/zfs"], "fabric_manager": True}),
        (["--gdrcopy", "--kernel-arg", "net.ifnames=0"], {}, {"gdrcopy": True, "extra_kernel_args": ["net.ifnames=0"]}),
    ],
)
def test_a_flag_is_the_argument_of_the_plan(flags, given, image, answer):
    nodes = GpuNodes(talos_version="1.12.11")
    plain = UpgradePlan(nodes=nodes, to="1.13.9").markdown
    expected = UpgradePlan(nodes=nodes, to="1.13.9", **given, schematic=Schematic(nodes=nodes, **image)).markdown

    assert answer("upgrade", "--talos", "1.12.11", "--to", "1.13.9", *flags) == expected
    assert (expected == plain) is (not flags)


def test_the_plan_is_markdown_unless_said_otherwise(answer):
    assert answer("upgrade", *WORKS["upgrade"], "--format", "markdown") == answer("upgrade", *WORKS["upgrade"])


def test_the_plan_as_json_has_every_step(answer):
    out = answer("upgrade", "--talos", "1.13.8", "--to", "1.13.9", "--gpus-per-node", "8", "--format", "json")
    made = json.loads(out)

    assert out.startswith('[\n  {\n    "hop": ')
    assert out.endswith("]\n")
    assert [list(each) for each in made] == [["hop", "phase", "action", "title", "reason", "commands", "check"]] * 4
    assert [(each["phase"], each["action"]) for each in made] == [
        ("before", "check"), ("upgrade", "apply"), ("after", "check"), ("after", "check"),
    ]  # fmt: skip
    assert made[0]["hop"] == "1.13.8 → 1.13.9"
    assert made[-1]["check"] == "the number is 8"
    assert made[-1]["commands"] == ["kubectl get node $NODE -o jsonpath='{.status.allocatable.nvidia\\.com/gpu}'"]
