"""The alerting rules as a value."""

import copy
import pickle

from constructs_lib import AlertRules


def test_the_rules_are_copied_and_pickled_by_their_constructor_call():
    rules = AlertRules(for_={"GpuXidFatal": "5m"}, alert_labels={"team": "ml"})

    assert copy.deepcopy(rules) == pickle.loads(pickle.dumps(rules)) == rules
    assert repr(rules) == "AlertRules(for_={'GpuXidFatal': '5m'}, alert_labels={'team': 'ml'})"
