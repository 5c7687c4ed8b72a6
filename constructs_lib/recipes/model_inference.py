"""Which model of the catalogue a name means, and in which quantization."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from ..upstream.programs.model_catalogue import CATALOGUE
from ..upstream.programs.model_names import (
    FILE_QUANTIZATIONS,
    GGUF_SUFFIX,
    OLLAMA_DEFAULT,
    OLLAMA_HUB,
    OLLAMA_MODELS,
    OLLAMA_QUANTIZATIONS,
    OLLAMA_TRAINED,
    OLLAMA_VARIANTS,
    WEIGHT_SUFFIXES,
)
from ..upstream.programs.quantizations import QUANTIZATIONS


class Named(NamedTuple):
    """A model of the catalogue, and the quantization of its weights."""

    model: str
    quantization: str


def model_of_repository(repository: str) -> Named | None:
    """The model of a repository of Hugging Face with weights for vLLM and SGLang; None where the name does not say.

    The owner does not matter: who quantizes a model keeps its name, and adds the format.

    Example:
        >>> model_of_repository("RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic")
        Named(model='llama-3.3-70b', quantization='fp8')
    """
    name = _plain(repository)
    if model := _models().get(name):
        return Named(model, CATALOGUE[model].quantization)
    for suffix, quantization in WEIGHT_SUFFIXES.items():
        found = re.fullmatch(rf"(.+?)-({suffix})", name)
        if found and (model := _models().get(found[1])):
            return Named(model, quantization)
    return None


def model_of_file(repository: str, file: str) -> Named | None:
    """The model of a file of GGUF; None where repository and file do not say.

    Example:
        >>> model_of_file("bartowski/Qwen_Qwen3-8B-GGUF", "Qwen_Qwen3-8B-Q4_K_M.gguf")
        Named(model='qwen3-8b', quantization='q4_k_m')
    """
    quantization = quantization_of_file(file)
    model = _models().get(_plain(repository).removesuffix(GGUF_SUFFIX))
    if model and quantization and QUANTIZATIONS[CATALOGUE[model].quantization].experts:
        # The experts keep their format in files of every type.
        quantization = "mxfp4" if quantization in {"f16", "bf16"} else "mxfp4_moe"
    return Named(model, quantization) if model and quantization else None


def model_of_tag(tag: str) -> Named | None:
    """The model of a name in Ollama's library, or of a repository that Ollama pulls; None where the name does not say.

    Example:
        >>> model_of_tag("llama3.1:8b"), model_of_tag("qwen3:32b-q8_0")
        (Named(model='llama-3.1-8b', quantization='q4_k_m'), Named(model='qwen3-32b', quantization='q8_0'))
    """
    name, _, words = tag.lower().partition(":")
    host, _, repository = name.partition("/")
    if host in OLLAMA_HUB:
        return model_of_file(repository, words or OLLAMA_DEFAULT)
    family = name.removeprefix("library/")
    sizes: Mapping[str, str] = OLLAMA_MODELS.get(family, {})
    words = words or "latest"
    quantization = next((each for each in (*QUANTIZATIONS, *FILE_QUANTIZATIONS) if words.endswith(f"-{each}")), "")
    size, *variants = words.removesuffix(f"-{quantization}").split("-")
    model = sizes.get(sizes.get(size, size) if size == "latest" else size)
    trained = next((OLLAMA_TRAINED[word] for word in variants if word in OLLAMA_TRAINED), "")
    if model is None or not all(word in OLLAMA_TRAINED or re.fullmatch(OLLAMA_VARIANTS, word) for word in variants):
        return None
    named = "f16" if quantization == "fp16" else quantization
    return Named(model, named or trained or OLLAMA_QUANTIZATIONS.get(family, OLLAMA_DEFAULT))


def quantization_of_file(file: str) -> str | None:
    """The quantization that the name of a file says."""
    words = re.split("[-./]", file.lower())
    return next((FILE_QUANTIZATIONS.get(word, word) for word in words if word in QUANTIZATIONS or word in FILE_QUANTIZATIONS), None)


def _plain(repository: str) -> str:
    """The name without its owner, which some write before the name again: `Qwen_Qwen3-8B-GGUF`."""
    name = repository.lower().rpartition("/")[2]
    owner, _, rest = name.partition("_")
    return rest if rest and owner in _owners() else name


@cache
def _models() -> Mapping[str, str]:
    """The models by the names of their repositories without the owner, and by their own names."""
    return {**{shape.source.rpartition("/")[2].lower(): name for name, shape in CATALOGUE.items()}, **{name: name for name in CATALOGUE}}


@cache
def _owners() -> frozenset[str]:
    return frozenset(shape.source.partition("/")[0].lower() for shape in CATALOGUE.values())
