"""The recipe of llama.cpp's server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from ..arguments.errors import wrong
from ..arguments.fields import named, to_count, to_optional_positive, to_positive
from ..manifests.workload.container_values import HttpProbe, SecretKey
from ..upstream.programs import model_servers
from ..upstream.programs.images import LLAMA_CPP_IMAGES
from ..upstream.programs.model_servers import ModelServer
from ..upstream.programs.quantizations import CacheType
from .fitted_model import check_parallel, facts_of_fit, settle_by_model, to_model
from .gguf_files import check_quantization, parts_of, to_file, to_optional_file
from .model import Model
from .model_files import ModelFilesSettings
from .model_inference import model_of_file
from .model_volume import MODELS
from .named_model import NamedModels
from .server_flags import check_flags, plain_flag, server_port, words_of

DOWNLOAD = f"""\
for file in $FILES; do
  target="$FOLDER/$(basename "$file")"
  [ ! -e "$target" ] || continue
  echo "downloading $file"
  {{ [ -z "${{{model_servers.HF_TOKEN}-}}" ] || printf 'header = "Authorization: Bearer %s"' "${model_servers.HF_TOKEN}"; }} |
    curl --config - --fail --location --no-progress-meter --retry 5 --continue-at - \\
      --output "$target.part" "{model_servers.HF_SITE}/$MODEL/resolve/$REVISION/$file"
  mv "$target.part" "$target"
done"""
"""The shell commands that download $FILES of $MODEL at $REVISION to $FOLDER, by curl. The token is on no command
line."""


_DERIVED = {
    "--model": "file",
    "-m": "file",
    "--hf-repo": "model",
    "-hf": "model",
    "--mmproj": "projector",
    "--ctx-size": "context",
    "-c": "context",
    "--parallel": "parallel",
    "-np": "parallel",
    "--port": "port",
}


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class LlamaCppSettings(ModelFilesSettings):
    """A llama.cpp server with OpenAI's API and one model in the format GGUF, on the GPUs of a node class.

    The file arrives by a Job without a GPU, which runs on the node of the server, has the token alone, and downloads
    the one file to the claim, or all parts of a model in parts. The Job's name changes with the file and the revision;
    its log shows the progress. The server waits for the file in an init container, and then needs no network. The whole
    model is on the cards: `args=["--n-gpu-layers", "20"]` leaves layers to the CPU. Several GPUs share the layers, and
    must be whole cards. The server runs without root.

    `api_key` guards every path but /health, also /metrics. Flags that give clients the server's files and shell are
    refused.

    Makes a Deployment, a Service with the port 8080, the PersistentVolumeClaim `<name>-models`, and the Job
    `<name>-model-<hash>`.

    Args:
        file: The GGUF file in the repository, such as "Qwen3-8B-Q4_K_M.gguf"; of a model in parts the first,
            "…-00001-of-00003.gguf".
        projector: The GGUF file for images in the same repository, such as "mmproj-F16.gguf". Default: none.
        fits: The same model as a `Model`, with the quantization of `file`. A model that does not fit the card is
            refused with the sum; the memory of the card that the server takes is declared as `gpu_memory`. Default: the
            model of the catalogue that `model` and `file` name is compared, and nothing is declared.
        context: The context of each request, in tokens. Default: that of `fits`, else 8192.
        parallel: The requests that the server answers at once; each has its own context in the card's memory. Default:
            that of `fits`, else 1.
        startup: The seconds that the server may take to load the model, after the download. Default: 600.
        drain: The seconds that open requests have when the pod is deleted. The server gets its SIGTERM after the drain.
            Default: 20.

    Raises:
        TypeError, ValueError: As `GpuWorkload`; `'file' must be a GGUF file …`;
            `'fits' must be a model that needs at most …`, with the sum and with what would fit, and the same of `'file'`;
            `'args' must be without …` for a flag that an argument sets, and for a flag that gives clients a shell;
            `'gpus' must be 1 …` for several shares or partitions; `'image' must be built with another CUDA …`.

    Warns:
        TalosGpuWarning: As `GpuWorkload`; for a `drain` longer than the 20 seconds that pods have when Talos is powered
            off.

    Example:
        >>> nodes = GpuNodes(talos_version="1.13", product="RTX 4090")
        >>> llama = LlamaCpp(Chart(App(), "ai"), "llama", nodes=nodes, model="Qwen/Qwen3-8B-GGUF", file="Qwen3-8B-Q4_K_M.gguf", parallel=4)
        >>> llama.image, llama.args[llama.args.index("--ctx-size") + 1]
        ('ghcr.io/ggml-org/llama.cpp:server-cuda13-b11206', '32768')

    https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
    """

    needs: ClassVar[Mapping[str, str]] = {**ModelFilesSettings.needs, "file": "such as file='Qwen3-8B-Q4_K_M.gguf'"}
    images: ClassVar[Mapping[int, str]] = LLAMA_CPP_IMAGES
    download = DOWNLOAD
    health = HttpProbe("/health")
    drains = False
    user = (1000, 1000, 1000)
    metrics = "/metrics"

    file: str = attrs.field(converter=to_file)
    projector: str | None = attrs.field(default=None, converter=to_optional_file)
    fits: Model | None = attrs.field(default=None, converter=to_model)
    context: int = attrs.field(default=None, converter=to_optional_positive)
    parallel: int = attrs.field(default=None, converter=to_optional_positive)
    startup: int = attrs.field(default=600, converter=to_positive)
    drain: int = attrs.field(default=20, converter=to_count)

    def __attrs_post_init__(self) -> None:
        settle_by_model(self, self.fits, context=8192, parallel=1)
        super().__attrs_post_init__()

    @property
    def folder(self) -> str:
        """The folder of the files: each choice of files has its own marker of a whole download."""
        if self.is_image:
            return super().folder
        return f"{super().folder}/{self.file.removesuffix('.gguf')}" + (
            "+" + self.projector.removesuffix(".gguf") if self.projector else ""
        )

    @property
    def download_variables(self) -> Mapping[str, str]:
        """The files of the model."""
        return {"FILES": " ".join((*parts_of(self.file), *([self.projector] if self.projector else ())))}

    @property
    def metrics_key(self) -> SecretKey | None:
        """The key that the server asks Prometheus for, as a bearer token."""
        return self.api_key

    @property
    def named_models(self) -> NamedModels:
        """The model that `model` and `file` name, where nobody gave one."""
        models = {} if self.fits else {self.file: model_of_file(self.model, self.file)}
        return NamedModels("file", models, ModelServer.LLAMA_CPP, self.context, self.parallel)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was not compared."""
        return self.named_models.remarks(self)

    def _facts(self) -> Mapping[str, Any]:
        check_flags(self, {**_DERIVED, **(dict.fromkeys(model_servers.LLAMA_CPP_CACHE_FLAGS, "fits") if self.fits else {})})
        check_parallel(self)
        for word in self.args:
            if (flag := plain_flag(word)) in model_servers.LLAMA_CPP_AGENT_FLAGS:
                raise wrong("args", f"without {flag}", word, "every client would have the server's files and shell")
        check_quantization(self.file, self.fits)
        self._complete(facts_of_fit(self, self.fits, ModelServer.LLAMA_CPP, MODELS))
        self.named_models.check(self)
        flags = {
            "--model": self._path(self.file),
            "--mmproj": self._path(self.projector) if self.projector else None,
            "--alias": self.model,
            "--host": "0.0.0.0",  # noqa: S104  # the Service reaches the pod's address
            "--port": server_port(self, model_servers.LLAMA_CPP_PORT),
            "--ctx-size": self.context * self.parallel,
            "--parallel": self.parallel,
            "--n-gpu-layers": "all",
            **self._cache_flags(),
            "--metrics": True,
            "--offline": True,
        }
        env: dict[str, Any] = {model_servers.LLAMA_CPP_CACHE: self.caches}
        if self.api_key is not None:
            env[model_servers.LLAMA_CPP_API_KEY] = self.api_key
        return {**super()._facts(), "port": model_servers.LLAMA_CPP_PORT, "args": words_of(flags), "env": env}

    def _cache_flags(self) -> dict[str, str]:
        """A KV cache smaller than 16 bits needs flash attention, and one type for keys and values."""
        if self.fits is None or self.fits.kv_cache is CacheType.F16:
            return {}
        return {"--cache-type-k": str(self.fits.kv_cache), "--cache-type-v": str(self.fits.kv_cache), "--flash-attn": "on"}

    def _path(self, file: str) -> str:
        return f"{self.folder}/{file.rpartition('/')[2]}"
