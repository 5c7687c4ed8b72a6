"""The words about kernel arguments, which a node that boots by GRUB ignores."""

import pytest

from constructs_lib import GpuNodes
from constructs_lib.talos import MachineConfigPatch

NOTE = """\
#
# The card needs the kernel argument arm64.nobti in the image (talos-gpu schematic --product).
# A node that boots by GRUB ignores the kernel arguments of its image, unless machine.install.grubUseUKICmdline is true.
#   talosctl --nodes ADDRESS get securitystate -o yaml  # bootedWithUKI is false on a node that boots by GRUB
"""


@pytest.mark.filterwarnings("ignore:.*GB10")
@pytest.mark.parametrize("talos", ["1.13.9", "1.14.0"])
@pytest.mark.parametrize(("product", "notes"), [("GB10", 1), ("RTX 4090", 0), (None, 0)])
def test_a_patch_names_the_kernel_argument_of_the_card_and_the_boot_that_ignores_it(talos, product, notes):
    assert MachineConfigPatch(nodes=GpuNodes(talos_version=talos, product=product)).text.count(NOTE) == notes
