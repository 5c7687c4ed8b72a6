"""The sizes of quantized weights and KV caches."""

from __future__ import annotations

from typing import NamedTuple

from ..choice import Choice


class Quantization(NamedTuple):
    """The bits of one parameter in the parts of a model."""

    layers: float
    embedding: float
    output: float
    """The output layer, and an embedding that is the output layer too."""
    experts: float = 0
    """The routed experts, where their bits differ from those of the layers."""
    is_gguf: bool = False
    """Whether llama.cpp and Ollama read the format."""


class _Reference(NamedTuple):
    """The model whose files are published in every type of GGUF: Llama 3.1 8B, without its embedding and output
    layer."""

    parameters: int = 8_030_261_248
    embedding: int = 128_256 * 4096


def _gguf(file: float, embedding: float, output: float = 6.5625) -> Quantization:
    """A type of GGUF, by the published bits of a parameter of the whole file, and by the bits of the tensors of a type
    of their own."""
    reference = _Reference()
    layers = reference.parameters - 2 * reference.embedding
    bits = (file * reference.parameters - (embedding + output) * reference.embedding) / layers
    return Quantization(bits, embedding, output, is_gguf=True)


def _of_size(gib: float) -> float:
    """The bits of a parameter in a file of a size in GiB."""
    return gib * 2**30 * 8 / _Reference().parameters


QUANTIZATIONS: dict[str, Quantization] = {
    "f16": Quantization(16, 16, 16, is_gguf=True),
    "bf16": Quantization(16, 16, 16, is_gguf=True),
    "q8_0": _gguf(8.5008, 8.5, 8.5),
    "q6_k": _gguf(6.5633, 6.5625),
    "q5_k_m": _gguf(5.7036, 5.5),
    "q5_k_s": _gguf(5.5704, 5.5),
    "q5_1": _gguf(_of_size(5.65), 6),
    "q5_0": _gguf(_of_size(5.21), 5.5),
    "q4_k_m": _gguf(4.8944, 4.5),
    "q4_k_s": _gguf(4.6672, 4.5),
    "q4_1": _gguf(_of_size(4.78), 5),
    "q4_0": _gguf(_of_size(4.34), 4.5),
    "iq4_nl": _gguf(4.6818, 4.5),
    "iq4_xs": _gguf(4.4597, 4.25),
    "q3_k_l": _gguf(4.2979, 3.4375),
    "q3_k_m": _gguf(_of_size(3.74), 3.4375),
    "q3_k_s": _gguf(3.6429, 3.4375),
    "iq3_m": _gguf(3.7628, 3.4375),
    "q2_k": _gguf(3.1593, 2.625),
    "fp8": Quantization(8, 16, 16),
    "int8": Quantization(8, 16, 16),
    "awq": Quantization(4.15625, 16, 16),
    "gptq": Quantization(4.15625, 16, 16),
    "nvfp4": Quantization(4.5, 16, 16),
    "mxfp4": Quantization(16, 16, 16, experts=4.25, is_gguf=True),
    "mxfp4_moe": Quantization(8.5, 8.5, 8.5, experts=4.25, is_gguf=True),
}
"""The bits of a parameter, by the name of the quantization. GGUF: the published size of Llama 3.1 8B in each type; the
output layer is Q6_K, or Q8_0 in Q8_0, and the embedding has the type itself. `awq` and `gptq` are 4 bits with a scale
of 16 bits and a zero of 4 bits for each 128; `nvfp4` has a scale of 8 bits for each 16. `mxfp4` is that of gpt-oss: the
experts alone, with a scale of 8 bits for each 32; in the `mxfp4_moe` of llama.cpp the other tensors are Q8_0.

Source: ggml-org/llama.cpp tools/quantize/README.md at 311c2c9f, tools/quantize/quantize.cpp at 03161a4e,
src/llama-quant.cpp at 007dbbf3, vllm-project/vllm vllm/model_executor/layers/quantization/awq.py at 000796ac and
mxfp4.py at 007d5005 (2026-11-22)
"""


class CacheType(Choice):
    """The type of a KV cache.

    Source: ggml-org/llama.cpp tools/server/README.md, https://docs.vllm.ai/en/stable/api/vllm/config/cache/
    (2026-11-22)
    """

    F16 = "f16"
    """16 bits, also bfloat16: the default of every server."""
    Q8_0 = "q8_0"
    """8.5 bits; llama.cpp and Ollama."""
    Q4_0 = "q4_0"
    """4.5 bits; llama.cpp and Ollama."""
    FP8 = "fp8"
    """8 bits; vLLM and SGLang."""


CACHE_BITS = {CacheType.F16: 16, CacheType.Q8_0: 8.5, CacheType.Q4_0: 4.5, CacheType.FP8: 8}
"""The bits of one value of the KV cache.

Source: ggml-org/llama.cpp ggml/src/ggml-common.h: 34 bytes hold 32 values of Q8_0, and 18 bytes 32 of Q4_0 (2026-11-22)
"""
