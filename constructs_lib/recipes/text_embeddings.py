"""The recipe of Text Embeddings Inference."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from ..arguments.errors import wrong
from ..arguments.fields import named, to_bytes, to_count, to_optional_positive, to_optional_text, to_positive
from ..manifests.workload.container_values import HttpProbe
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.nvidia.card_names import architecture, plain_name
from ..upstream.programs import images, model_servers
from .model_files import ModelFilesSettings
from .server_flags import check_flags, server_port, words_of

_DERIVED = {
    "--model-id": "model",
    "--revision": "revision",
    "--served-model-name": "served_name",
    "--max-batch-tokens": "batch_tokens",
    "--port": "port",
}
_DOWNLOAD = """\
python3 - <<'END'
import os
from huggingface_hub import snapshot_download

patterns = os.environ["EXCEPT"].split()
snapshot_download(os.environ["MODEL"], revision=os.environ["REVISION"], local_dir=os.environ["FOLDER"], ignore_patterns=patterns)
END"""


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class TextEmbeddingsSettings(ModelFilesSettings):
    """A server for embeddings or a reranker, Hugging Face's Text Embeddings Inference, on the GPUs of a node class.

    An image is built for one architecture of cards: the recipe takes the image of the nodes' `product`, or one that
    runs on every card from Turing on. Older cards are refused.

    The model arrives by a Job without a GPU, which runs on the node of the server, has the token alone, and downloads
    the repository to the claim. The Job's name changes with the model and the revision; its log shows the progress. The
    server waits for the files in an init container, and then needs no network. The server runs without root, on the
    port 8080.

    Makes a Deployment, a Service with the port 8080, the PersistentVolumeClaim `<name>-models`, and the Job
    `<name>-model-<hash>`.

    Args:
        served_name: The name of the model in requests. Default: `model`.
        batch_tokens: The most tokens in a batch: more need more of the card's memory. Default: the server's own, 16384.
        storage: The size of the claim for the model. `volumes={"/models": …}` takes another volume in its place.
            Default: "20Gi".
        startup: The seconds that the server may take to load and warm up the model, after the download. Default: 600.
        drain: The seconds that open requests have when the pod is deleted. Default: 20.

    Raises:
        TypeError, ValueError: As `GpuWorkload`; `'nodes' must be of a card from Turing on …`;
            `'args' must be without …` for a flag that an argument sets; `'gpus' must be 1 …`: the server uses one GPU.

    Warns:
        TalosGpuWarning: As `GpuWorkload`; for a `drain` longer than the 20 seconds that pods have when Talos is powered
            off.

    Example:
        >>> nodes = GpuNodes(talos_version="1.13", product="RTX 4090")
        >>> TextEmbeddings(Chart(App(), "ai"), "embeddings", nodes=nodes, model="BAAI/bge-m3").image
        'ghcr.io/huggingface/text-embeddings-inference:89-1.9'

    https://huggingface.co/docs/text-embeddings-inference/supported_models
    """

    images: ClassVar[Mapping[int, str]] = {12: f"{images.EMBEDDING_REPOSITORY}:{images.EMBEDDING_ANY_CARD}"}
    download = _DOWNLOAD
    health = HttpProbe("/health")
    user = (1000, 1000, 1000)
    metrics = "/metrics"

    served_name: str | None = attrs.field(default=None, converter=to_optional_text)
    batch_tokens: int | None = attrs.field(default=None, converter=to_optional_positive)
    storage: str = attrs.field(default="20Gi", converter=to_bytes)
    startup: int = attrs.field(default=600, converter=to_positive)
    drain: int = attrs.field(default=20, converter=to_count)

    def __attrs_post_init__(self) -> None:
        self._complete({"image": f"{images.EMBEDDING_REPOSITORY}:{_tag(self.nodes)}"})
        super().__attrs_post_init__()

    @property
    def download_image(self) -> str:
        """The image of the Job: that of the server has no program that downloads."""
        return images.EMBEDDING_FETCHER_IMAGE

    @property
    def download_variables(self) -> Mapping[str, str]:
        """The files that the server does not read: weights in the formats of other programs."""
        return {"EXCEPT": f"{model_servers.HF_ORIGINALS} onnx/* openvino/*"}

    def _facts(self) -> Mapping[str, Any]:
        check_flags(self, _DERIVED)
        if self.gpus > 1:
            raise wrong("gpus", "1: the server uses one GPU", self.gpus, "give 'replicas', with a claim of ReadWriteMany")
        flags = {
            "--model-id": self.folder,
            "--served-model-name": self.served_name or self.model,
            "--max-batch-tokens": self.batch_tokens,
            "--port": server_port(self, images.EMBEDDING_PORT),
        }
        env: dict[str, Any] = {model_servers.HF_OFFLINE: "1"}
        if self.api_key is not None:
            env[images.EMBEDDING_API_KEY] = self.api_key
        return {**super()._facts(), "port": images.EMBEDDING_PORT, "args": words_of(flags), "env": env}


def _tag(nodes: GpuNodes) -> str:
    """The tag for the card of the nodes."""
    card = "" if nodes.product is None else nodes.product
    kind = architecture(card)
    if kind in images.EMBEDDING_TOO_OLD:
        raise wrong("nodes", "of a card from Turing on", card, f"the server has no image for {kind}")
    tags = images.EMBEDDING_TAGS.get(kind, {}) if kind else {}
    return next((tag for begin, tag in tags.items() if re.match(begin, plain_name(card))), images.EMBEDDING_ANY_CARD)
