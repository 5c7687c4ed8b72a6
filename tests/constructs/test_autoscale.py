"""`autoscale`: queries that are right by construction, and numbers of pods that the nodes have GPUs for."""

import warnings

import pytest
from cdk8s import ApiObject, Chart, JsonPatch, Testing

from conftest import message, one, synth
from constructs_lib import Companion, ExistingClaim, GpuNodes, GpuWorkload, HttpProbe, Persistent, TalosGpuWarning, autoscale, check, expose
from constructs_lib.recipes import Ollama, OpenWebUI, Whisper

NODES = GpuNodes(talos_version="1.14")
COUNTED = GpuNodes(talos_version="1.14", count=2, gpus_per_node=3)
METRIC = {"metric": "vllm:num_requests_waiting", "threshold": 5, "prometheus": "http://prometheus.monitoring.svc:9090"}
WAKING = {"wake_on": ["llm.example.com"], "concurrency": 8}


def server(chart, nodes=NODES, **given):
    fixed = {"port": 8000, "replicas": None, "readiness_probe": HttpProbe("/health"), "namespace": "ai"}
    return GpuWorkload(chart, "server", nodes=nodes, image="app:1", **{**fixed, **given})


def spec(workload, **given):
    return autoscale(workload, **given).resource.to_json()["spec"]


def test_the_sum_of_the_metric_over_the_workloads_pods_counts_and_a_lost_target_is_no_zero(chart):
    made = autoscale(server(chart), **METRIC, max_replicas=4).resource.to_json()

    assert (made["apiVersion"], made["kind"], made["metadata"]["namespace"]) == ("keda.sh/v1alpha1", "ScaledObject", "ai")
    assert made["spec"] == {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "server"},
        "minReplicaCount": 1,
        "maxReplicaCount": 4,
        "triggers": [
            {
                "type": "prometheus",
                "metadata": {
                    "serverAddress": "http://prometheus.monitoring.svc:9090",
                    "query": 'sum(vllm:num_requests_waiting{namespace="ai",service="server"})',
                    "threshold": "5",
                    "ignoreNullValues": "false",
                },
            }
        ],
    }


def test_the_most_pods_are_those_for_which_the_class_has_gpus(chart):
    assert spec(server(chart, COUNTED, gpus=2), **METRIC)["maxReplicaCount"] == 2


@pytest.mark.parametrize(
    "query", ["sum(a)", "max(a) / 2", "(sum(a)) + 1", "vector(scalar(a))", "histogram_quantile(0.9, sum(rate(a[5m])) by (le))"]
)
def test_a_query_with_one_element_is_taken_as_it_is(chart, query):
    given = {**METRIC, "metric": None, "query": query, "threshold": 0.5}

    metadata = spec(server(chart), **given, max_replicas=2)["triggers"][0]["metadata"]
    assert (metadata["query"], metadata["threshold"]) == (query, "0.5")


def test_requests_wake_a_workload_from_zero_through_the_proxy_that_counts_them(chart):
    made = spec(server(chart), **WAKING, max_replicas=1, min_replicas=0, cooldown_period=600)

    assert (made["minReplicaCount"], made["maxReplicaCount"], made["cooldownPeriod"]) == (0, 1, 600)
    address = "keda-add-ons-http-external-scaler.keda:9090"
    assert made["triggers"] == [{"type": "external-push", "metadata": {"scalerAddress": address, "interceptorRoute": "server"}}]
    woken = one(synth(chart), "InterceptorRoute", "server")
    assert woken["apiVersion"] == "http.keda.sh/v1beta1"
    assert woken["spec"] == {
        "target": {"service": "server", "portName": "http"},
        "rules": [{"hosts": ["llm.example.com"]}],
        "scalingMetric": {"concurrency": {"targetValue": 8}},
        "timeouts": {"responseHeader": "0s"},
    }


def test_without_a_pod_an_empty_answer_of_the_metric_is_a_zero(chart):
    prometheus, push = spec(server(chart), **METRIC, **WAKING, max_replicas=2, min_replicas=0)["triggers"]

    assert (prometheus["metadata"]["ignoreNullValues"], push["type"]) == ("true", "external-push")


def test_one_pod_with_its_own_claim_may_sleep_and_wake(chart):
    workload = server(chart, volumes={"/models": Persistent("1Gi")})

    assert spec(workload, **WAKING, max_replicas=1, min_replicas=0)["maxReplicaCount"] == 1


def test_the_pods_of_a_stateful_set_and_of_a_companion_are_scaled_too(chart):
    stateful = server(chart, kind="StatefulSet", volumes={"/models": Persistent("1Gi")})
    companion = Companion(chart, "front", image="front:1", port=80, replicas=None, readiness_probe=HttpProbe("/"), namespace="ai")

    assert spec(stateful, **METRIC, max_replicas=3)["scaleTargetRef"]["kind"] == "StatefulSet"
    assert spec(companion, **METRIC, max_replicas=3)["scaleTargetRef"]["name"] == "front"


A_METRIC = "the name of a metric such as 'vllm:num_requests_waiting', or 'cpu'"
ONE_ELEMENT = "a PromQL expression with one element as its answer, such as 'sum(…)'"
SEVERAL = (
    "with several elements KEDA fails as soon as there is a second pod; put the whole expression into 'sum(…)' or 'max(…)', "
    "and a scalar into 'vector(…)'"
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"max_replicas": 4}, "'metric' must be given, or else 'query' or 'wake_on' (got nothing); KEDA scales by a number"),
        ({**METRIC, "query": "sum(a)"}, "'query' must be left out beside 'metric' (got 'sum(a)')"),
        ({**METRIC, "threshold": None}, "'threshold' must be given with a 'metric' or a 'query' (got None)"),
        ({**METRIC, "prometheus": None}, "'prometheus' must be given with a 'metric' or a 'query' (got None)"),
        ({**WAKING, "threshold": 3}, "'threshold' must be given only with a 'metric' or a 'query' (got 3)"),
        ({**METRIC, "threshold": 0}, "'threshold' must be a number above 0 (got 0)"),
        ({**METRIC, "prometheus": "prometheus:9090"}, ("'prometheus' must be the URL of Prometheus, such as 'http://prometheus-operated.monitoring.svc:9090' "
         "(got 'prometheus:9090'); did you mean 'http://prometheus:9090'?")),
        ({**METRIC, "metric": "gpu_utilization"}, (f"'metric' must be {A_METRIC} (got 'gpu_utilization'); a model holds its memory while nobody asks, and 'cpu' "
         "is the only resource here; DCGM's metrics have names such as DCGM_FI_DEV_GPU_UTIL")),
        ({**METRIC, "metric": "DCGM_FI_DEV_GPU_UTIL"}, ("'metric' must be a metric that the workload's own server has (got 'DCGM_FI_DEV_GPU_UTIL'); its "
         "series have the labels of the exporter's Service; give a 'query' that selects the pods, or autoscaler='hpa'")),
        ({**METRIC, "metric": "sum(a)"}, f"'metric' must be {A_METRIC} (got 'sum(a)'); an expression is a 'query'"),
        ({**METRIC, "metric": None, "query": "a"}, f"'query' must be {ONE_ELEMENT} (got 'a'); {SEVERAL}"),
        ({**METRIC, "metric": None, "query": "sum by (pod) (a)"}, f"'query' must be {ONE_ELEMENT} (got 'sum by (pod) (a)'); {SEVERAL}"),
        ({**METRIC, "metric": None, "query": "sum(a) by (pod)"}, f"'query' must be {ONE_ELEMENT} (got 'sum(a) by (pod)'); {SEVERAL}"),
        (METRIC, "'max_replicas' must be given (got None); a class with 'count' and the number of GPUs of a node would tell it"),
        ({**METRIC, "max_replicas": 1}, "'max_replicas' must be more than 'min_replicas' (1) (got 1); otherwise there is nothing to scale"),
        ({**METRIC, "max_replicas": 4, "min_replicas": 0}, ("'min_replicas' must be at least 1 without 'wake_on' (got 0); without a pod no metric of a pod can rise; "
         "requests must go through a proxy that counts them and waits")),
        ({"wake_on": "a.example.com", "max_replicas": 2},
         "'concurrency' must be given with 'wake_on', and only then (got None); it is the number of requests that one pod serves at the same time"),
        ({**METRIC, "concurrency": 2, "max_replicas": 2},
         "'concurrency' must be given with 'wake_on', and only then (got 2); it is the number of requests that one pod serves at the same time"),
        ({**WAKING, "wake_on": ["10.0.0.1"]}, ("'wake_on' must be a host name such as 'chat.example.com' or '*.example.com' (got '10.0.0.1'); "
         "routes match the host name of a request, and an IP address is none")),
    ],
)  # fmt: skip
def test_a_scale_that_cannot_work_is_refused(chart, given, expected):
    assert message(lambda: autoscale(server(chart), **given)) == expected


def test_more_pods_than_gpus_are_refused(chart):
    expected = "'max_replicas' must be at most 6, the pods for which the nodes have GPUs (got 7); the other pods would stay Pending"

    assert message(lambda: autoscale(server(chart, COUNTED), **METRIC, max_replicas=7)) == expected


def test_several_pods_on_a_claim_of_one_node_are_refused(chart):
    workload = server(chart, volumes={"/models": Persistent("1Gi")})

    assert message(lambda: autoscale(workload, **METRIC, max_replicas=2)) == (
        "'max_replicas' must be 1 for a Deployment whose claim only one node can mount (got 2); the claim at /models is ReadWriteOnce: "
        "use kind='StatefulSet', or access_mode='ReadWriteMany'"
    )


def test_an_autoscaler_of_another_construct_is_found_beside_a_claim_of_one_node(chart):
    workload = server(chart, volumes={"/models": Persistent("1Gi")})
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": workload.name}
    metadata = {"name": "server", "namespace": "ai"}
    ApiObject(chart, "hpa", api_version="autoscaling/v2", kind="HorizontalPodAutoscaler", metadata=metadata).add_json_patch(
        JsonPatch.add("/spec", {"scaleTargetRef": target, "maxReplicas": 2})
    )

    assert [each.rule for each in check(Testing.synth(chart), select=["TG131"])] == ["TG131"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"replicas": 1}, "'workload' must be a workload with replicas=None (got 1); say replicas=None: a fixed number would fight the autoscaler at every sync"),
        ({"kind": "Job", "port": None, "replicas": 1, "readiness_probe": None}, "'workload' must be a Deployment or a StatefulSet (got 'Job'); a Job has no replicas"),
        ({"namespace": None}, ("'workload' must be in a chart with a namespace, or with a 'namespace' (got None); the query names the namespace, so that no other "
         "workload of this name counts")),
    ],
)  # fmt: skip
def test_a_workload_that_nothing_can_scale_is_refused(chart, given, expected):
    assert message(lambda: autoscale(server(chart, **given), **METRIC, max_replicas=4)) == expected


def test_a_second_scaled_object_of_a_workload_is_refused(chart):
    workload = server(chart)
    autoscale(workload, **METRIC, max_replicas=2)

    expected = "; autoscale already makes a ScaledObject of this name; the second object would replace the first"
    assert message(lambda: autoscale(workload, **WAKING, max_replicas=2)).endswith(expected)


def test_the_proxy_is_kept_off_the_headless_service_of_a_stateful_set(chart):
    expected = (
        "'wake_on' must be left out for a StatefulSet (got ('llm.example.com',)); the headless Service of a StatefulSet names pods that are not ready, "
        "and the proxy would send requests to them"
    )

    assert message(lambda: autoscale(server(chart, kind="StatefulSet"), **WAKING, max_replicas=2)) == expected


ZERO = {**WAKING, "max_replicas": 1, "min_replicas": 0}
BY_PROXY = {"gateway": "internal", "interceptor_namespace": "keda"}


def errors_of(*steps):
    """The errors of the synth of an app with a workload to which the steps were applied."""
    app = Testing.app()
    workload = server(Chart(app, "ai", namespace="ai"))
    for step in steps:
        step(workload)
    try:
        app.synth()
    except RuntimeError as error:
        return [line.partition("] ")[2] for line in str(error).splitlines() if line.lstrip().startswith("[ai/")]
    return []


def scaled(**given):
    return lambda workload: autoscale(workload, **given)


def exposed(*args, **given):
    return lambda workload: expose(workload, *args, **given)


@pytest.mark.parametrize(
    ("wake_on", "way"), [("llm.example.com", "llm.example.com"), ("*.example.com", "a.example.com"), ("*.example.com", "*.example.com")]
)
def test_a_way_through_the_proxy_with_a_host_name_of_wake_on_wakes_the_workload(wake_on, way):
    assert errors_of(scaled(**{**ZERO, "wake_on": wake_on}), exposed(way, **BY_PROXY)) == []


def test_a_way_past_the_proxy_to_a_workload_that_scales_to_zero_stops_the_synth_in_either_order():
    steps = scaled(**ZERO), exposed("llm.example.com", gateway="internal")
    expected = (
        "'interceptor_namespace' must be 'keda' for 'server', which scales to zero (got None); a request past the proxy does not wake it; "
        "expose it with hostname='llm.example.com' and a 'gateway'"
    )

    assert errors_of(*steps) == errors_of(*reversed(steps)) == [expected]
    assert errors_of(scaled(**ZERO), exposed(load_balancer=True)) == [expected]
    assert errors_of(scaled(**{**ZERO, "max_replicas": 2, "min_replicas": 1}), steps[1]) == []


def test_a_host_name_that_the_proxy_does_not_know_stops_the_synth():
    expected = (
        "'hostname' must be a host name of 'wake_on' of 'server', 'llm.example.com' (got 'other.example.com'); "
        "the proxy knows no workload for another one"
    )

    assert errors_of(scaled(**ZERO), exposed("other.example.com", **BY_PROXY)) == [expected]
    assert errors_of(scaled(**{**ZERO, "max_replicas": 2, "min_replicas": 1}), exposed("other.example.com", **BY_PROXY)) == [expected]


def test_a_way_through_another_proxy_stops_the_synth():
    expected = "'interceptor_namespace' must be 'keda' for 'server', as its autoscale has (got 'web')"

    assert errors_of(scaled(**ZERO), exposed("llm.example.com", **{**BY_PROXY, "interceptor_namespace": "web"})) == [expected]


def test_the_ways_of_another_workload_do_not_count():
    def other(workload):
        expose(Companion(workload.scope, "front", image="front:1", port=80), "front.example.com", gateway="internal")

    assert errors_of(scaled(**ZERO), other) == []


@pytest.mark.parametrize("argument", ["ollama", "openai"])
def test_a_web_front_of_a_workload_that_scales_to_zero_stops_the_synth(argument):
    def front(workload):
        OpenWebUI(workload.scope, "chat", **{argument: workload})

    expected = (
        f"'{argument}' must be a server that does not scale to zero (got 'server'); 'chat' calls its Service, past the proxy that wakes it: "
        "say min_replicas=1"
    )
    assert errors_of(scaled(**ZERO), front) == [expected]
    assert errors_of(scaled(**{**ZERO, "max_replicas": 2, "min_replicas": 1}), front) == []


@pytest.mark.parametrize("recipe", [Ollama, Whisper])
def test_a_recipe_whose_job_calls_the_server_keeps_a_pod(chart, recipe):
    given = {"nodes": NODES, "replicas": None, "namespace": "ai"}
    volumes = {("/models" if recipe is Ollama else "/home/ubuntu/.cache/huggingface"): ExistingClaim("models")}
    expected = (
        "'min_replicas' must be at least 1 for this workload (got 0); the Job of 'models' calls the Service, "
        "past the proxy that wakes the workload"
    )

    assert message(lambda: autoscale(recipe(chart, "a", models=["a/b"], volumes=volumes, **given), **ZERO)) == expected
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TalosGpuWarning)
        assert spec(recipe(chart, "b", volumes=volumes, **given), **ZERO)["minReplicaCount"] == 0
