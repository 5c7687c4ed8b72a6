"""TG125: alerts and dashboards with names of metrics that the exporter's version does not have."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_text

OLD, NEW = "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_GPU_UTIL_RATIO"


def findings(*texts):
    return [(str(each.severity), each.object, each.message) for each in run_rules(read_text("---\n".join(texts)), select=["TG125"])]


def exporter(version="4.8.2", values="{}", name="exporter"):
    return f"""\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: {name}, namespace: monitoring}}
spec:
  chart: {{spec: {{chart: dcgm-exporter, version: "{version}"}}}}
  values: {values}
"""


def daemon_set(tag="4.5.3-4.8.2-distroless", container="", volumes="[]"):
    return f"""\
apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: exporter, namespace: monitoring}}
spec:
  selector: {{matchLabels: {{app: exporter}}}}
  template:
    metadata: {{labels: {{app: exporter}}}}
    spec:
      containers: [{{name: exporter, image: "nvcr.io/nvidia/k8s/dcgm-exporter:{tag}"{container}}}]
      volumes: {volumes}
"""


def rule(expr, kind="PrometheusRule", name="alert: GpuBusy"):
    return f"""\
apiVersion: monitoring.coreos.com/v1
kind: {kind}
metadata: {{name: gpus, namespace: monitoring}}
spec: {{groups: [{{name: gpus, rules: [{{{name}, expr: "{expr}"}}]}}]}}
"""


def dashboard(expr):
    return f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: gpus, namespace: monitoring}}
data:
  gpus.json: '{{"panels": [{{"targets": [{{"expr": "{expr}"}}]}}]}}'
  counters.csv: "{expr}, gauge, a list of counters is no dashboard"
"""


def test_an_alert_with_a_new_name_before_49_is_an_error():
    assert findings(exporter(), rule(f"{NEW} > 0.9")) == [
        (
            "error",
            "PrometheusRule monitoring/gpus",
            f"the alert GpuBusy reads names of metrics that dcgm-exporter 4.8.2 does not have: {NEW} is named {OLD}. The alert never fires",
        )
    ]


def test_an_old_name_from_49_on_is_a_warning_with_the_date_of_the_tables():
    [(severity, _, message)] = findings(exporter("4.9.0"), rule(f"{OLD} > 90", kind="VMRule"))

    assert severity == "warning"
    assert "dcgm-exporter 4.9.0 (tables of 20" in message
    assert f"does not have: {OLD} is named {NEW}. The alert never fires" in message


def test_a_dashboard_is_a_warning_and_names_at_most_three_metrics():
    names = [NEW, "DCGM_FI_DEV_GPU_TEMP_CELSIUS", "DCGM_FI_DEV_FB_USED_BYTES", "DCGM_FI_DEV_XID_ERROR"]
    [(severity, where, message)] = findings(exporter(), dashboard(" + ".join(names)))

    assert (severity, where) == ("warning", "ConfigMap monitoring/gpus")
    assert message.startswith("the dashboard gpus.json reads names")
    assert f"DCGM_FI_DEV_GPU_TEMP_CELSIUS is named DCGM_FI_DEV_GPU_TEMP, {NEW} is named {OLD}, …. Its panels show 'No data'" in message


def test_the_dashboard_of_the_grafana_operator_is_read_too():
    grafana = f'apiVersion: grafana.integreatly.org/v1beta1\nkind: GrafanaDashboard\nmetadata: {{name: gpus}}\nspec: {{json: \'{{"expr": "{NEW}"}}\'}}\n'
    assert [message.partition(" reads")[0] for _, _, message in findings(exporter(), grafana)] == ["the dashboard gpus"]


def test_a_daemon_set_has_the_version_of_its_image():
    assert [severity for severity, _, _ in findings(daemon_set(), rule(NEW))] == ["error"]
    assert findings(daemon_set(tag="4.7.0-4.9.0-distroless"), rule(NEW)) == []


@pytest.mark.parametrize("expr", [f"({NEW} * 100) or {OLD}", OLD, "DCGM_FI_PROF_PCIE_TX_BYTES", "node_load1"])
def test_an_expression_for_both_versions_and_names_that_stay_are_no_finding(expr):
    assert findings(exporter(), rule(expr)) == []


def test_a_name_that_a_recording_rule_gives_to_a_series_is_there():
    assert findings(exporter(), rule(f"{OLD} / 100", name=f"record: {NEW}"), rule(f"{NEW} > 0.9")) == []


@pytest.mark.parametrize(
    "others",
    [
        (),
        (exporter(">=4.8"),),
        (exporter(values="{image: {tag: '${TAG}'}}"),),
        (exporter(values="{customMetrics: 'DCGM_FI_DEV_GPU_UTIL_RATIO, gauge, use'}"),),
        (exporter(values="{serviceMonitor: {metricRelabelings: [{action: labelmap}]}}"),),
        (exporter(), exporter("4.9.0", name="another")),
        (daemon_set(container=", args: [-f, /etc/own.csv]"),),
        (daemon_set(container=", env: [{name: DCGM_EXPORTER_COLLECTORS, value: /etc/own.csv}]"),),
        (daemon_set(volumes="[{name: counters, configMap: {name: counters}}]"),),
        (exporter(), exporter().replace("dcgm-exporter", "gpu-operator").replace("4.8.2", "v26.3.3")),
    ],
)
def test_without_one_exporter_of_a_known_version_and_with_its_own_counters_nothing_is_said(others):
    assert findings(*others, rule(NEW)) == []


# Counters of the author: the exporter has the names of its file, whatever its version


def config_map(name="counters", key="own.csv", text=f"{OLD}, gauge, use"):
    return f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: {name}, namespace: monitoring}}
data: {{{key}: "#{NEW}, gauge, use\\n {text}"}}
"""


def own_file(folder="/etc/own", sub_path="", items="", **given):
    """An exporter with a counter file in a volume."""
    mounts = f"volumeMounts: [{{name: counters, mountPath: {folder}{sub_path and f', subPath: {sub_path}'}}}]"
    settings = given.pop("settings", "args: [-f, /etc/own/own.csv]")
    return daemon_set(container=f", {settings}, {mounts}", volumes=f"[{{name: counters, configMap: {{name: counters{items}}}}}]", **given)


ABSENT = f"reads names of metrics that the exporter's own counters do not have: {NEW} is named {OLD}"


@pytest.mark.parametrize(
    "exporters",
    [
        (own_file(), config_map()),
        (own_file(tag="4.7.0-4.9.0-distroless"), config_map()),
        (own_file(settings="args: [--collectors=/etc/own/own.csv]"), config_map()),
        (own_file(settings="env: [{name: DCGM_EXPORTER_COLLECTORS, value: /etc/own/own.csv}]"), config_map()),
        (own_file("/etc/own/own.csv", "own.csv"), config_map()),
        (own_file(items=", items: [{key: metrics, path: own.csv}]"), config_map(key="metrics")),
        (daemon_set(container=", args: [-m, 'monitoring:counters']"), config_map(key="metrics")),
        (daemon_set(container=", env: [{name: DCGM_EXPORTER_CONFIGMAP_DATA, value: 'monitoring:counters'}]"), config_map(key="metrics")),
        (exporter("4.9.0", values=f"{{customMetrics: '{OLD}, gauge, use'}}"),),
        (
            exporter("v26.7.0", values="{dcgmExporter: {config: {name: counters}}}").replace("dcgm-exporter", "gpu-operator"),
            config_map(key="dcgm-metrics.csv"),
        ),
    ],
    ids=range(10),
)
def test_an_alert_reads_the_names_of_the_authors_counters(exporters):
    [(severity, _, message)] = findings(*exporters, rule(f"{NEW} > 0.9"))

    assert severity == "error"
    assert ABSENT in message
    assert findings(*exporters, rule(f"{OLD} > 90")) == []
    # The file has neither name: whether a series comes from elsewhere is not known.
    assert findings(*exporters, rule("DCGM_FI_DEV_GPU_TEMP_CELSIUS > 85")) == []


@pytest.mark.parametrize(
    "exporters",
    [
        (own_file(),),
        (own_file(), config_map(name="other")),
        (own_file(), config_map(key="other.csv")),
        (own_file(), config_map().replace("namespace: monitoring", "namespace: other")),
        (own_file(), config_map(text="${COUNTERS}")),
        (own_file(settings="args: [-f, '${FILE}']"), config_map()),
        (own_file(settings="command: [own]"), config_map()),
        (own_file(), exporter(), config_map()),
        (own_file(), exporter("v26.7.0").replace("dcgm-exporter", "gpu-operator"), config_map()),
        (exporter(values=f"{{customMetrics: '{OLD}, gauge, use', arguments: [-f, /own]}}"),),
    ],
    ids=range(10),
)
def test_nothing_is_said_of_counters_that_were_not_all_read(exporters):
    assert findings(*exporters, rule(f"{NEW} > 0.9")) == []


def test_the_counters_of_several_exporters_count_together():
    both = (own_file(), exporter("4.9.0", values=f"{{customMetrics: '{NEW}, gauge, use'}}"), config_map())

    assert findings(*both, rule(f"{NEW} > 0.9"), rule(f"{OLD} > 90")) == []
