"""The parts of the recipes. Each takes the arguments of its settings in `recipes/`, and every argument of `GpuWorkload`."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ..manifests.objects import Manifests
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
from .app_registry import Place
from .part import Part, id_as_label
from .workload_parts import workload_manifests

_P = ParamSpec("_P")
_S = TypeVar("_S", bound=RecipeSettings)

_MODEL = "such as model='Qwen/Qwen3-8B'"


def _manifests(place: Place, settings: RecipeSettings) -> Manifests:
    return {**workload_manifests(place, settings), **settings.beside()}


def _recipe(name: str, settings: Callable[_P, _S], **needs: str) -> Part[_P, _S]:
    reasons = {"nodes": "a recipe runs on a class of GPU nodes", **needs}
    return Part(name, settings, _manifests, defaults={"name": id_as_label}, needs=reasons)


OLLAMA = _recipe("Ollama", OllamaSettings)
CUDA_SMOKE_TEST = _recipe("CudaSmokeTest", CudaSmokeTestSettings)
COMFY_UI = _recipe("ComfyUI", ComfyUISettings)
FRIGATE = _recipe("Frigate", FrigateSettings)
IMMICH_MACHINE_LEARNING = _recipe("ImmichMachineLearning", ImmichMachineLearningSettings)
JELLYFIN = _recipe("Jellyfin", JellyfinSettings)
JUPYTER = _recipe("Jupyter", JupyterSettings)
TRITON = _recipe("Triton", TritonSettings)
WHISPER = _recipe("Whisper", WhisperSettings)
WYOMING_WHISPER = _recipe("WyomingWhisper", WyomingWhisperSettings)
PLEX = _recipe("Plex", PlexSettings)
VLLM = _recipe("Vllm", VllmSettings, model=_MODEL)
LLAMA_CPP = _recipe("LlamaCpp", LlamaCppSettings, model=_MODEL, file="such as file='Qwen3-8B-Q4_K_M.gguf'")
SGLANG = _recipe("Sglang", SglangSettings, model=_MODEL)
TEXT_EMBEDDINGS = _recipe("TextEmbeddings", TextEmbeddingsSettings, model=_MODEL)
