"""The numbers of a model by the words of its config.json."""

import pytest

from constructs_lib.arguments.errors import ArgumentError
from constructs_lib.recipes.model import shape_of
from constructs_lib.upstream.programs.model_catalogue import CATALOGUE

WORDS = {
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
}
# config.json of models of the catalogue, without the words that say nothing about memory.
CONFIGS = {
    "llama-3.1-8b": WORDS | {"model_type": "llama", "intermediate_size": 14336, "tie_word_embeddings": False, "sliding_window": None},
    "qwen2.5-7b": {
        "model_type": "qwen2", "hidden_size": 3584, "max_position_embeddings": 32768, "num_attention_heads": 28, "num_hidden_layers": 28,
        "num_key_value_heads": 4, "sliding_window": 131072, "tie_word_embeddings": False, "use_sliding_window": False, "vocab_size": 152064,
    },
    "qwen3-0.6b": {
        "model_type": "qwen3", "head_dim": 128, "hidden_size": 1024, "max_position_embeddings": 40960, "num_attention_heads": 16,
        "num_hidden_layers": 28, "num_key_value_heads": 8, "sliding_window": None, "tie_word_embeddings": True, "vocab_size": 151936,
    },
    "qwen3-30b-a3b": {
        "model_type": "qwen3_moe", "head_dim": 128, "hidden_size": 2048, "intermediate_size": 6144, "max_position_embeddings": 40960,
        "moe_intermediate_size": 768, "num_attention_heads": 32, "num_experts": 128, "num_hidden_layers": 48, "num_key_value_heads": 4,
        "tie_word_embeddings": False, "vocab_size": 151936,
    },
    "mixtral-8x7b": {
        "model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "max_position_embeddings": 32768, "num_attention_heads": 32,
        "num_hidden_layers": 32, "num_key_value_heads": 8, "num_local_experts": 8, "sliding_window": None, "vocab_size": 32000,
    },
    "gemma-2-9b": {
        "model_type": "gemma2", "head_dim": 256, "hidden_size": 3584, "max_position_embeddings": 8192, "num_attention_heads": 16,
        "num_hidden_layers": 42, "num_key_value_heads": 8, "sliding_window": 4096, "vocab_size": 256000,
    },
    "gemma-3-1b": {
        "model_type": "gemma3_text", "head_dim": 256, "hidden_size": 1152, "max_position_embeddings": 32768, "num_attention_heads": 4,
        "num_hidden_layers": 26, "num_key_value_heads": 1, "sliding_window": 512, "sliding_window_pattern": 6, "vocab_size": 262144,
    },
    "gpt-oss-20b": {
        "model_type": "gpt_oss", "head_dim": 64, "hidden_size": 2880, "intermediate_size": 2880, "max_position_embeddings": 131072,
        "layer_types": ["sliding_attention", "full_attention"] * 12, "num_attention_heads": 64, "num_hidden_layers": 24,
        "num_key_value_heads": 8, "num_local_experts": 32, "sliding_window": 128, "tie_word_embeddings": False, "vocab_size": 201088,
    },
    "deepseek-r1-671b": {
        "model_type": "deepseek_v3", "first_k_dense_replace": 3, "hidden_size": 7168, "intermediate_size": 18432, "kv_lora_rank": 512,
        "max_position_embeddings": 163840, "moe_intermediate_size": 2048, "n_routed_experts": 256, "num_attention_heads": 128,
        "num_hidden_layers": 61, "num_key_value_heads": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 129280,
    },
    "qwen3.5-9b": {
        "model_type": "qwen3_5", "tie_word_embeddings": False, "vision_config": {"depth": 27},
        "text_config": {
            "full_attention_interval": 4, "head_dim": 256, "hidden_size": 4096, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128,
            "linear_num_key_heads": 16, "linear_num_value_heads": 32, "linear_value_head_dim": 128, "max_position_embeddings": 262144,
            "num_attention_heads": 16, "num_hidden_layers": 32, "num_key_value_heads": 4, "vocab_size": 248320,
        },
    },
}  # fmt: skip


@pytest.mark.parametrize("name", CONFIGS)
def test_a_config_has_the_numbers_of_the_catalogue(name):
    row = CATALOGUE[name]
    head_dim = 7168 // 128 if row.token_values else row.head_dim  # With MLA no figure needs it.
    shape = shape_of(CONFIGS[name], row.parameters)
    # A part of the routed experts is a bias, which config.json does not name: 0.03 % for gpt-oss.
    assert shape.expert_parameters == pytest.approx(row.expert_parameters, rel=0.001)
    assert shape == row._replace(source="", head_dim=head_dim, expert_parameters=shape.expert_parameters, quantization="bf16")


@pytest.mark.parametrize("key", ["num_hidden_layers", "hidden_size", "num_attention_heads", "vocab_size"])
@pytest.mark.parametrize("value", [None, 0, -1, "32", 3.5, True])
def test_a_number_that_the_memory_follows_from_is_required(key, value):
    with pytest.raises(ArgumentError) as caught:
        shape_of(WORDS | {key: value}, 1)

    assert str(caught.value) == (
        f"'config' must be a config.json with '{key}', a whole number above zero (got {value!r}); the numbers are at the top of config.json or under "
        "'text_config'"
    )


def test_each_query_head_of_mla_has_a_key_and_a_value():
    config = CONFIGS["deepseek-r1-671b"] | {"num_key_value_heads": 3}

    assert shape_of(config, 1).kv_heads == 128


@pytest.mark.parametrize("config", [[], "config.json", None, {"text_config": 3}])
def test_a_config_is_a_mapping(config):
    with pytest.raises(TypeError, match=r"'config' must be the content of a config\.json"):
        shape_of(config, 1)


def test_a_number_left_out_has_the_default_of_the_library():
    shape = shape_of({key: WORDS[key] for key in ("num_hidden_layers", "hidden_size", "num_attention_heads", "vocab_size")}, 1)

    assert (shape.kv_heads, shape.head_dim, shape.context, shape.is_tied) == (32, 128, 2048, False)


def test_a_sliding_window_without_a_pattern_is_one_of_all_layers():
    shape = shape_of(WORDS | {"model_type": "mistral", "sliding_window": 4096}, 1)

    assert (shape.windowed_layers, shape.window) == (32, 4096)


def test_a_list_of_another_length_says_nothing_about_the_layers():
    assert shape_of(WORDS | {"layer_types": ["sliding_attention"]}, 1).windowed_layers == 0


def test_the_layers_of_gemma_4_without_a_window_have_heads_of_their_own():
    words = WORDS | {"head_dim": 256, "global_head_dim": 512}

    assert shape_of(words | {"num_global_key_value_heads": 4}, 1).token_values == 2 * 512 * 4
    assert shape_of(words, 1).token_values == 2 * 512 * 8


@pytest.mark.parametrize("kind", ["bert", "xlm-roberta", "nomic_bert"])
def test_an_encoder_keeps_no_cache(kind):
    assert shape_of(WORDS | {"model_type": kind}, 1).kv_heads == 0


def test_the_experts_are_no_more_than_the_whole_model():
    assert shape_of(WORDS | {"num_local_experts": 8, "intermediate_size": 14336}, 1000).expert_parameters == 1000


@pytest.mark.parametrize("place", ["top", "text"])
def test_one_tensor_for_embedding_and_output_is_read_in_both_places(place):
    text = WORDS | {"tie_word_embeddings": place == "text"}
    whole = {"text_config": text} | ({"tie_word_embeddings": True} if place == "top" else {})

    assert shape_of(whole, 1).is_tied
