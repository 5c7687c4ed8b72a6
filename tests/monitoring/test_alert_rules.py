"""The alerting rules as a value."""

import copy
import pickle
import re

import pytest

from conftest import ROOT, message
from constructs_lib.monitoring import AlertRules, AlertThresholds
from constructs_lib.monitoring.alert import SICK_CARDS
from constructs_lib.upstream.nvidia.xid_errors import APPLICATION_XIDS, CONTAINED_XID, RESET_XIDS, UNCORRECTABLE_XID


def test_the_rules_are_copied_and_pickled_by_their_constructor_call():
    rules = AlertRules(for_={"GpuXidFatal": "5m"}, alert_labels={"team": "ml"})

    assert copy.deepcopy(rules) == pickle.loads(pickle.dumps(rules)) == rules
    assert repr(rules) == "AlertRules(for_={'GpuXidFatal': '5m'}, alert_labels={'team': 'ml'})"


def test_the_xids_that_mean_a_lost_card_are_these():
    # https://docs.nvidia.com/deploy/xid-errors: those after which NVIDIA asks for a reset or a reboot, which is a reboot of a Talos node.
    fatal = (46, 62, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 143, 155, 156, 158)

    assert AlertThresholds().fatal_xids == fatal


def test_a_duration_of_zero_is_no_threshold_and_a_name_in_both_lists_is_named():
    assert "must be" in message(lambda: AlertThresholds(lookback="0s"))
    assert "(got 'GpuXidFatal')" in message(lambda: AlertRules(enable=["GpuXidFatal"], disable=["GpuPodPending", "GpuXidFatal"]))


def test_no_xid_is_of_two_kinds():
    kinds = [*RESET_XIDS, *APPLICATION_XIDS, CONTAINED_XID, UNCORRECTABLE_XID]

    assert len(set(kinds)) == len(kinds)


def test_each_alert_has_a_runbook_at_its_anchor_of_the_page_that_is_given():
    page = "https://git.example.com/gpus/docs/alerts.md"
    (group,) = AlertRules(runbook_url=page, operator=True).groups

    urls = {rule["alert"]: rule["annotations"]["runbook_url"] for rule in group["rules"]}
    assert urls == {name: f"{page}#{name.lower()}" for name in urls}
    assert len(urls) > 15
    assert all(rule["annotations"]["runbook"] for rule in group["rules"])


def test_where_gpus_are_claimed_the_runbooks_of_a_sick_card_name_the_taint_rule():
    plain, claimed = (
        {rule["alert"]: rule["annotations"]["runbook"] for rule in AlertRules(dra=dra).groups[0]["rules"]} for dra in (False, True)
    )
    words = (
        " With DRA a DeviceTaintRule with NoExecute takes this card alone out of use at once, and the other cards of the node go on: "
        "`kubectl get resourceslices --output yaml` has the device of UUID {{ $labels.UUID }}, and docs/dra.md the rule. Delete the rule when the card is well."
    )

    assert {name: claimed[name].removeprefix(plain[name]) for name in plain if claimed[name] != plain[name]} == dict.fromkeys(
        ["GpuRecoveryActionRequired", "GpuXidFatal", "GpuXidUncorrectable", "GpuUncorrectableEcc", "GpuRowRemapFailure"], words
    )


def test_the_alerts_on_a_sick_card_know_its_uuid():
    alerts = {alert.name: alert for alert in AlertRules().all_alerts}

    assert all("UUID" in alerts[name].expr for name in SICK_CARDS)


def test_without_a_page_no_alert_has_a_url_that_leads_nowhere():
    (group,) = AlertRules().groups

    assert {"runbook_url" in rule["annotations"] for rule in group["rules"]} == {False}


def test_the_page_of_runbooks_has_the_anchor_of_each_alert():
    headings = re.findall(r"^### (\w+)$", (ROOT / "docs" / "alerts.md").read_text(), re.MULTILINE)

    assert headings == [alert.name for alert in AlertRules().all_alerts]
    assert [heading.lower() for heading in headings] == [alert.anchor for alert in AlertRules().all_alerts]


@pytest.mark.parametrize(
    "url", ["docs/alerts.md", "https://example.com/alerts#top", "ftp://example.com", "https://example.com/a b", "https://{{ .x }}"]
)
def test_a_runbook_url_that_no_anchor_could_follow_is_refused(url):
    assert message(lambda: AlertRules(runbook_url=url)) == (
        f"'runbook_url' must be the URL of a page (http or https, without '#') (got {url!r}); each alert appends its own anchor, such as '#gpuxidfatal'"
    )


def test_a_share_of_a_window_is_a_percentage():
    assert message(lambda: AlertThresholds(slowdown_share=100)) == (
        "'slowdown_share' must be a whole number from 1 to 99 (got 100); the unit is %"
    )
