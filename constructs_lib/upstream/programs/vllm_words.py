"""The words of vLLM's server: its port and its variables."""

from __future__ import annotations

PORT = 8000
"""The port of the API, of `/health` and of `/metrics`.

Source: vllm-project/vllm docs/deployment/k8s.md at 07b3dbf (2026-11-22)
"""

API_KEY = "VLLM_API_KEY"
"""The key that clients give for the paths below /v1. Every other path stays open.

Source: vllm-project/vllm docs/usage/security.md at 00b005c (2026-11-22)
"""

CACHE_ROOT = "VLLM_CACHE_ROOT"
"""The folder of what vLLM compiles for a model.

Source: vllm-project/vllm docs/deployment/docker.md at 0231979 (2026-11-22)
"""

LOUD_PATHS = ("/health", "/metrics", "/ping")
"""The paths that probes and Prometheus ask for every few seconds, and that would fill the log.

Source: kserve/kserve config/llmisvcconfig/config-llm-template.yaml at aaac4e2 (2026-11-22)
"""

FP8_CACHE = "fp8"
"""The value of `--kv-cache-dtype` for a KV cache of 8 bits.

Source: https://docs.vllm.ai/en/latest/features/quantization/quantized_kvcache/ (2026-11-22)
"""
