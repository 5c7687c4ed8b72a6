"""The GPU operator up to Talos 1.12: its validator can't succeed, so a bridge has to write the marker files that its operands wait for."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.agents.bridges import bridges, may_have_a_bridge, stages_the_driver, validator_is_off
from ...observed.agents.operators import Operator, cdi_is_on, operators
from ...observed.model import Inputs, all_of, equals
from ...observed.nodes.gpu_node_configs import gpu_nodes_run_talos
from ...upstream.charts import gpu_operator_chart
from ...upstream.charts.gpu_operator_chart import TOOLKIT_READY, VALIDATIONS
from ...upstream.talos.features import LEGACY_LAYOUT
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS

_WAITING = f"Every operand waits in Init:0/1 for {VALIDATIONS}/{TOOLKIT_READY}"


def _no_bridge(inputs: Inputs) -> Iterator[Violation]:
    for operator in operators(inputs):
        severity = _severity(inputs, operator)
        if severity and _waits(operator) and not stages_the_driver(operator) and not may_have_a_bridge(inputs):
            where = f"on Talos {inputs.talos_version}" if inputs.talos_version else "on Talos 1.12 and older"
            yield Violation(
                severity=severity,
                message=f"driver.enabled and toolkit.enabled are false. The operator's validator does not find the driver {where}, and nothing in these files writes its marker "
                f"files. {_WAITING}",
                about=operator.about,
                path=operator.path("driver", "enabled"),
            )


def _waits(operator: Operator) -> bool:
    """Whether the operands wait for a validator that looks for Talos' own driver."""
    workload = operator.value("sandboxWorkloads", "defaultWorkload")
    for_machines = all_of([operator.is_on("sandboxWorkloads", "enabled"), equals(workload, "container").negated])
    return for_machines.is_no and operator.is_on("driver", "enabled").is_no and operator.is_on("toolkit", "enabled").is_no


def _severity(inputs: Inputs, operator: Operator) -> Severity | None:
    if inputs.talos_version is not None:
        return Severity.ERROR if gpu_nodes_run_talos(inputs) else Severity.WARNING
    # Without a known Talos version only an operator for an old Talos is checked.
    is_for_old_talos = cdi_is_on(operator).is_no or operator.is_older_than(gpu_operator_chart.CDI_OLDEST)
    return Severity.WARNING if is_for_old_talos else None


def _one_shot(inputs: Inputs) -> Iterator[Violation]:
    off = validator_is_off(inputs)
    for bridge in bridges(inputs):
        if bridge.once:
            known = inputs.talos_version is not None and not off
            reason = (
                "nothing writes the files again after a reboot"
                if off
                else "the operator's validator deletes the files whenever it starts or stops"
            )
            yield Violation(
                severity=Severity.ERROR if known else Severity.WARNING,
                message=f"the bridge writes the operator's marker files only once, and {reason}. Every operand that starts later waits in Init:0/1",
                about=bridge.about,
                path=bridge.path,
            )


LEGACY_VALUES = """\
driver: {enabled: false}
toolkit: {enabled: false}
cdi: {enabled: false}
migManager: {enabled: false}
"""
BRIDGE = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: validation-bridge, namespace: kube-system}
spec:
  selector: {matchLabels: {app: validation-bridge}}
  template:
    metadata: {labels: {app: validation-bridge}}
    spec:
      containers:
        - name: bridge
          image: busybox:1.37.0
          command: [sh, -c]
          args:
            - |
              while true; do
                touch /run/nvidia/validations/driver-ready /run/nvidia/validations/toolkit-ready
                sleep 30
              done
          volumeMounts: [{name: run-nvidia, mountPath: /run/nvidia}]
      volumes: [{name: run-nvidia, hostPath: {path: /run/nvidia, type: DirectoryOrCreate}}]
"""
_ONCE = (
    BRIDGE.replace("while true; do", "mkdir -p /run/nvidia/validations").replace("sleep 30", "sleep infinity").replace("done\n", "true\n")
)

RULES = (
    Rule(
        **WORDS["TG001"],
        severity=Severity.ERROR,
        check=_no_bridge,
        failing=Example(chart="gpu-operator@v25.10.1", talos="1.12", yaml=LEGACY_VALUES),
        passing=Example(chart="gpu-operator@v25.10.1", talos="1.12", yaml=f"{LEGACY_VALUES}---\n{BRIDGE}"),
        talos=LEGACY_LAYOUT,
        without_talos=True,
    ),
    Rule(
        **WORDS["TG002"],
        severity=Severity.ERROR,
        check=_one_shot,
        failing=Example(talos="1.12", yaml=_ONCE),
        passing=Example(talos="1.12", yaml=BRIDGE),
        talos=LEGACY_LAYOUT,
        without_talos=True,
    ),
)
