import copy
import pickle

import pytest

from conftest import message
from constructs_lib import GpuNodes, Mps, TalosGpuWarning, TimeSlicing, read_nodes
from constructs_lib.nodes.mig import mig_profile
from constructs_lib.upstream.nvidia.gpu_resources import mig_resource
from constructs_lib.upstream.nvidia.plugin_words import MigStrategy

PROFILE = "a MIG profile such as '1g.10gb' or '1g.10gb+me'"
DEVICES = "a mapping of MIG profiles to numbers, such as {'1g.10gb': 7}, or a list of one for each GPU"
SEVEN = {"1g.10gb": 7}
BALANCED = {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}


def nodes(devices=None, strategy="mixed", **given):
    return GpuNodes(**{"talos_version": "1.14", "mig_strategy": strategy, "mig_devices": devices, **given})


@pytest.mark.parametrize(
    ("profile", "resource"),
    [
        ("1g.5gb", "nvidia.com/mig-1g.5gb"),
        ("7g.141gb", "nvidia.com/mig-7g.141gb"),
        ("1g.10gb+me", "nvidia.com/mig-1g.10gb.me"),
        ("1g.24gb+me.all", "nvidia.com/mig-1g.24gb.me.all"),
        ("1g.24gb+gfx", "nvidia.com/mig-1g.24gb.gfx"),
        ("1g.24gb-me", "nvidia.com/mig-1g.24gb-me"),
    ],
)
def test_a_profile_is_advertised_under_its_name_with_a_dot_for_the_plus(profile, resource):
    assert mig_profile("profile", profile) == profile
    assert mig_resource(profile) == resource


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1g10gb", "1g.10gb"),
        ("1G.10GB", "1g.10gb"),
        ("1g.10g", "1g.10gb"),
        ("mig-1g.10gb", "1g.10gb"),
        ("nvidia.com/mig-1g.10gb", "1g.10gb"),
        ("nvidia.com/mig-1g.10gb.me", "1g.10gb+me"),
        ("1g.24gb.me.all", "1g.24gb+me.all"),
        ("1g-24gb-me", "1g.24gb-me"),
    ],
)
def test_a_profile_that_is_nearly_one_is_answered_with_the_one_that_was_meant(written, meant):
    assert message(lambda: mig_profile("profile", written)) == f"'profile' must be {PROFILE} (got {written!r}); did you mean '{meant}'?"


@pytest.mark.parametrize("written", ["all", "1g", "10gb", "1c.2g.10gb", "0g.10gb", "1g.10gb+foo", "1g.10gb+me-me", "1g.10gb\n"])
def test_a_profile_that_is_none_is_refused(written):
    said = message(lambda: mig_profile("profile", written))

    assert said.startswith(f"'profile' must be {PROFILE} (got {written!r})")


@pytest.mark.parametrize(("written", "error"), [("", ValueError), (None, TypeError), (10, TypeError)])
def test_a_profile_is_a_string(written, error):
    assert message(lambda: mig_profile("profile", written), error) == f"'profile' must be {PROFILE} (got {written!r})"


def test_nodes_hold_one_layout_for_every_gpu_or_one_for_each():
    assert nodes(SEVEN).mig_devices == SEVEN
    assert nodes([{}, SEVEN]).mig_devices == ({}, SEVEN)
    assert nodes(({}, SEVEN)) == nodes([{}, SEVEN]) != nodes(SEVEN)
    assert nodes().mig_devices is None


def test_what_nodes_hold_is_not_changed_by_who_gave_it():
    given = dict(SEVEN)
    made = nodes(given)
    given["1g.10gb"] = 1

    assert made.mig_devices == SEVEN


@pytest.mark.parametrize("devices", [SEVEN, [{}, SEVEN]])
def test_nodes_with_partitions_are_printed_copied_pickled_and_hashed(devices):
    made = nodes(devices)

    assert repr(made) == f"GpuNodes(talos_version='1.14', mig_devices={devices!r})"
    assert copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == made
    assert hash(made) == hash(nodes(devices))


def test_a_file_says_it_in_the_words_of_mig_parted():
    text = 'talos: "1.14"\nnodes:\n  gpu:\n    mig_strategy: mixed\n    mig_devices:\n    - {}\n    - {1g.10gb: 7}\n'

    assert read_nodes(text) == [nodes([{}, SEVEN])]


@pytest.mark.parametrize(
    ("devices", "error", "says"),
    [
        ({}, ValueError, f"'mig_devices' must be {DEVICES} (got {{}}); whole GPUs need no 'mig_devices'"),
        ([{}, {}], ValueError, f"'mig_devices' must be {DEVICES} (got [{{}}, {{}}]); whole GPUs need no 'mig_devices'"),
        ("1g.10gb", TypeError, f"'mig_devices' must be {DEVICES} (got '1g.10gb'); did you mean {{'1g.10gb': 1}}?"),
        (7, TypeError, f"'mig_devices' must be {DEVICES} (got 7)"),
        (["1g.10gb"], TypeError, f"'mig_devices' must be {DEVICES} (got ['1g.10gb']); did you mean {{'1g.10gb': 1}}?"),
        (
            ["2g.20gb", "1g10gb", "1g.10gb"],
            TypeError,
            f"'mig_devices' must be {DEVICES} (got ['2g.20gb', '1g10gb', '1g.10gb']); did you mean {{'2g.20gb': 1, '1g.10gb': 2}}?",
        ),
        (["all"], TypeError, f"'mig_devices' must be {DEVICES} (got ['all'])"),
        ({"1g10gb": 7}, ValueError, f"'mig_devices' must be {PROFILE} (got '1g10gb'); did you mean '1g.10gb'?"),
        ([{}, {"1g.10gb.me": 1}], ValueError, f"'mig_devices[1]' must be {PROFILE} (got '1g.10gb.me'); did you mean '1g.10gb+me'?"),
        ({"1g.10gb": 0}, ValueError, "'mig_devices[1g.10gb]' must be a whole number of at least 1 (got 0)"),
        ({"1g.10gb": "7"}, TypeError, "'mig_devices[1g.10gb]' must be a whole number of at least 1 (got '7'); did you mean 7?"),
    ],
)
def test_a_layout_that_is_none_is_refused(devices, error, says):
    assert message(lambda: nodes(devices), error) == says


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            {"devices": SEVEN, "strategy": "none"},
            (
                "'mig_strategy' must be 'single' or 'mixed' with 'mig_devices' (got 'none'); 'mixed' advertises a partition by its "
                "profile, 'single' as a GPU; 'none' advertises whole GPUs only"
            ),
        ),
        *[
            (
                {"devices": devices, "strategy": "single"},
                (
                    f"'mig_devices' must be one profile on every GPU with mig_strategy='single' (got {devices!r}); the device plugin "
                    "does not start with another layout; use 'mixed'"
                ),
            )
            for devices in (BALANCED, [SEVEN, {}], [SEVEN, {"2g.20gb": 3}])
        ],
        (
            {"devices": [{}, SEVEN], "gpus_per_node": 4},
            "'mig_devices' must be one mapping for all GPUs, or one for each of 4 (got [{}, {'1g.10gb': 7}])",
        ),
        (
            {"sharing": TimeSlicing(replicas=2)},
            "'mig_devices' must be given with 'sharing' and mig_strategy='mixed' (got None); the device plugin shares every MIG profile by its name",
        ),
        (
            {"devices": SEVEN, "sharing": Mps(replicas=2)},
            (
                "'sharing' must be a TimeSlicing with mig_strategy='mixed' (got Mps(replicas=2, rename_by_default=False, "
                "fail_requests_greater_than_one=True)); MPS does not support MIG devices"
            ),
        ),
    ],
)
def test_what_the_device_plugin_would_not_start_with_is_refused(given, says):
    assert message(lambda: nodes(**given)) == says


@pytest.mark.parametrize(
    ("strategy", "devices", "profile", "offered"),
    [
        ("none", None, None, 4),
        ("single", SEVEN, None, 28),
        ("single", [SEVEN] * 4, None, 28),
        ("mixed", BALANCED, "1g.10gb", 8),
        ("mixed", BALANCED, "3g.40gb", 4),
        ("mixed", BALANCED, "7g.80gb", 0),
        ("mixed", BALANCED, None, 0),
        ("mixed", [{}, {}, BALANCED, SEVEN], None, 2),
        ("mixed", [{}, {}, BALANCED, SEVEN], "1g.10gb", 9),
        ("single", None, None, None),
        ("mixed", None, "1g.10gb", None),
    ],
)
@pytest.mark.parametrize("replicas", [None, 3])
def test_a_node_offers_its_partitions_and_shares_of_each(strategy, devices, profile, offered, replicas):
    if replicas and strategy == "mixed" and devices is None:
        return
    made = nodes(devices, strategy, gpus_per_node=4, sharing=TimeSlicing(replicas=replicas) if replicas else None)

    assert made.advertised(profile) == (offered if offered is None else offered * (replicas or 1))


def test_without_the_number_of_gpus_only_a_list_says_what_a_node_offers():
    assert nodes(SEVEN).advertised("1g.10gb") is None
    assert nodes([SEVEN, SEVEN]).advertised("1g.10gb") == 14
    assert nodes(SEVEN, "single").advertised_per_node is None


@pytest.mark.parametrize(
    ("profile", "rename", "resource"),
    [
        (None, False, "nvidia.com/gpu"),
        (None, True, "nvidia.com/gpu.shared"),
        ("1g.10gb+me", False, "nvidia.com/mig-1g.10gb.me"),
        ("1g.10gb+me", True, "nvidia.com/mig-1g.10gb.me.shared"),
    ],
)
def test_shares_of_a_partition_are_renamed_like_those_of_a_gpu(profile, rename, resource):
    made = nodes({"1g.10gb+me": 1}, sharing=TimeSlicing(replicas=2, rename_by_default=rename))

    assert made.resource(profile) == resource


def test_the_strategies_are_upstreams():
    assert [str(strategy) for strategy in MigStrategy] == ["none", "single", "mixed"]


@pytest.mark.parametrize(
    ("made", "offered"),
    [
        (nodes({"1g.10gb": 7}, gpus_per_node=2), {"nvidia.com/mig-1g.10gb": 14}),
        (nodes([{"1g.10gb": 7}, {}]), {"nvidia.com/mig-1g.10gb": 7, "nvidia.com/gpu": 1}),
        (nodes({"1g.10gb": 7}), {"nvidia.com/mig-1g.10gb": None}),
        (nodes(), {}),
        (nodes({"1g.10gb": 7}, "single", gpus_per_node=2), {"nvidia.com/gpu": 14}),
        (nodes(strategy="none", gpus_per_node=2), {"nvidia.com/gpu": 2}),
        (nodes(strategy="none"), {"nvidia.com/gpu": None}),
    ],
)
def test_a_node_offers_the_resource_of_each_profile_or_the_one_resource_of_its_gpus(made, offered):
    assert made.advertised_resources == offered


@pytest.mark.parametrize("strategy", ["single", "mixed"])
def test_a_strategy_for_a_card_without_mig_is_a_warning(strategy):
    with pytest.warns(TalosGpuWarning) as caught:
        GpuNodes(talos_version="1.14", product="RTX 4090", mig_strategy=strategy)

    assert [str(each.message) for each in caught] == [
        f"mig_strategy='{strategy}' changes nothing: no MIG profile of RTX 4090 is known; leave it out, or share the card with 'sharing'"
    ]


@pytest.mark.parametrize("product", ["A100 80GB", "RTX PRO 6000 Blackwell", None])
def test_a_strategy_for_a_card_with_mig_is_no_warning(product):
    assert GpuNodes(talos_version="1.14", product=product, mig_strategy="mixed").mig_strategy == "mixed"
