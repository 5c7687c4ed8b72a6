"""The argument `fits`: a model that does not fit the card is refused, and what follows from a model that fits."""

import warnings

import pytest

from conftest import message
from constructs_lib import ExistingClaim, GpuNodes, Mps, SecretKey, TalosGpuWarning, TimeSlicing
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.recipes import Model
from constructs_lib.recipes.gguf_files import check_quantization
from constructs_lib.recipes.llama_cpp import LlamaCppSettings
from constructs_lib.recipes.model_memory import model_memory
from constructs_lib.recipes.ollama import OllamaSettings
from constructs_lib.recipes.sglang import SglangSettings
from constructs_lib.recipes.text_embeddings import TextEmbeddingsSettings
from constructs_lib.recipes.vllm import VllmSettings
from constructs_lib.upstream.programs.model_servers import ModelServer

NODES = GpuNodes(talos_version="1.13", product="RTX 4090", gpus_per_node=4)
SHARED = GpuNodes(talos_version="1.13", product="RTX 4090", sharing=TimeSlicing(replicas=2))
SMALL = Model("qwen3-4b", quantization="bf16", context=8192)
GGUF = Model("qwen3-8b", quantization="q4_k_m", context=16384, parallel=2)
LARGE = {
    "bf16": Model("llama-3.3-70b", quantization="bf16", context=8192),
    "q4_k_m": Model("llama-3.3-70b", quantization="q4_k_m", context=8192),
}


def vllm(nodes=NODES, **given):
    return VllmSettings(**{"nodes": nodes, "name": "server", "model": "Qwen/Qwen3-4B", **given})


def sglang(nodes=NODES, **given):
    return SglangSettings(**{"nodes": nodes, "name": "server", "model": "Qwen/Qwen3-4B", **given})


def llama(nodes=NODES, **given):
    return LlamaCppSettings(**{"nodes": nodes, "name": "server", "model": "Qwen/Qwen3-8B-GGUF", "file": "Qwen3-8B-Q4_K_M.gguf", **given})


def ollama(nodes=NODES, **given):
    return OllamaSettings(**{"nodes": nodes, "name": "server", **given})


FITTING = [(vllm, SMALL), (sglang, SMALL), (llama, GGUF), (ollama, GGUF)]
each_server = pytest.mark.parametrize(("server", "model"), FITTING)


def value(settings, flag):
    words = list(settings.args)
    return words[words.index(flag) + 1] if flag in words else None


@each_server
def test_a_model_that_does_not_fit_is_refused_with_the_sum(server, model):
    refusal = message(lambda: server(fits=LARGE[model.quantization]))

    assert refusal.startswith("'fits' must be a model that needs at most 2")
    assert "GiB of each GPU" in refusal
    assert "; weights " in refusal
    assert " + KV cache 2.5 + overhead " in refusal


@each_server
def test_without_a_model_nothing_is_compared_and_nothing_declared(server, model):
    assert (server().gpu_memory, server().storage) == (None, "100Gi")


@each_server
def test_what_is_no_model_is_refused(server, model):
    assert message(lambda: server(fits="llama-3.3-70b"), TypeError) == (
        "'fits' must be a Model (got 'llama-3.3-70b'); such as Model('llama-3.3-70b', quantization='q4_k_m')"
    )


@pytest.mark.parametrize(("server", "flag", "model"), [(vllm, "--max-model-len", SMALL), (sglang, "--context-length", SMALL)])
def test_the_context_of_the_model_is_that_of_the_server(server, flag, model):
    assert value(server(fits=model), flag) == "8192"
    assert message(lambda: server(fits=model, context=4096)) == (
        "'context' must be left out with 'fits', which has 8192 (got 4096); give it to the Model"
    )


def test_llama_cpp_has_the_context_and_the_requests_of_the_model():
    assert (value(llama(fits=GGUF), "--ctx-size"), value(llama(fits=GGUF), "--parallel")) == ("32768", "2")
    assert (value(llama(), "--ctx-size"), value(llama(), "--parallel")) == ("8192", "1")
    assert message(lambda: llama(fits=GGUF, parallel=4)).startswith("'parallel' must be left out with 'fits', which has 2 (got 4)")


def test_a_small_kv_cache_has_the_word_of_the_server():
    small = Model("qwen3-4b", quantization="bf16", context=8192, kv_cache="fp8")

    assert value(vllm(fits=small), "--kv-cache-dtype") == "fp8"
    assert value(sglang(fits=small), "--kv-cache-dtype") == "fp8_e4m3"
    assert value(vllm(fits=SMALL), "--kv-cache-dtype") is None
    assert value(sglang(fits=SMALL), "--kv-cache-dtype") is None


def test_a_small_kv_cache_of_llama_cpp_needs_flash_attention():
    settings = llama(fits=Model("qwen3-8b", quantization="q4_k_m", context=8192, kv_cache="q8_0"))

    assert [value(settings, flag) for flag in ("--cache-type-k", "--cache-type-v", "--flash-attn")] == ["q8_0", "q8_0", "on"]
    assert "--flash-attn" not in llama(fits=GGUF).args


@pytest.mark.parametrize(
    ("server", "model", "flag"), [(vllm, SMALL, "--kv-cache-dtype"), (sglang, SMALL, "--kv-cache-dtype"), (llama, GGUF, "-ctk")]
)
def test_a_flag_of_the_kv_cache_is_refused_with_a_model_only(server, model, flag):
    assert flag in server(args=[f"{flag}=q8_0"]).args[-1]
    assert message(lambda: server(fits=model, args=[f"{flag}=q8_0"])) == f"'args' must be without {flag} (got '{flag}=q8_0'); give 'fits'"


@pytest.mark.parametrize("file", ["gpt-oss-20b-mxfp4.gguf", "gpt-oss-20b-F16.gguf", "gpt-oss-20b-Q4_K_M.gguf"])
@pytest.mark.parametrize("quantization", ["mxfp4", "mxfp4_moe"])
def test_experts_in_mxfp4_are_in_files_of_every_type(quantization, file):
    check_quantization(file, Model("gpt-oss-20b", quantization=quantization))


def test_a_file_that_writes_a_quantization_in_another_way_is_compared_too():
    with pytest.raises(ValueError, match=r"^'fits' must be a Model of the quantization that 'file' names, f16 "):
        check_quantization("Qwen3-8B-FP16.gguf", GGUF)


def test_the_file_has_the_quantization_of_the_model():
    refusal = message(lambda: llama(fits=GGUF, file="Qwen3-8B-Q8_0.gguf"))

    assert refusal.startswith("'fits' must be a Model of the quantization that 'file' names, q8_0 (got Model(name='qwen3-8b', ")
    assert llama(fits=GGUF, file="q4_k_m/model-00001-of-00002.gguf").fits is GGUF
    assert llama(fits=GGUF, file="Qwen3-8B-UD-Q4_K_XL.gguf").fits is GGUF  # no type of the table


def test_llama_cpp_and_ollama_declare_the_memory_that_the_model_needs():
    assert llama(fits=GGUF).gpu_memory == model_memory(GGUF, ModelServer.LLAMA_CPP).gpu_memory
    assert ollama(fits=GGUF).gpu_memory == model_memory(GGUF, ModelServer.OLLAMA).gpu_memory


@pytest.mark.parametrize(
    ("server", "nodes", "memory"),
    [(vllm, NODES, 0.9 * 24), (vllm, SHARED, 0.45 * 24), (sglang, NODES, 24), (sglang, SHARED, 12)],
)
def test_vllm_and_sglang_declare_the_part_of_the_card_that_they_take(server, nodes, memory):
    model = Model("qwen3-1.7b", quantization="bf16", context=4096)

    assert server(nodes, fits=model).gpu_memory in (f"{round(memory * 1024)}Mi", f"{int(memory * 1024) + 1}Mi")


def test_on_a_card_of_unknown_memory_the_need_of_the_model_is_declared():
    nodes = GpuNodes(talos_version="1.13")

    assert vllm(nodes, fits=SMALL).gpu_memory == model_memory(SMALL, ModelServer.VLLM).gpu_memory


def test_the_memory_that_the_user_declares_wins():
    assert ollama(fits=GGUF, gpu_memory="20Gi").gpu_memory == "20Gi"


def test_the_part_of_a_shared_card_is_the_limit_of_the_model():
    model = Model("qwen3-4b", quantization="bf16", context=40960)

    assert message(lambda: vllm(SHARED, fits=model)).startswith(
        "'fits' must be a model that needs at most 10.8 GiB of each GPU (0.45 of 24.0 GiB, the part that vLLM takes) (got "
    )
    assert message(lambda: sglang(SHARED, fits=model)).startswith(
        "'fits' must be a model that needs at most 12.0 GiB of each GPU (0.5 of 24.0 GiB, the part that SGLang takes) (got "
    )


def test_a_model_within_the_part_of_a_shared_card_brings_no_warning(recwarn):
    assert vllm(SHARED, fits=Model("qwen3-1.7b", quantization="bf16", context=16384)).context == 16384
    assert not recwarn.list


def test_by_mps_the_part_is_that_of_the_pod_s_own_memory():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TalosGpuWarning)
        nodes = GpuNodes(talos_version="1.13", product="RTX 4090", sharing=Mps(replicas=2))

    assert "at most 10.8 GiB of each GPU (0.9 of 12.0 GiB, " in message(lambda: vllm(nodes, fits=LARGE["bf16"]))
    assert "at most 12.0 GiB of each GPU (got " in message(lambda: sglang(nodes, fits=LARGE["bf16"]))


def test_the_declared_memory_is_never_more_than_the_card():
    """The weights and the KV cache fit, the estimated overhead does not: the warning is enough."""
    nodes = GpuNodes(talos_version="1.13", memory_per_gpu="6000Mi")
    with pytest.warns(TalosGpuWarning, match="too little memory for its overhead"):
        settings = ollama(nodes, fits=Model("llama-3.1-8b", quantization="q4_k_m", context=8192))

    assert settings.gpu_memory == "6000Mi"


def test_several_gpus_divide_the_model():
    assert message(lambda: vllm(fits=LARGE["bf16"], gpus=3)).startswith("'fits' must be a model whose attention heads 3 GPUs can divide")
    fitting = Model("qwen3-32b", quantization="bf16", context=8192)
    assert "; gpus=4 needs " in message(lambda: vllm(fits=fitting))
    assert vllm(fits=fitting, gpus=4).gpus == 4


@pytest.mark.parametrize("server", [vllm, sglang])
def test_a_large_model_has_a_large_claim(server):
    nodes = GpuNodes(talos_version="1.13", product="H100-80GB-HBM3", gpus_per_node=8)
    settings = server(nodes, fits=LARGE["bf16"], gpus=4)
    claim = gpu_workload(settings)["Claim-models"]["spec"]

    assert claim["resources"]["requests"]["storage"] == settings.storage == "145Gi"
    assert server(fits=SMALL).storage == "100Gi"
    assert server(nodes, fits=LARGE["bf16"], gpus=4, storage="1Ti").storage == "1Ti"


@each_server
def test_a_claim_smaller_than_the_weights_is_refused(server, model):
    refusal = message(lambda: server(fits=model, storage="2Gi"))

    assert refusal.startswith("'storage' must be at least ")
    assert "; the weights alone are " in refusal
    assert server(fits=model, storage="2Gi", volumes={"/models": ExistingClaim("models")}).storage == "2Gi"


@pytest.mark.parametrize(
    "server", [vllm, sglang, llama, lambda **given: TextEmbeddingsSettings(nodes=NODES, name="e", model="BAAI/bge-m3", **given)]
)
def test_a_server_without_a_key_is_open(server):
    assert server().unauthenticated == "the server has no authentication without 'api_key'"
    assert server(api_key=SecretKey("server", "key")).unauthenticated == ""
