"""`Dra`, and what it makes of a class of nodes."""

import copy
import pickle

import pytest

from conftest import message
from constructs_lib import Dra, GpuNodes, TalosGpuWarning, TimeSlicing, read_nodes
from constructs_lib.nodes.dra import DraShare, TimeSliceInterval, claim_name
from constructs_lib.talos import MachineConfigPatch, UpgradePlan

SHARES = "'exclusive', 'claim', 'time-slicing', 'consumable'"
NO_MPS = (
    "the MPS daemon of the DRA driver can't start on Talos: the daemon mounts folders inside the driver root /usr/local, which is read-only"
)
CONSUMABLE = "a number of claims, 'unlimited' or 'memory' with share='consumable'"


def nodes(**given):
    return GpuNodes(**{"talos_version": "1.14", "dra": Dra(), **given})


def test_nobody_shares_a_gpu_unless_it_is_said():
    dra = Dra()

    assert (dra.share, dra.interval, dra.shares, dra.selectors) == (DraShare.EXCLUSIVE, None, None, ())
    assert (dra.driver_feature_gates, dra.kubernetes_feature_gates, dra.consumable_shares) == ({}, (), "")


@pytest.mark.parametrize(
    ("given", "driver", "kubernetes", "shares", "one_claim", "claims_per_gpu"),
    [
        ({}, {}, (), "", False, 1),
        ({"share": "claim"}, {}, (), "", True, None),
        ({"share": "time-slicing"}, {"TimeSlicingSettings": True}, (), "", True, None),
        ({"share": "consumable", "shares": 5}, {"ConsumableShares": True}, ("DRAConsumableCapacity",), "5", False, 5),
        ({"share": "consumable", "shares": "unlimited"}, {"ConsumableShares": True}, ("DRAConsumableCapacity",), "unlimited", False, None),
        ({"share": "consumable", "shares": "memory"}, {"ConsumableShares": True}, ("DRAConsumableCapacity",), "memory", False, None),
        ({"extended_resource": True}, {}, ("DRAExtendedResource",), "", False, 1),
    ],
)
def test_the_gates_follow_from_the_choice(given, driver, kubernetes, shares, one_claim, claims_per_gpu):
    dra = Dra(**given)

    assert (dra.driver_feature_gates, dra.kubernetes_feature_gates) == (driver, kubernetes)
    assert (dra.consumable_shares, dra.is_one_claim, dra.claims_per_gpu) == (shares, one_claim, claims_per_gpu)


def test_turns_are_the_drivers_own_unless_it_is_said():
    assert Dra(share="time-slicing").interval is TimeSliceInterval.DEFAULT
    assert Dra(share=DraShare.TIME_SLICING, interval="Long").interval is TimeSliceInterval.LONG


@pytest.mark.parametrize(
    ("given", "error", "expected"),
    [
        ({"share": "exclusiv"}, ValueError, f"'share' must be one of {SHARES} (got 'exclusiv'); did you mean 'exclusive'?"),
        ({"share": None}, TypeError, f"'share' must be one of {SHARES} (got None)"),
        ({"share": "mps"}, ValueError, f"'share' must be one of {SHARES} (got 'mps'); {NO_MPS}"),
        ({"share": "MPS"}, ValueError, f"'share' must be one of {SHARES} (got 'MPS'); {NO_MPS}"),
        (
            {"share": "time-slicing", "interval": "long"},
            ValueError,
            "'interval' must be one of 'Default', 'Short', 'Medium', 'Long' (got 'long'); did you mean 'Long'?",
        ),
        (
            {"share": "time-slicing", "interval": 2},
            TypeError,
            "'interval' must be one of 'Default', 'Short', 'Medium', 'Long' (got 2)",
        ),
        (
            {"interval": "Long"},
            ValueError,
            "'interval' must be left out with share='exclusive' (got 'Long'); the interval is for share='time-slicing'",
        ),
        (
            {"share": "claim", "shares": 2},
            ValueError,
            "'shares' must be left out with share='claim' (got 2); the number is for share='consumable'",
        ),
        (
            {"share": "time-slicing", "shares": 2},
            ValueError,
            "'shares' must be left out with share='time-slicing' (got 2); the number is for share='consumable'",
        ),
        ({"share": "consumable"}, TypeError, f"'shares' must be {CONSUMABLE} (got None)"),
        ({"share": "consumable", "shares": True}, TypeError, f"'shares' must be {CONSUMABLE} (got True)"),
        ({"share": "consumable", "shares": 2.0}, TypeError, f"'shares' must be {CONSUMABLE} (got 2.0)"),
        ({"share": "consumable", "shares": "5"}, ValueError, f"'shares' must be {CONSUMABLE} (got '5'); did you mean 5?"),
        ({"share": "consumable", "shares": "disabled"}, ValueError, f"'shares' must be {CONSUMABLE} (got 'disabled')"),
        ({"share": "consumable", "shares": 0}, ValueError, "'shares' must be a whole number of at least 1 (got 0)"),
        (
            {"share": "consumable", "shares": 2, "interval": "Long"},
            ValueError,
            "'interval' must be left out with share='consumable' (got 'Long'); the interval is for share='time-slicing'",
        ),
        ({"selectors": "true"}, TypeError, "'selectors' must be a list of strings (got 'true'); did you mean ['true']?"),
        ({"selectors": [""]}, ValueError, "'selectors' must be a list of CEL expressions (got '')"),
        ({"replicas": 5}, TypeError, ("'replicas' must be an argument of Dra (got replicas=5); the arguments of Dra are 'share', 'interval', "
                                     "'shares', 'selectors', 'extended_resource'")),
        ({"extended_resource": 1}, TypeError, "'extended_resource' must be True or False (got 1)"),
        ({"extended_resource": True, "share": "claim"}, ValueError,
         "'extended_resource' must be False with share='claim' (got True); a limit names no claim that pods share, and no part of a GPU"),
        ({"extended_resource": True, "share": "consumable", "shares": 2}, ValueError,
         "'extended_resource' must be False with share='consumable' (got True); a limit names no claim that pods share, and no part of a GPU"),
        ({"extended_resource": True, "selectors": ["true"]}, ValueError,
         "'extended_resource' must be False with 'selectors' (got True); a limit takes any GPU of the DeviceClass gpu.nvidia.com"),
    ],
)  # fmt: skip
def test_a_wrong_choice_is_refused(given, error, expected):
    assert message(lambda: Dra(**given), error) == expected


@pytest.mark.parametrize(
    "dra",
    [
        Dra(),
        Dra(extended_resource=True),
        Dra(share="consumable", shares=4),
        Dra(share="time-slicing", interval="Short", selectors=["true"]),
    ],
)
def test_is_a_value_that_prints_as_the_call_that_makes_it(dra):
    again = eval(repr(dra), {"Dra": Dra})

    assert again == dra == copy.deepcopy(dra) == pickle.loads(pickle.dumps(dra))
    assert hash(again) == hash(dra)
    assert "None" not in repr(dra)


@pytest.mark.parametrize("talos", ["1.13", "1.14"])
def test_the_agents_of_nodes_whose_pods_claim_still_need_the_runtime_class(talos):
    assert nodes(talos_version=talos).runtime_class == "nvidia"


@pytest.mark.parametrize(
    ("dra", "offered"),
    [(Dra(), 2), (Dra(share="consumable", shares=3), 6), (Dra(share="consumable", shares="memory"), None), (Dra(share="claim"), None)],
)
def test_a_node_offers_as_many_claims_as_its_gpus_serve(dra, offered):
    assert nodes(dra=dra, gpus_per_node=2).advertised_per_node == offered
    assert nodes(dra=dra).advertised_per_node is None


@pytest.mark.parametrize("talos", ["1.8", "1.12"])
def test_claims_are_refused_where_the_driver_finds_no_libraries(talos):
    assert message(lambda: nodes(talos_version=talos)) == (
        f"'dra' must be left out on Talos {talos} (got Dra()); no release of the DRA driver looks for the NVIDIA libraries under "
        "/usr/local/glibc; upgrade to Talos 1.13 first"
    )


def test_claims_are_refused_on_the_preview():
    with pytest.warns(TalosGpuWarning, match="Talos 1.15 is a beta"):
        assert GpuNodes(talos_version="1.15").dra is None
    assert message(lambda: nodes(talos_version="1.15")) == (
        "'dra' must be left out on Talos 1.15 (got Dra()); it is not known yet whether the DRA driver finds the NVIDIA libraries of this Talos"
    )


@pytest.mark.parametrize(
    ("given", "error", "expected"),
    [
        ({"dra": True}, TypeError, "'dra' must be a Dra (got True); such as Dra()"),
        ({"dra": Dra}, TypeError, "'dra' must be a Dra (got the class Dra); such as Dra()"),
        (
            {"sharing": TimeSlicing(replicas=5)},
            ValueError,
            (
                f"'sharing' must be left out with 'dra' (got {TimeSlicing(replicas=5)!r}); 'sharing' is for the device plugin; use "
                "'share' of 'dra' to share claims"
            ),
        ),
        (
            {"mig_strategy": "mixed"},
            ValueError,
            (
                "'mig_strategy' must be 'none' with 'dra' (got 'mixed'); 'mig_strategy' is for the device plugin; the DRA driver "
                "publishes the partitions of a card by itself"
            ),
        ),
    ],
)
def test_what_contradicts_claims_is_refused(given, error, expected):
    assert message(lambda: nodes(**given), error) == expected


def test_a_class_is_read_from_a_file_with_the_arguments_of_dra():
    assert read_nodes('{talos: "1.14", nodes: {gpu: {dra: {share: consumable, shares: 5}}}}') == [
        nodes(dra=Dra(share="consumable", shares=5))
    ]
    assert read_nodes('{talos: "1.14", nodes: {gpu: {dra: {}}}}') == [nodes()]
    assert message(lambda: read_nodes('{talos: "1.14", nodes: {gpu: {dra: claim}}}'), TypeError) == (
        "'nodes.gpu.dra' must be a mapping of the arguments of Dra, such as {share: claim} (got 'claim')"
    )
    assert message(lambda: read_nodes('{talos: "1.14", nodes: {gpu: {dra: {shared: claim}}}}')) == (
        "'nodes.gpu.dra' must be a mapping of the arguments of Dra, 'share', 'interval', 'shares', 'selectors', 'extended_resource' (got 'shared'); did you mean 'share'?"
    )


@pytest.mark.parametrize(
    ("owner", "gpus", "name"), [(None, 1, "gpu"), (None, 2, "gpu-2"), ("rtx", 1, "rtx-gpu"), ("ollama", 8, "ollama-gpu-8")]
)
def test_a_claim_is_named_by_its_owner_and_the_number_of_gpus(owner, gpus, name):
    assert claim_name(owner, gpus) == name


def test_further_folders_of_cdi_leave_the_drivers_own_in_place():
    # From Talos 1.13 on they are beside /run/cdi, where the driver writes (siderolabs/talos hack/cri-plugin.part, internal/pkg/toml).
    patch = MachineConfigPatch(nodes=nodes(talos_version="1.13"), cdi_spec_dirs=["/var/cdi/dynamic"])

    assert "Talos adds these folders to its default, /run/cdi" in patch.text


def test_an_upgrade_looks_for_what_the_driver_publishes():
    *others, offer, _ = UpgradePlan(nodes=nodes(talos_version="1.13", gpus_per_node=2), to="1.14.0").steps

    # The manifests of the DraDriver are the same for both.
    assert not [each for each in others if each.title.startswith("Apply the manifests")]
    assert offer.commands == ("kubectl get resourceslices --field-selector spec.driver=gpu.nvidia.com,spec.nodeName=$NODE -o yaml",)
    assert offer.check == "the ResourceSlices list 2 GPUs of the node"


def test_a_class_that_claims_keeps_its_driver_where_the_operator_comes_or_goes():
    claims = nodes(talos_version="1.13")

    to_operator = UpgradePlan(nodes=claims, to="1.14.0", route="standalone", new_route="operator").steps
    from_operator = UpgradePlan(nodes=claims, to="1.14.0", route="operator", new_route="standalone").steps

    assert [each.title for each in to_operator if each.action == "remove"] == ["Delete the RuntimeClass nvidia."]
    (removed,) = (each for each in from_operator if each.action == "remove")
    assert (removed.title, removed.reason) == ("Uninstall the GPU operator.", "The operator removes its RuntimeClass.")
    assert "DraDriver stays unchanged; NvidiaRuntimeClass and DcgmExporter replace the operator. Without" in next(
        each.reason for each in from_operator if each.title.startswith("Apply the manifests")
    )
