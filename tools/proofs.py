"""How each rule of the checks is proven: by a control plane, by a node, by another program of upstream's in a test, or by nothing that a test can run.

`Rule.shown_by` says it of each rule. tests/lab/test_rules_reproduced.py and tests/node/test_rules_on_a_node.py hold the proofs; `tools/docs.py` writes these classes into docs/rules.md.
"""

from collections.abc import Mapping, Sequence

from constructs_lib.checks.rule import Witness
from constructs_lib.checks.rules import RULES


def _shown_by(witness: Witness) -> Sequence[str]:
    return tuple(rule.id for rule in RULES.values() if rule.shown_by is witness)


REPRODUCED: Sequence[str] = _shown_by(Witness.CONTROL_PLANE)
"""The rules whose failing example shows the symptom on a control plane, and whose passing example does not."""

ON_A_NODE: Sequence[str] = _shown_by(Witness.NODE)
"""The rules whose failing example shows the symptom on a node of the rehearsal, and whose passing example does not."""

JUDGED: Sequence[str] = _shown_by(Witness.DECODER)
"""The rules whose words another program of upstream's says in tests/talos/test_omni_judge.py."""

PROVEN: Sequence[str] = (*REPRODUCED, *ON_A_NODE, *JUDGED)

UNPROVEN: Mapping[str, Sequence[str]] = {
    each.value: _shown_by(each) for each in Witness if each not in (Witness.CONTROL_PLANE, Witness.NODE, Witness.DECODER)
}
"""The other rules, by what shows their symptom."""
