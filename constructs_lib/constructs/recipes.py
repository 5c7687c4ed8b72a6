"""The recipes as constructs. Each takes the arguments of its settings in `recipes/`, and every argument of `GpuWorkload`."""

from __future__ import annotations

import re
from typing import Any

from constructs import Construct

from .._arguments.keywords import named_arguments
from .._arguments.names import dns_label
from ..recipes.comfyui import ComfyUISettings
from ..recipes.cuda_smoke_test import CudaSmokeTestSettings
from ..recipes.frigate import FrigateSettings
from ..recipes.immich_machine_learning import ImmichMachineLearningSettings
from ..recipes.jellyfin import JellyfinSettings
from ..recipes.jupyter import JupyterSettings
from ..recipes.llama_cpp import LlamaCppSettings
from ..recipes.ollama import OllamaSettings
from ..recipes.plex import PlexSettings
from ..recipes.recipe_settings import RecipeSettings
from ..recipes.sglang import SglangSettings
from ..recipes.text_embeddings import TextEmbeddingsSettings
from ..recipes.triton import TritonSettings
from ..recipes.vllm import VllmSettings
from ..recipes.whisper import WhisperSettings
from ..recipes.wyoming_whisper import WyomingWhisperSettings
from ._emit import GpuConstruct
from ._settings import takes
from .gpu_workload import GpuWorkload, workload_manifests

_NODES = "a recipe runs on a class of GPU nodes"
_MODEL = "such as model='Qwen/Qwen3-8B'"
_ARGUMENTS = re.compile(r"(?<=^    Args:\n)(?:(?: {8}.*)?\n)+?(?=\n? {4}\S)", re.MULTILINE)
_ARGUMENT = re.compile(r"^ {8}(\w+): .*\n(?: {9,}.*\n)*", re.MULTILINE)
_FIRST = ("scope", "id", "nodes")


class Recipe(GpuWorkload):
    """The base class of the recipes: a `GpuWorkload` with the facts of one program, and the objects that the program needs beside its pods."""

    def __init__(self, scope: Construct, id: str, settings: RecipeSettings) -> None:  # noqa: A002
        GpuConstruct.__init__(self, scope, id, settings, {**workload_manifests(scope, settings), **settings.beside()})

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        settings = [base for base in cls.__mro__ if issubclass(base, RecipeSettings) and not issubclass(base, Recipe)]
        cls.__doc__ = _with_arguments(*(base.__doc__ or "" for base in settings))


def _with_arguments(text: str, *bases: str) -> str:
    """The documentation of a recipe's settings, with the arguments that its base classes and `GpuWorkload` document."""
    of_workloads = _arguments(GpuWorkload.__doc__)
    known = {**{name: of_workloads[name] for name in _FIRST}, **_arguments(text)}
    rest = of_workloads
    for base in reversed(bases):
        rest = {**rest, **_arguments(base)}
    section = "".join([*known.values(), *(rest[name] for name in rest if name not in known)])
    return _ARGUMENTS.sub(lambda _: section, text, count=1)


def _arguments(text: str | None) -> dict[str, str]:
    section = _ARGUMENTS.search(text or "")
    return {} if section is None else {match[1]: match[0] for match in _ARGUMENT.finditer(section[0])}


def _name(_: Construct, place: str) -> str:
    return dns_label("id", place)


@named_arguments(nodes=_NODES)
class Ollama(Recipe, OllamaSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(OllamaSettings, name=_name)
    def __init__(self, scope: Construct, id: str, settings: OllamaSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


@named_arguments(nodes=_NODES)
class CudaSmokeTest(Recipe, CudaSmokeTestSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(CudaSmokeTestSettings, name=_name)
    def __init__(self, scope: Construct, id: str, settings: CudaSmokeTestSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


@named_arguments(nodes=_NODES)
class ComfyUI(Recipe, ComfyUISettings):  # noqa: D101  # the documentation is that of the settings
    @takes(ComfyUISettings, name=_name)
    def __init__(self, scope: Construct, id: str, settings: ComfyUISettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


@named_arguments(nodes=_NODES)
class Frigate(Recipe, FrigateSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(FrigateSettings, name=_name)
    def __init__(self, scope: Construct, id: str, settings: FrigateSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


@named_arguments(nodes=_NODES)
class ImmichMachineLearning(Recipe, ImmichMachineLearningSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(ImmichMachineLearningSettings, name=_name)
    def __init__(self, scope: Construct, id: str, settings: ImmichMachineLearningSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


@named_arguments(nodes=_NODES)
class Jellyfin(Recipe, JellyfinSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(JellyfinSettings, name=_name)
    def __init__(self, scope: Construct, id: str, settings: JellyfinSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


@named_arguments(nodes=_NODES)
class Jupyter(Recipe, JupyterSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(JupyterSettings, name=_name)
    def __init__(self, scope: Construct, id: str, settings: JupyterSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


@named_arguments(nodes=_NODES)
class Triton(Recipe, TritonSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(TritonSettings, name=_name)
    def __init__(self, scope: Construct, id: str, settings: TritonSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


@named_arguments(nodes=_NODES)
class Whisper(Recipe, WhisperSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(WhisperSettings, name=_name)
    def __init__(self, scope: Construct, id: str, settings: WhisperSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


@named_arguments(nodes=_NODES)
class WyomingWhisper(Recipe, WyomingWhisperSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(WyomingWhisperSettings, name=_name)
    def __init__(self, scope: Construct, id: str, settings: WyomingWhisperSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


@named_arguments(nodes=_NODES)
class Plex(Recipe, PlexSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(PlexSettings, name=_name)
    def __init__(self, scope: Construct, id: str, settings: PlexSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


@named_arguments(nodes=_NODES, model=_MODEL)
class Vllm(Recipe, VllmSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(VllmSettings, name=_name)
    def __init__(self, scope: Construct, id: str, settings: VllmSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


@named_arguments(nodes=_NODES, model=_MODEL, file="such as file='Qwen3-8B-Q4_K_M.gguf'")
class LlamaCpp(Recipe, LlamaCppSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(LlamaCppSettings, name=_name)
    def __init__(self, scope: Construct, id: str, settings: LlamaCppSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


@named_arguments(nodes=_NODES, model=_MODEL)
class Sglang(Recipe, SglangSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(SglangSettings, name=_name)
    def __init__(self, scope: Construct, id: str, settings: SglangSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


@named_arguments(nodes=_NODES, model=_MODEL)
class TextEmbeddings(Recipe, TextEmbeddingsSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(TextEmbeddingsSettings, name=_name)
    def __init__(self, scope: Construct, id: str, settings: TextEmbeddingsSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)
