"""The ResourceQuota and the LimitRange of GPUs: the names under which Kubernetes counts each kind of GPU, and what is refused."""

import kubernetes_validate
import pytest

from conftest import message
from constructs_lib import Dra, GpuNodes, Passthrough, TimeSlicing
from constructs_lib.manifests.objects import MAIN
from constructs_lib.manifests.queues.gpu_quota_objects import GpuQuotaSettings, gpu_quota

WHOLE = GpuNodes(talos_version="1.13")
SHARED = GpuNodes(talos_version="1.13", name="shared", sharing=TimeSlicing(replicas=4, rename_by_default=True))
MIXED = GpuNodes(talos_version="1.13", name="mixed", mig_devices=[{}, {"1g.10gb": 3, "1g.20gb+me": 1}])
CUT = GpuNodes(talos_version="1.13", name="cut", mig_devices={"1g.10gb": 7})
SINGLE = GpuNodes(talos_version="1.13", name="single", mig_strategy="single", mig_devices={"1g.10gb": 7})
UNKNOWN = GpuNodes(talos_version="1.13", name="unknown", mig_strategy="mixed")
CLAIMED = GpuNodes(talos_version="1.13", name="claimed", dra=Dra())
BY_LIMIT = GpuNodes(talos_version="1.13", name="by-limit", dra=Dra(extended_resource=True))
MACHINES = GpuNodes(talos_version="1.13", name="machines", passthrough=Passthrough(pci_ids=["10de:2204"]))
DEVICES = "deviceclass.resource.k8s.io/devices"


def settings(**arguments):
    return GpuQuotaSettings(**{"name": "gpus", **arguments})


@pytest.mark.parametrize(
    ("arguments", "hard"),
    [
        ({"nodes": WHOLE, "gpus": 4}, {"requests.nvidia.com/gpu": "4"}),
        ({"nodes": WHOLE, "gpus": 0}, {"requests.nvidia.com/gpu": "0"}),
        ({"nodes": SHARED, "gpus": 4}, {"requests.nvidia.com/gpu.shared": "4"}),
        ({"nodes": SINGLE, "gpus": 4}, {"requests.nvidia.com/gpu": "4"}),
        (
            {"nodes": MIXED, "profiles": {"1g.10gb": 2}},
            {"requests.nvidia.com/gpu": "0", "requests.nvidia.com/mig-1g.10gb": "2", "requests.nvidia.com/mig-1g.20gb.me": "0"},
        ),
        ({"nodes": CUT, "profiles": {"1g.10gb": 2}}, {"requests.nvidia.com/mig-1g.10gb": "2"}),
        ({"nodes": CUT, "gpus": 0}, {"requests.nvidia.com/mig-1g.10gb": "0"}),
        ({"nodes": UNKNOWN, "profiles": {"2g.20gb": 1}}, {"requests.nvidia.com/gpu": "0", "requests.nvidia.com/mig-2g.20gb": "1"}),
        ({"nodes": CLAIMED, "gpus": 4}, {f"gpu.nvidia.com.{DEVICES}": "4"}),
        (
            {"nodes": BY_LIMIT, "gpus": 4, "profiles": {"1g.10gb": 1}},
            {"requests.nvidia.com/gpu": "4", "requests.nvidia.com/mig-1g.10gb": "1"},
        ),
        (
            {"nodes": CLAIMED, "gpus": 1, "profiles": {"1g.10gb+me": 3}},
            {f"gpu.nvidia.com.{DEVICES}": "1", f"mig-1g.10gb.me.gpu.nvidia.com.{DEVICES}": "3"},
        ),
        ({"nodes": MACHINES, "gpus": 1}, {"requests.nvidia.com/pci-2204": "1"}),
        ({"nodes": [SHARED, CLAIMED], "gpus": 2}, {"requests.nvidia.com/gpu.shared": "2", f"gpu.nvidia.com.{DEVICES}": "2"}),
    ],
)
def test_every_name_of_the_nodes_is_in_the_quota_and_has_0_without_a_number(arguments, hard):
    assert gpu_quota(settings(**arguments))[MAIN]["spec"] == {"hard": hard}


def test_a_container_without_a_gpu_has_the_limit_0_beside_a_maximum():
    objects = gpu_quota(settings(nodes=[WHOLE, SHARED, CLAIMED], gpus=4, gpus_per_container=2, namespace="team", labels={"a": "b"}))

    names = ("nvidia.com/gpu", "nvidia.com/gpu.shared")
    limits = {
        "type": "Container",
        "max": dict.fromkeys(names, "2"),
        "default": dict.fromkeys(names, "0"),
        "defaultRequest": dict.fromkeys(names, "0"),
    }
    assert objects["LimitRange"]["spec"] == {"limits": [limits]}
    assert [each["metadata"] for each in objects.values()] == [{"name": "gpus", "namespace": "team", "labels": {"a": "b"}}] * 2
    assert list(gpu_quota(settings(nodes=WHOLE, gpus=4))) == [MAIN]


@pytest.mark.parametrize("minor", range(28, 38))
def test_the_objects_are_valid_for_every_kubernetes(minor):
    for made in gpu_quota(settings(nodes=[MIXED, CLAIMED], gpus=4, gpus_per_container=2)).values():
        kubernetes_validate.validate(made, f"1.{minor}", strict=True)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"nodes": WHOLE}, TypeError, "'gpus' must be given, or 'profiles' (got nothing); gpus=0 keeps every GPU pod out of the namespace"),
        ({"nodes": WHOLE, "gpus": -1}, ValueError, "'gpus' must be a whole number of at least 0 (got -1)"),
        ({"nodes": WHOLE, "gpus": 0.5}, ValueError, "'gpus' must be a whole number of at least 0 (got 0.5)"),
        (
            {"nodes": [], "gpus": 1},
            ValueError,
            "'nodes' must be a GpuNodes, or a list of them (got []); give at least one class of GPU nodes",
        ),
        (
            {"nodes": CUT, "gpus": 3},
            ValueError,
            "'gpus' must be left out on nodes whose every card is partitioned (got 3); such as profiles={'1g.10gb': 3}",
        ),
        (
            {"nodes": MIXED, "profiles": {"2g.10gb": 1}},
            ValueError,
            "'profiles' must be made of MIG profiles that the nodes offer (got '2g.10gb'); did you mean '1g.10gb'?",
        ),
        (
            {"nodes": WHOLE, "profiles": {"1g.10gb": 1}},
            ValueError,
            (
                "'profiles' must be made of MIG profiles that the nodes offer (got '1g.10gb'); MIG profiles are resources of their own with "
                "mig_strategy='mixed' and with 'dra' alone"
            ),
        ),
        (
            {"nodes": CLAIMED, "gpus": 1, "gpus_per_container": 1},
            ValueError,
            (
                "'gpus_per_container' must be left out where pods claim their GPUs ('dra' of GpuNodes) (got 1); a LimitRange can't limit claims; "
                "each claim is of a fixed number of GPUs, which 'gpus' counts"
            ),
        ),
    ],
)
def test_wrong_numbers_are_refused(arguments, error, says):
    assert message(lambda: settings(**arguments), error) == says
