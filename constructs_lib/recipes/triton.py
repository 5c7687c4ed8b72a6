"""The recipe of Triton."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import attrs

from ..arguments.errors import wrong
from ..arguments.fields import named, to_bytes, to_count, to_positive
from ..manifests.volumes.volume import Persistent
from ..manifests.workload.container_values import HttpProbe
from ..manifests.workload.ports import port_of
from ..upstream.kubernetes.network import HTTP2_WITHOUT_TLS
from ..upstream.programs.images import TRITON_IMAGES
from .recipe_settings import RecipeSettings

_MODELS = "/models"
_PORTS = {"http": 8000, "grpc": 8001, "metrics": 8002}


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class TritonSettings(RecipeSettings):
    """A Triton Inference Server on the GPUs of a node class.

    The models are a model repository in /models: copy it into the claim, or give a volume, such as
    `volumes={"/models": Nfs("nas", "/triton", read_only=True)}`. The pod is ready when every model is loaded. A model
    that fails to load ends the server; `args=["--exit-on-error=false"]` lets the server run without it. Python backends
    exchange tensors in /dev/shm. The server runs without root. Triton asks nobody for a password. `scrape(triton)` has
    Prometheus read its metrics.

    Makes a Deployment, a Service with the ports `http` (8000), `grpc` (8001) and `metrics` (8002), and the
    PersistentVolumeClaim `<name>-models`.

    Args:
        port: The ports by these three names. Triton does not serve a protocol whose name is left out. Default: all
            three.
        storage: The size of the claim for the model repository. Default: "50Gi".
        shared_memory: The size of /dev/shm, as "2Gi", which counts towards the container's memory; False for no volume.
            Default: "1Gi".
        startup: The seconds that the server may take to load all models. Default: 600.
        drain: The seconds that open requests have when the pod is deleted. Default: 20.

    Raises:
        TypeError, ValueError: As `GpuWorkload`; `'port' must be named 'http', …`;
            `'image' must be built with another CUDA …` for CUDA 13 on a driver older than 580.

    Example:
        >>> triton = Triton(Chart(App(), "ai"), "triton", nodes=GpuNodes(talos_version="1.11"))
        >>> triton.image, dict(triton.port)
        ('nvcr.io/nvidia/tritonserver:25.07-py3', {'http': 8000, 'grpc': 8001, 'metrics': 8002})

    https://github.com/triton-inference-server/server
    """

    images: ClassVar[Mapping[int, str]] = TRITON_IMAGES
    health = HttpProbe("/v2/health/ready")
    user = (1000, 1000, 1000)
    unauthenticated = "Triton has no authentication"
    metrics = "/metrics"
    metrics_port = "metrics"
    app_protocols: ClassVar[Mapping[str, str]] = MappingProxyType({"grpc": HTTP2_WITHOUT_TLS})

    storage: str = attrs.field(default="50Gi", converter=to_bytes)
    startup: int = attrs.field(default=600, converter=to_positive)
    drain: int = attrs.field(default=20, converter=to_count)

    def __attrs_post_init__(self) -> None:
        if self.port is not None:
            if not {"http"} <= self.port.keys() <= _PORTS.keys():
                raise wrong("port", "named 'http', and 'grpc' and 'metrics' where they are served", dict(self.port), "the probes use HTTP")
            # The probes use the first port.
            object.__setattr__(self, "port", MappingProxyType({name: self.port[name] for name in _PORTS if name in self.port}))
        super().__attrs_post_init__()

    def _facts(self) -> Mapping[str, Any]:
        ports = self.port or _PORTS
        served = [f"--{name}-port={port_of(ports[name]).number}" if name in ports else f"--allow-{name}=false" for name in _PORTS]
        return {
            "args": ["tritonserver", f"--model-repository={_MODELS}", *served, f"--exit-timeout-secs={self.drain - self.sleep}"],
            "port": _PORTS,
            "shared_memory": None if self.nodes.by_mps else "1Gi",
            "volumes": {_MODELS: Persistent(self.storage)},
            # A server that loads a model again is not ready, and must not be restarted.
            "liveness_probe": HttpProbe("/v2/health/live"),
        }
