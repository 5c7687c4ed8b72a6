"""Whether the requests for a workload go through the proxy of KEDA's HTTP add-on, which alone wakes a workload without
pods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...arguments.errors import wrong
from .exposure import ExposureSettings
from .open_webui_settings import OpenWebUISettings
from .scaling import ScalingSettings


def waking_errors(scaling: ScalingSettings, ways: Iterable[ExposureSettings], fronts: Iterable[OpenWebUISettings]) -> Iterator[str]:
    """The ways in and the web fronts whose requests the proxy does not pass on, or never sees."""
    for way in ways:
        if way.workload is scaling.workload:
            yield from _way_errors(scaling, way)
    if scaling.min_replicas == 0:
        for front in fronts:
            for argument in ("ollama", "openai"):
                if any(server is scaling.workload for server in getattr(front, argument)):
                    hint = f"'{front.name}' calls its Service, past the proxy that wakes it: say min_replicas=1"
                    yield str(wrong(argument, "a server that does not scale to zero", scaling.workload.name, hint))


def _way_errors(scaling: ScalingSettings, way: ExposureSettings) -> Iterator[str]:
    workload, proxy = scaling.workload.name, scaling.interceptor_namespace
    if way.interceptor_namespace is None:
        if scaling.min_replicas == 0:
            hint = f"a request past the proxy does not wake it; expose it with hostname={scaling.wake_on[0]!r} and a 'gateway'"
            yield str(wrong("interceptor_namespace", f"'{proxy}' for '{workload}', which scales to zero", None, hint))
        return
    if way.interceptor_namespace != proxy:
        rule = f"'{proxy}' for '{workload}', as its autoscale has"
        yield str(wrong("interceptor_namespace", rule, way.interceptor_namespace))
    if not any(_covers(host, str(way.hostname)) for host in scaling.wake_on):
        names = ", ".join(f"'{host}'" for host in scaling.wake_on)
        rule = f"a host name of 'wake_on' of '{workload}', {names}"
        yield str(wrong("hostname", rule, way.hostname, "the proxy knows no workload for another one"))


def _covers(host: str, name: str) -> bool:
    """Whether a host name of the proxy, such as `*.example.com`, takes every request for another."""
    return host == name or (host.startswith("*.") and name.endswith(host[1:]))
