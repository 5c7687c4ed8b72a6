"""The numbers of a model in the words of its config.json
(https://huggingface.co/docs/transformers/main_classes/configuration)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arguments.errors import wrong
from ..arguments.plain_values import mapping, whole_number
from ..upstream.programs.model_catalogue import ModelShape

_ENCODERS = ("bert", "distilbert", "roberta", "xlm-roberta", "mpnet", "nomic_bert", "modernbert")
"""The types of models that keep no KV cache."""
_MOST_PARAMETERS = 10**14


def shape_of(config: Mapping[str, Any], parameters: int) -> ModelShape:
    """The numbers of a model. A number that config.json leaves out has the default of the `transformers` library."""
    whole = mapping("config", config, "the content of a config.json")
    part = whole.get("text_config", whole)
    words = _Words(mapping("config", part, "the content of a config.json"))
    count = whole_number("parameters", parameters, maximum=_MOST_PARAMETERS)
    layers, hidden, heads = words.required("num_hidden_layers"), words.required("hidden_size"), words.required("num_attention_heads")
    kinds = words.of_layers(layers)
    windowed, recurrent = kinds.count("sliding_attention"), kinds.count("linear_attention")
    is_encoder = words.config.get("model_type") in _ENCODERS
    return ModelShape(
        source="",
        parameters=count,
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=0 if is_encoder else words.number("num_key_value_heads", default=heads),
        head_dim=words.number("head_dim", default=hidden // heads),
        vocabulary=words.required("vocab_size"),
        context=words.number("max_position_embeddings", default=2048),
        expert_parameters=min(words.experts(layers, hidden), count),
        has_images="vision_config" in whole,
        is_tied=whole.get("tie_word_embeddings", words.config.get("tie_word_embeddings")) is True or words.is_gemma,
        windowed_layers=windowed,
        window=words.number("sliding_window") if windowed else 0,
        token_values=words.token_values(),
        recurrent_layers=recurrent,
        recurrent_values=recurrent * words.recurrent_values(),
    )


class _Words:
    """The keys of one config.json."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.config = config

    @property
    def is_gemma(self) -> bool:
        """Gemma's output layer is its embedding, which its config.json does not say."""
        return str(self.config.get("model_type", "")).startswith("gemma")

    def number(self, *keys: str, default: int = 0) -> int:
        """The first of the keys that has a number above zero."""
        for key in keys:
            value = self.config.get(key)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
        return default

    def required(self, key: str) -> int:
        """A number without which the memory can't be computed."""
        if not self.number(key):
            hint = "the numbers are at the top of config.json or under 'text_config'"
            raise wrong("config", f"a config.json with '{key}', a whole number above zero", self.config.get(key), hint, part=key)
        return self.number(key)

    def of_layers(self, layers: int) -> list[str]:
        """The kind of each layer: `full_attention`, `sliding_attention` or `linear_attention`."""
        kinds = self.config.get("layer_types")
        if isinstance(kinds, list) and len(kinds) == layers:
            return [str(kind) for kind in kinds]
        if interval := self.number("full_attention_interval"):
            return ["full_attention" if index % interval == 0 else "linear_attention" for index in range(1, layers + 1)]
        if not self.number("sliding_window") or self.config.get("use_sliding_window") is False:
            return ["full_attention"] * layers
        pattern = self.number("sliding_window_pattern", "_sliding_window_pattern")
        if not pattern and self.config.get("model_type") == "gemma2":
            pattern = 2
        return ["full_attention" if pattern and index % pattern == 0 else "sliding_attention" for index in range(1, layers + 1)]

    def experts(self, layers: int, hidden: int) -> int:
        """The parameters of the routed experts: three matrices for each expert."""
        count = self.number("num_local_experts", "num_experts", "n_routed_experts")
        size = self.number("moe_intermediate_size", "intermediate_size")
        return count * 3 * hidden * size * (layers - self.number("first_k_dense_replace"))

    def token_values(self) -> int:
        """The values that a layer keeps of a token, where they are not a key and a value of each KV head."""
        if latent := self.number("kv_lora_rank"):
            return latent + self.number("qk_rope_head_dim")
        dimension = self.number("global_head_dim")
        return 2 * dimension * self.number("num_global_key_value_heads", "num_key_value_heads")

    def recurrent_values(self) -> int:
        """The values of the state of one layer with linear attention (Gated DeltaNet): the state of each head, and the
        last inputs of the convolution."""
        heads, dimension = self.number("linear_num_value_heads"), self.number("linear_value_head_dim")
        keys, key_dimension = self.number("linear_num_key_heads"), self.number("linear_key_head_dim")
        channels = 2 * keys * key_dimension + heads * dimension
        return heads * key_dimension * dimension + max(self.number("linear_conv_kernel_dim") - 1, 0) * channels
