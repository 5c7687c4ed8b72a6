"""The servers of language models, and the memory of a GPU that each takes beside weights and KV cache."""

from __future__ import annotations

from ..choice import Choice


class ModelServer(Choice):
    """A server of language models.

    Source: https://github.com/ggml-org/llama.cpp, https://github.com/ollama/ollama,
    https://github.com/vllm-project/vllm, https://github.com/sgl-project/sglang (2026-11-22)
    """

    LLAMA_CPP = "llama.cpp"
    OLLAMA = "ollama"
    """Runs the server of llama.cpp since 0.30 (ollama/ollama#16031)."""
    VLLM = "vllm"
    SGLANG = "sglang"


GGUF_SERVERS = (ModelServer.LLAMA_CPP, ModelServer.OLLAMA)
"""The servers that read GGUF alone, and divide a model between GPUs by whole layers.

Source: https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md, ollama/ollama#16031 (2026-11-22)
"""

LLAMA_BATCH = 512
"""The tokens that llama.cpp computes at once (`--ubatch-size`). Its compute buffer holds 4 bytes for each of them and
each entry of the vocabulary and of the hidden state.

Source: ggml-org/llama.cpp tools/server/README.md; the buffers of ollama/ollama#16416 and SciSharp/LLamaSharp#1099
(2026-11-22)
"""

LLAMA_PADDING = 256
"""The multiple to which llama.cpp rounds up the cells of layers with a sliding window.

Source: ggml-org/llama.cpp src/llama-kv-cache-iswa.cpp at 02c28f53 (2026-11-22)
"""

CUDA_CONTEXT = 456 * 2**20
"""The bytes that the CUDA context of a process takes on each card, beside its buffers: 451 and 456 MiB on RTX 4090.

Source: ggml-org/llama.cpp#15860 (2026-11-22)
"""

VLLM_UTILIZATION = 0.92
"""The part of a card that vLLM takes (`--gpu-memory-utilization`).

Source: https://docs.vllm.ai/en/stable/api/vllm/config/cache/ (2026-11-22)
"""

VLLM_OVERHEAD = 2 * 2**30
"""The bytes that vLLM takes on each card beside weights and KV cache, within its part: activations of 1.26 and 1.4 GiB,
CUDA graphs of 0.73 GiB.

Source: vllm-project/vllm#10511, #39559 (2026-11-22)
"""

VLLM_BATCH = 2048
"""The tokens that vLLM computes at once (`--max-num-batched-tokens`), which a layer with a sliding window keeps beside
the window: 2048 on an RTX 50, 8192 on an H100.

Source: vllm-project/vllm#21648, #23278 (2026-11-22)
"""

VLLM_EXPERT_ALIGNMENT = 256
"""The multiple to which vLLM rounds up the hidden size of experts in MXFP4.

Source: vllm-project/vllm vllm/model_executor/layers/quantization/mxfp4.py at 007d5005 (2026-11-22)
"""

SGLANG_RESERVE = (512 + 2048 * 3 // 2) * 2**20
"""The bytes that SGLang leaves beside weights and KV cache: 512 MiB, and 1.5 MiB for each of 2048 tokens of a chunk.
SGLang leaves more for larger chunks and for CUDA graphs, and at least 10 GiB of a card with more than 60 GiB, unless
`--mem-fraction-static` is set.

Source: sgl-project/sglang python/sglang/srt/server_args.py, #10975 (2026-11-22)
"""
