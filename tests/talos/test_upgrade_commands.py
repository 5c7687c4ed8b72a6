"""The flags of the commands in an upgrade plan."""

import pytest

from constructs_lib import GpuNodes, MachineConfigPatch
from constructs_lib.talos.upgrade_commands import config_flags

HARDEN = "net.core.bpf_jit_harden"
OTHER = "vm.max_map_count"


@pytest.mark.parametrize(
    ("sysctls", "to", "flags"),
    [
        ({}, "1.12", []),
        ({HARDEN: "1"}, "1.12", []),
        ({HARDEN: "0"}, "1.12", [f"{HARDEN}=0"]),
        ({HARDEN: "0"}, "1.14", []),
        ({OTHER: "1"}, "1.12", [f"{OTHER}=1"]),
        ({OTHER: "1"}, "1.14", [f"{OTHER}=1"]),
    ],
    ids=["none", "as needed", "another value", "no longer needed", "the user's", "the user's on every Talos"],
)
def test_a_sysctl_is_a_flag_unless_the_new_talos_needs_or_replaces_it(sysctls, to, flags):
    patch = MachineConfigPatch(nodes=GpuNodes(talos_version="1.11"), sysctls=sysctls)

    assert config_flags(patch, GpuNodes(talos_version=to)) == [word for flag in flags for word in ("--sysctl", flag)]
