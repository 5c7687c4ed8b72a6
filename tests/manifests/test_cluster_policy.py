"""The ClusterPolicy that the chart makes of our values has no null, which the API server refuses under server-side apply."""

import pytest
import yaml
from cluster_policy import nulls, policy
from operator_options import every_option

from conftest import reference
from constructs_lib.manifests.charts.user_values import leaves
from constructs_lib.upstream.charts.gpu_operator_chart import NULL_IF_EMPTY, is_within
from constructs_lib.upstream.version import Version

_OFF = {"enabled": False}
_GPU = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
_DEDICATED = {"key": "dedicated", "operator": "Equal", "value": "llm", "effect": "NoSchedule"}
_CONFIG = {"name": "gpu-operator-device-plugin"}
_LEGACY = {
    "driver": _OFF,
    "toolkit": _OFF,
    "cdi": _OFF,
    "devicePlugin": {"env": [{"name": "DEVICE_LIST_STRATEGY", "value": "envvar"}]},
    "migManager": _OFF,
    "daemonsets": {"tolerations": [_GPU]},
    "mig": {"strategy": "none"},
}
_CDI = {
    "driver": _OFF,
    "toolkit": _OFF,
    "hostPaths": {"driverInstallDir": "/usr/local"},
    "migManager": _OFF,
    "daemonsets": {"tolerations": [_GPU]},
}
_TWO_STRATEGIES = {**_CDI, "mig": {"strategy": ""}, "devicePlugin": {"config": {**_CONFIG, "default": ""}}}
# The values from which Helm rendered each ClusterPolicy.
RENDERED = {
    ("operator-argocd", "v25.10.1"): _LEGACY,
    ("operator-flux", "v25.10.1"): {**_LEGACY, "devicePlugin": {**_LEGACY["devicePlugin"], "config": {**_CONFIG, "default": "gpu"}}},
    ("today", "v26.7.0"): {
        **_CDI,
        "daemonsets": {"tolerations": [_GPU, _DEDICATED]},
        "mig": {"strategy": "none"},
        "dcgmExporter": _OFF,
        "operator": {"metrics": {"serviceMonitor": {"additionalLabels": {"release": "kube-prometheus-stack"}}}},
        "devicePlugin": {"config": {**_CONFIG, "default": ""}},
    },
    ("two-mig-strategies", "v25.10.1"): _TWO_STRATEGIES,
    ("two-mig-strategies", "v26.7.0"): _TWO_STRATEGIES,
}


@pytest.mark.parametrize(("name", "version"), RENDERED)
def test_the_table_makes_what_the_real_chart_rendered(name, version):
    rendered = yaml.safe_load(reference(f"rendered/clusterpolicy/{name}-{version}.yaml").read_text(encoding="utf-8"))
    defaults = yaml.safe_load(reference(f"values/gpu-operator-{version}.yaml").read_text(encoding="utf-8"))

    assert policy(RENDERED[name, version], defaults, version)["spec"] == rendered["spec"]


def test_no_option_makes_a_value_that_becomes_null():
    """Without the chart: no null, no empty mapping, and no empty text where the chart writes it without quotes."""
    found, count = [], 0
    for name, settings in every_option():
        count += 1
        version = Version.parse(settings.version)
        for path, value in leaves(settings.chart_values):
            key = ".".join(path)
            if value is None or (value == "" and key in NULL_IF_EMPTY and is_within(version, None, NULL_IF_EMPTY[key])):
                found.append(f"{name}: {key} is {value!r}")
        found += [f"{name}: {key} is given, and empty" for key, value in settings.chart_values.items() if value == {}]

    assert found == []
    assert count > 500


def test_no_option_makes_a_cluster_policy_with_a_null():
    defaults = {
        version: yaml.safe_load(reference(f"values/gpu-operator-{version}.yaml").read_text(encoding="utf-8"))
        for version in ("v25.3.4", "v25.10.1", "v26.3.3", "v26.7.0")
    }
    found = {
        f"{name}: {path}"
        for name, settings in every_option()
        for path in nulls(policy(settings.chart_values, defaults[settings.version], settings.version))
    }

    assert found == set()
