"""The memory of models against what llama.cpp, Ollama, vLLM and SGLang have written about it in public."""

import pytest

from constructs_lib.recipes.model import Model
from constructs_lib.recipes.model_memory import model_memory
from constructs_lib.upstream.programs.model_servers import ModelServer

GITHUB = "https://github.com/"
MIB = 1 / 1024
LLAMA, OLLAMA, VLLM, SGLANG = ModelServer.LLAMA_CPP, ModelServer.OLLAMA, ModelServer.VLLM, ModelServer.SGLANG

# The figure in GiB, as the page says it: a buffer of one GPU, a file, or the KV cache of so many tokens.
PUBLISHED = [
    # llama.cpp and Ollama: "CUDA0 buffer size", "KV self size", "compute buffer size", "file size", "memory breakdown".
    ("llama-3.1-8b", "q4_k_m", 512, LLAMA, 1, "file", 4.58, "ggml-org/llama.cpp/blob/master/tools/quantize/README.md", {}),
    ("llama-3.1-8b", "q8_0", 512, LLAMA, 1, "file", 7.95, "ggml-org/llama.cpp/blob/master/tools/quantize/README.md", {}),
    ("llama-3.1-8b", "f16", 512, LLAMA, 1, "file", 14.96, "ggml-org/llama.cpp/blob/master/tools/quantize/README.md", {}),
    ("llama-3.1-70b", "q4_k_m", 4096, LLAMA, 1, "file", 43.1e9 / 2**30, "ggml-org/llama.cpp/blob/master/tools/quantize/README.md", {}),
    ("llama-3.1-405b", "q4_k_m", 4096, LLAMA, 1, "file", 249.1e9 / 2**30, "ggml-org/llama.cpp/blob/master/tools/quantize/README.md", {}),
    ("llama-3.1-70b", "q4_0", 4096, OLLAMA, 1, "file", 37.22, "ollama/ollama/pull/6279", {}),
    ("llama-3.2-3b", "q4_k_m", 4096, LLAMA, 1, "file", 1.87, "geerlingguy/ai-benchmarks/issues/53", {}),
    ("mixtral-8x7b", "q4_0", 4096, LLAMA, 1, "file", 24.62, "ggml-org/llama.cpp/issues/6670", {}),
    ("qwen2.5-coder-14b", "q4_k_m", 4096, OLLAMA, 1, "file", 8.37, "ollama/ollama/issues/12634", {}),
    ("qwen3-32b", "q4_k_m", 4096, OLLAMA, 1, "file", 18.81, "ollama/ollama/issues/10911", {}),
    ("qwen3-30b-a3b", "q4_k_m", 4096, LLAMA, 1, "file", 17.28, "ggml-org/llama.cpp/issues/14235", {}),
    ("gemma-3-4b", "q4_k_m", 4096, LLAMA, 1, "file", 2.31, "ggml-org/llama.cpp/pull/22790", {}),
    ("gemma-3-12b", "q4_k_m", 8192, LLAMA, 1, "file", 6.79, "ggml-org/llama.cpp/pull/13194", {}),
    ("gpt-oss-20b", "mxfp4_moe", 4096, LLAMA, 1, "file", 11536.18 * MIB, "lmstudio-ai/lmstudio-bug-tracker/issues/900", {}),
    ("qwen3.5-9b", "q4_k_m", 4096, LLAMA, 1, "file", 5406 * MIB, "jaylfc/taOS/issues/144", {}),
    ("gpt-oss-120b", "mxfp4", 131072, OLLAMA, 1, "weights", 61223 * MIB, "ollama/ollama/issues/16416", {"parallel": 2}),
    ("gpt-oss-120b", "mxfp4", 131072, OLLAMA, 1, "kv_cache", 9306 * MIB, "ollama/ollama/issues/16480", {"parallel": 2}),
    ("qwen2.5-coder-32b", "q8_0", 32768, LLAMA, 1, "kv_cache", 4352 * MIB, "ggml-org/llama.cpp/issues/11200", {"kv_cache": "q8_0"}),
    ("qwen2.5-3b", "q8_0", 4096, LLAMA, 1, "kv_cache", 144 * MIB, "SciSharp/LLamaSharp/issues/1099", {}),
    ("qwen2.5-3b", "q8_0", 4096, LLAMA, 1, "overhead", (300.75 + 456) * MIB, "SciSharp/LLamaSharp/issues/1099", {}),
    ("qwen3.5-9b", "q4_k_m", 131072, LLAMA, 1, "kv_cache", 4146 * MIB, "jaylfc/taOS/issues/144", {}),
    ("deepseek-r1-671b", "q4_k_m", 32768, LLAMA, 1, "kv_cache", 1166.62 * MIB, "ikawrakow/ik_llama.cpp/pull/259", {"kv_cache": "q8_0"}),
    # vLLM and SGLang: "model weights take", "Model loading took", "GPU KV cache size", "KV Cache is allocated".
    ("llama-3.1-8b", "bf16", 8192, VLLM, 1, "weights", 14.9889, "vllm-project/vllm/pull/17122", {}),
    ("llama-3.1-8b", "bf16", 8192, VLLM, 2, "weights", 7.48, "vllm-project/vllm/pull/10511", {}),
    ("llama-3.1-70b", "int8", 2048, VLLM, 1, "weights", 67.7229, "vllm-project/vllm/pull/12569", {}),
    ("deepseek-r1-distill-qwen-14b", "bf16", 8192, VLLM, 2, "weights", 13.9476, "vllm-project/vllm/issues/13061", {}),
    ("qwen3-30b-a3b", "bf16", 8192, VLLM, 4, "weights", 14.2474, "vllm-project/vllm/issues/17469", {}),
    ("qwen3-30b-a3b", "gptq", 8192, VLLM, 1, "weights", 15.6841, "vllm-project/vllm/issues/17327", {}),
    ("gemma-3-27b", "bf16", 8192, VLLM, 4, "weights", 13.1665, "vllm-project/vllm/issues/15676", {}),
    ("gpt-oss-120b", "mxfp4", 8192, VLLM, 1, "weights", 64.38, "vllm-project/vllm/issues/33155", {}),
    ("gpt-oss-120b", "mxfp4", 8192, VLLM, 1, "weights", 65.9651, "vllm-project/vllm/issues/23278", {}),
    ("qwen3-235b-a22b", "fp8", 11180, VLLM, 4, "kv_cache", 8.11, "vllm-project/vllm/issues/21348", {"parallel": 16}),
    ("qwen3-235b-a22b", "fp8", 30617, SGLANG, 4, "kv_cache", 8.23 + 8.23, "vllm-project/vllm/issues/21348", {"parallel": 12}),
]


@pytest.mark.parametrize(
    ("name", "quantization", "context", "server", "gpus", "figure", "published", "page", "arguments"),
    [pytest.param(*row, id=f"{row[3]}-{row[0]}-{row[1]}-{row[5]}-{row[6]:.2f}") for row in PUBLISHED],
)
def test_a_figure_is_within_five_percent_of_the_published_one(
    name, quantization, context, server, gpus, figure, published, page, arguments
):
    model = Model(name, quantization=quantization, context=context, **arguments)

    assert getattr(model_memory(model, server, gpus), figure) == pytest.approx(published, rel=0.05), f"{GITHUB}{page}"


def test_most_figures_are_within_one_percent():
    """The five percent are for files that differ in their mix of types, not a cushion of the arithmetic."""
    off = []
    for name, quantization, context, server, gpus, figure, published, _, arguments in PUBLISHED:
        computed = getattr(model_memory(Model(name, quantization=quantization, context=context, **arguments), server, gpus), figure)
        if abs(computed / published - 1) > 0.01:
            off.append(name)

    assert len(off) <= len(PUBLISHED) / 3, off


def llama(**changes):
    return Model("llama-3.3-70b", **{"quantization": "q4_k_m", "context": 32768} | changes)


def test_the_sum_is_that_of_weights_cache_and_overhead():
    memory = model_memory(llama(), LLAMA)

    assert str(memory) == "weights 39.0 + KV cache 10.0 + overhead 0.7 = 49.7 GiB"
    assert memory.total == memory.weights + memory.kv_cache + memory.overhead


def test_llama_cpp_keeps_an_embedding_of_its_own_out_of_the_gpu():
    memory = model_memory(llama(), LLAMA)

    assert memory.file - memory.weights == pytest.approx(128256 * 8192 * 4.5 / 8 / 2**30)
    assert model_memory(llama(quantization="bf16"), VLLM).weights == model_memory(llama(quantization="bf16"), VLLM).file


def test_llama_cpp_has_no_second_embedding_in_a_model_whose_output_layer_is_the_embedding():
    memory = model_memory(Model("llama-3.2-3b", quantization="q4_k_m"), LLAMA)

    assert memory.weights == memory.file


@pytest.mark.parametrize(("kv_cache", "bits"), [("f16", 16), ("q8_0", 8.5), ("q4_0", 4.5), ("fp8", 8)])
def test_the_cache_grows_with_the_bits_of_its_type(kv_cache, bits):
    assert model_memory(llama(kv_cache=kv_cache), LLAMA).kv_cache == pytest.approx(10 * bits / 16)


def test_each_parallel_request_has_its_own_context():
    assert model_memory(llama(parallel=4, context=8192), LLAMA).kv_cache == model_memory(llama(), LLAMA).kv_cache


def test_the_layers_with_a_sliding_window_keep_the_window_and_one_batch():
    short, long = (model_memory(Model("gemma-3-27b", quantization="q4_k_m", context=each), LLAMA).kv_cache for each in (32768, 65536))
    values = 2 * 16 * 128 * 2

    assert long - short == pytest.approx(10 * 32768 * values / 2**30)
    assert short == pytest.approx((10 * 32768 + 52 * 1536) * values / 2**30)


def test_a_context_shorter_than_the_window_is_kept_whole():
    cache = model_memory(Model("gemma-3-27b", quantization="bf16", context=512), VLLM).kv_cache

    assert cache == pytest.approx(62 * 512 * 2 * 16 * 128 * 2 / 2**30)


def test_llama_cpp_keeps_no_more_cells_of_a_window_than_the_context():
    cache = model_memory(Model("gemma-3-27b", quantization="q4_k_m", context=512), LLAMA).kv_cache

    assert cache == pytest.approx(62 * 512 * 2 * 16 * 128 * 2 / 2**30)


def test_each_parallel_request_has_its_own_state_of_linear_attention():
    one, four = (model_memory(Model("qwen3.6-27b", quantization="q4_k_m", context=4096 // n, parallel=n), LLAMA).kv_cache for n in (1, 4))

    assert four - one == pytest.approx(3 * 39_223_296 * 4 / 2**30)


def test_an_encoder_has_no_kv_cache():
    assert model_memory(Model("bge-m3", quantization="f16"), VLLM).kv_cache == 0


def test_a_state_of_linear_attention_does_not_grow_with_the_context():
    model = Model("qwen3.6-27b", quantization="q4_k_m", context=1024)
    full = 16 * 1024 * 2 * 4 * 256 * 2

    assert model_memory(model, LLAMA).kv_cache == pytest.approx((full + 39_223_296 * 4) / 2**30)


def test_tensor_parallelism_divides_weights_and_heads():
    one, four = (model_memory(llama(quantization="bf16"), VLLM, gpus) for gpus in (1, 4))

    assert four.weights == one.weights / 4
    assert four.kv_cache == one.kv_cache / 4
    assert four.overhead == one.overhead


def test_more_gpus_than_kv_heads_repeat_a_head():
    eight, sixteen = (model_memory(llama(quantization="bf16"), VLLM, gpus).kv_cache for gpus in (8, 16))

    assert eight == sixteen


def test_every_gpu_keeps_the_whole_cache_of_mla():
    one, eight = (model_memory(Model("deepseek-r1-671b", quantization="fp8", context=32768), VLLM, gpus).kv_cache for gpus in (1, 8))

    assert one == eight


def test_whole_layers_are_divided_to_the_gpu_with_the_most():
    assert model_memory(llama(), LLAMA, 2).weights == pytest.approx(model_memory(llama(), LLAMA).weights * 41 / 81)
    assert model_memory(llama(), LLAMA, 2).kv_cache == pytest.approx(10 * 41 / 81)


def test_the_flags_of_a_recipe_follow():
    memory = model_memory(llama(), LLAMA)

    assert memory.gpu_memory == "50942Mi"
    assert memory.storage == "44Gi"
    assert llama().context == 32768


def test_an_estimate_says_that_it_is_one_and_why():
    memory = model_memory(Model("gemma-3-27b", quantization="bf16"), VLLM)

    assert memory.is_estimate
    assert memory.estimates == (
        "weights: without the encoder of images",
        "KV cache: with 2048 tokens beside the sliding window; the server takes more on a large card",
        "overhead: as in published logs of vllm; it grows with the size of a batch",
    )


def test_the_weights_of_a_whole_type_are_no_estimate():
    assert [each for each in model_memory(llama(quantization="bf16"), VLLM).estimates if each.startswith("weights")] == []
    assert [each for each in model_memory(llama(), LLAMA).estimates if each.startswith("weights")] == [
        "weights: the bits are those of Llama 3.1 8B, and files of the same type differ by some percent"
    ]
