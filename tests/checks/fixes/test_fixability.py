"""Which rules are fixable, in the rules' descriptions."""

from constructs_lib.checks.fixes.fixer import flags_of_fix
from constructs_lib.checks.formats.explain import explained
from constructs_lib.checks.rules import RULES


def test_an_explanation_names_the_flags_of_the_fix():
    assert "\nfixable: talos-gpu check --fix\n" in explained(RULES["TG042"])
    assert "\nfixable: talos-gpu check --fix --unsafe-fixes\n" in explained(RULES["TG052"])
    assert "fixable" not in explained(RULES["TG001"])


def test_the_fixable_rules_are_as_they_were_read(snapshot_yaml):
    assert {rule.id: flags for rule in RULES.values() if (flags := flags_of_fix(rule))} == snapshot_yaml
