"""Which models run on which cards: the table says what the constructs accept."""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import drawn, message
from constructs_lib import TalosGpuWarning
from constructs_lib.arguments.errors import ArgumentError
from constructs_lib.recipes import Model
from constructs_lib.recipes.llama_cpp import LlamaCppSettings
from constructs_lib.recipes.model_table import (
    best,
    card_nodes,
    card_table,
    cards_table,
    choice,
    fewest,
    known_model,
    model_table,
    on_card,
    ways,
)
from constructs_lib.recipes.vllm import VllmSettings
from constructs_lib.upstream.nvidia.card_memory import CARD_OF_EACH_MEMORY, card_memory
from constructs_lib.upstream.programs.model_catalogue import CATALOGUE
from constructs_lib.upstream.programs.model_servers import ModelServer

VLLM, LLAMA = ModelServer.VLLM, ModelServer.LLAMA_CPP
NAMES, CARDS = st.sampled_from(list(CATALOGUE)), st.sampled_from(list(CARD_OF_EACH_MEMORY.values()))


def accepted(server, nodes, model, gpus):
    """Whether the construct takes the model without an error or a warning."""
    more = {"nodes": nodes, "name": "server", "model": "me/mine", "gpus": gpus, "fits": model}
    with warnings.catch_warnings():
        warnings.simplefilter("error", TalosGpuWarning)
        try:
            return VllmSettings(**more) if server is VLLM else LlamaCppSettings(**more, file="mine.gguf")
        except (ArgumentError, TalosGpuWarning):
            return None


@settings(max_examples=drawn(150))
@given(name=NAMES, card=CARDS, gpus=st.sampled_from([1, 2, 4, 8]), number=st.integers(0, 4))
def test_the_table_says_yes_exactly_when_the_construct_accepts(name, card, gpus, number):
    every, nodes = list(ways(name)), card_nodes(card)
    quantization, server = every[number % len(every)]
    shape = CATALOGUE[name]
    found = choice(name, nodes, quantization, server, gpus)

    longest = found.context if found else min(8192, shape.context)
    assert bool(accepted(server, nodes, Model(name, quantization=quantization, context=longest), gpus)) == bool(found)
    if found and found.context < shape.context:
        longer = Model(name, quantization=quantization, context=min(found.context + 1024, shape.context))
        assert accepted(server, nodes, longer, gpus) is None


def test_each_card_of_the_table_has_its_memory():
    assert {memory: card_memory(card) for memory, card in CARD_OF_EACH_MEMORY.items()} == {memory: memory for memory in CARD_OF_EACH_MEMORY}


def test_a_model_has_its_own_quantization_first_and_gguf_last():
    assert list(ways("qwen3-8b")) == [("bf16", VLLM), ("fp8", VLLM), ("awq", VLLM), ("q8_0", LLAMA), ("q4_k_m", LLAMA)]
    assert next(ways("deepseek-r1-671b")) == ("fp8", VLLM)
    assert list(ways("gpt-oss-20b")) == [("mxfp4", VLLM), ("mxfp4", LLAMA)]


def test_the_longest_context_is_that_of_the_card_or_of_the_model():
    nodes = card_nodes("RTX 4090")

    assert str(choice("qwen3-32b", nodes, "q4_k_m", LLAMA)) == "q4_k_m, 20480"
    assert str(choice("qwen3-8b", nodes, "q4_k_m", LLAMA)) == "q4_k_m, 40960"
    assert choice("qwen3-32b", nodes, "bf16", VLLM) is None
    assert str(fewest("qwen3-32b", nodes, "bf16", VLLM)) == "bf16, 40960, 4 GPUs"
    assert str(best("llama-3.3-70b", nodes)) == "q4_k_m, 22528, 2 GPUs"
    assert best("llama-3.1-405b", card_nodes("RTX 4060")) is None


def test_the_table_of_a_card_has_a_row_for_each_way():
    rows = card_table("RTX 4090", ["qwen3-32b", "llama-3.1-405b"]).splitlines()

    assert rows == [
        "| model | quantization | server | GPUs | context | memory of each |",
        "| --- | --- | --- | --- | --- | --- |",
        "| qwen3-32b | bf16 | vLLM | 4 | 40960 | 19.8 GiB |",
        "| qwen3-32b | fp8 | vLLM | 2 | 28672 | 21.5 GiB |",
        "| qwen3-32b | awq | vLLM | 2 | 40960 | 16.0 GiB |",
        "| qwen3-32b | q8_0 | llama.cpp, Ollama | 2 | 40960 | 21.9 GiB |",
        "| qwen3-32b | q4_k_m | llama.cpp, Ollama | 1 | 20480 | 23.8 GiB |",
    ]
    assert card_table("RTX 4060", ["llama-3.1-405b"]) == "8 of these cards are too few for llama-3.1-405b.\n"


def test_the_table_of_all_cards_has_the_best_way_of_each_model():
    head, _, row = cards_table(["qwen3-32b"]).splitlines()

    assert head.startswith("| model | RTX 4060, 8 GB | RTX 4070, 12 GB | RTX 4080, 16 GB | RTX 4090, 24 GB |")
    assert "| q4_k_m, 20480 |" in row
    assert cards_table(["llama-3.1-405b"]).splitlines()[2].startswith("| llama-3.1-405b | no | no |")


def test_the_table_of_a_model_has_each_way_on_each_card():
    head, _, *rows = model_table("qwen3-32b").splitlines()

    assert head == "| card | vLLM, bf16 | vLLM, fp8 | vLLM, awq | llama.cpp, Ollama, q8_0 | llama.cpp, Ollama, q4_k_m |"
    assert len(rows) == len(CARD_OF_EACH_MEMORY)
    assert (
        rows[3]
        == "| RTX 4090, 24 GB | bf16, 40960, 4 GPUs | fp8, 28672, 2 GPUs | awq, 40960, 2 GPUs | q8_0, 40960, 2 GPUs | q4_k_m, 20480 |"
    )


def test_a_card_is_one_of_known_memory_and_a_model_one_of_the_catalogue():
    assert message(lambda: card_nodes("RTX 5060 Ti")) == (
        "'card' must be a card of known memory (got 'RTX 5060 Ti'); the name does not tell the size: write the size behind the name, as "
        "'A100-SXM4-80GB'"
    )
    assert message(lambda: known_model("qwen3-33b")) == (
        "'model' must be a model of the catalogue, such as 'llama-3.3-70b' (got 'qwen3-33b'); did you mean 'qwen3-32b'?"
    )
    assert known_model("Qwen/Qwen3-32B-AWQ") == "qwen3-32b"
    assert message(lambda: known_model("whisper")) == (
        "'model' must be a model of the catalogue, such as 'llama-3.3-70b' (got 'whisper'); the command without --model lists them"
    )
    assert len(on_card("A100-SXM4-80GB", ["qwen3-8b"])) == 5


@pytest.mark.parametrize(
    ("written", "model"),
    [
        ("llama3.1:8b", "llama-3.1-8b"), ("deepseek-r1:70b", "deepseek-r1-distill-llama-70b"), ("gemma3:27b", "gemma-3-27b"), ("phi4", "phi-4"),
        ("bartowski/Llama-3.3-70B-Instruct-GGUF:Q4_K_M", "llama-3.3-70b"), ("ollama.com/library/llama3.3:70b", "llama-3.3-70b"),
        ("Llama 3.3 70B", "llama-3.3-70b"), ("mixtral 8x7b", "mixtral-8x7b"), ("unsloth/Llama-3.3-70B-Instruct-GGUF", "llama-3.3-70b"),
    ],
)  # fmt: skip
def test_a_model_has_the_names_of_ollama_of_its_repositories_and_of_its_documentation(written, model):
    assert known_model(written) == model


@pytest.mark.thorough
def test_the_cards_of_both_tables_agree():
    for name in CATALOGUE:
        for card in CARD_OF_EACH_MEMORY.values():
            ways_there = on_card(card, [name])
            found = best(name, card_nodes(card))
            assert (found is None) == (not ways_there)
            assert found is None or found.gpus == min(each.gpus for each in ways_there)
