"""The doctor and the alerts judge a card by one table."""

import re

from constructs_lib.doctor.card_state import MINOR_SIGNS
from constructs_lib.monitoring.alert import AlertThresholds
from constructs_lib.monitoring.alert_rules import AlertRules
from constructs_lib.upstream.nvidia import card_thresholds
from constructs_lib.upstream.nvidia.card_signs import CARD_SIGNS

OF_SIGNS = {each.name: each.alert for each in CARD_SIGNS if each.alert}
OTHERS = {"gpu-idle": "GpuAllocatedIdle", "memory-full": "GpuMemoryNearlyFull"}


def test_a_sign_is_minor_where_the_alert_about_the_same_is_off_by_default():
    is_off = {each.name: each.opt_in for each in AlertRules().all_alerts}

    assert {sign: is_off[alert] for sign, alert in {**OF_SIGNS, **OTHERS}.items()} == {
        sign: sign in MINOR_SIGNS for sign in {**OF_SIGNS, **OTHERS}
    }


def test_the_alerts_fire_at_the_thresholds_of_the_table_and_say_so():
    defaults = AlertThresholds()
    table = {
        "idle_utilization": card_thresholds.IDLE,
        "memory_used": card_thresholds.MEMORY_FULL,
        "pcie_replays": card_thresholds.PCIE_REPLAYS,
        "slowdown_share": card_thresholds.SLOWDOWN_SHARE,
    }
    documented = {name: int(re.search(rf"{name}: [^:]*?Default: (\d+)\.", AlertThresholds.__doc__)[1]) for name in table}

    assert {name: getattr(defaults, name) for name in table} == table == documented
