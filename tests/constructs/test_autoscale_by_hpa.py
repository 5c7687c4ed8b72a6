"""`autoscale` without KEDA: HorizontalPodAutoscalers, and the rules of the prometheus-adapter that serves their metrics."""

import pytest

from conftest import message
from constructs_lib import GpuNodes, GpuWorkload, HttpProbe, adapter_values, autoscale
from strict_schemas import faults

NODES = GpuNodes(talos_version="1.14", count=2, gpus_per_node=2)
URL = "http://prometheus.monitoring.svc:9090"
QUEUE = {"metric": "vllm:num_requests_waiting", "autoscaler": "hpa", "threshold": 5}


def scaled(chart, *, cpu="4", **given):
    workload = GpuWorkload(
        chart, "server", nodes=NODES, image="app:1", port=8000, replicas=None, readiness_probe=HttpProbe("/"), cpu=cpu, namespace="ai"
    )
    return autoscale(workload, **given).resource.to_json()


def test_the_cpu_of_the_workloads_own_container_is_a_percentage_of_its_request(chart):
    made = scaled(chart, metric="cpu")

    assert (made["apiVersion"], made["kind"]) == ("autoscaling/v2", "HorizontalPodAutoscaler")
    assert made["spec"] == {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "server"},
        "minReplicas": 1,
        "maxReplicas": 4,
        "metrics": [
            {
                "type": "ContainerResource",
                "containerResource": {
                    "name": "cpu",
                    "container": "server",
                    "target": {"type": "Utilization", "averageUtilization": 80},
                },
            }
        ],
    }


@pytest.mark.parametrize(
    ("threshold", "written"),
    [(5, "5"), (0.5, "500m"), (0.0625, "62500u"), (1000, "1k"), (1500, "1500"), (2_000_000, "2M"), (10**12, "1T"), (3 * 10**15, "3P")],
)
def test_the_average_for_each_pod_is_written_as_the_api_server_writes_it(chart, threshold, written):
    made = scaled(chart, metric="DCGM_FI_PROF_GR_ENGINE_ACTIVE", autoscaler="hpa", threshold=threshold)

    target = {"type": "AverageValue", "averageValue": written}
    assert made["spec"]["metrics"] == [{"type": "Pods", "pods": {"metric": {"name": "dcgm_fi_prof_gr_engine_active"}, "target": target}}]


def test_the_adapter_serves_each_metric_under_the_name_that_the_autoscaler_asks_for(chart):
    asked = scaled(chart, **QUEUE)["spec"]["metrics"][0]["pods"]["metric"]["name"]
    values = adapter_values([QUEUE["metric"]], prometheus=URL)

    assert values["prometheus"] == {"url": "http://prometheus.monitoring.svc", "port": 9090, "path": ""}
    assert values["rules"] == {
        "default": False,
        "custom": [
            {
                "seriesQuery": 'vllm:num_requests_waiting{namespace!="",pod!=""}',
                "resources": {"overrides": {"namespace": {"resource": "namespace"}, "pod": {"resource": "pod"}}},
                "name": {"matches": "^vllm:num_requests_waiting$", "as": asked},
                "metricsQuery": "sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)",
            }
        ],
    }


@pytest.mark.parametrize(("honor_labels", "prefix"), [(False, "exported_"), (True, "")])
def test_a_series_of_dcgm_belongs_to_the_pod_of_the_gpu_and_not_to_the_exporters(honor_labels, prefix):
    rule = adapter_values(["DCGM_FI_DEV_GPU_UTIL"], prometheus=URL, honor_labels=honor_labels)["rules"]["custom"][0]

    assert rule["seriesQuery"] == f'DCGM_FI_DEV_GPU_UTIL{{{prefix}namespace!="",{prefix}pod!=""}}'
    assert rule["resources"]["overrides"] == {f"{prefix}namespace": {"resource": "namespace"}, f"{prefix}pod": {"resource": "pod"}}
    assert rule["metricsQuery"].startswith("avg(")


def test_own_values_of_the_adapter_stay_and_own_rules_come_first():
    own = {"replicas": 2, "prometheus": {"path": "/prom"}, "rules": {"custom": [{"seriesQuery": "mine"}]}}
    values = adapter_values(["a", "a"], own, prometheus="https://prometheus.example.com/prom")

    assert values["replicas"] == 2
    assert values["prometheus"] == {"path": "/prom", "url": "https://prometheus.example.com", "port": 443}
    assert [rule["seriesQuery"] for rule in values["rules"]["custom"]] == ["mine", 'a{namespace!="",pod!=""}']
    assert own["rules"] == {"custom": [{"seriesQuery": "mine"}]}


@pytest.mark.parametrize(
    ("metrics", "values", "expected"),
    [
        (["cpu"], None, "'metrics' must be without 'cpu' (got 'cpu'); metrics-server serves the CPU of pods, without a rule"),
        (["a"], {"rules": {"default": True}}, ("'values' must be without rules.default (got True); the chart's own rules serve every series of Prometheus, "
         "and those of the exporter as metrics of its own pod")),
        (["a"], {"prometheus": {"port": 80}}, "'values' must be without another prometheus.port than that of 'prometheus', 9090 (got 80)"),
    ],
)  # fmt: skip
def test_values_of_the_adapter_that_contradict_the_metrics_are_refused(metrics, values, expected):
    assert message(lambda: adapter_values(metrics, values, prometheus=URL)) == expected


PROMETHEUS = "'prometheus' must be the URL of Prometheus with a host, at most a port of 1 to 65535 and a path"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://:9090", f"{PROMETHEUS} (got 'http://:9090')"),
        ("http://prom:0", f"{PROMETHEUS} (got 'http://prom:0')"),
        ("http://prom:abc", f"{PROMETHEUS} (got 'http://prom:abc')"),
        ("http://prom:99999", f"{PROMETHEUS} (got 'http://prom:99999')"),
        ("http://[::1", f"{PROMETHEUS} (got 'http://[::1')"),
        ("http://prom/?a=b", f"{PROMETHEUS} (got 'http://prom/?a=b')"),
        ("http://me:secret@prom", f"{PROMETHEUS} (got 'a URL with a user'); everybody who may read the Deployment reads it there"),
    ],
)
def test_an_address_of_prometheus_that_the_chart_can_not_write_is_refused(url, expected):
    assert message(lambda: adapter_values(["a"], prometheus=url)) == expected


def test_an_address_of_ipv6_keeps_its_brackets():
    assert adapter_values(["a"], prometheus="http://[fd00::1]:9090/x/")["prometheus"] == {
        "url": "http://[fd00::1]",
        "port": 9090,
        "path": "/x",
    }


def test_own_rules_of_null_are_none_and_those_of_another_form_are_refused():
    assert len(adapter_values(["a"], {"rules": {"custom": None}}, prometheus=URL)["rules"]["custom"]) == 1
    assert message(lambda: adapter_values(["a"], {"rules": {"custom": "x"}}, prometheus=URL)) == (
        "'values[rules][custom]' must be a list of rules (got 'x')"
    )


def test_two_metrics_that_the_adapter_gives_one_name_are_refused():
    assert message(lambda: adapter_values(["a:b", "a_b"], prometheus=URL)) == (
        "'metrics' must be without a second metric that the adapter names 'a_b', as it does 'a:b' (got 'a_b')"
    )


ADAPTER = "a HorizontalPodAutoscaler reads no Prometheus itself: the prometheus-adapter does, with its own address ('adapter_values')"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"metric": "cpu", "prometheus": URL}, f"'prometheus' must be left out with autoscaler='hpa' (got '{URL}'); {ADAPTER}"),
        ({"query": "sum(a)", "autoscaler": "hpa"}, f"'query' must be left out with autoscaler='hpa' (got 'sum(a)'); {ADAPTER}"),
        ({"metric": "cpu", "cooldown_period": 60}, "'cooldown_period' must be left out with autoscaler='hpa' (got 60)"),
        ({**QUEUE, "wake_on": ["a.example.com"]}, "'wake_on' must be left out with autoscaler='hpa' (got ('a.example.com',))"),
        ({**QUEUE, "interceptor_namespace": "http"}, "'interceptor_namespace' must be left out with autoscaler='hpa' (got 'http')"),
        ({"metric": "cpu", "autoscaler": "keda"},
         "'metric' must be a metric of Prometheus with autoscaler='keda' (got 'cpu'); KEDA asks Prometheus here; leave 'autoscaler' out"),
        ({"autoscaler": "hpa"}, "'metric' must be given with autoscaler='hpa' (got nothing); 'cpu', or a metric of the workload's pods"),
        ({**QUEUE, "threshold": None}, "'threshold' must be given with a 'metric' (got None); it is the average of the metric for each pod"),
        ({"metric": "cpu", "threshold": 0.8}, "'threshold' must be a whole percentage of the CPU request with metric='cpu' (got 0.8)"),
        ({"metric": "cpu", "cpu": None}, ("'workload' must be a workload with 'cpu' for metric='cpu' (got None); the percentage is one of the CPU request; "
         "without it the autoscaler says 'missing request for cpu', and does nothing")),
        ({**QUEUE, "min_replicas": 0}, ("'min_replicas' must be at least 1 with autoscaler='hpa' (got 0); a HorizontalPodAutoscaler of 0 needs the feature gate "
         "HPAScaleToZero, on by default from Kubernetes 1.37 on, and an object or external metric: no metric of a pod can rise without a pod; say 'wake_on' with KEDA")),
        ({**QUEUE, "max_replicas": 5}, "'max_replicas' must be at most 4, the pods for which the nodes have GPUs (got 5); the other pods would stay Pending"),
    ],
)  # fmt: skip
def test_what_a_horizontal_pod_autoscaler_cannot_do_is_refused(chart, given, expected):
    assert message(lambda: scaled(chart, **given)) == expected


@pytest.mark.parametrize("given", [{"metric": "cpu"}, QUEUE])
def test_the_api_server_has_every_field_of_the_autoscaler(chart, given):
    made = scaled(chart, **given)

    assert [(minor, faults(made, minor)) for minor in (34, 36, 37) if faults(made, minor)] == []
