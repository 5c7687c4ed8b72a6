"""The words of SGLang's server."""

from __future__ import annotations

PORT = 30000
"""The port of the API, of `/health` and of `/metrics`.

Source: https://docs.sglang.io/docs/get-started/install.md (2026-11-22)
"""

API_KEY = "SGLANG_API_KEY"
"""A variable of our own: SGLang takes its key by a flag, into which the kubelet writes the variable. `/health` and
`/metrics` ask for no key.

Source: sgl-project/sglang python/sglang/srt/utils (2026-11-22)
"""

FP8_CACHE = "fp8_e4m3"
"""The value of `--kv-cache-dtype` for a KV cache of 8 bits, in the more precise of two formats.

Source: https://docs.sglang.io/docs/advanced_features/quantized_kv_cache.md (2026-11-22)
"""
