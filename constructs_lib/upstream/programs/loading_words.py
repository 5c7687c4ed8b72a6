"""The words of programs that fetch a model or load it: a pod that writes them works, and is not ready yet."""

from __future__ import annotations

import re

LOADING = re.compile(
    r"""\bdownloading\ [0-9a-f]{12}\ in\ \d+          # ollama server/download.go
    |\bpulling\ (?:manifest\b|[0-9a-f]{12})           # ollama cmd/cmd.go, server/images.go
    |\bFetching\ \d+\ files:                          # huggingface_hub _snapshot_download.py
    |\.(?:safetensors|gguf|bin|pth):\ +\d+%           # huggingface_hub file_download.py
    |\bDownloading\ shards:|\bLoading\ checkpoint\ shards: # transformers modeling_utils.py
    |\bLoading\ (?:safetensors|pt)\ checkpoint\ shards:    # vllm model_loader/weight_utils.py
    |\bStarting\ to\ load\ model\b                    # vllm v1/worker/gpu_model_runner.py
    |\bCapturing\ CUDA\ graphs?\b                     # vllm v1/worker/gpu_model_runner.py
    |\bStarting\ check\ and\ download\ process\b      # text-generation-inference launcher/src/main.rs
    |\bDownload\ file:\ \S+                           # text-generation-inference utils/hub.py
    |\btrying\ to\ download\ model\ from\b            # llama.cpp common/download.cpp
    """,
    re.VERBOSE,
)
"""The words of such programs.

Source: the files beside the words (2026-11-28)
"""
