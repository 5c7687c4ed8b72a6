"""The value `Model`: what it accepts, what it refuses and in which words."""

import copy
import pickle

import pytest

from constructs_lib import TalosGpuWarning
from constructs_lib.recipes.model import Model
from constructs_lib.upstream.programs.model_catalogue import CATALOGUE, ModelShape

ANY_OTHER = "Model.from_config(config, parameters=…) takes any other model by its config.json"
CONFIG = {
    "model_type": "mistral",
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 32000,
    "max_position_embeddings": 32768,
}


def llama(**changes):
    return Model("llama-3.3-70b", **{"quantization": "q4_k_m"} | changes)


def refused(made, error=ValueError):
    with pytest.raises(error) as caught:
        made()
    return str(caught.value)


@pytest.mark.parametrize(
    "name", ["llama-3.3-70b", "Llama-3.3-70B", "meta-llama/Llama-3.3-70B-Instruct", "META-LLAMA/llama-3.3-70b-instruct"]
)
def test_a_model_is_found_by_its_name_and_by_its_repository(name):
    assert Model(name, quantization="q4_k_m").shape is CATALOGUE["llama-3.3-70b"]


def test_an_unknown_name_shows_a_similar_one_and_the_way_for_any_other_model():
    assert refused(lambda: Model("llama3.3:70b", quantization="q4_k_m")) == (
        "'name' must be a model of the catalogue, such as 'llama-3.3-70b' (got 'llama3.3:70b'); did you mean 'llama-3.3-70b'? " + ANY_OTHER
    )


def test_a_name_like_no_other_shows_the_way_for_any_other_model():
    assert refused(lambda: Model("my-own", quantization="q4_k_m")) == (
        f"'name' must be a model of the catalogue, such as 'llama-3.3-70b' (got 'my-own'); {ANY_OTHER}"
    )


def test_the_quantization_has_no_default():
    assert refused(lambda: Model("llama-3.3-70b"), TypeError) == (
        "'quantization' must be given to Model (got nothing); such as quantization='q4_k_m' for Ollama and llama.cpp, or quantization='fp8' for vLLM: "
        "the weights of a model are published in many sizes"
    )


def test_a_misspelt_quantization_shows_the_right_one():
    message = refused(lambda: llama(quantization="q4km"))

    assert message.startswith("'quantization' must be one of 'f16', 'bf16', 'q8_0', ")
    assert message.endswith(" (got 'q4km'); did you mean 'q4_k_m'?")


def test_a_format_of_experts_is_refused_for_a_model_without_them():
    assert refused(lambda: llama(quantization="mxfp4")) == (
        "'quantization' must be a format for all weights, such as 'nvfp4' or 'q4_k_m' (got 'mxfp4'); llama-3.3-70b has no experts, such as those of "
        "gpt-oss, whose weights alone have this format"
    )
    assert Model("gpt-oss-20b", quantization="mxfp4").quantization == "mxfp4"


def test_a_quantization_in_capitals_is_the_one_of_the_file_name():
    assert llama(quantization="Q4_K_M") == llama()


def test_an_unknown_type_of_the_cache_is_refused():
    assert refused(lambda: llama(kv_cache="f8")) == "'kv_cache' must be one of 'f16', 'q8_0', 'q4_0', 'fp8' (got 'f8'); did you mean 'fp8'?"


@pytest.mark.parametrize("argument", ["context", "parallel"])
@pytest.mark.parametrize("value", [0, -1, 1.5, True, "8192"])
def test_a_number_of_tokens_or_requests_is_whole_and_above_zero(argument, value):
    with pytest.raises((TypeError, ValueError), match=f"'{argument}' must be a whole number"):
        llama(**{argument: value})


def test_a_shape_is_no_other_value():
    assert refused(lambda: llama(shape=3), TypeError) == "'shape' must be a ModelShape (got 3)"


def test_the_context_is_the_longest_of_the_model_unless_given():
    assert llama().context == 131072
    assert llama(context=8192).context == 8192


def test_a_context_beyond_the_model_is_warned_of():
    with pytest.warns(TalosGpuWarning) as caught:
        llama(context=200000)

    assert [str(each.message) for each in caught] == [
        "'context' is longer than the 131072 tokens of llama-3.3-70b (got 200000); vLLM refuses it without rope scaling"
    ]


def test_the_text_of_a_model_is_its_call_without_defaults():
    assert repr(llama()) == "Model(name='llama-3.3-70b', quantization='q4_k_m')"
    assert repr(llama(context=8192, parallel=2, kv_cache="q8_0")) == (
        "Model(name='llama-3.3-70b', quantization='q4_k_m', context=8192, parallel=2, kv_cache='q8_0')"
    )


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_a_copy_is_equal(again):
    for each in (llama(context=8192, kv_cache="q8_0"), Model.from_config(CONFIG, parameters=7_000_000_000, quantization="bf16")):
        assert again(each) == each


def test_a_model_does_not_change():
    with pytest.raises(AttributeError):
        llama().context = 1


def test_any_other_model_has_the_numbers_of_its_config():
    model = Model.from_config(CONFIG, parameters=7_000_000_000, quantization="bf16", parallel=2)

    assert (model.name, model.context, model.parallel) == ("mistral", 32768, 2)
    assert model.shape == ModelShape(
        source="",
        parameters=7_000_000_000,
        layers=32,
        hidden=4096,
        heads=32,
        kv_heads=8,
        head_dim=128,
        vocabulary=32000,
        context=32768,
    )


def test_any_other_model_can_have_a_name_of_its_own():
    assert Model.from_config(CONFIG, parameters=7_000_000_000, quantization="bf16", name="ours").name == "ours"
    assert Model.from_config(CONFIG | {"model_type": ""}, parameters=1, quantization="bf16").name == "model"


@pytest.mark.parametrize("parameters", [0, -1, 7e9, "7B", None, True])
def test_the_number_of_parameters_is_whole_and_above_zero(parameters):
    with pytest.raises((TypeError, ValueError), match="'parameters' must be a whole number"):
        Model.from_config(CONFIG, parameters=parameters, quantization="bf16")
