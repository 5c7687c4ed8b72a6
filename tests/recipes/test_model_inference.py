"""Which model of the catalogue a name means, and in which quantization."""

import pytest

from constructs_lib.recipes.model_inference import Named, model_of_file, model_of_repository, model_of_tag
from constructs_lib.upstream.programs.model_catalogue import CATALOGUE
from constructs_lib.upstream.programs.model_names import OLLAMA_MODELS, OLLAMA_QUANTIZATIONS
from constructs_lib.upstream.programs.quantizations import QUANTIZATIONS


@pytest.mark.parametrize(
    ("repository", "model", "quantization"),
    [
        ("Qwen/Qwen3-32B", "qwen3-32b", "bf16"),
        ("qwen/QWEN3-32b", "qwen3-32b", "bf16"),
        ("qwen3-32b", "qwen3-32b", "bf16"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama-3.3-70b", "bf16"),
        ("Qwen/Qwen3-32B-AWQ", "qwen3-32b", "awq"),
        ("Qwen/Qwen3-32B-FP8", "qwen3-32b", "fp8"),
        ("Qwen/Qwen3-30B-A3B-GPTQ-Int4", "qwen3-30b-a3b", "gptq"),
        ("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8", "qwen2.5-7b", "int8"),
        ("RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic", "llama-3.3-70b", "fp8"),
        ("RedHatAI/Llama-3.3-70B-Instruct-quantized.w4a16", "llama-3.3-70b", "gptq"),
        ("RedHatAI/Llama-3.3-70B-Instruct-quantized.w8a8", "llama-3.3-70b", "int8"),
        ("nvidia/Llama-3.3-70B-Instruct-FP4", "llama-3.3-70b", "nvfp4"),
        ("nvidia/Qwen3.5-397B-A17B-NVFP4", "qwen3.5-397b-a17b", "nvfp4"),
        ("openai/gpt-oss-20b", "gpt-oss-20b", "mxfp4"),
        ("unsloth/gpt-oss-20b-BF16", "gpt-oss-20b", "bf16"),
        ("deepseek-ai/DeepSeek-R1", "deepseek-r1-671b", "fp8"),
        ("moonshotai/Kimi-K2-Instruct", "kimi-k2", "fp8"),
    ],
)
def test_a_repository_names_its_model_and_the_format_of_its_weights(repository, model, quantization):
    assert model_of_repository(repository) == (model, quantization)


@pytest.mark.parametrize(
    "repository", ["me/mine", "Qwen/Qwen3-32B-Base-of-mine", "unsloth/Qwen3-8B-bnb-4bit", "Qwen/Qwen3-8B-GGUF", "Qwen"]
)
def test_a_repository_of_another_name_is_not_known(repository):
    assert model_of_repository(repository) is None


def test_each_repository_of_the_catalogue_names_its_row():
    assert [name for name, row in CATALOGUE.items() if model_of_repository(row.source) != (name, row.quantization)] == []


@pytest.mark.parametrize(
    ("repository", "file", "expected"),
    [
        ("Qwen/Qwen3-8B-GGUF", "Qwen3-8B-Q4_K_M.gguf", ("qwen3-8b", "q4_k_m")),
        ("bartowski/Qwen_Qwen3-8B-GGUF", "Qwen_Qwen3-8B-Q6_K.gguf", ("qwen3-8b", "q6_k")),
        ("bartowski/Llama-3.3-70B-Instruct-GGUF", "Q8_0/Llama-3.3-70B-Instruct-Q8_0-00001-of-00002.gguf", ("llama-3.3-70b", "q8_0")),
        ("unsloth/Qwen3-8B-GGUF", "Qwen3-8B-BF16.gguf", ("qwen3-8b", "bf16")),
        ("ggml-org/gpt-oss-20b-GGUF", "gpt-oss-20b-mxfp4.gguf", ("gpt-oss-20b", "mxfp4_moe")),
        ("unsloth/gpt-oss-20b-GGUF", "gpt-oss-20b-F16.gguf", ("gpt-oss-20b", "mxfp4")),
        ("unsloth/gpt-oss-20b-GGUF", "gpt-oss-20b-Q8_0.gguf", ("gpt-oss-20b", "mxfp4_moe")),
        ("unsloth/gpt-oss-120b-GGUF", "gpt-oss-120b-Q4_K_M.gguf", ("gpt-oss-120b", "mxfp4_moe")),
        ("unsloth/Qwen3-8B-GGUF", "Qwen3-8B-UD-Q4_K_XL.gguf", None),
        ("me/mine-GGUF", "mine-Q4_K_M.gguf", None),
    ],
)
def test_a_file_of_gguf_names_its_quantization_and_its_repository_the_model(repository, file, expected):
    assert model_of_file(repository, file) == expected


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("llama3.1:8b", ("llama-3.1-8b", "q4_k_m")),
        ("llama3.1", ("llama-3.1-8b", "q4_k_m")),
        ("library/llama3.2:latest", ("llama-3.2-3b", "q4_k_m")),
        ("qwen3:32b-q8_0", ("qwen3-32b", "q8_0")),
        ("qwen3:8b-fp16", ("qwen3-8b", "f16")),
        ("llama3.1:70b-instruct-q4_K_M", ("llama-3.1-70b", "q4_k_m")),
        ("qwen3:30b-a3b-instruct-2507-q4_K_M", ("qwen3-30b-a3b", "q4_k_m")),
        ("mistral:7b", ("mistral-7b", "q4_k_m")),
        ("mixtral:8x7b", ("mixtral-8x7b", "q4_0")),
        ("gemma2:27b", ("gemma-2-27b", "q4_k_m")),
        ("gemma3:27b-it-qat", ("gemma-3-27b", "q4_0")),
        ("gpt-oss:20b", ("gpt-oss-20b", "mxfp4")),
        ("hf.co/unsloth/Qwen3-8B-GGUF:Q8_0", ("qwen3-8b", "q8_0")),
        ("hf.co/unsloth/gpt-oss-20b-GGUF:F16", ("gpt-oss-20b", "mxfp4")),
        ("hf.co/unsloth/Qwen3-8B-GGUF", ("qwen3-8b", "q4_k_m")),
        ("gpt-oss:120b-cloud", None),
        ("qwen3:8b-mlx", None),
        ("deepseek-r1:8b-llama-distill-q4_K_M", None),
        ("someone/llama3.1:8b", None),
        ("nomic-embed-text", None),
        ("qwen3:9b", None),
    ],
)
def test_a_tag_of_ollama_names_model_and_quantization(tag, expected):
    assert model_of_tag(tag) == expected


def test_each_model_of_the_library_of_ollama_is_in_the_catalogue():
    named = {(family, size): name for family, sizes in OLLAMA_MODELS.items() for size, name in sizes.items() if size != "latest"}

    assert [each for each in named.values() if each not in CATALOGUE] == []
    assert [family for family, sizes in OLLAMA_MODELS.items() if sizes["latest"] not in sizes] == []
    assert set(OLLAMA_QUANTIZATIONS) <= set(OLLAMA_MODELS)
    assert set(OLLAMA_QUANTIZATIONS.values()) <= set(QUANTIZATIONS)
    assert [
        key for key, name in named.items() if model_of_tag(":".join(key)) != Named(name, OLLAMA_QUANTIZATIONS.get(key[0], "q4_k_m"))
    ] == []
