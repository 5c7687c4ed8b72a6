"""Images of GPU workloads that run as root: the image names no user, so the container runs as root unless the pod sets
`runAsUser`."""

from __future__ import annotations

from ..kubernetes.registries import split_reference

ROOT_IMAGES = frozenset(
    {
        "ollama/ollama",
        "vllm/vllm-openai",
        "ghcr.io/ggml-org/llama.cpp",
        "ghcr.io/huggingface/text-embeddings-inference",
        "lmsysorg/sglang",
        "yanwk/comfyui-boot",
        "jellyfin/jellyfin",
    }
)
"""The repositories of images that run as root by default.

Source: ollama/ollama#5986; vllm-project/vllm#40275 (root stays the default, another target has a user);
ggml-org/llama.cpp .devops/cuda.Dockerfile at 00d6946; huggingface/text-embeddings-inference Dockerfile-cuda at 0f055b2;
sgl-project/sglang#4341; YanWenKun/ComfyUI-Docker README.adoc; jellyfin/jellyfin-packaging docker/Dockerfile at 69a2981
(2026-11-22)
"""


def runs_as_root(image: str) -> bool:
    """Whether an image is known to run as root. A tag that names a variant with a user of its own is not."""
    reference = split_reference(image)
    return reference.on_hub in ROOT_IMAGES and not any(word in reference.tag for word in ("nonroot", "rootless"))
