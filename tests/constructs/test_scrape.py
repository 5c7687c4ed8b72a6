"""`scrape`: the ServiceMonitor of a workload."""

import pytest

from conftest import message, one, synth
from constructs_lib import GpuNodes, GpuWorkload, SecretKey, expose, scrape
from constructs_lib.recipes import LlamaCpp, Ollama, Vllm

NODES = GpuNodes(talos_version="1.14")


def server(chart, **given):
    return GpuWorkload(chart, "server", nodes=NODES, image="app:1", **{"port": {"http": 80, "metrics": 81, "media": "82/udp"}, **given})


def test_the_service_of_the_workload_is_scraped_as_a_job_of_its_name(chart):
    made = scrape(server(chart, namespace="ai"), labels={"release": "prometheus"}).resource.to_json()

    assert (made["apiVersion"], made["kind"]) == ("monitoring.coreos.com/v1", "ServiceMonitor")
    assert made["metadata"] == {
        "name": "server", "namespace": "ai", "labels": {"app.kubernetes.io/name": "server", "release": "prometheus"},
    }  # fmt: skip
    assert made["spec"] == {
        "jobLabel": "app.kubernetes.io/name",
        "selector": {"matchLabels": {"app.kubernetes.io/name": "server"}},
        "endpoints": [{"port": "http", "path": "/metrics", "interval": "30s"}],
    }


def test_port_path_interval_and_timeout_can_be_given(chart):
    made = scrape(server(chart), port="metrics", path="/m", interval="1m", scrape_timeout="20s").resource.to_json()

    assert made["metadata"]["name"] == "server-metrics"
    assert made["spec"]["endpoints"] == [{"port": "metrics", "path": "/m", "interval": "1m", "scrapeTimeout": "20s"}]


def test_one_service_alone_has_the_labels_that_the_monitor_selects(chart):
    workload = server(chart, kind="StatefulSet")
    expose(workload, "a.example.com", gateway="g")
    expose(workload, port="http", load_balancer=True)
    wanted = scrape(workload).resource.to_json()["spec"]["selector"]["matchLabels"].items()

    services = [made for made in synth(chart) if made["kind"] == "Service"]
    assert [made["metadata"]["name"] for made in services if wanted <= made["metadata"]["labels"].items()] == ["server"]
    assert len(services) == 3
    assert one(services, "Service", "server")["spec"]["clusterIP"] == "None"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"port": "media"}, "'port' must be a TCP port (got '82/udp'); Prometheus speaks HTTP, and the port 'media' is for UDP alone"),
        (
            {"port": "metric"},
            "'port' must be the name of a port of the workload, 'http', 'metrics', 'media' (got 'metric'); did you mean 'metrics'?",
        ),
        ({"interval": "1.5m"}, "'interval' must be a duration such as '15s' or '1m30s' (got '1.5m')"),
        ({"scrape_timeout": "1m"}, "'scrape_timeout' must be at most 'interval' (30s) (got '1m'); Prometheus refuses a longer one"),
        ({"path": "metrics"}, "'path' must be a path such as '/' or '/api' (got 'metrics'); did you mean '/metrics'?"),
    ],
)
def test_what_prometheus_could_not_scrape_is_refused(chart, given, expected):
    assert message(lambda: scrape(server(chart), **given)) == expected


def test_several_ports_without_http_have_no_default(chart):
    workload = server(chart, port={"grpc": 80, "metrics": 81})

    assert message(lambda: scrape(workload)) == "'port' must be the name of a port of the workload, 'grpc', 'metrics' (got nothing)"


def test_a_recipe_without_metrics_is_refused_unless_a_path_is_given(chart):
    ollama = Ollama(chart, "ollama", nodes=NODES)

    assert message(lambda: scrape(ollama)) == (
        "'workload' must be a server with metrics (got 'ollama'); where you have turned metrics on, say so: give their 'path'"
    )
    assert scrape(ollama, path="/metrics").resource.to_json()["spec"]["endpoints"][0]["path"] == "/metrics"


def test_prometheus_gives_the_key_that_guards_the_metrics_and_no_other(chart):
    key = SecretKey("llm", "key")
    llama = LlamaCpp(chart, "llama", nodes=NODES, model="Qwen/Qwen3-8B-GGUF", file="Qwen3-8B-Q4_K_M.gguf", api_key=key)
    vllm = Vllm(chart, "vllm", nodes=NODES, model="Qwen/Qwen3-8B", api_key=key)

    endpoint = scrape(llama).resource.to_json()["spec"]["endpoints"][0]
    assert endpoint["authorization"] == {"credentials": {"name": "llm", "key": "key"}}
    assert "authorization" not in scrape(vllm).resource.to_json()["spec"]["endpoints"][0]
