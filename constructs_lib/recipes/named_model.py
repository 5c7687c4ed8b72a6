"""The model that a server names in `model` or `models`: compared with the card, where nobody gave a `Model`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..manifests.workload.settings import GpuWorkloadSettings
from ..upstream.programs.model_catalogue import CATALOGUE
from ..upstream.programs.model_servers import MEMORY_FLAGS, SGLANG_COMMAND, ModelServer
from ..upstream.programs.quantizations import QUANTIZATIONS, CacheType
from .model import Model
from .model_fit import check_fits, pod_memory
from .model_inference import Named
from .server_flags import plain_flag

_SMALL_CACHES = ("fp8", "nvfp4")
"""The quantizations whose repositories may ask for a KV cache of 8 bits, which vLLM and SGLang then take without a flag:
`kv_cache_quant_algo` of hf_quant_config.json, as in nvidia/Llama-3.1-70B-Instruct-FP8."""


class NamedModels(NamedTuple):
    """What a server says of its models."""

    argument: str
    models: Mapping[str, Named | None]
    """The models by the words of the user; None for a model that the catalogue does not have."""
    server: ModelServer
    context: int | None
    parallel: int = 1
    kv_cache: CacheType = CacheType.F16

    def check(self, settings: GpuWorkloadSettings, fraction: float | None = None) -> None:
        """Compare each model with the card. `fraction` is the part of a card that the server takes at its start.

        Raises:
            ValueError: `'model' must be a model that needs at most 48.0 GiB of each GPU …`.

        Warns:
            TalosGpuWarning: For a model that the server runs, but not as asked.
        """
        if self._changed_by(settings):
            return
        for written, model in self._known():
            check_fits(
                self.argument, model, settings.nodes, server=self.server, gpus=settings.gpus, profile=settings.profile,
                utilization=fraction, named=written, is_default=self.context is None,
            )  # fmt: skip

    def remarks(self, settings: GpuWorkloadSettings) -> tuple[str, ...]:
        """A sentence for each model that is not compared with a card of known memory."""
        if pod_memory(settings.nodes, settings.profile) is None:
            return ()
        changed = self._changed_by(settings)
        known = dict(self._known())
        return tuple(
            f"{written} is not compared with the memory of the GPU, because "
            f"{f'{changed} changes what it needs' if written in known else 'the catalogue of models does not know it'}; give fits=Model(…)"
            for written in self.models
            if changed or written not in known
        )

    def _known(self) -> Iterator[tuple[str, Model]]:
        for written, named in self.models.items():
            if named is None:
                continue
            shape = CATALOGUE[named.model]
            if QUANTIZATIONS[named.quantization].experts and not shape.expert_parameters:
                continue  # a name that contradicts itself, such as a dense model in MXFP4
            context = self.context or shape.context
            # A longer context than the model's own is no fault of the memory.
            shape = shape._replace(context=max(context, shape.context))
            is_small = named.quantization in _SMALL_CACHES and named.quantization != shape.quantization
            cache = CacheType.FP8 if is_small else self.kv_cache
            yield (
                written,
                Model(named.model, quantization=named.quantization, context=context, parallel=self.parallel, kv_cache=cache, shape=shape),
            )

    def _changed_by(self, settings: GpuWorkloadSettings) -> str:
        """The user's words that change the memory: another program, or a flag. Beginnings of long flags are flags."""
        if settings.command and tuple(settings.command) != SGLANG_COMMAND:
            return "'command'"
        known = MEMORY_FLAGS[self.server]
        for word, value in zip(settings.args, (*settings.args[1:], ""), strict=False):
            flag = plain_flag(word)
            is_known = flag in known or (flag.startswith("--") and len(flag) > 2 and any(each.startswith(flag) for each in known))  # noqa: PLR2004
            if is_known and (flag, value) != ("--n-gpu-layers", "all"):  # the recipe's own
                return flag
        return next((name for name in settings.env if name.startswith("LLAMA_ARG_")), "")
