"""The images of programs that run on a GPU: their versions, users and libraries. The key of an image is the major
version of CUDA that it is built with; 0 is an image that brings several."""

from __future__ import annotations

from ..kubernetes.registries import split_reference
from ..nvidia.card_names import Architecture

OLLAMA_IMAGES = {0: "ollama/ollama:0.32.15"}
"""Ollama, with the libraries of CUDA 12.8 and 13.0.

Source: ollama/ollama Dockerfile and docs/gpu.mdx at v0.32.15 (2026-11-21)
"""

CUDA_SAMPLE_IMAGES = {12: "nvcr.io/nvidia/k8s/cuda-sample:vectoradd-cuda12.5.0-ubuntu22.04"}
"""NVIDIA's sample that adds two vectors, in /cuda-samples/sample; the image that the tests of the GPU operator use.

Source: NVIDIA/gpu-operator tests/gpu-pod.yaml at v26.7.0, NVIDIA/k8s-samples deployments/container/Dockerfile.ubuntu at
051e537 (2026-11-22)
"""

COMFYUI_IMAGES = {12: "yanwk/comfyui-boot:cu126-slim", 13: "yanwk/comfyui-boot:cu130-slim-v2"}
"""ComfyUI, which the image copies to /root/ComfyUI at its start. The tags roll: only a digest pins a build.

Source: YanWenKun/ComfyUI-Docker README.adoc at 987122a, cu130-slim-v2/runner-scripts/entrypoint.sh at d585419
(2026-11-22)
"""

JELLYFIN_IMAGES = {0: "docker.io/jellyfin/jellyfin:10.11.11"}
"""Jellyfin. Its ffmpeg takes the driver's video libraries, and no CUDA of its own.

Source: jellyfin/jellyfin-helm charts/jellyfin/Chart.yaml at 3.3.0, jellyfin/jellyfin-packaging docker/Dockerfile at
69a2981 (2026-11-21)
"""

FRIGATE_IMAGES = {12: "ghcr.io/blakeblackshear/frigate:0.17.2-tensorrt"}
"""Frigate with the libraries of CUDA 12.5.

Source: blakeblackshear/frigate release.yml and docker/tensorrt at v0.17.2 (2026-11-21)
"""

IMMICH_MACHINE_LEARNING_IMAGES = {12: "ghcr.io/immich-app/immich-machine-learning:v3.1.0-cuda"}
"""Immich's machine learning with CUDA 12.2.

Source: immich-app/immich docker/docker-compose.yml at v3.1.0, immich-app/immich discussions 29491, 28582 and 29241
(2026-11-22)
"""

JUPYTER_IMAGES = {12: "quay.io/jupyter/pytorch-notebook:cuda12-2026-08-03", 13: "quay.io/jupyter/pytorch-notebook:cuda13-2026-08-03"}
"""JupyterLab with PyTorch, by the day of the weekly build, with a user 1000 in the group 100.

Source: jupyter/docker-stacks docs/using/selecting.md and images/pytorch-notebook at 8209386 (2026-11-22)
"""

TRITON_IMAGES = {12: "nvcr.io/nvidia/tritonserver:25.07-py3", 13: "nvcr.io/nvidia/tritonserver:26.07-py3"}
"""Triton with all its backends except those of language models, with a user 1000. From 25.08 on a release may have CUDA
13.

Source: triton-inference-server/server README.md, build.py and docs/introduction/compatibility.md at v2.71.0
(2026-11-22)
"""

SPEACHES_IMAGES = {12: "ghcr.io/speaches-ai/speaches:0.8.3-cuda"}
"""Speaches with CUDA 12.9, a user 1000 and curl.

Source: speaches-ai/speaches Dockerfile and .github/workflows/docker-build-and-push.yaml at v0.8.3 (2026-11-22)
"""

WYOMING_WHISPER_IMAGES = {12: "lscr.io/linuxserver/faster-whisper:gpu-v3.6.0-ls59"}
"""The Wyoming server of faster-whisper with CUDA 12.9 and a cuDNN for Turing and newer cards.

Source: linuxserver/docker-faster-whisper README.md at 9f66f5d, Dockerfile and package_versions.txt at gpu-v3.6.0-ls59
(2026-11-22)
"""

WYOMING_WHISPER_BEFORE_TURING = "lscr.io/linuxserver/faster-whisper:gpu-legacy-v3.6.0-ls60"
"""The same server with the last cuDNN that has code for Maxwell, Pascal and Volta cards, 9.10.

Source: linuxserver/docker-faster-whisper README.md at 9f66f5d, Dockerfile and package_versions.txt at
gpu-legacy-v3.6.0-ls60 (2026-11-22)
"""

PLEX_IMAGES = {0: "docker.io/plexinc/pms-docker:1.43.4.10903-e5521bd8c"}
"""Plex Media Server. The tags `latest`, `public` and `beta` download the server at each start; a tag with a version has
it.

Source: https://hub.docker.com/r/plexinc/pms-docker/tags, plexinc/pms-docker README.md (2026-11-22)
"""

VLLM_IMAGES = {12: "vllm/vllm-openai:v0.28.0-cu129", 13: "vllm/vllm-openai:v0.28.0"}
"""vLLM's server of OpenAI's API, with a user 2000 in the group 0. Its library huggingface_hub brings the command `hf`.

Source: vllm-project/vllm docs/deployment/docker.md at 0231979, vllm-project/vllm#42738, coreweave/ml-containers#218;
huggingface_hub 2.4.0 (2026-11-22)
"""

LLAMA_CPP_IMAGES = {12: "ghcr.io/ggml-org/llama.cpp:server-cuda-b11206", 13: "ghcr.io/ggml-org/llama.cpp:server-cuda13-b11206"}
"""llama.cpp's server, with curl.

Source: ggml-org/llama.cpp docs/docker.md at 30255fc, .devops/cuda.Dockerfile at 00d6946 (2026-11-22)
"""

SGLANG_IMAGES = {12: "lmsysorg/sglang:v0.5.19-cu129", 13: "lmsysorg/sglang:v0.5.19-cu130"}
"""SGLang's server. Its library huggingface_hub brings the command `hf`. No later release has an image for CUDA 12.

Source: sgl-project/sglang docs/docs/get-started/install.mdx at 7760d52 (2026-11-22)
"""


EMBEDDING_PORT = 8080  # A port that a user without privileges may open. The image's own is 80.
EMBEDDING_API_KEY = "API_KEY"  # The key that clients give
"""The words of Text Embeddings Inference.

Source: huggingface/text-embeddings-inference Dockerfile-cuda at 0f055b2;
https://huggingface.co/docs/text-embeddings-inference/cli_arguments (2026-11-22)
"""

EMBEDDING_REPOSITORY = "ghcr.io/huggingface/text-embeddings-inference"  # The repository of the images
EMBEDDING_ANY_CARD = "cuda-1.9"  # The tag for every card from Turing on
# The tags for the cards of an architecture, by the begin of a card's name as in `NAMES`. The first pattern that
# matches counts.
EMBEDDING_TAGS = {
    Architecture.TURING: {r"": "turing-1.9"},
    Architecture.AMPERE: {r"A(30|100|800)\b": "1.9", r"": "86-1.9"},
    Architecture.ADA: {r"": "89-1.9"},
    Architecture.HOPPER: {r"": "hopper-1.9"},
    Architecture.BLACKWELL: {r"RTX\b": "120-1.9", r"G?B[23]00\b": "100-1.9"},
}
# The architectures that no image supports.
EMBEDDING_TOO_OLD = (Architecture.MAXWELL, Architecture.PASCAL, Architecture.VOLTA)
"""The images of Text Embeddings Inference, which are built for one architecture of cards each.

Source: huggingface/text-embeddings-inference README.md at 0d124dc (2026-11-22)
"""

EMBEDDING_FETCHER_IMAGE = "docker.io/kserve/storage-initializer:v0.20.0"
"""An image with Python and Hugging Face's library, which the images of Text Embeddings Inference don't have. Its user
is 1000.

Source: kserve/kserve python/storage-initializer.Dockerfile and python/storage/pyproject.toml at v0.20.0 (2026-11-22)
"""


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
"""The repositories of images that run as root by default: they name no user, so a container runs as root unless its pod
sets `runAsUser`.

Source: ollama/ollama#5986; vllm-project/vllm#40275 (root stays the default, another target has a user);
ggml-org/llama.cpp .devops/cuda.Dockerfile at 00d6946; huggingface/text-embeddings-inference Dockerfile-cuda at 0f055b2;
sgl-project/sglang#4341; YanWenKun/ComfyUI-Docker README.adoc; jellyfin/jellyfin-packaging docker/Dockerfile at 69a2981
(2026-11-22)
"""


def runs_as_root(image: str) -> bool:
    """Whether an image is known to run as root. A tag that names a variant with a user of its own is not."""
    reference = split_reference(image)
    return reference.on_hub in ROOT_IMAGES and not any(word in reference.tag for word in ("nonroot", "rootless"))


# The variable that tells NVIDIA's runtime which libraries of the driver a container gets. A pod's value goes before
# the image's; without any value a container gets those of compute and utility.
CAPABILITIES = "NVIDIA_DRIVER_CAPABILITIES"
WITH_VIDEO = ("video", "all")  # The capabilities that bring libnvidia-encode.so.1 and libnvcuvid.so.1
# The value of `CAPABILITIES` for a server that decodes and encodes video, and runs nvidia-smi. Up to Talos 1.11 the
# value decides; later every container gets all libraries of the driver.
TRANSCODING = "compute,video,utility"
"""The variable that gives a container the video libraries of the driver. Up to Talos 1.11 its value decides; later
every container gets all libraries.

Source: NVIDIA/nvidia-container-toolkit internal/config/image/capabilities.go and internal/modifier/mode.go at v1.19.1,
https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html (2026-11-21)
"""

VIDEO_SERVERS = frozenset({"jellyfin", "plex", "pms-docker", "emby", "frigate", "unmanic", "immich-server"})
"""The last part of the names of images that encode or decode video on a GPU.

Source: jellyfin-archive/jellyfin-metapackages#2, linuxserver/docker-plex#340, Dockerfiles of linuxserver/docker-emby at
0111c04 and Unmanic/unmanic at 01c8d94, https://docs.frigate.video/configuration/hardware_acceleration_video,
immich-app/immich docker/hwaccel.transcoding.yml at v3.1.0 (2026-11-22)
"""

WITHOUT_CAPABILITIES = frozenset({"plexinc/pms-docker"})
"""The video servers whose image does not set `CAPABILITIES`. The images of Jellyfin, Frigate, Unmanic and
LinuxServer.io set it, with video.

Source: plexinc/pms-docker Dockerfile at 0069821; jellyfin/jellyfin-packaging docker/Dockerfile at 0198983;
linuxserver/docker-jellyfin Dockerfile at 0173237 (2026-11-22)
"""


def is_video_server(image: str) -> bool:
    """Whether an image is known to encode or decode video."""
    return split_reference(image).name in VIDEO_SERVERS


def sets_capabilities(image: str) -> bool:
    """Whether an image sets `CAPABILITIES` itself, or may."""
    return split_reference(image).on_hub not in WITHOUT_CAPABILITIES


FRIGATE_WITHOUT_TLS = "tls: {enabled: false}"
"""The configuration with which Frigate's port 8971 serves HTTP. By default the port serves TLS with a self-signed
certificate.

Source: https://docs.frigate.video/configuration/tls/ (2026-11-22)
"""


OPEN_WEBUI_PORT = 8080  # The port of Open WebUI, which answers `/health` without a login. The variable PORT changes it.
OPEN_WEBUI_DATA = "/app/backend/data"  # The folder of Open WebUI's database, uploads and models
"""The port and the folder of Open WebUI.

Source: open-webui/open-webui Dockerfile, EXPOSE, HEALTHCHECK, WORKDIR and WHISPER_MODEL_DIR; backend/start.sh
(2026-11-22)
"""
