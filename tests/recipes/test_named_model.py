"""The model that a server names is compared with the card, where nobody gave `fits`."""

import warnings
from functools import partial

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from conftest import drawn, message
from constructs_lib import GpuNodes, Mps, TalosGpuWarning, TimeSlicing
from constructs_lib.arguments.errors import ArgumentError
from constructs_lib.recipes import Model
from constructs_lib.recipes.llama_cpp import LlamaCppSettings
from constructs_lib.recipes.model_fit import runs
from constructs_lib.recipes.ollama import OllamaSettings
from constructs_lib.recipes.sglang import SglangSettings
from constructs_lib.recipes.vllm import VllmSettings
from constructs_lib.upstream.nvidia.card_memory import CARD_OF_EACH_MEMORY
from constructs_lib.upstream.programs.model_catalogue import CATALOGUE
from constructs_lib.upstream.programs.model_servers import ModelServer

NODES = GpuNodes(talos_version="1.13", product="RTX 4090", gpus_per_node=4)
SHARED = GpuNodes(talos_version="1.13", product="RTX 4090", sharing=TimeSlicing(replicas=2))


def vllm(nodes=NODES, **more):
    return VllmSettings(**{"nodes": nodes, "name": "server", "model": "Qwen/Qwen3-32B", **more})


def sglang(nodes=NODES, **more):
    return SglangSettings(**{"nodes": nodes, "name": "server", "model": "Qwen/Qwen3-32B", **more})


def llama(nodes=NODES, **more):
    return LlamaCppSettings(**{"nodes": nodes, "name": "server", "model": "Qwen/Qwen3-32B-GGUF", "file": "Qwen3-32B-Q8_0.gguf", **more})


def ollama(nodes=NODES, **more):
    return OllamaSettings(**{"nodes": nodes, "name": "server", "models": ["qwen3:32b-q8_0"], **more})


def warned(make):
    """The words of the warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make()
    return [str(each.message) for each in caught]


def test_vllm_refuses_a_model_that_is_too_large_with_both_numbers_and_what_fits():
    assert message(lambda: vllm(context=16384)) == (
        "'model' must be a model that needs at most 21.6 GiB of each GPU (0.9 of 24.0 GiB, the part that vLLM takes) (got 'Qwen/Qwen3-32B'); "
        "qwen3-32b in bf16 with a context of 16384: weights 61.0 + KV cache 4.0 + overhead 2.0 = 67.0 GiB; gpus=4 needs 18.3 GiB of each"
    )


def test_the_context_of_the_model_counts_where_none_is_given_and_a_shorter_one_is_proposed():
    h100 = GpuNodes(talos_version="1.13", product="H100-80GB-HBM3", gpus_per_node=1)

    assert message(lambda: vllm(h100, model="Qwen/Qwen3-Coder-30B-A3B-Instruct")) == (
        "'model' must be a model that needs at most 72.0 GiB of each GPU (0.9 of 80.0 GiB, the part that vLLM takes) "
        "(got 'Qwen/Qwen3-Coder-30B-A3B-Instruct'); qwen3-coder-30b-a3b in bf16 with a context of 262144: weights 56.9 + KV cache 24.0 + overhead 2.0 = "
        "82.9 GiB; fits=Model(…, kv_cache='fp8') needs 70.9 GiB; the same model in fp8 needs 55.0 GiB; context=143360 fits"
    )
    assert vllm(h100, model="Qwen/Qwen3-Coder-30B-A3B-Instruct", context=143360).fits is None


def test_a_larger_part_of_a_whole_card_is_proposed_where_it_is_enough():
    arguments = {"model": "Qwen/Qwen3-14B-FP8", "context": 32768, "memory_fraction": 0.8}
    refusal = message(lambda: vllm(**{**arguments, "memory_fraction": 0.65}))

    assert refusal.endswith("memory_fraction=0.83 is enough")
    assert vllm(**{**arguments, "memory_fraction": 0.83})


def test_llama_cpp_refuses_a_file_that_is_too_large():
    assert message(llama) == (
        "'file' must be a model that needs at most 24.0 GiB of each GPU (got 'Qwen3-32B-Q8_0.gguf'); qwen3-32b in q8_0 with a context of 8192: weights 31.7 "
        "+ KV cache 2.0 + overhead 0.7 = 34.4 GiB; the same model in q5_k_m needs 23.9 GiB; gpus=2 needs 17.8 GiB of each"
    )


def test_ollama_leaves_a_part_of_a_larger_model_to_the_cpu_so_it_warns():
    assert warned(ollama) == [
        (
            "'models' has 'qwen3:32b-q8_0', of which Ollama leaves a part to the CPU: the GPU has 24.0 GiB; qwen3-32b in q8_0 with a context of 8192: weights 31.7 "
            "+ KV cache 2.0 + overhead 0.7 = 34.4 GiB; the same model in q5_k_m needs 23.9 GiB; gpus=2 needs 17.8 GiB of each"
        )
    ]
    assert warned(lambda: ollama(models=["qwen3:8b", "llama3.2:3b"])) == []


def test_ollama_is_refused_a_model_that_somebody_says_must_fit():
    large = Model("qwen3-32b", quantization="q8_0", context=8192)

    assert message(lambda: ollama(fits=large)).startswith("'fits' must be a model that needs at most 24.0 GiB of each GPU")


def test_sglang_starts_with_a_shorter_context_and_is_refused_weights_alone():
    small = {"model": "meta-llama/Llama-3.1-8B-Instruct"}

    assert warned(lambda: sglang(**small)) == []
    assert warned(lambda: sglang(**small, context=131072)) == [
        (
            "'model' holds requests of 45056 tokens at most, and SGLang refuses longer ones: llama-3.1-8b in bf16 with a context of 131072: weights 15.0 + KV cache "
            "16.0 + overhead 3.5 = 34.5 GiB, of 24.0 GiB"
        )
    ]
    assert message(sglang).startswith(
        "'model' must be a model that needs at most 24.0 GiB of each GPU (got 'Qwen/Qwen3-32B'); qwen3-32b in bf16"
    )


def test_gpus_that_can_t_divide_the_heads_are_refused():
    assert message(lambda: vllm(model="Qwen/Qwen2.5-7B-Instruct", gpus=3)) == (
        "'model' must be a model whose attention heads 3 GPUs can divide (got 'Qwen/Qwen2.5-7B-Instruct'); the attention heads of qwen2.5-7b are divided "
        "between the GPUs, and 28 heads are no multiple of 3"
    )


@pytest.mark.parametrize(
    ("nodes", "more", "limit"),
    [
        (SHARED, {}, "10.8"),
        (GpuNodes(talos_version="1.13", product="H100-80GB-HBM3", mig_strategy="mixed"), {"profile": "1g.10gb"}, "9.0"),
        (NODES, {"memory_fraction": 0.5}, "12.0"),
    ],
)
def test_a_pod_has_its_share_of_a_card_its_partition_or_its_fraction(nodes, more, limit):
    refusal = message(lambda: vllm(nodes, model="Qwen/Qwen3-14B", context=8192, **more))

    assert refusal.startswith(f"'model' must be a model that needs at most {limit} GiB of each GPU")


def test_experts_count_whole_although_few_are_active():
    assert "weights 56.9 " in message(lambda: vllm(model="Qwen/Qwen3-30B-A3B", context=8192))


def test_fits_stands_for_the_model_that_the_name_means():
    assert vllm(fits=Model("qwen3-4b", quantization="bf16", context=8192)).remarks == ()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: vllm(model="me/mine"), "me/mine"),
        (lambda: sglang(model="me/mine"), "me/mine"),
        (lambda: llama(model="me/mine-GGUF", file="mine-Q4_K_M.gguf"), "mine-Q4_K_M.gguf"),
        (lambda: ollama(models=["qwen3:8b", "mine"]), "mine"),
    ],
)
def test_a_model_that_is_not_known_has_one_remark_and_no_warning(make, words):
    assert warned(make) == []
    assert make().remarks == (
        f"{words} is not compared with the memory of the GPU, because the catalogue of models does not know it; give fits=Model(…)",
    )


@pytest.mark.parametrize(
    ("server", "flag", "arguments"),
    [
        (vllm, "--quantization", ["--quantization", "fp8"]),
        (vllm, "--quant", ["--quant=fp8"]),
        (vllm, "--kv-cache-dtype", ["--kv_cache_dtype", "fp8"]),
        (vllm, "--cpu-offload-gb", ["--cpu-offload-gb", "60"]),
        (sglang, "--quantization", ["--quantization", "fp8"]),
        (llama, "--n-gpu-layers", ["--n-gpu-layers", "20"]),
        (llama, "-ngl", ["-ngl", "20"]),
        (llama, "--cpu-moe", ["--cpu-moe"]),
    ],
)
def test_a_flag_that_changes_the_memory_leaves_the_model_uncompared(server, flag, arguments):
    remarks = server(args=arguments).remarks

    assert [each.partition(", because ")[2] for each in remarks] == [f"{flag} changes what it needs; give fits=Model(…)"]


def test_a_variable_of_llama_cpp_and_a_command_leave_the_model_uncompared():
    assert "LLAMA_ARG_N_CPU_MOE changes" in llama(env={"LLAMA_ARG_N_CPU_MOE": "20"}).remarks[0]
    assert "'command' changes" in vllm(command=["my-server"]).remarks[0]


def test_a_card_of_unknown_memory_has_no_remark():
    assert vllm(GpuNodes(talos_version="1.13"), model="me/mine").remarks == vllm(GpuNodes(talos_version="1.13")).remarks == ()


def test_a_repository_in_fp8_may_ask_for_a_small_cache_by_itself():
    h100 = GpuNodes(talos_version="1.13", product="H100-80GB-HBM3", gpus_per_node=1)
    fp8 = {"model": "nvidia/Llama-3.3-70B-Instruct-FP8", "memory_fraction": 0.98, "context": 65536}

    assert "KV cache 10.0" in warned(lambda: vllm(h100, **fp8))[0]  # only the overhead is too much


def test_a_context_longer_than_the_model_s_own_is_no_fault_of_the_memory():
    assert warned(lambda: vllm(model="Qwen/Qwen3-0.6B", context=65536)) == []


def test_requests_at_once_and_the_type_of_the_cache_count():
    many = {"models": ["qwen3:14b"], "context": 16384, "parallel": 8}

    assert "KV cache 20.0" in warned(lambda: ollama(**many))[0]
    assert warned(lambda: ollama(**many, kv_cache="q4_0")) == []
    assert "KV cache 36.0" in message(lambda: llama(model="Qwen/Qwen3-8B-GGUF", file="Qwen3-8B-Q4_K_M.gguf", parallel=32))


def test_a_share_of_a_card_has_no_larger_part_proposed():
    assert "memory_fraction=" not in message(lambda: vllm(SHARED, model="Qwen/Qwen3-8B", context=8192))


def test_a_model_that_only_the_overhead_makes_too_large_is_warned_of_with_the_context_that_fits():
    assert warned(lambda: vllm(model="Qwen/Qwen3-8B")) == [
        (
            "'model' leaves vllm too little memory for its overhead: qwen3-8b in bf16 with a context of 40960: weights 15.3 + KV cache 5.6 + overhead 2.0 = 22.9 GiB, "
            "and the GPU has 21.6 GiB (0.9 of 24.0 GiB, the part that vLLM takes); the overhead is an estimate; context=30720 fits"
        )
    ]


def test_by_mps_a_server_takes_its_part_of_what_a_pod_sees():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nodes = GpuNodes(talos_version="1.13", product="RTX 4090", sharing=Mps(replicas=2))

        refusal = message(lambda: vllm(nodes, model="Qwen/Qwen3-14B", context=8192))
    assert refusal.startswith("'model' must be a model that needs at most 10.8 GiB of each GPU (0.9 of 12.0 GiB, the part that vLLM takes)")


def test_a_pod_that_shares_a_card_runs_what_its_share_holds():
    model = Model("qwen3-14b", quantization="q8_0", context=8192)

    assert runs(model, SHARED, server=ModelServer.LLAMA_CPP) is None
    assert runs(model, NODES, server=ModelServer.LLAMA_CPP)


def test_a_name_that_contradicts_itself_is_not_compared():
    assert "does not know" in llama(model="Qwen/Qwen3-8B-GGUF", file="Qwen3-8B-mxfp4.gguf").remarks[0]


MODELS = st.sampled_from([name for name, row in CATALOGUE.items() if row.quantization == "bf16" and row.kv_heads])


@settings(max_examples=drawn(200))
@given(
    name=MODELS,
    card=st.sampled_from(list(CARD_OF_EACH_MEMORY.values())),
    gpus=st.sampled_from([1, 2, 4]),
    context=st.sampled_from([2048, 16384, 65536]),
)
def test_what_a_name_means_and_fits_agree(name, card, gpus, context):
    shape = CATALOGUE[name]
    assume(context <= shape.context)
    nodes = GpuNodes(talos_version="1.13", product=card, gpus_per_node=4)
    model = Model(name, quantization="bf16", context=context)

    by_name = outcome(lambda: vllm(nodes, model=shape.source, context=context, gpus=gpus))
    by_fits = outcome(lambda: vllm(nodes, model=shape.source, fits=model, gpus=gpus))

    assert [sums(each) for each in by_name] == [sums(each) for each in by_fits]


@settings(max_examples=drawn(60))
@given(name=MODELS, card=st.sampled_from(list(CARD_OF_EACH_MEMORY.values())), server=st.sampled_from([vllm, sglang]))
def test_what_a_refusal_proposes_fits(name, card, server):
    nodes = GpuNodes(talos_version="1.13", product=card, gpus_per_node=8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            server(nodes, model=CATALOGUE[name].source)
        except ArgumentError as error:
            hint = str(error.hint)
        else:
            return
    for proposal in hint.split("; "):
        argument, _, value = proposal.partition(" ")[0].partition("=")
        if argument in ("gpus", "context", "memory_fraction"):
            number = float(value) if "." in value else int(value)
            assert outcome(partial(server, nodes, model=CATALOGUE[name].source, **{argument: number})) == []


def outcome(make):
    """The error and the warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TalosGpuWarning)
        try:
            make()
        except ArgumentError as error:
            return [str(error)]
    return [str(each.message) for each in caught]


def sums(words):
    """The sum of the memory in a message."""
    return words[max(words.find("weights "), 0) :].partition(" GiB")[0].partition(" (got ")[0].replace("'model'", "'fits'")
