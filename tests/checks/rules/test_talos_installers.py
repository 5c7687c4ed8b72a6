"""TG132: the installer image that Talos no longer publishes, in node configurations and in comments for Renovate."""

import pytest
from command_line import run  # noqa: F401  # a fixture

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.repository import read_text

PLAIN = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba"
FACTORY = f"factory.talos.dev/metal-installer/{PLAIN}:v1.14.1"


def machine(image, modules=""):
    return f"machine:\n  install:\n    image: {image}\n{modules}"


def findings(text, **given):
    return [(str(each.severity), each.line) for each in run_rules(read_text(text, **given), select=["TG132"])]


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        (machine("ghcr.io/siderolabs/installer:v1.14.0"), {}, [("error", 3)]),
        (machine(f"ghcr.io/siderolabs/installer:v1.14.0@sha256:{'a' * 64}"), {}, [("error", 3)]),
        ("apiVersion: v1alpha1\nkind: UnattendedInstallConfig\ninstaller: {image: 'ghcr.io/siderolabs/installer:v1.14.0'}\n", {}, [("error", 3)]),
        (machine("ghcr.io/siderolabs/installer:v1.13.9"), {}, []),
        (machine("ghcr.io/siderolabs/installer:latest"), {}, []),
        (machine("ghcr.io/siderolabs/installer:latest"), {"talos": "1.14"}, [("error", 3)]),
        (machine("ghcr.io/siderolabs/installer-base:v1.14.0"), {}, []),
        (machine("ghcr.io/somebody/installer:v1.14.0"), {}, []),
        (machine(f"factory.talos.dev/metal-installer/{PLAIN}:v1.14.0"), {}, []),
    ],
)  # fmt: skip
def test_an_image_of_a_release_that_has_none_is_an_error(text, given, expected):
    assert findings(text, **given) == expected


@pytest.mark.parametrize(
    ("line", "is_watched"),
    [
        ("# renovate: datasource=docker depName=ghcr.io/siderolabs/installer", True),
        ("# renovate: depName=ghcr.io/siderolabs/installer datasource=docker", True),
        ("# renovate: datasource=docker packageName=ghcr.io/siderolabs/installer", True),
        ("# renovate: datasource=docker depName=ghcr.io/siderolabs/installer-base", False),
        ("# renovate: datasource=github-releases depName=siderolabs/talos", False),
        ("# the image ghcr.io/siderolabs/installer is gone", False),
    ],
)
@pytest.mark.parametrize("talos", ["v1.13.9", "v1.14.0"])
def test_what_renovate_is_told_to_watch_is_a_warning(line, is_watched, talos):
    text = f"clusterName: home\nendpoint: https://10.0.0.1:6443\n{line}\ntalosVersion: {talos}\nnodes: []\n"

    assert findings(text) == ([("warning", 3)] if is_watched else [])


def test_the_fix_for_renovate_names_the_releases_of_talos():
    text = "# renovate: depName=ghcr.io/siderolabs/installer\nmachine: {type: worker}\n"
    (found,) = run_rules(read_text(text), select=["TG132"])

    assert found.message == "Renovate watches ghcr.io/siderolabs/installer, which ends with Talos 1.13: it will never propose Talos 1.14"
    assert found.object == "Renovate's comment about ghcr.io/siderolabs/installer"
    assert "depName=siderolabs/talos" in found.fix


def test_the_unsafe_fix_names_the_image_of_the_factory(tmp_path, run):  # noqa: F811
    path = tmp_path / "node.yaml"
    path.write_text(machine("ghcr.io/siderolabs/installer:v1.14.1"))
    run("check", path, "--fix", "--unsafe-fixes", "--select", "TG132")

    assert path.read_text() == machine(FACTORY)


def test_a_node_with_a_card_has_no_fix_that_a_program_can_make():
    modules = "  kernel: {modules: [{name: nvidia}]}\n"
    (found,) = RULES["TG132"].check(read_text(machine("ghcr.io/siderolabs/installer:v1.14.1", modules)))

    assert found.edits == ()
    assert "--print installer" in RULES["TG132"].fix
