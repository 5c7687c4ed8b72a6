"""The images of Text Embeddings Inference, which are built for one architecture of cards each."""

from __future__ import annotations

from ..nvidia.card_names import Architecture

PORT = 8080
"""A port that a user without privileges may open. The image's own is 80.

Source: huggingface/text-embeddings-inference Dockerfile-cuda at 0f055b2 (2026-11-22)
"""

API_KEY = "API_KEY"
"""The key that clients give.

Source: https://huggingface.co/docs/text-embeddings-inference/cli_arguments (2026-11-22)
"""

REPOSITORY = "ghcr.io/huggingface/text-embeddings-inference"
"""The repository of the images.

Source: huggingface/text-embeddings-inference README.md at 0d124dc (2026-11-22)
"""

ANY_CARD = "cuda-1.9"
"""The tag for every card from Turing on.

Source: huggingface/text-embeddings-inference README.md at 0d124dc (2026-11-22)
"""

TAGS = {
    Architecture.TURING: {r"": "turing-1.9"},
    Architecture.AMPERE: {r"A(30|100|800)\b": "1.9", r"": "86-1.9"},
    Architecture.ADA: {r"": "89-1.9"},
    Architecture.HOPPER: {r"": "hopper-1.9"},
    Architecture.BLACKWELL: {r"RTX\b": "120-1.9", r"G?B[23]00\b": "100-1.9"},
}
"""The tags for the cards of an architecture, by the begin of a card's name as in `NAMES`. The first pattern that
matches counts.

Source: huggingface/text-embeddings-inference README.md at 0d124dc (2026-11-22)
"""

TOO_OLD = (Architecture.MAXWELL, Architecture.PASCAL, Architecture.VOLTA)
"""The architectures that no image supports.

Source: huggingface/text-embeddings-inference README.md at 0d124dc (2026-11-22)
"""

FETCHER_IMAGE = "docker.io/kserve/storage-initializer:v0.20.0"
"""An image with Python and Hugging Face's library, which the images of Text Embeddings Inference don't have. Its user
is 1000.

Source: kserve/kserve python/storage-initializer.Dockerfile and python/storage/pyproject.toml at v0.20.0 (2026-11-22)
"""
