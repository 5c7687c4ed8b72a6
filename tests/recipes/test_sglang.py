"""The recipe of SGLang."""

import pytest

from conftest import env_of, message
from constructs_lib import GpuNodes, SecretKey, TimeSlicing
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.recipes.sglang import SglangSettings

NODES = GpuNodes(talos_version="1.13", product="RTX 4090")


def sglang(nodes=NODES, **given):
    return SglangSettings(nodes=nodes, name="sglang", model="example/model", **given)


def container(settings):
    return gpu_workload(settings)["Resource"]["spec"]["template"]["spec"]["containers"][0]


def value(settings, flag):
    words = container(settings)["args"]
    return words[words.index(flag) + 1] if flag in words else None


def test_the_server_reads_the_model_of_the_job():
    settings = sglang(served_name="chat", context=8192)

    assert container(settings)["command"] == ["python3", "-m", "sglang.launch_server"]
    assert (value(settings, "--model-path"), value(settings, "--served-model-name")) == ("/models/example/model/main", "chat")
    assert value(settings, "--context-length") == "8192"
    assert env_of(container(settings))["HF_HUB_OFFLINE"] == "1"


def test_the_service_and_the_metrics_reach_the_server():
    assert (value(sglang(), "--host"), value(sglang(), "--port")) == ("0.0.0.0", "30000")
    assert "--enable-metrics" in container(sglang())["args"]


@pytest.mark.parametrize(
    ("sharing", "given", "fraction"),
    [
        (None, {}, None),
        (None, {"memory_fraction": 0.85}, "0.85"),
        (TimeSlicing(replicas=2), {}, "0.4"),
        (TimeSlicing(replicas=3), {"memory_fraction": 0.33}, "0.33"),
    ],
)
def test_the_fraction_follows_from_the_pod_s_share_of_a_card(sharing, given, fraction):
    assert value(sglang(GpuNodes(talos_version="1.13", sharing=sharing), **given), "--mem-fraction-static") == fraction


def test_a_fraction_above_the_share_is_refused():
    nodes = GpuNodes(talos_version="1.13", sharing=TimeSlicing(replicas=4))

    assert message(lambda: sglang(nodes, memory_fraction=0.5)).startswith(
        "'memory_fraction' must be at most 0.25, the pod's share of a card"
    )


def test_several_gpus_run_the_model_together_and_have_the_shared_memory_for_it():
    assert (value(sglang(), "--tp-size"), sglang().shared_memory) == (None, "2Gi")
    assert (value(sglang(gpus=2), "--tp-size"), sglang(gpus=2).shared_memory) == ("2", "10Gi")


@pytest.mark.parametrize(
    ("word", "flag", "argument"),
    [
        ("--mem-fraction", "--mem-fraction-static", "memory_fraction"),
        ("--context=4096", "--context-length", "context"),
        ("--mem_fraction_static=0.9", "--mem-fraction-static", "memory_fraction"),
    ],
)
def test_the_beginning_of_a_flag_that_an_argument_sets_is_refused(word, flag, argument):
    assert message(lambda: sglang(args=[word])) == f"'args' must be without {flag} (got '{word}'); give '{argument}'"


def test_a_flag_that_an_argument_sets_is_refused():
    assert message(lambda: sglang(args=["--tp=2"])) == "'args' must be without --tp (got '--tp=2'); give 'gpus'"


def test_the_key_of_the_clients_is_a_reference():
    made = container(sglang(api_key=SecretKey("sglang", "key")))

    assert value(sglang(api_key=SecretKey("sglang", "key")), "--api-key") == "$(SGLANG_API_KEY)"
    assert env_of(made)["SGLANG_API_KEY"] == {"secretKeyRef": {"name": "sglang", "key": "key"}}
    assert "--api-key" not in container(sglang())["args"]


@pytest.mark.parametrize(("track", "image"), [("production", "v0.5.19-cu129"), ("lts", "v0.5.19-cu130")])
def test_the_image_runs_on_the_driver(track, image):
    assert sglang(GpuNodes(talos_version="1.12", driver_track=track)).image == f"lmsysorg/sglang:{image}"


def test_the_image_does_not_claim_to_run_without_root():
    assert sglang().pod_security == "baseline"


@pytest.mark.parametrize("port", [9000, {"http": 9000, "other": 9001}])
def test_the_server_opens_the_port_of_the_user(port):
    assert value(sglang(port=port), "--port") == "9000"
