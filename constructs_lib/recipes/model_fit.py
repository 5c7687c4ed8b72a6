"""Whether a model fits into the memory of the cards, and what would fit."""

from __future__ import annotations

import bisect
import math
import re
from collections.abc import Iterator
from typing import NamedTuple

import attrs

from ..arguments.errors import Argument, ArgumentError, Phrase, warn, wrong
from ..arguments.quantities import amount_of
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.programs.model_catalogue import ModelShape
from ..upstream.programs.model_servers import GGUF_SERVERS, VLLM_UTILIZATION, ModelServer
from ..upstream.programs.quantizations import QUANTIZATIONS, CacheType
from .model import Model
from .model_memory import GIB, ModelMemory, model_memory

_GGUF_STEPS = ("q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "q2_k")
_OTHER_STEPS = ("fp8", "awq")
"""The smaller quantizations that a hint tries, from the largest to the smallest."""
_CONTEXT_STEP = 1024
_SHORTEST_CONTEXT = 2048
_MOST_GPUS = 8
"""The GPUs that a hint tries on nodes with an unknown number."""
VLLM_PART = 0.9
"""The part of its share of a card that the recipe of vLLM takes: the driver and CUDA graphs need the rest."""
_MOST_OF_A_CARD = 0.95
"""The part of a whole card that a hint proposes at most: a card has somewhat less than the memory in its name."""


class PodMemory(NamedTuple):
    """The GPU memory of one pod on one card, in GiB."""

    limit: float
    """The memory that a pod can have."""
    share: float
    """The even share of a pod, where pods share a card whose memory is not isolated; else the limit."""
    is_part: bool
    """Whether a pod gets a partition or a share. A second one can be on the same card, so more of them are no hint."""


def pod_memory(nodes: GpuNodes, profile: str | None = None) -> PodMemory | None:
    """The GPU memory of a pod on a card of these nodes; None where the memory of the card is unknown.

    A MIG partition has the memory in the name of its profile, and MPS gives each pod an equal part. With time-slicing
    and with shares of the DRA driver every pod sees the whole card, and all pods together must fit. A card has somewhat
    less than the memory in its name, so what is refused can't fit, and what passes can lack up to some percent.
    """
    if profile is None and nodes.mig_strategy == "single" and len(nodes.mig_profiles) == 1:
        profile = nodes.mig_profiles[0]
    size = re.search(r"\.(\d+)gb", profile or "")
    memory = f"{size[1]}Gi" if size else nodes.memory_per_gpu
    if memory is None:
        return None
    device = float(amount_of(memory)) / GIB
    pods = (nodes.dra.claims_per_gpu if nodes.dra else nodes.sharing.replicas if nodes.sharing else 1) or 1
    return PodMemory(device / pods if nodes.by_mps else device, device / pods, is_part=size is not None or pods > 1)


def check_fits(
    argument: str,
    model: Model,
    nodes: GpuNodes,
    *,
    server: ModelServer,
    gpus: int = 1,
    profile: str | None = None,
    utilization: float | None = None,
    named: str = "",
    is_default: bool = False,
) -> ModelMemory:
    """The memory that a model needs on each GPU, if the model fits.

    The server must read the quantization and keep a KV cache of the type. The memory is compared with the card only
    where the memory of the card is known. Weights and KV cache above it are an error; a sum that only the estimated
    overhead brings above it is a warning. `utilization` is the part of a card that vLLM or SGLang takes. Default: 0.92
    for vLLM, else 1.

    A model that a `named` repository or tag means is judged as its server behaves: Ollama leaves layers to the CPU, and
    SGLang starts and refuses longer requests, so both are warnings; `is_default` says that nobody asked for the context.
    vLLM does not start without room for one whole request. Source: docs/faq.mdx of ollama/ollama, `max_req_len` in
    python/sglang/srt/managers/tp_worker.py of sgl-project/sglang, vllm/v1/core/kv_cache_utils.py of vllm-project/vllm.

    Raises:
        ValueError: `'model' must be a model that needs at most 48.0 GiB of each GPU …`, with the sum and with what
            would fit.

    Warns:
        TalosGpuWarning: For a model that fits without the overhead of the server only, or only in more than the even
            share of a card.
    """
    check_server(argument, model, server=server, gpus=gpus, named=named)
    memory, card = model_memory(model, server, gpus), pod_memory(nodes, profile)
    if card is None:
        return memory
    part = _part(server, utilization)
    limit = card.limit * part
    program = "vLLM" if server is ModelServer.VLLM else "SGLang"
    of = f" ({part:.2g} of {card.limit:.1f} GiB, the part that {program} takes)" if part < 1 else ""
    if memory.weights + memory.kv_cache > limit:
        longest = _longest_context(model, server, gpus, limit)
        if named and server is ModelServer.SGLANG and longest:
            if not is_default:
                warn(
                    f"'{argument}' holds requests of {longest} tokens at most, and SGLang refuses longer ones: {_said(model)}{memory}, of {limit:.1f} GiB"
                )
            return memory
        choices = list(_choices(model, server, gpus, gpus if card.is_part else nodes.gpus_per_node, limit))
        if server is ModelServer.VLLM and not card.is_part and memory.total <= card.limit * _MOST_OF_A_CARD:
            choices.append((Argument("memory_fraction", math.ceil(100 * memory.total / card.limit) / 100), " is enough"))
        parts = [each for choice in choices for each in ("; ", *choice)] or ["; no single change of the model or of its GPUs is enough"]
        if not named:
            raise wrong(argument, f"a model that needs at most {limit:.1f} GiB of each GPU{of}", model, Phrase(str(memory), *parts))
        words = Phrase(f"{_said(model)}{memory}", *(_in_words(each) for each in parts))
        if server is ModelServer.OLLAMA:
            warn(f"'{argument}' has {named!r}, of which Ollama leaves a part to the CPU: the GPU has {limit:.1f} GiB; {words}")
            return memory
        raise wrong(argument, f"a model that needs at most {limit:.1f} GiB of each GPU{of}", named, words)
    if memory.total > limit:
        longest = _longest_context(model, server, gpus, limit) if named else 0
        hint = ("; ", Argument("context", longest), " fits") if longest else ()
        need = f"{_said(model) if named else ''}{memory}, and the GPU has {limit:.1f} GiB{of}"
        warn(Phrase(f"'{argument}' leaves {server} too little memory for its overhead: {need}; the overhead is an estimate", *hint))
    elif memory.total > card.share:
        warn(
            f"'{argument}' needs more than its share of a GPU that pods share: {memory}, and the even share is {card.share:.1f} GiB; the memory of the pods is "
            "not isolated, so any of them can run out of memory"
        )
    return memory


def check_server(argument: str, model: Model, *, server: ModelServer, gpus: int = 1, named: str = "") -> None:
    """Refuse a quantization or KV cache that the server lacks, and GPUs that can't divide the attention heads."""
    is_gguf = server in GGUF_SERVERS
    if is_gguf and not QUANTIZATIONS[model.quantization].is_gguf:
        rule = Phrase(f"a model in a type of GGUF for {server}, such as ", Argument("quantization", "q4_k_m"))
        raise wrong(argument, rule, model)
    if model.kv_cache is not CacheType.F16 and (model.kv_cache is CacheType.FP8) == is_gguf:
        raise wrong(
            argument, Phrase(f"a model with a KV cache of {server}, such as ", Argument("kv_cache", str(_eight_bits(server)))), model
        )
    if not is_gguf and not divides(model.shape, gpus):
        shape = model.shape
        heads = (
            f"{shape.heads} heads are no multiple of {gpus}"
            if shape.heads % gpus
            else f"neither of {shape.kv_heads} KV heads and {gpus} GPUs is a multiple of the other"
        )
        hint = f"the attention heads of {model.name} are divided between the GPUs, and {heads}"
        raise wrong(argument, f"a model whose attention heads {gpus} GPUs can divide", named or model, hint)


def divides(shape: ModelShape, gpus: int) -> bool:
    """Whether vLLM and SGLang can divide the attention between GPUs: each has the same number of query heads, and the
    same number of KV heads or of copies of one.

    Source: `Qwen3Attention` in vllm/model_executor/models/qwen3.py of vllm-project/vllm at 002456df and in
    python/sglang/srt/models/qwen3.py of sgl-project/sglang at 01b5f572 (2026-11-28)
    """
    kv_heads = shape.kv_heads or shape.heads
    return not shape.heads % gpus and (not kv_heads % gpus or not gpus % kv_heads)


def runs(
    model: Model, nodes: GpuNodes, *, server: ModelServer, gpus: int = 1, profile: str | None = None, utilization: float | None = None
) -> ModelMemory | None:
    """The memory that a model needs on each GPU, if `check_fits` neither refuses the model nor warns of it.

    The same as `check_fits`, without the words. None for a card of unknown memory.
    """
    card = pod_memory(nodes, profile)
    try:
        check_server("model", model, server=server, gpus=gpus)
    except ArgumentError:
        return None
    memory = model_memory(model, server, gpus)
    return memory if card is not None and memory.total <= min(card.limit * _part(server, utilization), card.share) else None


def _part(server: ModelServer, utilization: float | None) -> float:
    return utilization or (VLLM_UTILIZATION if server is ModelServer.VLLM else 1)


def _eight_bits(server: ModelServer) -> CacheType:
    return CacheType.Q8_0 if server in GGUF_SERVERS else CacheType.FP8


def _choices(model: Model, server: ModelServer, gpus: int, most_gpus: int | None, limit: float) -> Iterator[tuple[Argument | str, ...]]:
    """The single changes with which the model fits: the argument, and the memory then needed on each GPU."""

    def total(changed: Model, count: int = gpus) -> float:
        return model_memory(changed, server, count).total

    small_cache = attrs.evolve(model, kv_cache=_eight_bits(server))
    if total(small_cache) <= limit:
        yield Argument("kv_cache", str(small_cache.kv_cache)), f" needs {total(small_cache):.1f} GiB"
    # Experts in MXFP4 keep their format in files of every type.
    smaller_steps = () if QUANTIZATIONS[model.quantization].experts else _GGUF_STEPS if server in GGUF_SERVERS else _OTHER_STEPS
    for step in smaller_steps:
        smaller = attrs.evolve(model, quantization=step)
        if total(smaller) <= limit:
            yield Argument("quantization", step), f" needs {total(smaller):.1f} GiB"
            break
    if longest := _longest_context(model, server, gpus, limit):
        yield Argument("context", longest), " fits"
    for count in range(gpus + 1, (most_gpus or _MOST_GPUS) + 1):
        if (server in GGUF_SERVERS or divides(model.shape, count)) and total(model, count) <= limit:
            yield Argument("gpus", count), f" needs {total(model, count):.1f} GiB of each"
            break


def _longest_context(model: Model, server: ModelServer, gpus: int, limit: float) -> int:
    """The longest shorter context with which the model fits; 0 where none does."""
    contexts = range(_SHORTEST_CONTEXT, model.context, _CONTEXT_STEP)
    fitting = bisect.bisect_right(contexts, limit, key=lambda each: model_memory(attrs.evolve(model, context=each), server, gpus).total)
    return contexts[fitting - 1] if fitting else 0


def _said(model: Model) -> str:
    return f"{model.name} in {model.quantization} with a context of {model.context}: "


def _in_words(part: Argument | str) -> Argument | str:
    """A change of a `Model` that the user did not write: the argument of the server, or words."""
    if isinstance(part, Argument) and part.name == "quantization":
        return f"the same model in {part.value}"
    if isinstance(part, Argument) and part.name == "kv_cache":
        return f"fits=Model(…, kv_cache={part.value!r})"
    return part
