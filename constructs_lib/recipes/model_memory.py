"""The memory that a model takes on each GPU: weights, KV cache, and the overhead of the server."""

from __future__ import annotations

import math

import attrs

from ..upstream.programs.model_servers import (
    CUDA_CONTEXT,
    GGUF_SERVERS,
    LLAMA_BATCH,
    LLAMA_PADDING,
    SGLANG_RESERVE,
    VLLM_BATCH,
    VLLM_EXPERT_ALIGNMENT,
    VLLM_OVERHEAD,
    ModelServer,
)
from ..upstream.programs.quantizations import CACHE_BITS, QUANTIZATIONS
from .model import Model

GIB = 2**30
_ROOM = 1.1
"""The size of the volume for each byte of the weights: the tokenizer, the file system, and a part of a download that is
repeated."""
_STATE_BYTES = 4
"""The bytes of a value of the state of linear attention, which servers keep in 32 bits."""


@attrs.frozen(kw_only=True)
class ModelMemory:
    """The memory that a model needs on each of its GPUs, in GiB."""

    weights: float
    kv_cache: float
    overhead: float
    """The CUDA context, the buffers of one computation, and the CUDA graphs."""
    file: float
    """The weights of the whole model on the volume."""
    estimates: tuple[str, ...]
    """The figures that are estimates, each with its reason. The others follow from the numbers of the model."""

    @property
    def total(self) -> float:
        """The sum for one GPU."""
        return self.weights + self.kv_cache + self.overhead

    @property
    def gpu_memory(self) -> str:
        """The sum as a Kubernetes quantity, for `gpu_memory` of a workload."""
        return f"{math.ceil(self.total * 1024)}Mi"

    @property
    def storage(self) -> str:
        """The size of a volume that holds the weights, with room."""
        return f"{math.ceil(self.file * _ROOM)}Gi"

    def __str__(self) -> str:
        """The sum in words."""
        return f"weights {self.weights:.1f} + KV cache {self.kv_cache:.1f} + overhead {self.overhead:.1f} = {self.total:.1f} GiB"


def model_memory(model: Model, server: ModelServer, gpus: int = 1) -> ModelMemory:
    """The memory that a model needs on each of its GPUs.

    vLLM and SGLang divide every layer between the GPUs (tensor parallelism). llama.cpp and Ollama give each GPU whole
    layers; the figures are those of the GPU with the most layers.

    Example:
        >>> memory = model_memory(Model("llama-3.3-70b", quantization="q4_k_m", context=32768), ModelServer.LLAMA_CPP)
        >>> print(memory, memory.storage)
        weights 39.0 + KV cache 10.0 + overhead 0.7 = 49.7 GiB 44Gi
    """
    whole_layers = server in GGUF_SERVERS
    part = _largest_part(model.shape.layers, gpus) if whole_layers else 1 / gpus
    cache, state = _cache_bits(model, server, gpus), model.shape.recurrent_values * _STATE_BYTES * 8 * model.parallel
    return ModelMemory(
        weights=_weight_bits(model, server) * part / 8 / GIB,
        kv_cache=(cache * (part if whole_layers else 1) + state * part) / 8 / GIB,
        overhead=_overhead(model, server) / GIB,
        file=_file_bits(model) / 8 / GIB,
        estimates=tuple(_estimates(model, server)),
    )


def _largest_part(layers: int, gpus: int) -> float:
    """The part of a model on the GPU with the most layers. The output layer counts as a layer."""
    return math.ceil((layers + 1) / gpus) / (layers + 1)


def _layer_bits(model: Model) -> float:
    """The bits of all layers, without their routed experts."""
    shape = model.shape
    ends = shape.vocabulary * shape.hidden * (1 if shape.is_tied else 2)
    return max(shape.parameters - ends - shape.expert_parameters, 0) * QUANTIZATIONS[model.quantization].layers


def _expert_bits(model: Model) -> float:
    quantization = QUANTIZATIONS[model.quantization]
    return model.shape.expert_parameters * (quantization.experts or quantization.layers)


def _embedding_bits(model: Model) -> float:
    """The bits of an embedding beside the output layer."""
    shape = model.shape
    return 0 if shape.is_tied else shape.vocabulary * shape.hidden * QUANTIZATIONS[model.quantization].embedding


def _output_bits(model: Model) -> float:
    return model.shape.vocabulary * model.shape.hidden * QUANTIZATIONS[model.quantization].output


def _file_bits(model: Model) -> float:
    return _layer_bits(model) + _expert_bits(model) + _embedding_bits(model) + _output_bits(model)


def _weight_bits(model: Model, server: ModelServer) -> float:
    """The bits of the weights on the GPUs. llama.cpp keeps an embedding of its own in the memory of the node."""
    experts = _expert_bits(model)
    if server in GGUF_SERVERS:
        return _layer_bits(model) + experts + _output_bits(model)
    if QUANTIZATIONS[model.quantization].experts:
        experts *= _rounded_up(model.shape.hidden, VLLM_EXPERT_ALIGNMENT) / model.shape.hidden
    return _layer_bits(model) + experts + _embedding_bits(model) + _output_bits(model)


def _cache_bits(model: Model, server: ModelServer, gpus: int) -> float:
    """The bits of the KV cache: of all GPUs for whole layers, of one GPU for tensor parallelism, where GPUs in excess
    of the heads repeat a head."""
    shape = model.shape
    values = 2 * shape.kv_heads * shape.head_dim
    part = 1.0
    if server in GGUF_SERVERS:
        cells = model.parallel * _rounded_up(min(shape.window + LLAMA_BATCH, model.context), LLAMA_PADDING)
    else:
        cells = min(model.parallel * shape.window + VLLM_BATCH, model.parallel * model.context)
        part = math.ceil(shape.kv_heads / gpus) / shape.kv_heads if shape.kv_heads else 1.0
    full = (shape.layers - shape.windowed_layers - shape.recurrent_layers) * model.context * model.parallel
    # The values of MLA belong to all heads, so each GPU keeps them.
    of_full = full * (shape.token_values or values * part)
    return (of_full + shape.windowed_layers * cells * values * part) * CACHE_BITS[model.kv_cache]


def _overhead(model: Model, server: ModelServer) -> int:
    if server is ModelServer.VLLM:
        return VLLM_OVERHEAD
    if server is ModelServer.SGLANG:
        return SGLANG_RESERVE
    return CUDA_CONTEXT + LLAMA_BATCH * 4 * (model.shape.vocabulary + model.shape.hidden)


def _estimates(model: Model, server: ModelServer) -> list[str]:
    estimates = []
    if not model.shape.source:
        estimates.append(
            "weights: the vocabulary is not quantized like the layers, and a config.json does not name other tensors of the kind"
        )
    if QUANTIZATIONS[model.quantization].is_gguf and "_" in model.quantization:
        estimates.append("weights: the bits are those of Llama 3.1 8B, and files of the same type differ by some percent")
    if model.shape.has_images and server not in GGUF_SERVERS:
        estimates.append("weights: without the encoder of images")
    if model.shape.windowed_layers and server not in GGUF_SERVERS:
        estimates.append(f"KV cache: with {VLLM_BATCH} tokens beside the sliding window; the server takes more on a large card")
    return [*estimates, f"overhead: as in published logs of {server}; it grows with the size of a batch"]


def _rounded_up(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple
