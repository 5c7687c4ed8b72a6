"""The argument `fits` of a server of language models: what follows from the `Model` for the other arguments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import attrs

from ..arguments.errors import wrong
from ..arguments.fields import settle
from ..arguments.plain_values import instance
from ..arguments.quantities import amount_of
from ..upstream.programs.model_servers import ModelServer
from .gpu_share import pods_per_gpu
from .model import Model
from .model_fit import check_fits, pod_memory
from .model_memory import GIB, ModelMemory

if TYPE_CHECKING:
    from .recipe_settings import RecipeSettings


def to_model(value: Model | None, argument: str = "") -> Model | None:
    """A `Model`, or None."""
    return None if value is None else instance(argument, value, Model, "a Model", "such as Model('llama-3.3-70b', quantization='q4_k_m')")


def settle_by_model(settings: RecipeSettings, model: Model | None, **defaults: Any) -> None:
    """Set the arguments that a `Model` has too, such as the context. An argument that contradicts the Model is
    refused."""
    for name, default in defaults.items():
        of_model, given = getattr(model, name, None), getattr(settings, name)
        if of_model is not None and given not in (None, of_model):
            raise wrong(name, f"left out with 'fits', which has {of_model}", given, "give it to the Model")
        settle(settings, name, of_model or default)


def facts_of_fit(
    settings: RecipeSettings, model: Model | None, server: ModelServer, volume: str, fraction: float | None = None
) -> dict[str, Any]:
    """The memory of the GPU and the size of the claim, if the model fits the card.

    `volume` is the mount path of the models. `fraction` is the part of a card that the server takes at its start,
    whatever the model needs.
    """
    if model is None:
        return {}
    nodes = settings.nodes
    # By MPS a pod sees only its part of the card.
    part = fraction * (pods_per_gpu(nodes) or 1) if fraction and nodes.by_mps else fraction
    memory = check_fits("fits", model, nodes, server=server, gpus=settings.gpus, profile=settings.profile, utilization=part)
    used, card = memory.total, pod_memory(nodes, settings.profile)
    if card is not None:
        used = min(max(used, (part or 0) * card.limit), card.limit)
    facts = {"gpu_memory": f"{math.ceil(used * 1024)}Mi"}
    return facts if volume in settings.volumes else {**facts, "storage": _storage(settings, memory)}


def _storage(settings: RecipeSettings, memory: ModelMemory) -> str:
    """The size of the claim: the default of the recipe, or more for a large model. A smaller size than that of the
    weights is refused."""
    storage, default = getattr(settings, "storage"), attrs.fields_dict(type(settings))["storage"].default  # noqa: B009
    if storage == default:
        return max(str(default), memory.storage, key=amount_of)
    if amount_of(storage) < memory.file * GIB:
        raise wrong(
            "storage", f"at least {memory.storage} for the model of 'fits'", storage, f"the weights alone are {memory.file:.1f} GiB"
        )
    return str(storage)
