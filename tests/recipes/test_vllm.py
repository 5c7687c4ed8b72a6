"""The recipe of vLLM."""

import pytest

from conftest import env_of, message
from constructs_lib import Dra, GpuNodes, Mps, SecretKey, TimeSlicing
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.recipes.vllm import VllmSettings

NODES = GpuNodes(talos_version="1.13", product="RTX 4090")


def vllm(nodes=NODES, **given):
    return VllmSettings(nodes=nodes, name="vllm", model="example/model", **given)


def container(settings):
    return gpu_workload(settings)["Resource"]["spec"]["template"]["spec"]["containers"][0]


def value(settings, flag):
    words = container(settings)["args"]
    return words[words.index(flag) + 1] if flag in words else None


def test_the_model_is_the_first_word_and_has_its_name_in_requests():
    settings = vllm()

    assert container(settings)["args"][0] == "/models/example/model/main"
    assert value(settings, "--served-model-name") == "example/model"
    assert value(vllm(served_name="chat"), "--served-model-name") == "chat"


def test_the_context_is_that_of_the_model_unless_given():
    assert value(vllm(), "--max-model-len") is None
    assert value(vllm(context=16384), "--max-model-len") == "16384"


def test_several_gpus_run_the_model_together():
    assert value(vllm(), "--tensor-parallel-size") is None
    assert value(vllm(gpus=4), "--tensor-parallel-size") == "4"


@pytest.mark.parametrize(
    "nodes",
    [
        GpuNodes(talos_version="1.13", sharing=TimeSlicing(replicas=4)),
        GpuNodes(talos_version="1.13", product="A100-SXM4-40GB", mig_devices={"1g.5gb": 7}),
    ],
)
def test_several_shares_or_partitions_are_refused(nodes):
    profile = "1g.5gb" if nodes.mig_devices else None

    assert message(lambda: vllm(nodes, gpus=2, profile=profile)) == (
        "'gpus' must be 1 where pods have shares or partitions of cards (got 2); one model runs on several whole cards only"
    )


@pytest.mark.parametrize(
    ("sharing", "given", "fraction"),
    [
        ({}, {}, "0.9"),
        ({"sharing": TimeSlicing(replicas=2)}, {}, "0.45"),
        ({"sharing": TimeSlicing(replicas=4)}, {}, "0.22"),
        ({"sharing": TimeSlicing(replicas=4)}, {"memory_fraction": 0.25}, "0.25"),
        ({"sharing": TimeSlicing(replicas=4)}, {"gpu_memory": "12Gi"}, "0.45"),
        ({}, {"memory_fraction": 0.97}, "0.97"),
        ({"dra": Dra(share="consumable", shares=3)}, {}, "0.3"),
    ],
)
def test_the_fraction_follows_from_the_pod_s_share_of_a_card(sharing, given, fraction):
    nodes = GpuNodes(talos_version="1.13", memory_per_gpu="24Gi", **sharing)

    assert value(vllm(nodes, **given), "--gpu-memory-utilization") == fraction


def test_a_fraction_above_the_share_is_refused():
    nodes = GpuNodes(talos_version="1.13", sharing=TimeSlicing(replicas=3))

    assert message(lambda: vllm(nodes, memory_fraction=0.34)) == (
        "'memory_fraction' must be at most 0.3333, the pod's share of a card (got 0.34); leave the argument out"
    )


def test_a_fraction_is_needed_where_the_share_is_not_known():
    nodes = GpuNodes(talos_version="1.13", dra=Dra(share="time-slicing"))

    assert message(lambda: vllm(nodes)).startswith("'memory_fraction' must be given on these nodes (got None)")
    assert value(vllm(nodes, memory_fraction=0.4), "--gpu-memory-utilization") == "0.4"


@pytest.mark.parametrize(("fraction", "error"), [(0, ValueError), (1.5, ValueError), (True, TypeError), ("0.9", TypeError)])
def test_a_fraction_is_a_number_up_to_one(fraction, error):
    assert message(lambda: vllm(memory_fraction=fraction), error).startswith("'memory_fraction' must be a number above 0, and 1 at most")


def test_per_cent_are_a_slip():
    assert message(lambda: vllm(memory_fraction=90)).endswith("did you mean 0.9?")


@pytest.mark.parametrize(("drain", "sleep", "rest"), [(20, 5, "15"), (3, 3, "0"), (0, None, "0")])
def test_open_requests_have_the_drain_that_the_sleep_leaves(drain, sleep, rest):
    settings = vllm(drain=drain)

    assert settings.pre_stop_sleep == sleep
    assert value(settings, "--shutdown-timeout") == rest
    assert settings.termination_grace_period == drain + 10


@pytest.mark.parametrize(
    ("word", "argument"), [("--gpu-memory-utilization=0.95", "memory_fraction"), ("--max-model-len", "context"), ("-tp", "gpus")]
)
def test_a_flag_that_an_argument_sets_is_refused(word, argument):
    flag = word.partition("=")[0]

    assert message(lambda: vllm(args=[word])) == f"'args' must be without {flag} (got '{word}'); give '{argument}'"


@pytest.mark.parametrize(
    ("word", "flag", "argument"),
    [
        ("--gpu_memory_utilization=0.95", "--gpu-memory-utilization", "memory_fraction"),
        ("--max_model-len", "--max-model-len", "context"),
        ("--gpu-mem=0.95", "--gpu-memory-utilization", "memory_fraction"),
        ("--served_model", "--served-model-name", "served_name"),
        ("-t", "-tp", "gpus"),
        ("-pp", "-pp", "gpus"),
        ("--pipeline-parallel-size=2", "--pipeline-parallel-size", "gpus"),
        ("-dp=2", "-dp", "replicas"),
        ("--data_parallel_size", "--data-parallel-size", "replicas"),
    ],
)
def test_a_flag_that_an_argument_sets_is_refused_in_every_spelling_of_the_parser(word, flag, argument):
    assert message(lambda: vllm(args=[word])) == f"'args' must be without {flag} (got '{word}'); give '{argument}'"


@pytest.mark.parametrize("word", ["--model-impl=auto", "-dpn", "--data-parallel-rank=0", "--", "-", "gpu", "--max-model-len-extra"])
def test_a_flag_that_only_begins_like_another_is_taken(word):
    assert container(vllm(args=[word]))["args"][-1] == word


def test_other_flags_come_last():
    assert container(vllm(args=["--enable-prefix-caching"]))["args"][-1] == "--enable-prefix-caching"


def test_the_key_of_the_clients_is_a_reference():
    key = SecretKey("vllm", "key")

    assert env_of(container(vllm(api_key=key)))["VLLM_API_KEY"] == {"secretKeyRef": {"name": "vllm", "key": "key"}}
    assert message(lambda: vllm(api_key="sk-1"), TypeError).startswith("'api_key' must be a SecretKey")
    assert message(lambda: vllm(args=["--api-key", "sk-1"])).startswith("'args' must be without a credential")


@pytest.mark.parametrize(
    ("given", "size"), [({}, "2Gi"), ({"gpus": 2}, "8Gi"), ({"shared_memory": "4Gi"}, "4Gi"), ({"shared_memory": False}, False)]
)
def test_shared_memory(given, size):
    assert vllm(**given).shared_memory == size


def test_by_mps_the_daemon_s_volume_is_the_shared_memory():
    with pytest.warns(match="MPS"):
        nodes = GpuNodes(talos_version="1.13", sharing=Mps(replicas=2))

    assert vllm(nodes).shared_memory is None


def test_what_is_compiled_outlives_the_pod():
    variables = env_of(container(vllm()))

    assert (variables["VLLM_CACHE_ROOT"], variables["TRITON_CACHE_DIR"]) == ("/models/.cache/vllm", "/models/.cache/triton")


@pytest.mark.parametrize(("talos", "track", "image"), [("1.12", "production", "v0.28.0-cu129"), ("1.13", "lts", "v0.28.0")])
def test_the_image_runs_on_the_driver(talos, track, image):
    assert vllm(GpuNodes(talos_version=talos, driver_track=track)).image == f"vllm/vllm-openai:{image}"


def test_the_server_runs_as_the_user_of_the_image():
    context = gpu_workload(vllm())["Resource"]["spec"]["template"]["spec"]["securityContext"]

    assert (context["runAsUser"], context["runAsGroup"], context["fsGroup"]) == (2000, 0, 0)


@pytest.mark.parametrize("port", [9000, {"http": 9000, "other": 9001}])
def test_the_server_opens_the_port_of_the_user(port):
    assert value(vllm(port=port), "--port") == "9000"
