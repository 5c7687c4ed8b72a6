"""Values for a container: references for its environment variables, and its probes."""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import attrs

from ...arguments.docstrings import documented
from ...arguments.errors import wrong
from ...arguments.fields import named, to_dns_subdomain, to_flag, to_optional_port, to_positive
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import text, texts


def _to_key(value: str, argument: str = "") -> str:
    rule = "a key of letters, digits, '-', '_' and '.'"
    if not re.fullmatch(r"(?!\.\.?$)[-._a-zA-Z0-9]{1,253}", text(argument, value, rule)):
        raise wrong(argument, rule, value)
    return value


def _to_path(value: str, argument: str = "") -> str:
    if not text(argument, value).startswith("/"):
        raise wrong(argument, "a path that starts with '/'", value)
    return value


def _to_command(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    command = texts(argument, value)
    if not command:
        raise wrong(argument, "a command with at least one word", [])
    return tuple(command)


@named_arguments()
@attrs.frozen(field_transformer=named)
class SecretKey:
    """A key of a Secret, as the value of an environment variable.

    Args:
        secret: The Secret's name.
        key: The key in the Secret.
        optional: Start the container without the variable when the key does not exist. Default: False.

    Example:
        >>> SecretKey("huggingface", "token").reference
        {'secretKeyRef': {'name': 'huggingface', 'key': 'token'}}
    """

    secret: str = attrs.field(converter=to_dns_subdomain)
    key: str = attrs.field(converter=_to_key)
    optional: bool = attrs.field(default=False, converter=to_flag)

    @property
    def reference(self) -> dict[str, Any]:
        """The variable's `valueFrom`."""
        return {"secretKeyRef": {"name": self.secret, "key": self.key, **({"optional": True} if self.optional else {})}}


@named_arguments()
@attrs.frozen(field_transformer=named)
class ConfigMapKey:
    """A key of a ConfigMap, as the value of an environment variable.

    Args:
        config_map: The ConfigMap's name.
        key: The key in the ConfigMap.
        optional: Start the container without the variable when the key does not exist. Default: False.

    Example:
        >>> ConfigMapKey("settings", "model").reference
        {'configMapKeyRef': {'name': 'settings', 'key': 'model'}}
    """

    config_map: str = attrs.field(converter=to_dns_subdomain)
    key: str = attrs.field(converter=_to_key)
    optional: bool = attrs.field(default=False, converter=to_flag)

    @property
    def reference(self) -> dict[str, Any]:
        """The variable's `valueFrom`."""
        return {"configMapKeyRef": {"name": self.config_map, "key": self.key, **({"optional": True} if self.optional else {})}}


@attrs.frozen(kw_only=True, field_transformer=named)
class Probe(ABC):
    """The base class of the probes. A busy GPU server answers late, so the timeout is longer than Kubernetes' default
    of one second.

    Args:
        period: The seconds between two probes. Default: 10.
        timeout: The seconds to wait for an answer. Default: 5.
        failure_threshold: The number of consecutive failures after which the probe fails. Default: 3.
    """

    period: int = attrs.field(default=10, converter=to_positive)
    timeout: int = attrs.field(default=5, converter=to_positive)
    failure_threshold: int = attrs.field(default=3, converter=to_positive)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__doc__ = documented(cls.__doc__, (*inspect.get_annotations(cls), *inspect.get_annotations(Probe)), Probe.__doc__)

    @property
    def timing(self) -> dict[str, int]:
        """The timing fields that every probe has."""
        return {"periodSeconds": self.period, "timeoutSeconds": self.timeout, "failureThreshold": self.failure_threshold}

    @abstractmethod
    def probe(self, port: str | int | None) -> dict[str, Any]:
        """The probe as Kubernetes spells it; `port` is the workload's own port."""


@named_arguments()
@attrs.frozen(field_transformer=named)
class HttpProbe(Probe):
    """A probe that succeeds while an HTTP GET is answered with a status from 200 to 399.

    Args:
        path: The path of the request, which starts with `/`.
        port: The port of the request. Default: the workload's own port.

    Raises:
        TypeError, ValueError: `'path' must be …`; likewise for every other argument.

    Example:
        >>> HttpProbe("/health", failure_threshold=60).path
        '/health'

    https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/
    """

    path: str = attrs.field(converter=_to_path)
    port: int | None = attrs.field(default=None, converter=to_optional_port)

    def probe(self, port: str | int | None) -> dict[str, Any]:
        """The probe."""
        return {"httpGet": {"path": self.path, "port": self.port or _workload_port(port)}, **self.timing}


@named_arguments()
@attrs.frozen(field_transformer=named)
class TcpProbe(Probe):
    """A probe that succeeds while a TCP connection is accepted, for servers that don't speak HTTP.

    Args:
        port: The port of the connection. Default: the workload's own port.
        timeout: The seconds to wait for a connection. Default: 5.

    Example:
        >>> TcpProbe(10300).port
        10300
    """

    port: int | None = attrs.field(default=None, converter=to_optional_port)

    def probe(self, port: str | int | None) -> dict[str, Any]:
        """The probe."""
        return {"tcpSocket": {"port": self.port or _workload_port(port)}, **self.timing}


@named_arguments()
@attrs.frozen(field_transformer=named)
class ExecProbe(Probe):
    """A probe that succeeds while a command in the container succeeds.

    On Talos 1.12 every exec into a GPU container may fail: prefer an `HttpProbe` or a `TcpProbe`.

    Args:
        command: The command and its arguments.
        timeout: The seconds to wait for the command. Default: 5.

    Example:
        >>> ExecProbe(["true"]).command
        ('true',)
    """

    command: tuple[str, ...] = attrs.field(converter=_to_command)

    def probe(self, port: str | int | None) -> dict[str, Any]:
        """The probe."""
        return {"exec": {"command": list(self.command)}, **self.timing}


def _workload_port(port: str | int | None) -> str | int:
    if port is None:
        raise wrong("port", "given to the probe or to the workload", port, "a probe without a port uses the workload's port")
    return port
