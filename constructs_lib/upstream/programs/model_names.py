"""How repositories of Hugging Face, files of GGUF and tags of Ollama name a model and the quantization of its
weights."""

from __future__ import annotations

WEIGHT_SUFFIXES = {
    r"fp8(-dynamic|-block|-static|-static-pertensor)?": "fp8",
    r"awq(-int4|-4bit)?": "awq",
    r"gptq(-int4|-4bit)?|quantized\.w4a16|w4a16": "gptq",
    r"gptq(-int8|-8bit)|quantized\.w8a8|w8a8|int8": "int8",
    r"nvfp4|fp4": "nvfp4",
    r"bf16": "bf16",
}
"""The quantization of the weights by the end of the name of a repository, in lower case, as patterns behind a dash.

Source: ai-dynamo/aiconfigurator model_configs at 095f58a5 (2026-11-28)
"""

GGUF_SUFFIX = "-gguf"
"""The end of the name of a repository that has files of GGUF, in lower case.

Source: the examples of https://huggingface.co/docs/hub/ollama (2026-11-28)
"""

FILE_QUANTIZATIONS = {"fp16": "f16", "mxfp4": "mxfp4_moe"}
"""The quantizations that a file of GGUF writes in another way. A file of gpt-oss named MXFP4 has its other tensors in
Q8_0.

Source: AlexsJones/llmfit#1059: 12.1 GB for gpt-oss-20b, which Q8_0 beside the experts makes (2026-11-28)
"""

OLLAMA_HUB = ("hf.co", "huggingface.co")
"""The registries from which Ollama pulls a repository of Hugging Face; the tag is the quantization, Q4_K_M without
one.

Source: https://huggingface.co/docs/hub/ollama (2026-11-28)
"""

OLLAMA_DEFAULT, OLLAMA_OLD_DEFAULT = "q4_k_m", "q4_0"
"""The quantization of a tag of Ollama's library without one: Q4_K_M, and Q4_0 in the libraries of the years before.

Source: ollama/ollama#1543 (a maintainer, 2024-12-29), #4626; open-webui/open-webui#12860 (2026-11-28)
"""

OLLAMA_MODELS: dict[str, dict[str, str]] = {
    "llama3.1": {"latest": "8b", "8b": "llama-3.1-8b", "70b": "llama-3.1-70b", "405b": "llama-3.1-405b"},
    "llama3.2": {"latest": "3b", "1b": "llama-3.2-1b", "3b": "llama-3.2-3b"},
    "llama3.3": {"latest": "70b", "70b": "llama-3.3-70b"},
    "qwen2.5": {
        "latest": "7b",
        **{size: f"qwen2.5-{size}" for size in ("0.5b", "1.5b", "3b", "7b", "14b", "32b", "72b")},
    },
    "qwen2.5-coder": {"latest": "7b", **{size: f"qwen2.5-coder-{size}" for size in ("7b", "14b", "32b")}},
    "qwen3": {
        "latest": "8b",
        **{size: f"qwen3-{size}" for size in ("0.6b", "1.7b", "4b", "8b", "14b", "32b")},
        "30b": "qwen3-30b-a3b",
        "235b": "qwen3-235b-a22b",
    },
    "qwen3-coder": {"latest": "30b", "30b": "qwen3-coder-30b-a3b", "480b": "qwen3-coder-480b-a35b"},
    "qwq": {"latest": "32b", "32b": "qwq-32b"},
    "gemma2": {"latest": "9b", **{size: f"gemma-2-{size}" for size in ("2b", "9b", "27b")}},
    "gemma3": {"latest": "4b", **{size: f"gemma-3-{size}" for size in ("1b", "4b", "12b", "27b")}},
    "mistral": {"latest": "7b", "7b": "mistral-7b"},
    "mistral-nemo": {"latest": "12b", "12b": "mistral-nemo-12b"},
    "mistral-large": {"latest": "123b", "123b": "mistral-large-123b"},
    "mixtral": {"latest": "8x7b", "8x7b": "mixtral-8x7b", "8x22b": "mixtral-8x22b"},
    "phi4": {"latest": "14b", "14b": "phi-4"},
    "phi4-mini": {"latest": "3.8b", "3.8b": "phi-4-mini"},
    "deepseek-r1": {
        "latest": "8b",
        "1.5b": "deepseek-r1-distill-qwen-1.5b",
        "7b": "deepseek-r1-distill-qwen-7b",
        "8b": "qwen3-8b",
        "14b": "deepseek-r1-distill-qwen-14b",
        "32b": "deepseek-r1-distill-qwen-32b",
        "70b": "deepseek-r1-distill-llama-70b",
        "671b": "deepseek-r1-671b",
    },
    "gpt-oss": {"latest": "20b", "20b": "gpt-oss-20b", "120b": "gpt-oss-120b"},
}
"""The models of Ollama's library that the catalogue has, by name and size. The 8B of deepseek-r1 is that of May 2025,
a Qwen3 8B.

Source: README.md of ollama/ollama at v0.9.4 for gemma3, qwq, deepseek-r1, llama, phi4 and mistral; the other names are
those of https://ollama.com/library, a page that was not read (2026-11-28)
"""

OLLAMA_QUANTIZATIONS = {"mixtral": OLLAMA_OLD_DEFAULT, "gpt-oss": "mxfp4"}
"""The quantization of a tag without one, where a source says another than Q4_K_M, the larger of the two defaults.

Source: ollama/ollama#4626 (a maintainer, 2024-05-28, after Mixtral), ollama/ollama#11731 (2026-11-28)
"""

OLLAMA_VARIANTS = r"instruct|it|text|base|chat|thinking|distill|qwen|a\d+b|\d{4}|v\d[\w.]*"
"""The words of a tag between size and quantization that change no number of the model. Others may: `cloud` runs on
machines of Ollama, `mlx` is a format of Apple's.

Source: https://docs.ollama.com/api/authentication, https://theepic.dev/kb/deciphering-ollama-model-names (2026-11-28)
"""
OLLAMA_TRAINED = {"qat": "q4_0"}
"""The words of a tag that say the quantization, too: quantization-aware training.

Source: ollama/ollama#10360: gemma3:12b-it-qat for google/gemma-3-12b-it-qat-q4_0-gguf (2026-11-28)
"""
