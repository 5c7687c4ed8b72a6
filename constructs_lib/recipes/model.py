"""`Model`: a language model in the form in which a server runs it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, cast

import attrs

from ..arguments.errors import warn, wrong
from ..arguments.fields import call, copied, named, settle, to_optional_positive, to_positive, to_text
from ..arguments.keywords import named_arguments
from ..arguments.plain_values import choice, instance, mapping, text, whole_number
from ..arguments.spelling import did_you_mean
from ..upstream.programs.model_catalogue import CATALOGUE, ModelShape
from ..upstream.programs.quantizations import QUANTIZATIONS, CacheType

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
    # With MLA each query head has a key and a value of its own, made of the latent ones that the cache keeps.
    kv_heads = heads if words.number("kv_lora_rank") else words.number("num_key_value_heads", default=heads)
    return ModelShape(
        source="",
        parameters=count,
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=0 if is_encoder else kv_heads,
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


def _to_quantization(value: str, argument: str = "") -> str:
    rule = "one of " + ", ".join(f"'{name}'" for name in QUANTIZATIONS)
    written = text(argument, value, rule).lower()
    if written not in QUANTIZATIONS:
        raise wrong(argument, rule, value, did_you_mean(written, QUANTIZATIONS))
    return written


def _to_cache_type(value: CacheType | str, argument: str = "") -> CacheType:
    return choice(argument, value, CacheType)


def _to_shape(value: ModelShape | None, argument: str = "") -> ModelShape:
    # None becomes the shape in the catalogue in `__attrs_post_init__`.
    return None if value is None else instance(argument, value, ModelShape, "a ModelShape")  # type: ignore[return-value]


@named_arguments(
    quantization="such as quantization='q4_k_m' for Ollama and llama.cpp, or quantization='fp8' for vLLM: the weights of a model are published in many sizes"
)
@attrs.frozen(repr=False, field_transformer=named)
class Model:
    """A language model: which one, its quantization, and the requests that a server keeps in its KV cache.

    A recipe that takes a `Model` compares the memory that the model needs with the memory of the cards before anything
    is deployed. A server on Talos shows a model that is too large late: after the download, as an out-of-memory error
    or as a restart in a loop. Makes no object.

    Args:
        name: The name of the model in the catalogue, such as "llama-3.3-70b", or its repository, such as
            "meta-llama/Llama-3.3-70B-Instruct". `Model.from_config` takes any other model.
        quantization: The format of the weights: a type of GGUF such as `q4_k_m`, or `bf16`, `fp8`, `awq`, `gptq`,
            `nvfp4`, `mxfp4`. No default.
        context: The context of each request, in tokens. Default: the longest context of the model, which servers take
            without a flag.
        parallel: The requests that are answered at once, each with its own context. Default: 1.
        kv_cache: The type of the KV cache: `f16`; `q8_0` or `q4_0` for llama.cpp and Ollama; `fp8` for vLLM and SGLang.
            Default: `f16`.
        shape: The numbers of a model that is not in the catalogue; `Model.from_config` sets them. Default: those of the
            catalogue.

    Raises:
        TypeError, ValueError: `'name' must be a model of the catalogue …`, `'quantization' must be one of …`,
            `'kv_cache' must be one of …`.

    Warns:
        TalosGpuWarning: For a `context` longer than the model's own.

    Example:
        >>> model = Model("llama-3.3-70b", quantization="q4_k_m", context=32768)
        >>> model.shape.layers, model.shape.kv_heads
        (80, 8)

    https://huggingface.co/docs/transformers/main_classes/configuration
    """

    name: str = attrs.field(converter=to_text)
    quantization: str = attrs.field(kw_only=True, converter=_to_quantization)
    context: int = attrs.field(kw_only=True, default=None, converter=to_optional_positive)
    parallel: int = attrs.field(kw_only=True, default=1, converter=to_positive)
    kv_cache: CacheType = attrs.field(kw_only=True, default=CacheType.F16, converter=_to_cache_type)
    shape: ModelShape = attrs.field(kw_only=True, default=None, converter=_to_shape)

    def __attrs_post_init__(self) -> None:
        if cast("ModelShape | None", self.shape) is None:
            settle(self, "shape", _known_shape(self.name))
        if QUANTIZATIONS[self.quantization].experts and not self.shape.expert_parameters:
            hint = f"{self.name} has no experts, such as those of gpt-oss, whose weights alone have this format"
            raise wrong("quantization", "a format for all weights, such as 'nvfp4' or 'q4_k_m'", self.quantization, hint)
        settle(self, "context", self.shape.context)
        if self.context > self.shape.context:
            warn(
                f"'context' is longer than the {self.shape.context} tokens of {self.name} (got {self.context}); vLLM refuses it without rope scaling"
            )

    @classmethod
    def from_config(cls, config: Mapping[str, Any], *, parameters: int, quantization: str, name: str = "", **arguments: Any) -> Self:
        """A model that is not in the catalogue, by its config.json.

        Args:
            config: The content of config.json, as a mapping. A model of text and images has its numbers under
                `text_config`.
            parameters: The number of parameters, such as 24_000_000_000: `total_size` of model.safetensors.index.json,
                divided by the bytes of one.
            quantization: As `Model`.
            name: The name in messages. Default: `model_type` of config.json.
            arguments: `context`, `parallel` and `kv_cache`, as `Model`.

        Raises:
            TypeError, ValueError: `'config' must be a config.json with …`, `'parameters' must be a whole number …`.

        Example:
            >>> config = {"num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000}
            >>> Model.from_config(config, parameters=7_241_732_096, quantization="bf16", name="mine").shape.head_dim
            128
        """
        shape = shape_of(config, parameters)
        return cls(name or str(config.get("model_type") or "model"), quantization=quantization, shape=shape, **arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the constructor call."""
        return copied(self, kv_cache=str(self.kv_cache))

    def __repr__(self) -> str:
        """The constructor call, without the arguments that have their default and without the numbers of the model."""
        context = None if self.context == self.shape.context else self.context
        return call(self, context=context, shape=None)


def _known_shape(name: str) -> ModelShape:
    """A model of the catalogue, by its name or its repository."""
    key = name.lower()
    by_repository = {shape.source.lower(): shape for shape in CATALOGUE.values()}
    shape = CATALOGUE.get(key) or by_repository.get(key)
    if shape is None:
        hint = "Model.from_config(config, parameters=…) takes any other model by its config.json"
        similar = did_you_mean(key, CATALOGUE) or did_you_mean(key, by_repository)
        raise wrong("name", "a model of the catalogue, such as 'llama-3.3-70b'", name, f"{similar} {hint}" if similar else hint)
    return shape
