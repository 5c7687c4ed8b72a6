"""The argument `fits` of a server of language models: what follows from the `Model` for the other arguments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from ..arguments.errors import wrong, wrong_kind
from ..arguments.fields import named, settle, to_count, to_optional_positive, to_optional_text, to_positive
from ..arguments.plain_values import instance
from ..arguments.quantities import amount_of
from ..manifests.workload.container_values import HttpProbe
from ..manifests.workload.settings import GpuWorkloadSettings
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.nvidia.plugin_words import MigStrategy
from ..upstream.programs.model_servers import ModelServer
from .model import Model
from .model_files import ModelFilesSettings
from .model_fit import check_fits, pod_memory
from .model_inference import model_of_repository
from .model_memory import GIB, ModelMemory
from .model_volume import MODELS
from .named_model import NamedModels
from .recipe_settings import RecipeSettings
from .server_flags import check_flags


def pods_per_gpu(nodes: GpuNodes) -> int | None:
    """The number of pods that share a card; 1 for whole cards and partitions, None where nobody knows."""
    if nodes.dra is not None:
        return nodes.dra.claims_per_gpu
    return 1 if nodes.sharing is None else nodes.sharing.replicas


def memory_of_others(nodes: GpuNodes) -> int:
    """The bytes of a card that belong to the other pods on it. 0 where each pod has whole cards, and where the memory
    or the number is not known."""
    pods = pods_per_gpu(nodes)
    if nodes.memory_per_gpu is None or pods is None or nodes.mig_devices is not None:
        return 0
    return int(amount_of(nodes.memory_per_gpu)) * (pods - 1) // pods


def share_of_gpu(settings: GpuWorkloadSettings) -> float | None:
    """The part of a card's memory that a pod may use: 1 for whole cards and partitions, None where nobody knows."""
    nodes, pods = settings.nodes, pods_per_gpu(settings.nodes)
    if pods != 1 and settings.gpu_memory and nodes.memory_per_gpu:
        return float(amount_of(settings.gpu_memory) / amount_of(nodes.memory_per_gpu))
    return None if pods is None else 1 / pods


def has_whole_gpus(settings: GpuWorkloadSettings) -> bool:
    """Whether the GPUs of a pod are whole cards, which one server can use together, and no shares or partitions."""
    nodes = settings.nodes
    return pods_per_gpu(nodes) == 1 and settings.profile is None and nodes.mig_strategy is not MigStrategy.SINGLE


def check_parallel(settings: GpuWorkloadSettings) -> None:
    """Refuse several GPUs for one server that may be shares of one card, or partitions: NCCL does not run there."""
    if settings.gpus > 1 and not has_whole_gpus(settings):
        raise wrong("gpus", "1 where pods have shares or partitions of cards", settings.gpus, "one model runs on several whole cards only")


def to_fraction(value: float | None, argument: str = "") -> float | None:
    """A part of a card's memory, or None."""
    rule = "a number above 0, and 1 at most"
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_kind(argument, rule, value)
    if not 0 < value <= 1:
        raise wrong(argument, rule, value, f"did you mean {value / 100:g}?" if 1 < value <= 100 else "")  # noqa: PLR2004
    return float(value)


def checked_fraction(settings: GpuWorkloadSettings, fraction: float | None) -> float:
    """The pod's share of a card, or the given fraction, which is refused above the share."""
    share = share_of_gpu(settings)
    if share is None and fraction is None:
        hint = "the number of pods on a card is not known; give the pod's part of the card's memory"
        raise wrong("memory_fraction", "given on these nodes", None, hint)
    if share is not None and fraction is not None and fraction > share:
        raise wrong("memory_fraction", f"at most {share:.4g}, the pod's share of a card", fraction, "leave the argument out")
    return share or fraction or 1


def to_model(value: Model | None, argument: str = "") -> Model | None:
    """A `Model`, or None."""
    return None if value is None else instance(argument, value, Model, "a Model", "such as Model('llama-3.3-70b', quantization='q4_k_m')")


def settle_by_model(settings: RecipeSettings, model: Model | None, **defaults: Any) -> None:
    """Set the arguments that a `Model` has too, such as the context, and refuse one that contradicts the Model."""
    for name, default in defaults.items():
        of_model, given = getattr(model, name, None), getattr(settings, name)
        if of_model is not None and given not in (None, of_model):
            raise wrong(name, f"left out with 'fits', which has {of_model}", given, "give it to the Model")
        settle(settings, name, of_model or default)


def part_of_gpu(nodes: GpuNodes, fraction: float | None) -> float | None:
    """The part of the memory that a pod sees: by MPS a pod sees only its part of the card."""
    return fraction * (pods_per_gpu(nodes) or 1) if fraction and nodes.by_mps else fraction


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
    part = part_of_gpu(nodes, fraction)
    memory = check_fits("fits", model, nodes, server=server, gpus=settings.gpus, profile=settings.profile, utilization=part)
    used, card = memory.total, pod_memory(nodes, settings.profile)
    if card is not None:
        used = min(max(used, (part or 0) * card.limit), card.limit)
    facts = {"gpu_memory": f"{math.ceil(used * 1024)}Mi"}
    return facts if volume in settings.volumes else {**facts, "storage": _storage(settings, memory)}


def _storage(settings: RecipeSettings, memory: ModelMemory) -> str:
    """The size of the claim: the recipe's default, or more for a large model. A size below the weights is refused."""
    storage, default = getattr(settings, "storage"), attrs.fields_dict(type(settings))["storage"].default  # noqa: B009
    if storage == default:
        return max(str(default), memory.storage, key=amount_of)
    if amount_of(storage) < memory.file * GIB:
        raise wrong(
            "storage", f"at least {memory.storage} for the model of 'fits'", storage, f"the weights alone are {memory.file:.1f} GiB"
        )
    return str(storage)


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class FittedServerSettings(ModelFilesSettings):
    """The base class of the servers that run one model of Hugging Face over whole cards or a share of one.

    Args:
        served_name: The name of the model in requests. Default: `model`.
        fits: The same model as a `Model`, with the quantization of its files. A model that does not fit the card is
            refused with the sum; the memory of the card that the server takes is declared as `gpu_memory`. Default: the
            model of the catalogue that `model` names is compared, and nothing is declared.
        startup: The seconds that the server may take to load and compile the model, after the download. Default: 1200.
        drain: The seconds that open requests have when the pod is deleted. Default: 20.
    """

    derived: ClassVar[Mapping[str, str]]
    """The flags that follow from arguments, and the arguments."""
    server: ClassVar[ModelServer]
    metrics = "/metrics"
    health = HttpProbe("/health")

    fits: Model | None = attrs.field(default=None, converter=to_model)
    served_name: str | None = attrs.field(default=None, converter=to_optional_text)
    context: int | None = attrs.field(default=None, converter=to_optional_positive)
    memory_fraction: float | None = attrs.field(default=None, converter=to_fraction)
    startup: int = attrs.field(default=1200, converter=to_positive)
    drain: int = attrs.field(default=20, converter=to_count)

    def __attrs_post_init__(self) -> None:
        settle_by_model(self, self.fits, context=None)
        super().__attrs_post_init__()

    @property
    def named_models(self) -> NamedModels:
        """The model that `model` names, where nobody gave one."""
        models = {} if self.fits else {self.model: model_of_repository(self.model)}
        return NamedModels("model", models, self.server, self.context)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was not compared."""
        return self.named_models.remarks(self)

    def _compare(self, fraction: float) -> None:
        """Compare the model with the card. `fraction` is the part of a card that the server takes at its start."""
        self._complete(facts_of_fit(self, self.fits, self.server, MODELS, fraction))
        self.named_models.check(self, part_of_gpu(self.nodes, fraction))

    def _checked_share(self) -> float:
        """The pod's share of a card. Flags that follow from arguments are refused."""
        check_flags(self, {**self.derived, **({"--kv-cache-dtype": "fits"} if self.fits else {})}, abbreviated=True)
        check_parallel(self)
        return checked_fraction(self, self.memory_fraction)
