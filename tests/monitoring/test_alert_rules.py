"""The alerting rules as a value."""

import copy
import pickle

from conftest import message
from constructs_lib import AlertRules, AlertThresholds


def test_the_rules_are_copied_and_pickled_by_their_constructor_call():
    rules = AlertRules(for_={"GpuXidFatal": "5m"}, alert_labels={"team": "ml"})

    assert copy.deepcopy(rules) == pickle.loads(pickle.dumps(rules)) == rules
    assert repr(rules) == "AlertRules(for_={'GpuXidFatal': '5m'}, alert_labels={'team': 'ml'})"


def test_the_xids_that_mean_a_lost_card_are_these():
    # https://docs.nvidia.com/deploy/xid-errors: those after which NVIDIA asks for a reset or a reboot, which is a reboot of a Talos node.
    fatal = (46, 48, 62, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 143, 155, 156, 158)

    assert AlertThresholds().fatal_xids == fatal


def test_a_duration_of_zero_is_no_threshold_and_a_name_in_both_lists_is_named():
    assert "must be" in message(lambda: AlertThresholds(lookback="0s"))
    assert "(got 'GpuXidFatal')" in message(lambda: AlertRules(enable=["GpuXidFatal"], disable=["GpuPodPending", "GpuXidFatal"]))
