"""What a container is given beside its image: references for its environment, and probes."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._arguments.errors import wrong
from .._arguments.keywords import named_arguments
from .._arguments.names import dns_subdomain
from .._arguments.plain_values import flag, text, texts, whole_number


@named_arguments()
@dataclass(frozen=True, slots=True)
class SecretKey:
    """The value of a key of a Secret, as an environment variable's.

    Args:
        secret: The Secret's name.
        key: Its key.
        optional: Start without it when it is not there. Default: False.

    Example:
        >>> SecretKey("huggingface", "token").reference
        {'secretKeyRef': {'name': 'huggingface', 'key': 'token'}}
    """

    secret: str
    key: str
    optional: bool = False

    def __post_init__(self) -> None:
        dns_subdomain("secret", self.secret)
        _key(self.key)
        flag("optional", self.optional)

    @property
    def reference(self) -> dict[str, Any]:
        """The variable's `valueFrom`."""
        return {"secretKeyRef": {"name": self.secret, "key": self.key, **({"optional": True} if self.optional else {})}}


@named_arguments()
@dataclass(frozen=True, slots=True)
class ConfigMapKey:
    """The value of a key of a ConfigMap, as an environment variable's.

    Args:
        config_map: The ConfigMap's name.
        key: Its key.
        optional: Start without it when it is not there. Default: False.

    Example:
        >>> ConfigMapKey("settings", "model").reference
        {'configMapKeyRef': {'name': 'settings', 'key': 'model'}}
    """

    config_map: str
    key: str
    optional: bool = False

    def __post_init__(self) -> None:
        dns_subdomain("config_map", self.config_map)
        _key(self.key)
        flag("optional", self.optional)

    @property
    def reference(self) -> dict[str, Any]:
        """The variable's `valueFrom`."""
        return {"configMapKeyRef": {"name": self.config_map, "key": self.key, **({"optional": True} if self.optional else {})}}


@dataclass(frozen=True, kw_only=True, slots=True)
class Probe(ABC):
    """A probe: one of the classes below. A busy GPU answers late, so each leaves it more time than Kubernetes' own second."""

    period: int = 10
    timeout: int = 5
    failure_threshold: int = 3

    def __post_init__(self) -> None:
        for name in ("period", "timeout", "failure_threshold"):
            whole_number(name, getattr(self, name))

    @property
    def timing(self) -> dict[str, int]:
        """The fields that every probe has."""
        return {"periodSeconds": self.period, "timeoutSeconds": self.timeout, "failureThreshold": self.failure_threshold}

    @abstractmethod
    def probe(self, port: str | int | None) -> dict[str, Any]:
        """The probe; `port` is the workload's own."""


@named_arguments()
@dataclass(frozen=True, slots=True)
class HttpProbe(Probe):
    """Healthy while a GET is answered with a status from 200 to 399.

    Args:
        path: What is asked for.
        port: Default: the workload's own port.
        period: Seconds between two tries. Default: 10.
        timeout: Seconds to wait for an answer. Default: 5.
        failure_threshold: Failures in a row that count. Default: 3.

    Raises:
        TypeError, ValueError: `'path' must be …` and so on.

    Example:
        >>> HttpProbe("/health", failure_threshold=60).path
        '/health'

    https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/
    """

    path: str
    port: int | None = None

    def __post_init__(self) -> None:
        Probe.__post_init__(self)
        if not text("path", self.path).startswith("/"):
            raise wrong("path", "a path that starts with '/'", self.path)
        if self.port is not None:
            whole_number("port", self.port, 1, 65535)

    def probe(self, port: str | int | None) -> dict[str, Any]:
        """The probe."""
        return {"httpGet": {"path": self.path, "port": self.port or _own(port)}, **self.timing}


@named_arguments()
@dataclass(frozen=True, slots=True)
class TcpProbe(Probe):
    """Healthy while a connection is accepted; for servers that don't speak HTTP.

    Args:
        port: Default: the workload's own port.
        period: Seconds between two tries. Default: 10.
        timeout: Seconds to wait. Default: 5.
        failure_threshold: Failures in a row that count. Default: 3.

    Example:
        >>> TcpProbe(10300).port
        10300
    """

    port: int | None = None

    def __post_init__(self) -> None:
        Probe.__post_init__(self)
        if self.port is not None:
            whole_number("port", self.port, 1, 65535)

    def probe(self, port: str | int | None) -> dict[str, Any]:
        """The probe."""
        return {"tcpSocket": {"port": self.port or _own(port)}, **self.timing}


@named_arguments()
@dataclass(frozen=True, slots=True)
class ExecProbe(Probe):
    """Healthy while a command in the container succeeds. On Talos 1.12 every exec into a GPU container may fail; prefer another probe.

    Args:
        command: The command and its arguments.
        period: Seconds between two tries. Default: 10.
        timeout: Seconds to wait. Default: 5.
        failure_threshold: Failures in a row that count. Default: 3.

    Example:
        >>> ExecProbe(["true"]).command
        ('true',)
    """

    command: Sequence[str]

    def __post_init__(self) -> None:
        Probe.__post_init__(self)
        object.__setattr__(self, "command", tuple(texts("command", self.command)))
        if not self.command:
            raise wrong("command", "a command with at least one word", [])

    def probe(self, port: str | int | None) -> dict[str, Any]:
        """The probe."""
        return {"exec": {"command": list(self.command)}, **self.timing}


def _key(value: object) -> None:
    rule = "a key of letters, digits, '-', '_' and '.'"
    if not re.fullmatch(r"(?!\.\.?$)[-._a-zA-Z0-9]{1,253}", text("key", value, rule)):
        raise wrong("key", rule, value)


def _own(port: str | int | None) -> str | int:
    if port is None:
        raise wrong("port", "given to the probe or to the workload", port, "a probe asks the workload's port when it has none of its own")
    return port
