"""The recipes as constructs, with the arguments of their settings in `recipes/` and of `GpuWorkload`."""

from __future__ import annotations

import functools
import sys
from typing import Any

from constructs import Construct

from ..clusters.part_table import recipe_part
from ..recipes.comfy_ui import ComfyUISettings
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


@functools.cache
def _tell(remark: str) -> None:
    """Write a remark to standard error, once: a warning would stop an app whose warnings are errors."""
    sys.stderr.write(f"remark: {remark}\n")


class Recipe(GpuWorkload):
    """The base class of the recipes: a `GpuWorkload` with the facts of one program, and the objects that the program
    needs beside its pods."""

    def __init__(self, scope: Construct, id: str, settings: RecipeSettings) -> None:  # noqa: A002
        GpuConstruct.__init__(self, scope, id, settings, recipe_part(type(settings)))
        for each in getattr(settings, "remarks", ()):
            _tell(each)

    def __init_subclass__(cls, **arguments: Any) -> None:
        cls.__doc__ = cls.__bases__[-1].__doc__  # that of the settings
        super().__init_subclass__(**arguments)


class Ollama(Recipe, OllamaSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(recipe_part(OllamaSettings))
    def __init__(self, scope: Construct, id: str, settings: OllamaSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


class CudaSmokeTest(Recipe, CudaSmokeTestSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(recipe_part(CudaSmokeTestSettings))
    def __init__(self, scope: Construct, id: str, settings: CudaSmokeTestSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


class ComfyUI(Recipe, ComfyUISettings):  # noqa: D101  # the documentation is that of the settings
    @takes(recipe_part(ComfyUISettings))
    def __init__(self, scope: Construct, id: str, settings: ComfyUISettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


class Frigate(Recipe, FrigateSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(recipe_part(FrigateSettings))
    def __init__(self, scope: Construct, id: str, settings: FrigateSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


class ImmichMachineLearning(Recipe, ImmichMachineLearningSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(recipe_part(ImmichMachineLearningSettings))
    def __init__(self, scope: Construct, id: str, settings: ImmichMachineLearningSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


class Jellyfin(Recipe, JellyfinSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(recipe_part(JellyfinSettings))
    def __init__(self, scope: Construct, id: str, settings: JellyfinSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


class Jupyter(Recipe, JupyterSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(recipe_part(JupyterSettings))
    def __init__(self, scope: Construct, id: str, settings: JupyterSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


class Triton(Recipe, TritonSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(recipe_part(TritonSettings))
    def __init__(self, scope: Construct, id: str, settings: TritonSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


class Whisper(Recipe, WhisperSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(recipe_part(WhisperSettings))
    def __init__(self, scope: Construct, id: str, settings: WhisperSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


class WyomingWhisper(Recipe, WyomingWhisperSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(recipe_part(WyomingWhisperSettings))
    def __init__(self, scope: Construct, id: str, settings: WyomingWhisperSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


class Plex(Recipe, PlexSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(recipe_part(PlexSettings))
    def __init__(self, scope: Construct, id: str, settings: PlexSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


class Vllm(Recipe, VllmSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(recipe_part(VllmSettings))
    def __init__(self, scope: Construct, id: str, settings: VllmSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


class LlamaCpp(Recipe, LlamaCppSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(recipe_part(LlamaCppSettings))
    def __init__(self, scope: Construct, id: str, settings: LlamaCppSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


class Sglang(Recipe, SglangSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(recipe_part(SglangSettings))
    def __init__(self, scope: Construct, id: str, settings: SglangSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)


class TextEmbeddings(Recipe, TextEmbeddingsSettings):  # noqa: D101  # the documentation is that of the settings
    @takes(recipe_part(TextEmbeddingsSettings))
    def __init__(self, scope: Construct, id: str, settings: TextEmbeddingsSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings)
