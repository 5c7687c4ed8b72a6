"""The machine configuration in an image, and the size of the sectors of its disk image."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import message
from constructs_lib import GpuNodes, TalosGpuWarning
from constructs_lib.talos import Schematic, UpgradePlan
from constructs_lib.talos.image.embedded_config import _secrets
from constructs_lib.upstream.talos.factory_ids import schematic_id
from constructs_lib.upstream.talos.features import SECRET_FIELDS

NODES = GpuNodes(talos_version="1.13.9")
HOSTNAME = "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: gpu-1\nauto: off\n"
KEY = "LS0tLS1CRUdJTiBFRDI1NTE5IFBSSVZBVEUgS0VZLS0tLS0K"


def made(config=None, talos="1.13.9", **given_):
    return Schematic(nodes=GpuNodes(talos_version=talos), embedded_config=config, **given_)


def test_the_configuration_is_the_first_field_and_the_sectors_are_the_last():
    schematic = made(HOSTNAME, sector_size=4096, bootloader="sd-boot")

    assert schematic.text == (
        "customization:\n    embeddedMachineConfiguration: |\n"
        "        apiVersion: v1alpha1\n        kind: HostnameConfig\n        hostname: gpu-1\n        auto: off\n"
        "    systemExtensions:\n        officialExtensions:\n"
        "            - siderolabs/nvidia-container-toolkit-production\n            - siderolabs/nvidia-open-gpu-kernel-modules-production\n"
        "    bootloader: sd-boot\n    diskImage:\n        sectorSize: 4096\n"
    )


def test_the_id_of_a_disk_image_with_larger_sectors_is_that_of_the_factory():
    # siderolabs/image-factory pkg/schematic/schematic_test.go, "4k sector disk image"
    assert schematic_id({"customization": {"diskImage": {"sectorSize": 4096}}}) == (
        "92833e9ddd9bb9e11b2464fa5525429f01866306d52ebd882ee08d7918f6d1ea"
    )


def test_the_default_sectors_are_no_field():
    assert made(sector_size=512).id == made().id
    assert "diskImage" not in made().document["customization"]


@pytest.mark.parametrize("size", [0, 1024, "4096", True, None])
def test_disks_have_sectors_of_two_sizes(size):
    assert message(lambda: made(sector_size=size)) == (
        f"'sector_size' must be 512 or 4096 (got {size!r}); the disk image has sectors of this many bytes"
    )


def test_a_talos_that_reads_no_embedded_configuration_is_refused():
    assert message(lambda: made(HOSTNAME + "---\nmachine: {}\n", "1.11.6")) == (
        "'embedded_config' must be left out before Talos 1.12 (got ['HostnameConfig', 'machine']); the Image Factory embeds no configuration into "
        "Talos 1.11.6"
    )
    assert "embeddedMachineConfiguration" in made(HOSTNAME, "1.12.0").document["customization"]


@pytest.mark.parametrize(
    ("config", "path"),
    [
        ("cluster:\n  secret: abc\n", "cluster.secret"),
        (HOSTNAME + "---\nmachine:\n  token: abc\n", "machine.token"),
        (f"machine:\n  ca:\n    crt: LS0tLS1\n    key: {KEY}\n", "machine.ca.key"),
        (f"kind: KubeAPIServerCAConfig\nissuingCA:\n  key: {KEY}\n", "issuingCA.key"),
        ("kind: WireguardConfig\npeers:\n  - publicKey: a\n    presharedKey: b\n", "peers[0].presharedKey"),
        ("kind: SideroLinkConfig\napiUrl: grpc://omni?jointoken=abc\n", "apiUrl"),
        ("machine:\n  env:\n    - |\n      -----BEGIN RSA PRIVATE KEY-----\n", "machine.env[0]"),
    ],
)
def test_a_secret_is_refused_at_the_public_factory_and_never_quoted(config, path):
    assert message(lambda: made(config)) == (
        f"'embedded_config' must be without secrets at factory.talos.dev (got '{path}'); everybody who knows the ID of the schematic can read the "
        "schematic and its images: apply the secret to the node, or give the host of your own factory to 'factory'"
    )


def test_a_factory_of_ones_own_takes_a_secret_with_a_warning():
    sentence = r"contain the secret cluster\.secret: everybody who reaches factory\.example and knows the ID"
    with pytest.warns(TalosGpuWarning, match=sentence):
        made("cluster:\n  secret: abc\n", factory="factory.example")


@pytest.mark.parametrize(
    "config",
    [
        "machine:\n  kubelet:\n    extraConfig:\n      registerWithTaints:\n        - key: dedicated\n          effect: NoSchedule\n",
        "machine:\n  ca:\n    crt: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==\n",
        "cluster:\n  secret: ''\n",
        "machine:\n  registries:\n    config:\n      a.example:\n        auth:\n          username: a\n",
        "kind: WireguardConfig\npeers:\n  - publicKey: a\n",
    ],
)
def test_a_configuration_without_secrets_is_taken(config):
    assert made(config).document["customization"]["embeddedMachineConfiguration"] == config


@given(st.sampled_from(SECRET_FIELDS), st.lists(st.sampled_from(["a", 0]), max_size=4), st.text(min_size=1))
def test_a_secret_field_is_found_at_any_depth(field, depth, secret):
    value = {field: secret}
    for level in depth:
        value = [value] if level == 0 else {"below": value}

    assert [path.rpartition(".")[2] for path in _secrets(value, "")] == [field]


@pytest.mark.parametrize("config", ["- a\n", "", "a: [\n", "text"])
def test_the_configuration_is_yaml_of_documents(config):
    assert message(lambda: made(config)).startswith("'embedded_config' must be ")


@pytest.mark.parametrize(("text", "line"), [("# \N{BULLET}\nsecret: abc\n", 1), ("a: b\nsecret: abc \n", 2), ("a: b\n\n", 3)])
def test_a_configuration_whose_bytes_differ_between_factories_is_refused_by_its_line(text, line):
    assert message(lambda: made(text)) == (
        f"'embedded_config' must be printable ASCII without spaces at the end of a line, without an empty line at its start and its end (got 'line {line}'); "
        "releases of the Image Factory write other text differently, and the ID is the hash of this text"
    )


def test_the_plan_passes_the_sectors_to_every_command_that_has_an_image():
    plan = UpgradePlan(nodes=NODES, to="1.14.6", schematic=Schematic(nodes=NODES, sector_size=4096), tool="talhelper")
    (command,) = (line for step in plan.steps for line in step.commands if "--for talhelper" in line and step.phase == "upgrade")

    assert "--sector-size=4096" in command
    assert "--sector-size" not in UpgradePlan(nodes=NODES, to="1.14.6", schematic=Schematic(nodes=NODES), tool="talhelper").markdown
    omni = UpgradePlan(nodes=NODES, to="1.14.6", schematic=Schematic(nodes=NODES, sector_size=4096), tool="omni").markdown
    assert "--sector-size" not in omni


def test_the_plan_sends_a_schematic_with_a_configuration_from_its_file():
    plan = UpgradePlan(nodes=NODES, to="1.14.6", schematic=made(HOSTNAME))

    assert "schematic.yaml holds the text of the Schematic" in plan.markdown
