"""The models of constructs_lib/upstream/tables/models.json, from files config.json as their makers publish them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from constructs_lib.recipes.model import shape_of
from constructs_lib.upstream.programs.model_catalogue import ModelShape

from .tables import Report, Table

_CONFIG, _INDEX = "config.json", "model.safetensors.index.json"
_BESIDE, _SOURCE = "_config.json", "SOURCE"
_PLAIN = ("llama", "mistral", "mixtral", "qwen2", "qwen3", "qwen3_moe", "qwen3_vl_text", "qwen3_vl_moe_text", "deepseek_v3", "kimi_k2")
_GATED = ("qwen3_5_text", "qwen3_5_moe_text")
_COUNTED = (*_PLAIN, *_GATED, "glm4_moe", "minimax_m2")
"""The types of models whose parameters follow from config.json: their tensors are those of the code of `transformers`."""
_QK_NORM = ("qwen3", "qwen3_moe", "qwen3_vl_text", "qwen3_vl_moe_text", *_GATED)
_UNKNOWN_CACHE = {
    "index_head_dim": "the indexer of sparse attention keeps keys of its own, in a format that depends on server and card",
    "sparse_attention_config": "the indexer of sparse attention keeps keys of its own, in a format that depends on server and card",
    "compress_ratios": "each layer keeps a compressed cache of its own size",
    "linear_attn_config": "the state of its linear attention is none that the library computes",
    "attention_chunk_size": "whether a server keeps whole chunks or the whole context depends on the server",
    "hybrid_override_pattern": "the state of its Mamba layers is none that the library computes",
    "layers_block_type": "the state of its Mamba layers is none that the library computes",
    "block_configs": "each layer has another size",
}
"""The keys of a config.json whose KV cache the library can't compute, with the reason."""
_ROUNDED = ("expert_parameters", "head_dim")
"""The numbers that a row may have better: biases of experts, which config.json does not name, and with MLA no figure
needs the size of a head."""
_FORMATS = {None: "bf16", "fp8": "fp8", "mxfp4": "mxfp4", "awq": "awq", "gptq": "gptq"}
"""The quantization of the published weights, by `quant_method`."""


def renew_models(table: Table, folders: list[Path], today: str, report: Report) -> None:
    """Compare each config.json with its row, and add a row for a model that the table lacks.

    A folder has `owner/name/config.json` or `owner--name_config.json`; `model.safetensors.index.json` beside a
    config.json tells the number of parameters, and the file SOURCE where the files of the folder are from.
    """
    rows: dict[str, dict[str, Any]] = table.facts["models"]
    for folder in folders:
        source = folder / _SOURCE
        origin = source.read_text(encoding="utf-8").strip() if source.exists() else "https://huggingface.co"
        for repository, path in _configs(folder):
            try:
                config = json.loads(path.read_text(encoding="utf-8"))
                found = row_of(repository, config, _published(path.with_name(_INDEX)))
            except (OSError, ValueError, TypeError) as error:
                report.unread.append(f"{repository}: {error}")
                continue
            report.read.append(str(path))
            name = next((name for name, row in rows.items() if row["source"].lower() == repository.lower()), None)
            if name is None:
                name = repository.rpartition("/")[2].lower().removesuffix("-instruct")
                if name in rows:
                    report.reviews.append(f"{repository}: the catalogue has another repository of the name {name}, {rows[name]['source']}")
                    continue
                report.changes.append(f"{name}: a new model, {repository}")
            elif differs := [key for key in found if found[key] != rows[name].get(key, found[key]) and key not in _ROUNDED]:
                report.changes.append(f"{name}: {', '.join(differs)} of {repository}")
            else:
                continue
            rows[name] = {**found, "config": origin, "read_on": today}
    table.facts["models"] = dict(sorted(rows.items()))


def row_of(repository: str, config: Mapping[str, Any], parameters: int | None = None) -> dict[str, Any]:
    """The row of a model. ValueError if a number of it does not follow from its config.json."""
    text = config.get("text_config", config)
    for key, why in _UNKNOWN_CACHE.items():
        if text.get(key):
            raise ValueError(f"its KV cache is not known: {why} ('{key}')")
    method = (text.get("quantization_config") or config.get("quantization_config") or {}).get("quant_method")
    if method not in _FORMATS:
        raise ValueError(f"the format of its weights is not known: quant_method {method!r}")
    shape = shape_of(config, parameters or parameters_of(config))
    row = shape._replace(source=repository, quantization=_FORMATS[method])._asdict()
    return {key: value for key, value in row.items() if value != ModelShape._field_defaults.get(key)}


def parameters_of(config: Mapping[str, Any]) -> int:
    """The parameters of the language model: the sum over the tensors that its config.json describes."""
    text = config.get("text_config", config)
    kind = text.get("model_type")
    if kind not in _COUNTED:
        raise ValueError(f"{_INDEX} must stand beside it: the tensors of the type {kind!r} are not known")
    hidden, layers = text["hidden_size"], text["num_hidden_layers"]
    tied = config.get("tie_word_embeddings", text.get("tie_word_embeddings", False))
    total = text["vocab_size"] * hidden * (1 if tied else 2) + hidden
    interval = text.get("full_attention_interval", 1)
    dense = text.get("first_k_dense_replace", 0)
    for number in range(layers):
        is_full = (number + 1) % interval == 0
        total += 2 * hidden + (_attention(text) if is_full else _linear(text)) + _feed_forward(text, is_dense=number < dense)
    return int(total)


def _attention(text: Mapping[str, Any]) -> int:
    hidden, heads = text["hidden_size"], text["num_attention_heads"]
    if rank := text.get("kv_lora_rank"):
        nope, rope, value, query = (text[key] for key in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim", "q_lora_rank"))
        queries = hidden * query + query + query * heads * (nope + rope)
        return int(queries + hidden * (rank + rope) + rank + rank * heads * (nope + value) + heads * value * hidden)
    size = text.get("head_dim") or hidden // heads
    wide, narrow = heads * size, text.get("num_key_value_heads", heads) * size
    kind = text["model_type"]
    gate = hidden * wide if text.get("attn_output_gate") else 0
    bias = wide + 2 * narrow if kind == "qwen2" or text.get("attention_bias") else 0
    norm = (
        2 * size if kind in _QK_NORM or (kind == "glm4_moe" and text.get("use_qk_norm")) else wide + narrow if kind == "minimax_m2" else 0
    )
    return int(2 * hidden * wide + 2 * hidden * narrow + gate + bias + norm)


def _linear(text: Mapping[str, Any]) -> int:
    """Gated DeltaNet: the projections, the convolution, and the decay of each head."""
    hidden, heads, size = text["hidden_size"], text["linear_num_value_heads"], text["linear_value_head_dim"]
    values, keys = heads * size, text["linear_num_key_heads"] * text["linear_key_head_dim"]
    channels = 2 * keys + values
    return int(hidden * (channels + values + 2 * heads) + channels * text["linear_conv_kernel_dim"] + 2 * heads + size + values * hidden)


def _feed_forward(text: Mapping[str, Any], *, is_dense: bool) -> int:
    hidden = text["hidden_size"]
    experts = next((text[key] for key in ("num_local_experts", "num_experts", "n_routed_experts") if text.get(key)), 0)
    if is_dense or not experts:
        return int(3 * hidden * text["intermediate_size"])
    size = text.get("moe_intermediate_size") or text["intermediate_size"]
    shared = text.get("shared_expert_intermediate_size", 0) or (text.get("n_shared_experts") or 0) * size
    bias = experts if text["model_type"] in ("deepseek_v3", "kimi_k2", "glm4_moe", "minimax_m2") else 0
    gate = hidden if text["model_type"] == "qwen3_5_moe_text" else 0
    return int(3 * hidden * (experts * size + shared) + experts * hidden + bias + gate)


def _published(index: Path) -> int | None:
    """The number of parameters in the metadata of an index of safetensors."""
    if not index.exists():
        return None
    count = json.loads(index.read_text(encoding="utf-8")).get("metadata", {}).get("total_parameters")
    return int(count) if count else None


def _configs(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob(f"*{_CONFIG}")):
        if path.name == _CONFIG:
            yield "/".join(path.parts[-3:-1]), path
        elif path.name.endswith(_BESIDE) and "--" in path.name:
            yield path.name.removesuffix(_BESIDE).replace("--", "/", 1), path
