"""The thresholds and values by which a card is judged, by the doctor at one moment and by the alerts over a time."""

from __future__ import annotations

from collections.abc import Mapping

MEMORY_FULL = 97
"""The share of a card's memory, in %, above which it is nearly full.

Source: the library's own choice: a program that asks for more fails (2026-11-28)
"""

AT_WORK = 10
"""The utilization of a card, in %, from which its PCIe link must have its full generation.

Source: https://docs.nvidia.com/deploy/nvidia-smi/, PCIe Generation: an idle card lowers its link (2026-11-28)
"""

IDLE = 1
"""The utilization of a card, in %, below which no program computes on it.

Source: the library's own choice. NVML rounds the utilization to whole percents (2026-11-28)
"""

UNTOUCHED_MEMORY = 50
"""The memory in use, in MiB, up to which no CUDA program has opened the card. A card without programs shows 0 to 15 MiB,
one with the server of MPS alone 35 MiB; a CUDA context takes 93 MiB of a K80, 107 of an RTX 4060 Ti, 555 of an RTX PRO
6000.

Source: NVIDIA/nccl-tests#228; NVIDIA/k8s-device-plugin#720; ggml-org/llama.cpp#23604; dogkeeper886/ollama37#73 (2026-11-28)
"""

PCIE_REPLAYS = 8
"""The number of PCIe replays a minute that is still healthy.

Source: NVIDIA/DCGM modules/health, DCGM_LIMIT_MAX_PCIREPLAY_RATE (2026-11-28)
"""

SLOWDOWN_SHARE = 25
"""The share of a quarter of an hour, in %, above which a slowdown is worth an alert.

Source: the library's own choice: single samples are usual under load (2026-08-22)
"""

CLOCK_REASONS: Mapping[int, str] = {32: "SW Thermal Slowdown", 64: "HW Thermal Slowdown", 128: "HW Power Brake Slowdown"}
"""The bits of DCGM's clock event reasons that are signs, by their names in nvidia-smi. Bit 4, the power cap, is what a
card at full load shows.

Source: NVIDIA/DCGM dcgmlib/dcgm_fields.h (2026-11-28)
"""
