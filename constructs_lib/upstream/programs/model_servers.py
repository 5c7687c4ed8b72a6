"""The servers of language models: their ports and variables, and the memory of a GPU that each takes beside weights and
KV cache."""

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


OLLAMA_PORT = 11434  # The port of Ollama's API, which asks for no key or password, and also serves Go's pprof
OLLAMA_HEALTH = "/api/version"  # The path that answers as soon as the server runs, before any model is loaded
OLLAMA_HOST = "OLLAMA_HOST"  # The address of the server, for the server and its clients
# The context of a model that is loaded. Without the variable Ollama chooses 4,096, 32,768 or 262,144 by the whole
# memory of the card, also where pods share the card.
OLLAMA_CONTEXT_LENGTH = "OLLAMA_CONTEXT_LENGTH"
OLLAMA_GPU_OVERHEAD = "OLLAMA_GPU_OVERHEAD"  # The bytes of each card that Ollama leaves to others
OLLAMA_MODELS = "OLLAMA_MODELS"  # The folder of the models
# The requests that a model answers at once. Each has its own context in the card's memory.
OLLAMA_PARALLEL = "OLLAMA_NUM_PARALLEL"
# The time for which an idle model stays in the card's memory: 5m by default, -1 for ever.
OLLAMA_KEEP_ALIVE = "OLLAMA_KEEP_ALIVE"
# The type of the KV cache, which other types than f16 need flash attention for.
OLLAMA_KV_CACHE_TYPE = "OLLAMA_KV_CACHE_TYPE"
OLLAMA_FLASH_ATTENTION = "OLLAMA_FLASH_ATTENTION"  # Whether Ollama uses flash attention
"""The port, the paths and the variables of Ollama.

Source: ollama/ollama server/routes.go and envconfig/config.go at v0.32.15, #14116 (2026-11-21)
"""

LLAMA_CPP_PORT = 8080  # The port of the image's health check. The program's own default differs between releases.
LLAMA_CPP_API_KEY = "LLAMA_API_KEY"  # The key that clients give, also for `/metrics`. `/health` asks for none.
LLAMA_CPP_CACHE = "LLAMA_CACHE"  # The folder of the server's own downloads
# The flags with which the server reads and writes files and runs shell commands for its clients.
LLAMA_CPP_AGENT_FLAGS = ("--tools", "--agent", "-ag", "--mcp-servers-config", "--mcp-servers-json", "--ui-mcp-proxy", "--webui-mcp-proxy")
# The flags of the KV cache. Images with CUDA have one type for keys and values, and a quantized cache of values needs
# flash attention.
LLAMA_CPP_CACHE_FLAGS = ("--cache-type-k", "-ctk", "--cache-type-v", "-ctv", "--flash-attn", "-fa")
"""The port, the variables and the dangerous flags of llama.cpp's server.

Source: ggml-org/llama.cpp .devops/cuda.Dockerfile at 00d6946, tools/server/README.md at 00dc805,
tools/server/server-http.cpp, common/common.cpp, ggml-org/llama.cpp#28524 (2026-11-22)
"""

VLLM_PORT = 8000  # The port of the API, of `/health` and of `/metrics`
VLLM_API_KEY = "VLLM_API_KEY"  # The key that clients give for the paths below /v1. Every other path stays open.
VLLM_CACHE_ROOT = "VLLM_CACHE_ROOT"  # The folder of what vLLM compiles for a model
# The paths that probes and Prometheus ask for every few seconds, and that would fill the log.
VLLM_LOUD_PATHS = ("/health", "/metrics", "/ping")
VLLM_FP8_CACHE = "fp8"  # The value of `--kv-cache-dtype` for a KV cache of 8 bits
"""The port, the variables and the values of flags of vLLM's server.

Source: vllm-project/vllm docs/deployment/k8s.md at 07b3dbf, docs/usage/security.md at 00b005c,
docs/deployment/docker.md at 0231979; kserve/kserve config/llmisvcconfig/config-llm-template.yaml at aaac4e2;
https://docs.vllm.ai/en/latest/features/quantization/quantized_kvcache/ (2026-11-22)
"""

SGLANG_COMMAND = ("python3", "-m", "sglang.launch_server")  # The program of the image
SGLANG_PORT = 30000  # The port of the API, of `/health` and of `/metrics`
# A variable of our own: SGLang takes its key by a flag, into which the kubelet writes the variable. `/health` and
# `/metrics` ask for no key.
SGLANG_API_KEY = "SGLANG_API_KEY"
# The value of `--kv-cache-dtype` for a KV cache of 8 bits, in the more precise of two formats.
SGLANG_FP8_CACHE = "fp8_e4m3"
"""The words of SGLang's server.

Source: https://docs.sglang.io/docs/get-started/install.md; sgl-project/sglang python/sglang/srt/utils;
https://docs.sglang.io/docs/advanced_features/quantized_kv_cache.md (2026-11-22)
"""

MEMORY_FLAGS: dict[ModelServer, tuple[str, ...]] = {
    ModelServer.VLLM: (
        *("--quantization", "-q", "--cpu-offload-gb", "--kv-cache-dtype", "--kv-cache-memory-bytes", "--hf-overrides", "--hf-config-path"),
        *("--decode-context-parallel-size", "-dcp", "--num-gpu-blocks-override", "--dtype", "--load-format", "--config"),
    ),
    ModelServer.SGLANG: (
        *("--quantization", "--cpu-offload-gb", "--kv-cache-dtype", "--json-model-override-args", "--torchao-config", "--dtype"),
        *("--load-format", "--pp-size", "--pipeline-parallel-size", "--dp-size", "--data-parallel-size", "--max-total-tokens", "--config"),
    ),
    ModelServer.LLAMA_CPP: (
        *("--n-gpu-layers", "--gpu-layers", "-ngl", "--cpu-moe", "-cmoe", "--n-cpu-moe", "-ncmoe", "--override-tensor", "-ot"),
        *("--cache-type-k", "-ctk", "--cache-type-v", "-ctv", "--no-kv-offload", "-nkvo", "--device", "-dev", "--tensor-split", "-ts"),
        *("--split-mode", "-sm", "--override-kv", "--fit", "-fit"),
    ),
    ModelServer.OLLAMA: (),
}  # fmt: skip
"""The flags that change the memory of a card which a model takes: with one of them the model of a repository is not
compared.

Source: https://docs.vllm.ai/en/stable/configuration/engine_args/,
https://docs.sglang.io/docs/advanced_features/server_arguments.md, ggml-org/llama.cpp tools/server/README.md
(2026-11-28)
"""

HF_HOME = "HF_HOME"  # The folder of the caches of Hugging Face's libraries
# The token for gated and private repositories.
HF_TOKEN = "HF_TOKEN"  # noqa: S105  # the name of a variable
# The former name of the token's variable, which the libraries still read.
HF_OLD_TOKEN = "HUGGING_FACE_HUB_TOKEN"  # noqa: S105  # the name of a variable
HF_OFFLINE = "HF_HUB_OFFLINE"  # Whether the libraries read local files only
"""The variables of Hugging Face's libraries.

Source: https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables;
huggingface/huggingface_hub src/huggingface_hub/utils/_auth.py at 0806068 (2026-11-22)
"""

# The files of a repository in which Meta's models have their weights a second time, in another format.
HF_ORIGINALS = "original/*"
# The site of the models. A file is at `/<repository>/resolve/<revision>/<path>`, and answers by a redirect.
HF_SITE = "https://huggingface.co"
"""The files of models.

Source: https://huggingface.co/meta-llama/Llama-3.1-8B-Instruct, vllm-project/vllm
vllm/model_executor/model_loader/default_loader.py;
https://huggingface.co/docs/huggingface_hub/package_reference/file_download (2026-11-22)
"""

COMPILE_CACHES = {"TRITON_CACHE_DIR": "triton", "TORCHINDUCTOR_CACHE_DIR": "inductor", "FLASHINFER_WORKSPACE_BASE": "flashinfer"}
"""The variables of Triton, PyTorch and FlashInfer, and a folder for each. All three compile for the card at the first
start.

Source: triton-lang/triton python/triton/knobs.py, pytorch/pytorch torch/_inductor/runtime/cache_dir_utils.py,
flashinfer-ai/flashinfer flashinfer/jit/env.py (2026-11-22)
"""
