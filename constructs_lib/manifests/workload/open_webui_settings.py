"""The checked arguments of `OpenWebUI`, and what they make of a `Companion`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import attrs

from ...arguments.errors import NOTHING, wrong, wrong_kind
from ...arguments.fields import named, settle, to_image, to_optional_bytes
from ...upstream.images import OPEN_WEBUI_IMAGE
from ...upstream.programs.container_rights import OPEN_WEBUI
from ...upstream.programs.images import OPEN_WEBUI_DATA, OPEN_WEBUI_PORT
from ..objects import merged
from ..pod_shape import root_context
from ..volumes.volume import Persistent
from .companion import CompanionSettings
from .container_values import HttpProbe, SecretKey
from .objects import client_port
from .part_settings import port_name, tcp_port, to_workload
from .ports import server_first, to_ports
from .settings import WorkloadSettings


def to_servers(value: WorkloadSettings | Iterable[WorkloadSettings] | None, argument: str = "") -> tuple[WorkloadSettings, ...]:
    """The servers of models; one may stand without a list."""
    if value is None or isinstance(value, WorkloadSettings):
        return () if value is None else (value,)
    given: object = value
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise wrong_kind(argument, "a GpuWorkload or a Companion, or a list of them", value)
    return tuple(to_workload(each, f"{argument}[{index}]") for index, each in enumerate(value))


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class OpenWebUISettings(CompanionSettings):
    """The checked arguments of `OpenWebUI`, which documents each argument."""

    ollama: tuple[WorkloadSettings, ...] = attrs.field(default=(), converter=to_servers)
    openai: tuple[WorkloadSettings, ...] = attrs.field(default=(), converter=to_servers)
    storage: str | None = attrs.field(default="10Gi", converter=to_optional_bytes)
    image: str = attrs.field(default=OPEN_WEBUI_IMAGE, converter=to_image)
    port: Mapping[str, int | str] | None = attrs.field(default=MappingProxyType({"http": OPEN_WEBUI_PORT}), converter=to_ports)

    def __attrs_post_init__(self) -> None:
        if not (self.ollama or self.openai):
            raise wrong("ollama", "given, or else 'openai'", NOTHING, "the web front needs a server of models")
        volumes = {} if OPEN_WEBUI_DATA in self.volumes or self.storage is None else {OPEN_WEBUI_DATA: Persistent(self.storage)}
        object.__setattr__(self, "volumes", MappingProxyType({**volumes, **self.volumes}))
        if self.port:
            object.__setattr__(self, "port", server_first(self.port))
        object.__setattr__(self, "env", MappingProxyType({**self._variables, **self.env}))
        object.__setattr__(self, "security_context", MappingProxyType(merged(root_context(OPEN_WEBUI), self.security_context)))
        settle(self, "startup_probe", HttpProbe("/health", period=10, failure_threshold=30))
        settle(self, "readiness_probe", HttpProbe("/health"))
        super().__attrs_post_init__()

    @property
    def _variables(self) -> dict[str, str | SecretKey]:
        ollama = ";".join(server_url(server, self.namespace, "ollama") for server in self.ollama)
        openai = ";".join(f"{server_url(server, self.namespace, 'openai')}/v1" for server in self.openai)
        variables: dict[str, str | SecretKey] = {"ENABLE_OLLAMA_API": str(bool(ollama)), "ENABLE_OPENAI_API": str(bool(openai))}
        for name, urls in {"OLLAMA_BASE_URL": ollama, "OPENAI_API_BASE_URL": openai}.items():
            if urls:
                variables[f"{name}S" if ";" in urls else name] = urls
        if self.ports and (listens := next(iter(self.ports.values())).number) != OPEN_WEBUI_PORT:
            variables["PORT"] = str(listens)
        # Else the key is a new one in each container, and every restart ends every login.
        return {**variables, **self._key, "WEBUI_SECRET_KEY_FILE": f"{OPEN_WEBUI_DATA}/.webui_secret_key"}

    @property
    def _key(self) -> dict[str, SecretKey]:
        """The key of the server with OpenAI's API. A pod reads Secrets of its own namespace only."""
        keys = [(server, key) for server in self.openai if isinstance(key := getattr(server, "api_key", None), SecretKey)]
        name = "OPENAI_API_KEYS" if len(self.openai) > 1 else "OPENAI_API_KEY"
        if not keys or {"OPENAI_API_KEY", "OPENAI_API_KEYS"} & {*self.env}:
            return {}
        server, key = keys[0]
        if len(self.openai) > 1:
            hint = f"'{server.name}' asks for a key: give a Secret with the key of each server in their order, separated by ';'"
            raise wrong("env", f"given with {name}", NOTHING, hint)
        if server.own_namespace not in (None, self.namespace):
            hint = f"'{server.name}' asks for a key, whose Secret is in the namespace '{server.own_namespace}': give a SecretKey of this namespace"
            raise wrong("env", f"given with {name}", NOTHING, hint)
        return {name: key}


def server_url(server: WorkloadSettings, namespace: str | None, argument: str) -> str:
    """The URL of a server inside the cluster, as seen from a namespace."""
    name = port_name(server, None)
    tcp_port(server, name, f"the server of '{argument}'")
    theirs = server.own_namespace
    host = server.name if theirs in (None, namespace) else f"{server.name}.{theirs}"
    return f"http://{host}:{client_port(server, name)}"
