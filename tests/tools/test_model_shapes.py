"""`make pins --configs`: the models of the catalogue from files config.json."""

import datetime as dt
import json

import pytest

from conftest import ROOT
from constructs_lib.upstream.programs.model_catalogue import CATALOGUE
from tools.pins.model_shapes import parameters_of, renew_models, row_of
from tools.pins.tables import Report, Table

TODAY = "2026-11-28"
QWEN = {
    "model_type": "qwen3", "head_dim": 128, "hidden_size": 4096, "intermediate_size": 12288, "max_position_embeddings": 40960,
    "num_attention_heads": 32, "num_hidden_layers": 36, "num_key_value_heads": 8, "tie_word_embeddings": False, "vocab_size": 151936,
}  # fmt: skip
# config.json of rows of the catalogue, without the words that say nothing about the tensors.
CONFIGS = {
    "qwen3-8b": QWEN,
    "qwen3-0.6b": QWEN | {"hidden_size": 1024, "intermediate_size": 3072, "num_attention_heads": 16, "num_hidden_layers": 28, "tie_word_embeddings": True},
    "qwen2.5-7b": {
        "model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_attention_heads": 28, "num_hidden_layers": 28,
        "num_key_value_heads": 4, "vocab_size": 152064,
    },
    "llama-3.1-8b": {
        "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32, "num_hidden_layers": 32,
        "num_key_value_heads": 8, "vocab_size": 128256,
    },
    "mixtral-8x7b": {
        "model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32, "num_hidden_layers": 32,
        "num_key_value_heads": 8, "num_local_experts": 8, "vocab_size": 32000,
    },
    "qwen3-30b-a3b": QWEN | {
        "model_type": "qwen3_moe", "hidden_size": 2048, "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128,
        "num_hidden_layers": 48, "num_key_value_heads": 4,
    },
    "deepseek-r1-671b": {
        "model_type": "deepseek_v3", "first_k_dense_replace": 3, "hidden_size": 7168, "intermediate_size": 18432, "kv_lora_rank": 512,
        "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1, "num_attention_heads": 128, "num_hidden_layers": 61,
        "num_key_value_heads": 128, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 129280,
    },
    "qwen3.6-35b-a3b": {
        "text_config": {
            "model_type": "qwen3_5_moe_text", "attn_output_gate": True, "full_attention_interval": 4, "head_dim": 256, "hidden_size": 2048,
            "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_num_key_heads": 16, "linear_num_value_heads": 32,
            "linear_value_head_dim": 128, "moe_intermediate_size": 512, "num_attention_heads": 16, "num_experts": 256, "num_hidden_layers": 40,
            "num_key_value_heads": 2, "shared_expert_intermediate_size": 512, "vocab_size": 248320,
        },
    },
}  # fmt: skip


@pytest.mark.parametrize("name", CONFIGS)
def test_the_sum_over_the_tensors_is_the_number_of_the_catalogue(name):
    assert parameters_of(CONFIGS[name]) == CATALOGUE[name].parameters


def test_a_type_of_other_tensors_needs_the_published_number():
    with pytest.raises(
        ValueError, match=r"model\.safetensors\.index\.json must stand beside it: the tensors of the type 'mine' are not known"
    ):
        parameters_of({"model_type": "mine"})
    assert row_of("me/mine", QWEN | {"model_type": "mine"}, 8_000_000_000)["parameters"] == 8_000_000_000


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"index_head_dim": 128}, "its KV cache is not known: the indexer of sparse attention keeps keys of its own"),
        ({"compress_ratios": [4]}, "its KV cache is not known: each layer keeps a compressed cache of its own size"),
        ({"linear_attn_config": {"kda_layers": [1]}}, "its KV cache is not known: the state of its linear attention"),
        ({"quantization_config": {"quant_method": "mine"}}, "the format of its weights is not known: quant_method 'mine'"),
    ],
)
def test_a_model_whose_memory_does_not_follow_from_its_config_is_left_out_with_the_reason(words, why):
    with pytest.raises(ValueError, match=why):
        row_of("me/mine", QWEN | words)


def test_the_format_of_the_weights_is_that_of_the_repository():
    assert row_of("me/mine", QWEN | {"quantization_config": {"quant_method": "fp8"}})["quantization"] == "fp8"
    assert "quantization" not in row_of("me/mine", QWEN)


def written(folder, repository, config, index=None):
    """A folder with one config.json."""
    place = folder / repository
    place.mkdir(parents=True)
    (place / "config.json").write_text(json.dumps(config))
    if index:
        (place / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


def renewed(folder, rows=None):
    """The rows after a run, and its report."""
    table, report = Table(folder / "models.json", {"source": "", "read_on": "2026-11-01", "models": rows or {}}), Report()
    renew_models(table, [folder], TODAY, report)
    return table.facts["models"], report


def test_a_new_model_has_a_row_with_its_source_and_the_day(tmp_path):
    (tmp_path / "SOURCE").write_text("somebody/configs at 0123abcd\n")
    rows, report = renewed(written(tmp_path, "Qwen/Qwen9-8B-Instruct", QWEN))

    assert report.changes == ["qwen9-8b: a new model, Qwen/Qwen9-8B-Instruct"]
    assert (rows["qwen9-8b"]["config"], rows["qwen9-8b"]["read_on"]) == ("somebody/configs at 0123abcd", TODAY)
    assert rows["qwen9-8b"]["parameters"] == 8_190_735_360


def test_files_in_one_folder_are_named_after_their_repository(tmp_path):
    (tmp_path / "Qwen--Qwen9-8B_config.json").write_text(json.dumps(QWEN))

    assert list(renewed(tmp_path)[0]) == ["qwen9-8b"]


def test_a_published_number_of_parameters_counts(tmp_path):
    rows, _ = renewed(written(tmp_path, "me/mine", QWEN, {"metadata": {"total_parameters": 123_456_789}}))

    assert rows["mine"]["parameters"] == 123_456_789


def test_a_row_that_differs_is_changed_and_one_that_does_not_stays(tmp_path):
    folder = written(tmp_path, "Qwen/Qwen3-8B", QWEN)
    row = {**row_of("Qwen/Qwen3-8B", QWEN), "config": "before", "read_on": "2026-11-01"}
    same, quiet = renewed(folder, {"qwen3-8b": dict(row)})
    other, report = renewed(folder, {"qwen3-8b": {**row, "context": 1}})

    assert (same["qwen3-8b"], quiet.changes) == (row, [])
    assert (other["qwen3-8b"]["context"], report.changes) == (40960, ["qwen3-8b: context of Qwen/Qwen3-8B"])


def test_what_can_not_be_read_and_what_has_a_taken_name_is_named(tmp_path):
    written(tmp_path, "me/broken", {})
    written(tmp_path, "me/Qwen3-8B", QWEN)
    _, report = renewed(tmp_path, {"qwen3-8b": {"source": "Qwen/Qwen3-8B"}})

    assert report.unread[0].startswith("me/broken: ")
    assert report.reviews == ["me/Qwen3-8B: the catalogue has another repository of the name qwen3-8b, Qwen/Qwen3-8B"]


def test_each_row_of_the_table_has_a_source_and_a_day():
    rows = json.loads((ROOT / "constructs_lib/upstream/tables/models.json").read_text())["models"]

    assert [
        name for name, row in rows.items() if not row["config"] or dt.date.fromisoformat(row["read_on"]) > dt.datetime.now(tz=dt.UTC).date()
    ] == []
