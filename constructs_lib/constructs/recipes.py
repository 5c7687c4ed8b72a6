"""The recipes as constructs. Each takes the arguments of its settings in `recipes/`, and every argument of `GpuWorkload`."""

from __future__ import annotations

from typing import Any

from constructs import Construct

from ..arguments.docstrings import argument_lines, with_argument_lines
from ..arguments.keywords import named_arguments
from ..clusters import recipe_parts as parts
from ..clusters.part import Part
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
from .gpu_workload import GpuWorkload

_FIRST = ("scope", "id", "nodes")


class Recipe(GpuWorkload):
    """The base class of the recipes: a `GpuWorkload` with the facts of one program, and the objects that the program needs beside its pods."""

    def __init__(self, scope: Construct, id: str, settings: RecipeSettings, part: Part[Any, Any]) -> None:  # noqa: A002
        GpuConstruct.__init__(self, scope, id, settings, part)

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        settings = [base for base in cls.__mro__ if issubclass(base, RecipeSettings) and not issubclass(base, Recipe)]
        cls.__doc__ = _with_arguments(*(base.__doc__ or "" for base in settings))


def _with_arguments(text: str, *bases: str) -> str:
    """The documentation of a recipe's settings, with the arguments that its base classes and `GpuWorkload` document."""
    of_workloads = argument_lines(GpuWorkload.__doc__)
    known = {**{name: of_workloads[name] for name in _FIRST if name in of_workloads}, **argument_lines(text)}
    rest = of_workloads
    for base in reversed(bases):
        rest = {**rest, **argument_lines(base)}
    section = "".join([*known.values(), *(rest[name] for name in rest if name not in known)])
    return with_argument_lines(text, section)


@named_arguments(**parts.OLLAMA.needs)
class Ollama(Recipe, OllamaSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(parts.OLLAMA)
    def __init__(self, scope: Construct, id: str, settings: OllamaSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, parts.OLLAMA)


@named_arguments(**parts.CUDA_SMOKE_TEST.needs)
class CudaSmokeTest(Recipe, CudaSmokeTestSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(parts.CUDA_SMOKE_TEST)
    def __init__(self, scope: Construct, id: str, settings: CudaSmokeTestSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, parts.CUDA_SMOKE_TEST)


@named_arguments(**parts.COMFY_UI.needs)
class ComfyUI(Recipe, ComfyUISettings):  # noqa: D101  # the documentation is that of the settings
    @takes(parts.COMFY_UI)
    def __init__(self, scope: Construct, id: str, settings: ComfyUISettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, parts.COMFY_UI)


@named_arguments(**parts.FRIGATE.needs)
class Frigate(Recipe, FrigateSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(parts.FRIGATE)
    def __init__(self, scope: Construct, id: str, settings: FrigateSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, parts.FRIGATE)


@named_arguments(**parts.IMMICH_MACHINE_LEARNING.needs)
class ImmichMachineLearning(Recipe, ImmichMachineLearningSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(parts.IMMICH_MACHINE_LEARNING)
    def __init__(self, scope: Construct, id: str, settings: ImmichMachineLearningSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, parts.IMMICH_MACHINE_LEARNING)


@named_arguments(**parts.JELLYFIN.needs)
class Jellyfin(Recipe, JellyfinSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(parts.JELLYFIN)
    def __init__(self, scope: Construct, id: str, settings: JellyfinSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, parts.JELLYFIN)


@named_arguments(**parts.JUPYTER.needs)
class Jupyter(Recipe, JupyterSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(parts.JUPYTER)
    def __init__(self, scope: Construct, id: str, settings: JupyterSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, parts.JUPYTER)


@named_arguments(**parts.TRITON.needs)
class Triton(Recipe, TritonSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(parts.TRITON)
    def __init__(self, scope: Construct, id: str, settings: TritonSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, parts.TRITON)


@named_arguments(**parts.WHISPER.needs)
class Whisper(Recipe, WhisperSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(parts.WHISPER)
    def __init__(self, scope: Construct, id: str, settings: WhisperSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, parts.WHISPER)


@named_arguments(**parts.WYOMING_WHISPER.needs)
class WyomingWhisper(Recipe, WyomingWhisperSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(parts.WYOMING_WHISPER)
    def __init__(self, scope: Construct, id: str, settings: WyomingWhisperSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, parts.WYOMING_WHISPER)


@named_arguments(**parts.PLEX.needs)
class Plex(Recipe, PlexSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(parts.PLEX)
    def __init__(self, scope: Construct, id: str, settings: PlexSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, parts.PLEX)


@named_arguments(**parts.VLLM.needs)
class Vllm(Recipe, VllmSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(parts.VLLM)
    def __init__(self, scope: Construct, id: str, settings: VllmSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, parts.VLLM)


@named_arguments(**parts.LLAMA_CPP.needs)
class LlamaCpp(Recipe, LlamaCppSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(parts.LLAMA_CPP)
    def __init__(self, scope: Construct, id: str, settings: LlamaCppSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, parts.LLAMA_CPP)


@named_arguments(**parts.SGLANG.needs)
class Sglang(Recipe, SglangSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(parts.SGLANG)
    def __init__(self, scope: Construct, id: str, settings: SglangSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, parts.SGLANG)


@named_arguments(**parts.TEXT_EMBEDDINGS.needs)
class TextEmbeddings(Recipe, TextEmbeddingsSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(parts.TEXT_EMBEDDINGS)
    def __init__(self, scope: Construct, id: str, settings: TextEmbeddingsSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, parts.TEXT_EMBEDDINGS)
