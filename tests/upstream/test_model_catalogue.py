"""The rows of the catalogue of models against the numbers that their makers publish."""

import pytest

from constructs_lib.upstream.programs.model_catalogue import CATALOGUE

# "Number of Parameters" and "total parameters" of model cards and papers, in billions as they round them.
PUBLISHED = {
    "llama-3.1-8b": 8.03,
    "llama-3.1-70b": 70.6,
    "llama-3.1-405b": 406,
    "llama-3.2-1b": 1.23,
    "llama-3.2-3b": 3.21,
    "qwen2.5-0.5b": 0.49,
    "qwen2.5-1.5b": 1.54,
    "qwen2.5-3b": 3.09,
    "qwen2.5-7b": 7.61,
    "qwen2.5-14b": 14.7,
    "qwen2.5-32b": 32.5,
    "qwen2.5-72b": 72.7,
    "qwen3-0.6b": 0.6,
    "qwen3-1.7b": 1.7,
    "qwen3-4b": 4.0,
    "qwen3-8b": 8.2,
    "qwen3-14b": 14.8,
    "qwen3-32b": 32.8,
    "qwen3-30b-a3b": 30.5,
    "qwen3-235b-a22b": 235,
    "gemma-2-2b": 2.61,
    "gemma-2-9b": 9.24,
    "gemma-2-27b": 27.2,
    "gemma-3-1b": 1.0,
    "mistral-7b": 7.25,
    "mistral-nemo-12b": 12.2,
    "mistral-small-24b": 23.6,
    "mistral-large-123b": 123,
    "mixtral-8x7b": 46.7,
    "mixtral-8x22b": 141,
    "phi-4": 14.7,
    "phi-4-mini": 3.8,
    "deepseek-r1-671b": 671,
    "gpt-oss-20b": 20.9,
    "gpt-oss-120b": 116.8,
    "bge-m3": 0.568,
    "mxbai-embed-large": 0.335,
}


@pytest.mark.parametrize(("name", "billions"), PUBLISHED.items())
def test_the_parameters_are_those_of_the_model_card(name, billions):
    assert CATALOGUE[name].parameters / 1e9 == pytest.approx(billions, rel=0.015)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("qwen3-32b", 32_762_123_264),
        ("qwen3-embedding-0.6b", 595_776_512),
        ("qwen3-embedding-4b", 4_021_774_336),
        ("mistral-7b", 7_248_023_552),
    ],
)
def test_the_sum_over_the_tensors_is_the_published_number(name, parameters):
    assert CATALOGUE[name].parameters == parameters


def test_the_catalogue_has_the_models_that_people_run():
    families = {name.split("-")[0].rstrip("0123456789.") for name in CATALOGUE}

    assert len(CATALOGUE) >= 40
    assert families >= {"llama", "qwen", "gemma", "mistral", "mixtral", "phi", "deepseek", "gpt", "bge"}


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_row_is_consistent(name):
    row = CATALOGUE[name]
    organisation, repository = row.source.split("/")

    assert name == name.lower()
    assert organisation
    assert repository
    assert row.layers >= row.windowed_layers + row.recurrent_layers
    assert bool(row.windowed_layers) == bool(row.window)
    assert bool(row.recurrent_layers) == bool(row.recurrent_values)
    assert 0 <= row.expert_parameters < row.parameters
    assert row.kv_heads == 0 or row.heads % row.kv_heads == 0
    assert row.parameters > row.vocabulary * row.hidden * (1 if row.is_tied else 2) + row.expert_parameters


def test_no_two_rows_have_the_same_repository():
    sources = [row.source.lower() for row in CATALOGUE.values()]

    assert len(set(sources)) == len(sources)


def test_a_number_of_billions_in_a_name_is_about_that_of_the_row():
    for name, row in CATALOGUE.items():
        for part in name.replace("8x7b", "47b").replace("8x22b", "141b").split("-"):
            if part[0].isdigit() and part.endswith("b"):
                # Gemma 2 2B has 2.6 billion.
                assert row.parameters / 1e9 == pytest.approx(float(part[:-1]), rel=0.31), name
