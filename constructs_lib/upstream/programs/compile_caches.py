"""The variables that place what the servers of models compile at their start."""

from __future__ import annotations

COMPILE_CACHES = {"TRITON_CACHE_DIR": "triton", "TORCHINDUCTOR_CACHE_DIR": "inductor", "FLASHINFER_WORKSPACE_BASE": "flashinfer"}
"""The variables of Triton, PyTorch and FlashInfer, and a folder for each. All three compile for the card at the first
start.

Source: triton-lang/triton python/triton/knobs.py, pytorch/pytorch torch/_inductor/runtime/cache_dir_utils.py,
flashinfer-ai/flashinfer flashinfer/jit/env.py (2026-11-22)
"""
