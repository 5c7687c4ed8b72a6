import warnings

import pytest
from attrs.exceptions import FrozenInstanceError

from conftest import message
from constructs_lib import GpuNodes, Mps, TalosGpuWarning, TimeSlicing

AT_LEAST_2 = "'replicas' must be a whole number of at least 2"
MPS = "Mps(replicas=4, rename_by_default=False, fail_requests_greater_than_one=True)"
FROM_2_TO_48 = "'replicas' must be a whole number from 2 to 48"


@pytest.mark.parametrize(("kind", "refuses_more_than_one"), [(TimeSlicing, False), (Mps, True)])
def test_defaults_are_upstreams(kind, refuses_more_than_one):
    sharing = kind(replicas=5)

    assert sharing.replicas == 5
    assert sharing.rename_by_default is False
    assert sharing.fail_requests_greater_than_one is refuses_more_than_one


@pytest.mark.parametrize(("kind", "most"), [(TimeSlicing, 1000), (Mps, 48)])
def test_from_two_pods_to_the_most_share_a_gpu(kind, most):
    assert kind(replicas=2).replicas == 2
    assert kind(replicas=most).replicas == most


@pytest.mark.parametrize("kind", [TimeSlicing, Mps])
@pytest.mark.parametrize("flag", ["rename_by_default", "fail_requests_greater_than_one"])
@pytest.mark.parametrize("value", [True, False])
def test_a_flag_is_held_as_given(kind, flag, value):
    assert getattr(kind(replicas=2, **{flag: value}), flag) is value


def test_equal_settings_are_equal_and_time_slicing_is_not_mps():
    assert TimeSlicing(replicas=5) == TimeSlicing(replicas=5)
    assert hash(TimeSlicing(replicas=5)) == hash(TimeSlicing(replicas=5))
    assert TimeSlicing(replicas=5) != TimeSlicing(replicas=4)
    assert TimeSlicing(replicas=5, fail_requests_greater_than_one=True) != Mps(replicas=5)


def test_is_frozen():
    sharing = TimeSlicing(replicas=5)

    assert message(lambda: setattr(sharing, "replicas", 6), FrozenInstanceError) == "can't set attribute"


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (1, ValueError),
        (0, ValueError),
        (-2, ValueError),
        (2.0, ValueError),
        (2.5, ValueError),
        (True, TypeError),
        ("5", TypeError),
        (None, TypeError),
    ],
)
def test_replicas_that_share_nothing_are_refused(value, error):
    then = {"2.0": "did you mean 2?", "'5'": "did you mean 5?"}.get(repr(value), "one pod for each GPU needs no 'sharing'")
    assert message(lambda: TimeSlicing(replicas=value), error) == f"{AT_LEAST_2} (got {value!r}); {then}"


@pytest.mark.parametrize(("value", "error"), [(1, ValueError), (49, ValueError), (4.0, ValueError), (True, TypeError), ("4", TypeError)])
def test_more_mps_clients_than_a_gpu_serves_are_refused(value, error):
    then = "; did you mean 4?" if value in (4.0, "4") else ""
    assert message(lambda: Mps(replicas=value), error) == f"{FROM_2_TO_48} (got {value!r}){then}"


@pytest.mark.parametrize("kind", [TimeSlicing, Mps])
@pytest.mark.parametrize("flag", ["rename_by_default", "fail_requests_greater_than_one"])
@pytest.mark.parametrize("value", ["false", 0, 1, None])
def test_a_flag_is_true_or_false_and_no_string(kind, flag, value):
    then = "; did you mean False?" if value == "false" else ""
    assert message(lambda: kind(replicas=2, **{flag: value}), TypeError) == f"'{flag}' must be True or False (got {value!r}){then}"


@pytest.mark.parametrize(("rename", "resource"), [(False, "nvidia.com/gpu"), (True, "nvidia.com/gpu.shared")])
def test_renamed_shares_are_another_resource_than_cards(rename, resource):
    assert GpuNodes(talos_version="1.12", sharing=TimeSlicing(replicas=5, rename_by_default=rename)).resource_name == resource


def test_a_node_advertises_replicas_times_its_gpus():
    assert GpuNodes(talos_version="1.12", gpus_per_node=2, sharing=TimeSlicing(replicas=5)).advertised_per_node == 10


def test_mps_is_refused_on_talos_1_12_where_its_server_exits():
    assert message(lambda: GpuNodes(talos_version="1.12", sharing=Mps(replicas=4))) == (
        f"'sharing' must be a TimeSlicing on Talos 1.12 (got {MPS}); on Talos 1.12 the MPS server exits when a pod connects "
        "(NVIDIA/k8s-device-plugin#1614); use TimeSlicing, or Talos 1.13"
    )


@pytest.mark.parametrize("strategy", ["single", "mixed"])
@pytest.mark.parametrize("talos", ["1.12", "1.14"])
def test_mps_is_refused_beside_mig(talos, strategy):
    assert message(lambda: GpuNodes(talos_version=talos, sharing=Mps(replicas=4), mig_strategy=strategy)) == (
        f"'sharing' must be a TimeSlicing with mig_strategy='{strategy}' (got {MPS}); MPS does not support MIG devices"
    )


@pytest.mark.parametrize("talos", ["1.8", "1.11", "1.13", "1.14"])
def test_mps_on_any_other_talos_warns_from_the_users_own_line(talos):
    with pytest.warns(TalosGpuWarning) as caught:
        nodes = GpuNodes(talos_version=talos, sharing=Mps(replicas=4))

    assert nodes.sharing == Mps(replicas=4)
    assert [str(each.message) for each in caught] == [f"no report is known of MPS working on Talos {talos}; clusters use time-slicing"]
    assert caught[0].filename == __file__


def test_a_warning_can_be_made_an_error_in_ci():
    with warnings.catch_warnings():
        warnings.simplefilter("error", TalosGpuWarning)
        assert message(lambda: GpuNodes(talos_version="1.13", sharing=Mps(replicas=4)), TalosGpuWarning).startswith(
            "no report is known of MPS "
        )
