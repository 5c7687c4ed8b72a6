"""Claims with admin access: a monitor sees every device of its node beside the pods that hold them."""

import pytest

from conftest import message
from constructs_lib import Dra, GpuNodes, gpu_claim
from strict_schemas import faults

NODES = GpuNodes(talos_version="1.14", name="a100", dra=Dra())


def test_the_claim_of_a_monitor_gets_every_device_of_the_class_and_has_a_name_of_its_own():
    claim = gpu_claim(nodes=NODES, admin_access=True)

    assert claim["metadata"]["name"] == "a100-gpu-admin"
    assert claim["spec"]["spec"]["devices"]["requests"] == [
        {"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com", "allocationMode": "All", "adminAccess": True}}
    ]
    assert [fault for minor in (34, 37) for fault in faults(claim, minor)] == []


@pytest.mark.parametrize(
    ("nodes", "given", "expected"),
    [
        (NODES, {"gpus": 2}, "'gpus' must be left out with 'admin_access' (got 2); the claim gets every device of the class"),
        (GpuNodes(talos_version="1.14", dra=Dra(share="consumable", shares="memory")), {"gpu_memory": "8Gi"},
         "'gpu_memory' must be left out with 'admin_access' (got '8Gi'); the claim takes nothing of a GPU"),
        (GpuNodes(talos_version="1.14", dra=Dra(share="claim")), {},
         "'admin_access' must be False with share='claim' (got True); one claim has the devices of one node, and a monitor runs on each"),
    ],
)  # fmt: skip
def test_admin_access_beside_an_amount_is_refused(nodes, given, expected):
    assert message(lambda: gpu_claim(nodes=nodes, admin_access=True, **given)) == expected
