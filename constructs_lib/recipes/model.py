"""`Model`: a language model in the form in which a server runs it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, cast

import attrs

from ..arguments.errors import warn, wrong
from ..arguments.fields import call, copied, named, settle, to_optional_positive, to_positive, to_text
from ..arguments.keywords import named_arguments
from ..arguments.plain_values import choice, instance, text
from ..arguments.spelling import did_you_mean
from ..upstream.programs.model_catalogue import CATALOGUE, ModelShape
from ..upstream.programs.quantizations import QUANTIZATIONS, CacheType
from .model_config import shape_of


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


@named_arguments(quantization="the weights of a model are published in many sizes, so no default is right for all servers")
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
