import re
import shlex
from pathlib import Path

import pytest
import yaml
from cdk8s import ApiObject, App, Chart

from conftest import dumped, message, needs, one, synth
from constructs_lib import GpuAlerts
from constructs_lib.monitoring import AlertRules, AlertThresholds, MetricsSource, kube_state
from constructs_lib.monitoring.alert_rules import DAEMON_SETS
from constructs_lib.monitoring.metrics import Metric
from test_clusters import CLUSTERS, objects

OFF = ["GpuXidApplication", "GpuSwThermalSlowdown", "GpuAllocatedIdle", "GpuMemoryNearlyFull"]
ON = [
    "GpuMetricsTargetDown",
    "GpuMetricsEmpty",
    "GpuRecoveryActionRequired",
    "GpuXidFatal",
    "GpuXidUncorrectable",
    "GpuXidContained",
    "GpuDisappeared",
    "GpuPcieReplays",
    "GpuUncorrectableEcc",
    "GpuRowRemapFailure",
    "GpuMemoryRepairPending",
    "GpuHwThermalSlowdown",
    "GpuHwPowerBrake",
    "GpuAtSlowdownTemperature",
    "GpuDeviceUnhealthy",
    "GpuNodeLostGpus",
    "GpuPodPending",
    "GpuDaemonSetNotReady",
]
# What comes from elsewhere than an exporter of GPU metrics: Prometheus, kube-state-metrics (docs/metrics) and the GPU operator
# (controllers/operator_metrics.go).
OTHERS = {
    "up",
    "kube_node_info",
    "kube_node_status_allocatable",
    "kube_node_status_capacity",
    "kube_daemonset_status_number_ready",
    "kube_daemonset_status_desired_number_scheduled",
    "kube_pod_container_resource_requests",
    "kube_pod_status_phase",
    "gpu_operator_reconciliation_status",
}
PROMQL = {
    "max", "sum", "count", "group", "by", "on", "or", "and", "unless", "bool", "offset", "rate", "increase", "floor", "absent",
    "label_replace", "avg_over_time", "max_over_time",
}  # fmt: skip
EVERY = AlertRules(operator=True, enable=OFF)
each_alert = pytest.mark.parametrize("alert", EVERY.alerts, ids=lambda alert: alert.name)


def names(rules):
    return [rule["alert"] for group in rules["groups"] for rule in group["rules"]]


def rules_of(chart):
    return one(synth(chart), "PrometheusRule")["spec"]


def rule(name, **given):
    (group,) = AlertRules(**given).groups
    (found,) = (each for each in group["rules"] if each["alert"] == name)
    return found


def test_main_child_is_the_rule(chart):
    assert ApiObject.of(GpuAlerts(chart, "alerts")).kind == "PrometheusRule"


def test_defaults(chart, snapshot_yaml):
    GpuAlerts(chart, "alerts")

    (made,) = synth(chart)
    assert [made] == snapshot_yaml
    assert (made["apiVersion"], made["metadata"]) == ("monitoring.coreos.com/v1", {"name": "gpu-alerts"})
    assert names(made["spec"]) == ON
    assert [group["name"] for group in made["spec"]["groups"]] == ["nvidia-gpu"]


def test_each_alert_is_either_on_or_off():
    assert sorted(alert.name for alert in EVERY.all_alerts) == sorted([*ON, *OFF, "GpuOperatorNotReconciled"])
    assert [alert.name for alert in EVERY.all_alerts if alert.opt_in] == OFF


def test_name_namespace_and_labels_are_the_objects_own():
    chart = Chart(App(), "gpu", namespace="monitoring")
    GpuAlerts(chart, "alerts", name="cards", labels={"release": "kube-prometheus-stack"})
    GpuAlerts(chart, "others", namespace="elsewhere")

    assert [made["metadata"] for made in synth(chart)] == [
        {"name": "cards", "namespace": "monitoring", "labels": {"release": "kube-prometheus-stack"}},
        {"name": "gpu-alerts", "namespace": "elsewhere"},
    ]


def test_an_alert_can_be_added_and_left_out_by_its_name(chart):
    GpuAlerts(chart, "alerts", enable=["GpuAllocatedIdle"], disable=["GpuPodPending", "GpuMetricsEmpty"])

    assert set(names(rules_of(chart))) == {*ON, "GpuAllocatedIdle"} - {"GpuPodPending", "GpuMetricsEmpty"}


def test_what_is_on_can_be_enabled_and_what_is_off_disabled_and_nothing_changes():
    assert AlertRules(enable=["GpuXidFatal"], disable=["GpuAllocatedIdle"]).groups == AlertRules().groups


@pytest.mark.parametrize("given", [{"operator": True}, {"enable": ["GpuOperatorNotReconciled"]}])
def test_the_alert_on_the_operator_is_there_where_the_operator_is(given):
    assert [alert.name for alert in AlertRules(**given).alerts] == [*ON, "GpuOperatorNotReconciled"]


def test_the_alert_on_the_operator_can_be_left_out_beside_it():
    assert [alert.name for alert in AlertRules(operator=True, disable=["GpuOperatorNotReconciled"]).alerts] == ON


def test_a_rule_has_all_that_prometheus_and_a_reader_need():
    assert rule("GpuXidContained") == {
        "alert": "GpuXidContained",
        "expr": 'max by (cluster, node, gpu, UUID, modelName, xid) (DCGM_EXP_XID_ERRORS_COUNT{job="dcgm-exporter", xid=~"94"}) > 0',
        "keep_firing_for": "15m",
        "labels": {"severity": "warning"},
        "annotations": {
            "summary": "XID {{ $labels.xid }} on GPU {{ $labels.gpu }} ({{ $labels.modelName }}) of {{ $labels.node }}",
            "description": "Memory failed, and the GPU contained the error: one application was killed, and no other is touched.",
            "runbook": "Restart the pod that was killed (`talosctl --nodes ADDRESS dmesg | grep Xid` names its process), and at the next "
            "opportunity: `talosctl --nodes ADDRESS reboot --drain` (talosctl 1.13 or newer; it deletes the emptyDir volumes of the pods that it "
            "moves, waits until the node is Ready, and uncordons it; if it ends with an error, `kubectl uncordon '{{ $labels.node }}'`). ADDRESS is "
            "the INTERNAL-IP that `kubectl get node '{{ $labels.node }}' --output wide` shows.",
        },
    }


def test_the_durations_are_those_of_the_table():
    durations = {alert.name: (alert.for_, alert.keep_firing_for) for alert in EVERY.alerts}

    assert durations == {
        "GpuMetricsTargetDown": ("10m", None),
        "GpuMetricsEmpty": ("15m", None),
        "GpuRecoveryActionRequired": ("1m", "15m"),
        "GpuXidFatal": (None, "15m"),
        "GpuXidUncorrectable": ("2m", "15m"),
        "GpuXidContained": (None, "15m"),
        "GpuXidApplication": (None, None),
        "GpuUncorrectableEcc": (None, None),
        "GpuDisappeared": ("10m", None),
        "GpuPcieReplays": ("15m", None),
        "GpuRowRemapFailure": (None, "15m"),
        "GpuMemoryRepairPending": ("15m", None),
        "GpuHwThermalSlowdown": ("5m", None),
        "GpuHwPowerBrake": ("5m", None),
        "GpuSwThermalSlowdown": ("30m", None),
        "GpuAtSlowdownTemperature": ("5m", None),
        "GpuAllocatedIdle": ("6h", None),
        "GpuMemoryNearlyFull": ("30m", None),
        "GpuDeviceUnhealthy": ("10m", None),
        "GpuNodeLostGpus": ("15m", None),
        "GpuPodPending": ("30m", None),
        "GpuDaemonSetNotReady": ("10m", None),
        "GpuOperatorNotReconciled": ("1h", None),
    }


def test_how_long_it_has_to_last_can_be_given_also_where_there_was_none():
    given = {"for_": {"GpuPodPending": "2h", "GpuXidFatal": "0s"}}

    assert rule("GpuPodPending", **given)["for"] == "2h"
    assert (rule("GpuXidFatal", **given)["for"], rule("GpuXidFatal", **given)["keep_firing_for"]) == ("0s", "15m")
    assert rule("GpuDeviceUnhealthy", **given) == rule("GpuDeviceUnhealthy")


def test_further_labels_stand_beside_the_severity_of_each_alert():
    (group,) = AlertRules(alert_labels={"team": "ml"}).groups

    assert {rule["labels"]["team"] for rule in group["rules"]} == {"ml"}
    assert {rule["alert"] for rule in group["rules"] if rule["labels"]["severity"] == "critical"} == {
        "GpuRecoveryActionRequired",
        "GpuXidFatal",
        "GpuXidUncorrectable",
        "GpuDisappeared",
        "GpuRowRemapFailure",
        "GpuNodeLostGpus",
    }


def test_thresholds_reach_the_expressions():
    thresholds = AlertThresholds(
        fatal_xids=[79, 145],
        application_xids=(31,),
        slowdown_temperature=85,
        slowdown_share=50,
        pcie_replays=20,
        idle_utilization=5,
        memory_used=90,
        lookback="1d",
    )
    given = {"thresholds": thresholds, "enable": OFF}

    assert 'xid=~"79|145"' in rule("GpuXidFatal", **given)["expr"]
    assert 'xid=~"31"' in rule("GpuXidApplication", **given)["expr"]
    assert rule("GpuAtSlowdownTemperature", **given)["expr"].endswith('{job="dcgm-exporter"}) >= bool 85)[15m:15s]) > 0.5')
    for name in ("GpuHwThermalSlowdown", "GpuHwPowerBrake", "GpuSwThermalSlowdown"):
        assert rule(name, **given)["expr"].endswith("[15m:15s]) > 0.5")
        assert "50% of the last 15m" in rule(name, **given)["annotations"]["description"]
    assert rule("GpuPcieReplays", **given)["expr"].endswith("* 60 > 20")
    assert rule("GpuAllocatedIdle", **given)["expr"].endswith("[1h:1m]) < 5")
    assert rule("GpuMemoryNearlyFull", **given)["expr"].endswith("> 0.9")
    assert rule("GpuDisappeared", **given)["expr"].endswith("[1d:5m])")
    assert "[1d])" in rule("GpuNodeLostGpus", **given)["expr"]
    assert "85 °C" in rule("GpuAtSlowdownTemperature", **given)["annotations"]["description"]


def test_the_source_names_the_job_and_the_labels():
    source = MetricsSource(job="nvidia-dcgm-exporter", node_label="kubernetes_node", honor_labels=True)
    idle = rule("GpuAllocatedIdle", source=source, enable=OFF)

    assert (
        'max by (cluster, kubernetes_node, gpu, UUID, modelName, GPU_I_ID, GPU_I_PROFILE, namespace, pod) (DCGM_FI_DEV_GPU_UTIL{job="nvidia-dcgm-exporter"'
        in idle["expr"]
    )
    assert idle["annotations"]["summary"] == (
        "Pod {{ $labels.namespace }}/{{ $labels.pod }} does not use GPU {{ $labels.gpu }} ({{ $labels.modelName }}) of "
        "{{ $labels.kubernetes_node }}"
    )
    # kube-state-metrics has labels of its own.
    assert "kubernetes_node" not in dumped([rule("GpuNodeLostGpus", source=source)])


@each_alert
def test_an_alert_asks_only_for_metrics_of_the_table_and_a_few_named_ones(alert):
    expr = re.sub(r'"[^"]*"', "", alert.expr)
    expr = re.sub(r"\{[^}]*\}|\b(by|on) \([^)]*\)|\[[^]]*\]", "", expr)
    asked = set(re.findall(r"\b[A-Za-z_]\w*", expr)) - PROMQL

    assert asked
    assert asked - OTHERS <= {str(metric) for metric in Metric}
    assert {str(metric) for metric in alert.metrics} == asked - OTHERS


@each_alert
def test_a_runbook_fits_talos(alert):
    text = f"{alert.summary} {alert.description} {alert.runbook}"

    assert "nvidia-smi" not in text
    assert "systemctl" not in text
    assert "ssh " not in text
    # An uncordon after a reboot meets an absent API server on a lone control plane; the drain of talosctl waits for it.
    assert not re.search(r"talosctl [^`]*reboot(?! --drain)", alert.runbook)
    assert "kubectl drain" not in alert.runbook


@each_alert
def test_talosctl_gets_an_address_and_no_name_of_kubernetes_and_each_label_is_one_word(alert):
    label = re.compile(r"\{\{ (\$labels\.\w+) \}\}")
    for written in re.findall(r"`([^`]+)`", alert.runbook):
        hostile = label.sub("a; rm -rf ~ $(id)", written)

        assert not written.startswith("talosctl") or written.startswith("talosctl --nodes ADDRESS ")
        assert shlex.split(hostile).count("a; rm -rf ~ $(id)") == len(label.findall(written))
    told = "ADDRESS is the INTERNAL-IP" in alert.runbook or "by the address of the node" in alert.runbook
    assert told is ("ADDRESS" in alert.runbook)


@each_alert
def test_the_texts_of_an_alert_are_sentences_and_name_no_unknown_label(alert):
    labels = set(re.findall(r"\$labels\.(\w+)", f"{alert.summary} {alert.runbook}"))

    assert alert.description.endswith(".")
    assert alert.runbook.endswith(".")
    assert not alert.summary.endswith(".")
    assert "{{" not in alert.description
    assert labels <= set(re.findall(r"\w+", alert.expr)) | {"job", "node", "namespace"}


@pytest.mark.parametrize(
    "name",
    [
        "nvidia-device-plugin-rtx",
        "nvidia-operator-validator",
        "gpu-feature-discovery",
        "dcgm-exporter",
        "my-dcgm-exporter",
        "nvidia-dcgm-exporter",
        "nvdp-nvidia-device-plugin",
        "nvidia-dra-driver-gpu-kubelet-plugin",
        "dra-driver-nvidia-gpu-kubelet-plugin",
    ],
)
def test_the_daemon_sets_of_nvidia_are_watched(name):
    assert re.fullmatch(DAEMON_SETS, name)


@pytest.mark.parametrize("name", ["node-exporter", "cilium", "mynvidia", "amd-gpu-device-plugin"])
def test_no_other_daemon_set_is_watched(name):
    assert not re.fullmatch(DAEMON_SETS, name)


def test_every_agent_that_this_library_makes_is_watched():
    made = {each["metadata"]["name"] for cluster in CLUSTERS for each in objects(cluster) if each["kind"] == "DaemonSet"}

    assert made
    assert [name for name in sorted(made) if not re.fullmatch(DAEMON_SETS, name)] == []


@pytest.mark.parametrize("name", ["GpuDeviceUnhealthy", "GpuNodeLostGpus", "GpuPodPending"])
@pytest.mark.parametrize(
    ("resource", "counts"),
    [("gpu", True), ("gpu_shared", True), ("mig_1g_10gb", True), ("mig_1g_10gb_shared", True), ("gpumem", False), ("rdma", False)],
)
def test_only_gpus_and_partitions_count_as_the_dashboard_has_it(name, resource, counts):
    patterns = set(re.findall(r'resource=~"([^"]+)"', rule(name)["expr"]))

    assert patterns == set(re.findall(r'resource=~"([^"]+)"', kube_state.allocatable()))
    assert all(bool(re.fullmatch(pattern, f"nvidia_com_{resource}")) is counts for pattern in patterns)


def test_a_pattern_is_quoted_as_promql_has_it():
    expr = rule("GpuDaemonSetNotReady", daemon_sets=r'nvidia\.a|"b"')["expr"]

    assert r'{daemonset=~"nvidia\\.a|\"b\""}' in expr


NAMES = "'{}' must be made of names of alerts (got '{}'); {}"


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"enable": ["Watchdog"]}, ValueError, NAMES.format("enable", "Watchdog", "docs/alerts.md lists them")),
        ({"enable": ["gpuAllocatedidle"]}, ValueError, NAMES.format("enable", "gpuAllocatedidle", "did you mean 'GpuAllocatedIdle'?")),
        ({"disable": ["GpuXidFatl"]}, ValueError, NAMES.format("disable", "GpuXidFatl", "did you mean 'GpuXidFatal'?")),
        ({"for_": {"GpuXidFatl": "1m"}}, ValueError, NAMES.format("for_", "GpuXidFatl", "did you mean 'GpuXidFatal'?")),
        (
            {"enable": "GpuAllocatedIdle"},
            TypeError,
            "'enable' must be a list of strings (got 'GpuAllocatedIdle'); did you mean ['GpuAllocatedIdle']?",
        ),
        (
            {"enable": ["GpuAllocatedIdle"], "disable": ["GpuAllocatedIdle"]},
            ValueError,
            "'disable' must be made of other names than 'enable' (got 'GpuAllocatedIdle')",
        ),
        ({"disable": ON}, ValueError, f"'disable' must be a list that leaves one alert at least (got {ON!r})"),
        (
            {"for_": {"GpuPodPending": "1.5h"}},
            ValueError,
            "'for_[GpuPodPending]' must be a duration of Prometheus' such as '30s', '15m' or '1d' (got '1.5h')",
        ),
        ({"for_": "2h"}, TypeError, "'for_' must be a mapping of names of alerts to durations (got '2h')"),
        ({"source": "dcgm-exporter"}, TypeError, "'source' must be a MetricsSource (got 'dcgm-exporter')"),
        ({"thresholds": {}}, TypeError, "'thresholds' must be an AlertThresholds (got {})"),
        ({"operator": "yes"}, TypeError, "'operator' must be True or False (got 'yes'); did you mean True?"),
        (
            {"daemon_sets": "nvidia-("},
            ValueError,
            "'daemon_sets' must be a regular expression of names of DaemonSets (got 'nvidia-('); missing ), unterminated subpattern at position 7",
        ),
        (
            {"daemon_sets": "(?!cilium).*"},
            ValueError,
            "'daemon_sets' must be a regular expression of names of DaemonSets (got '(?!cilium).*'); RE2 of Prometheus has neither lookaround nor backreferences; Prometheus would load none of the rules",
        ),
        (
            {"alert_labels": {"a-team": "ml"}},
            ValueError,
            "'alert_labels' must be made of names of Prometheus' labels (letters, digits and '_') (got 'a-team')",
        ),
        (
            {"alert_labels": {"severity": "page"}},
            ValueError,
            "'alert_labels' must be without 'severity' (got 'page'); each alert sets its own 'severity'",
        ),
        ({"alert_labels": {"team": 1}}, TypeError, "'alert_labels[team]' must be a string (got 1)"),
        (
            {"name": "GPU"},
            ValueError,
            "'name' must be a DNS name (lower-case letters, digits, '-' and '.', at most 253 characters) (got 'GPU')",
        ),
        (
            {"namespace": "Monitoring"},
            ValueError,
            "'namespace' must be the name of a namespace (lower-case letters, digits and '-', at most 63 characters) (got 'Monitoring'); did you mean 'monitoring'?",
        ),
        ({"labels": ["release"]}, TypeError, "'labels' must be a mapping of label keys to label values (got ['release'])"),
        ({"enabled": []}, TypeError, "'enabled' must be an argument of GpuAlerts (got enabled=[]); did you mean 'enable'?"),
    ],
)
def test_a_wrong_argument_is_refused_and_leaves_nothing_behind(chart, arguments, error, says):
    assert message(lambda: GpuAlerts(chart, "alerts", **arguments), error) == says
    assert chart.node.children == []


XIDS = "'{}' must be a list of XIDs, such as [48, 79] (got {}){}"


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"fatal_xids": 79}, TypeError, XIDS.format("fatal_xids", 79, "")),
        ({"application_xids": "31"}, TypeError, XIDS.format("application_xids", "'31'", "")),
        ({"fatal_xids": []}, ValueError, XIDS.format("fatal_xids", [], "; to switch the alert off, name the alert in 'disable'")),
        ({"fatal_xids": ["79"]}, TypeError, "'fatal_xids' must be a whole number of at least 1 (got '79'); did you mean 79?"),
        ({"slowdown_temperature": 0}, ValueError, "'slowdown_temperature' must be a whole number from 1 to 150 (got 0); the unit is °C"),
        ({"pcie_replays": -1}, ValueError, "'pcie_replays' must be a whole number of at least 0 (got -1); the unit is replays a minute"),
        ({"idle_utilization": 0.5}, ValueError, "'idle_utilization' must be a whole number from 1 to 99 (got 0.5); the unit is %"),
        ({"memory_used": 100}, ValueError, "'memory_used' must be a whole number from 1 to 99 (got 100); the unit is %"),
        ({"lookback": "0s"}, ValueError, "'lookback' must be a duration of Prometheus' such as '30s', '15m' or '1d' (got '0s')"),
        ({"lookback": 6}, TypeError, "'lookback' must be a duration of Prometheus' such as '30s', '15m' or '1d' (got 6)"),
        (
            {"fatal_xid": [1]},
            TypeError,
            "'fatal_xid' must be an argument of AlertThresholds (got fatal_xid=[1]); did you mean 'fatal_xids'?",
        ),
    ],
)
def test_a_wrong_threshold_is_refused(arguments, error, says):
    assert message(lambda: AlertThresholds(**arguments), error) == says


def test_the_same_rule_is_not_made_twice(chart):
    GpuAlerts(chart, "alerts")

    assert message(lambda: GpuAlerts(chart, "again")) == (
        "'name' must be unique among the objects of kind PrometheusRule in this app (got 'gpu-alerts'); GpuAlerts already makes a PrometheusRule of this name; the second object would replace the first"
    )


def test_the_resolved_settings_can_be_read(chart):
    made = GpuAlerts(chart, "alerts", disable=["GpuPodPending"], alert_labels={"team": "ml"})

    assert (made.disable, made.enable, made.alert_labels, made.labels) == (("GpuPodPending",), (), {"team": "ml"}, {})
    assert made.source == MetricsSource()
    assert made.thresholds == AlertThresholds()


def test_the_crd_of_the_prometheus_operator_knows_every_field(chart):
    crd = Path(needs("CRDS", "the CRDs of the Prometheus operator")) / "monitoring.coreos.com_prometheusrules.yaml"
    (version,) = yaml.safe_load(crd.read_text())["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    group = spec["groups"]["items"]["properties"]
    known = group["rules"]["items"]["properties"]
    GpuAlerts(chart, "alerts", enable=OFF, operator=True, for_={"GpuXidFatal": "0s"})

    for made in rules_of(chart)["groups"]:
        assert set(made) <= set(group)
        for each in made["rules"]:
            assert set(each) <= set(known)
            for duration in ("for", "keep_firing_for"):
                assert re.search(known[duration]["pattern"], each.get(duration, "1m"))


def test_the_errors_of_applications_are_those_that_a_program_causes():
    assert AlertThresholds().application_xids == (13, 31, 43, 45, 68, 69)
    assert 'xid=~"13|31|43|45|68|69"' in rule("GpuXidApplication", enable=["GpuXidApplication"])["expr"]
