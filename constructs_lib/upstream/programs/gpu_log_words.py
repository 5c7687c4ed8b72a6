"""The words by which programs say in their logs that they use a GPU."""

from __future__ import annotations

import re

GPU_SHOWN = re.compile(
    r"(?:\blibrary=cuda\b"
    r"|\bfound [1-9]\d* CUDA devices"
    r"|\bDetected [1-9]\d* CUDA Capable device"
    r"|\bCreated device \S*/device:GPU:\d+ with "
    r"|\bAutomatically detected platform cuda\b"
    r"|\bNVIDIA-SMI \d[\d.]*.* CUDA Version: \d"
    r"|\bGPU \d+: .+\(UUID: GPU-"
    r"|\bNVIDIA (?:(?:GeForce|Quadro|TITAN|RTX|GTX)\b[^,]*\d|(?:A|B|H|L|T|GB|GH)\d{1,3}S?\b)"
    r"|\bTesla [KMPTV]\d{1,3}\b)",
    re.IGNORECASE,
)
"""A line in which a program names the card that it uses: Ollama, llama.cpp, NVIDIA's samples, TensorFlow, vLLM,
nvidia-smi, or any program that prints the name of its device.

Source: ollama/ollama discover/types.go; ggml-org/llama.cpp ggml/src/ggml-cuda/ggml-cuda.cu; NVIDIA/cuda-samples
deviceQuery.cpp; tensorflow/tensorflow core/common_runtime/gpu/gpu_device.cc; vllm-project/vllm
vllm/platforms/__init__.py (2026-11-22)
"""

GPU_DENIED = re.compile(
    r"\b(?:no|not|none|without|cannot|can't|fail\w*|require\w*|supported|unsupported|incompatible|error)\b", re.IGNORECASE
)
"""The words of a line that names a card without using it: it denies, fails, requires or lists cards.

Source: ollama/ollama discover/gpu.go; pytorch/pytorch torch/cuda/__init__.py (2026-11-22)
"""
