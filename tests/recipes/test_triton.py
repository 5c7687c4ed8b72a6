"""The recipe of Triton."""

import pytest
from cdk8s import App, Chart

from conftest import message
from constructs_lib import ExistingClaim, GpuNodes, Mps, TalosGpuWarning, scrape
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.recipes import Triton
from constructs_lib.recipes.triton import TritonSettings

NODES = GpuNodes(talos_version="1.13")


def triton(nodes=NODES, **given):
    return TritonSettings(nodes=nodes, name="triton", **given)


def container(settings):
    return gpu_workload(settings)["Resource"]["spec"]["template"]["spec"]["containers"][0]


def test_the_server_reads_the_repository_on_the_volume():
    assert container(triton())["args"][:2] == ["tritonserver", "--model-repository=/models"]
    assert gpu_workload(triton(storage="5Gi"))["Claim-models"]["spec"]["resources"]["requests"]["storage"] == "5Gi"
    assert "Claim-models" not in gpu_workload(triton(volumes={"/models": ExistingClaim("repository", read_only=True)}))


def test_the_three_ports_are_in_the_service_and_in_the_flags():
    ports = gpu_workload(triton())["Service"]["spec"]["ports"]

    assert {each["name"]: each["port"] for each in ports} == {"http": 8000, "grpc": 8001, "metrics": 8002}
    assert container(triton())["args"][2:5] == ["--http-port=8000", "--grpc-port=8001", "--metrics-port=8002"]


def test_a_protocol_without_a_port_is_off():
    assert container(triton(port={"http": 9000}))["args"][2:5] == ["--http-port=9000", "--allow-grpc=false", "--allow-metrics=false"]


def test_the_probes_use_http_in_any_order_of_the_ports():
    made = container(triton(port={"metrics": 8002, "http": 8000}))

    assert made["livenessProbe"]["httpGet"]["port"] == "http"


@pytest.mark.parametrize("port", [{"grpc": 8001}, {"http": 8000, "api": 9000}])
def test_a_port_that_is_none_of_the_three_is_refused(port):
    assert message(lambda: triton(port=port)) == (
        f"'port' must be named 'http', and 'grpc' and 'metrics' where they are served (got {port!r}); the probes use HTTP"
    )


def test_a_server_that_loads_a_model_again_is_not_ready_and_is_not_restarted():
    paths = {name: container(triton())[name]["httpGet"]["path"] for name in ("startupProbe", "readinessProbe", "livenessProbe")}

    assert paths == {"startupProbe": "/v2/health/ready", "readinessProbe": "/v2/health/ready", "livenessProbe": "/v2/health/live"}


@pytest.mark.parametrize(("drain", "sleep", "rest"), [(20, 5, 15), (3, 3, 0), (0, 0, 0)])
def test_the_server_and_the_sleep_share_the_drain(drain, sleep, rest):
    settings = triton(drain=drain)

    assert f"--exit-timeout-secs={rest}" in settings.args
    assert (settings.pre_stop_sleep or 0) == sleep
    assert settings.termination_grace_period == drain + 10


@pytest.mark.parametrize(("talos", "release"), [("1.11", "25.07"), ("1.13", "26.07")])
def test_the_image_has_the_newest_cuda_that_the_driver_runs(talos, release):
    assert triton(GpuNodes(talos_version=talos)).image == f"nvcr.io/nvidia/tritonserver:{release}-py3"


def test_an_image_that_does_not_say_its_cuda_is_known_and_refused():
    said = message(lambda: triton(GpuNodes(talos_version="1.11"), image="nvcr.io/nvidia/tritonserver:26.07-py3"))

    assert said.endswith("use 'nvcr.io/nvidia/tritonserver:25.07-py3'")


def test_prometheus_reads_the_third_port():
    triton = Triton(Chart(App(), "ai"), "triton", nodes=NODES)
    made = scrape(triton)

    assert made.resource.to_json()["spec"]["endpoints"] == [{"port": "metrics", "path": "/metrics", "interval": "30s"}]
    assert message(lambda: scrape(triton, port="http")) == "'port' must be 'metrics', where this server has its metrics (got 'http')"


def test_metrics_that_are_not_served_are_not_scraped():
    triton = Triton(Chart(App(), "ai"), "triton", nodes=NODES, port={"http": 8000})

    assert message(lambda: scrape(triton)).startswith("'port' must be the name of a port of the workload, 'http' (got 'metrics')")


def test_shared_memory_is_for_python_backends():
    with pytest.warns(TalosGpuWarning, match="MPS"):
        nodes = GpuNodes(talos_version="1.13", sharing=Mps(replicas=2))

    assert (triton().shared_memory, triton(nodes).shared_memory) == ("1Gi", None)


def test_triton_runs_without_root_and_without_a_login():
    assert (triton().pod_security, triton().unauthenticated) == ("restricted", "Triton has no authentication")
