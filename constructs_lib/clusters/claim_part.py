"""The part `GpuClaim`."""

from __future__ import annotations

from ..manifests.dra.claim_objects import GpuClaimSettings, gpu_claim_object
from ..manifests.objects import MAIN
from .part import Part

GPU_CLAIM = Part(
    "GpuClaim",
    GpuClaimSettings,
    lambda _, settings: {MAIN: gpu_claim_object(settings)},
    needs={"nodes": "a claim is for the GPUs of a class of nodes"},
)
