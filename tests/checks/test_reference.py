"""What is right gives no error: upstream's own rendering, for the Talos that each is right for, and the seven clusters of main.py."""

import pytest

from conftest import reference
from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rule import Finding, Severity
from constructs_lib.observed.read.repository import read
from test_clusters import CLUSTERS, ROOT
from test_schemas import TALOS_OF

# The operator without driver and toolkit is right on Talos ≤ 1.12 beside a loop that writes its marker files, as the first document has one.
BRIDGE = ROOT / "tests/checks/seeds/000/validation-markers.yaml"
RENDERED = (
    ("device-plugin-v0.18.2-seed002", "1.12", []),
    ("device-plugin-v0.18.2-seed004", "1.11", []),
    ("device-plugin-v0.20.0-seed002", "1.12", []),
    ("device-plugin-v0.20.0-seed004", "1.11", []),
    ("device-plugin-v0.20.0-seed002", "1.13", []),
    ("device-plugin-v0.20.0-seed004", "1.14", []),
    ("gpu-operator-v25.3.4-legacy", "1.12", [BRIDGE]),
    ("gpu-operator-v25.10.1-legacy", "1.12", [BRIDGE]),
    ("gpu-operator-v26.3.3-cdi", "1.13", []),
    ("gpu-operator-v26.7.0-cdi", "1.13", []),
    ("gpu-operator-v26.7.0-cdi", "1.14", []),
    ("nfd-v0.19.0", "1.12", []),
    ("nfd-v0.19.0", "1.13", []),
    # Without a RuntimeClass, as the chart's defaults are, it is right where the nvidia runtime is the default one.
    ("dcgm-exporter-4.8.2", "1.13", []),
)


def severe(findings: list[Finding], *severities: Severity) -> list[str]:
    return [f"{each.severity} {each.rule} {each.object}: {each.message}" for each in findings if each.severity in severities]


@pytest.mark.parametrize(("rendered", "talos", "beside"), RENDERED, ids=[f"{name}-on-{talos}" for name, talos, _ in RENDERED])
def test_what_upstreams_charts_render_for_a_generation_gives_no_error_on_it(rendered, talos, beside):
    inputs = read([str(reference(f"rendered/{rendered}.yaml")), *map(str, beside)], talos=talos)

    assert inputs.objects
    assert severe(run_rules(inputs), Severity.ERROR) == []


def test_the_operator_of_the_legacy_generation_without_its_bridge_is_an_error():
    operator = reference("rendered/gpu-operator-v25.10.1-legacy.yaml")

    assert severe(run_rules(read([str(operator)], talos="1.12")), Severity.ERROR)


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_our_own_clusters_give_no_error_and_no_warning(cluster):
    inputs = read([str(ROOT / "dist" / cluster)], talos=TALOS_OF[cluster])

    assert inputs.objects
    assert inputs.node_configs
    assert severe(run_rules(inputs), Severity.ERROR, Severity.WARNING) == []
