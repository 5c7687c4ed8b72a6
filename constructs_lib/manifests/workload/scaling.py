"""The autoscaler of a workload: a ScaledObject for KEDA with the InterceptorRoute that wakes it from zero, or a
HorizontalPodAutoscaler."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import attrs

from ...arguments.errors import NOTHING, wrong, wrong_kind
from ...arguments.fields import named, settle, to_count, to_namespace, to_optional_count, to_optional_positive, to_optional_text
from ...arguments.names import host_name
from ...arguments.patterns import pattern
from ...arguments.plain_values import choice, text, texts
from ...upstream.programs.cluster_programs import (
    EXPORTER_METRICS,
    EXTERNAL_SCALER,
    INTERCEPTOR_ROUTE_API,
    KEDA_NAMESPACE,
    SCALED_OBJECT_API,
)
from ..objects import MAIN, Manifests
from .exposure import ExposureSettings
from .kinds import SERVERS, WorkloadKind
from .open_webui_settings import OpenWebUISettings
from .part_settings import PartSettings, port_name, tcp_port
from .pod_autoscaler import CPU, DEFAULT_CPU, Autoscaler, pod_autoscaler
from .settings import check_single_node

# Each step replaces what it knows by one of these characters, from the innermost call to the outermost.
_ONE, _BUCKETS, _MANY = "\x01", "\x02", "\x03"

_TEXTS = pattern(r"""#[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`""", re.DOTALL)
_LABELS = pattern(r"\{[^{}]*\}")
_BY_LE = pattern(r"\bby\s*\(\s*le\s*\)")
_CALL = pattern(r"(?:\b(?P<name>[a-z_][a-z0-9_]*)\s*(?P<le>\x02\s*)?)?\((?P<given>[^()]*)\)", re.IGNORECASE)
_AFTER_LE = pattern(rf"{_ONE}\s*{_BUCKETS}")
_AGGREGATIONS = {"sum", "avg", "min", "max", "count", "group", "quantile", "stddev", "stdvar", "vector"}
_FUNCTIONS = {"abs", "ceil", "floor", "round", "sqrt", "ln", "log2", "log10", "exp", "clamp", "clamp_min", "clamp_max"}
_NUMBER = r"\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_TERM = rf"-?\s*(?:{_ONE}|{_NUMBER})"
_WHOLE = pattern(rf"\s*{_TERM}(?:\s*(?:[-+*/%^]|[<>]=?|[!=]=|or\b|and\b|unless\b)\s*{_TERM})*\s*", re.IGNORECASE)


def has_one_element(query: str) -> bool:
    """Whether the answer is a vector with one element at most: aggregations without `by` and `without`, and arithmetic
    with them and numbers."""
    text = _BY_LE.sub(_BUCKETS, _LABELS.sub(" ", _TEXTS.sub(" ", query)))
    while (shorter := _AFTER_LE.sub(f" {_BUCKETS} ", _CALL.sub(_reduced, text, count=1))) != text:
        text = shorter
    return _is_one(text)


def _is_one(text: str) -> bool:
    return _ONE in text and _WHOLE.fullmatch(text) is not None


def _reduced(call: re.Match[str]) -> str:
    """The character of the innermost call."""
    name, given = (call["name"] or "").lower(), call["given"]
    first, _, rest = given.partition(",")
    if name in _AGGREGATIONS:
        return f" {_BUCKETS if call['le'] else _ONE} "
    if name == "scalar":
        return " 1 "
    if name == "histogram_quantile" and rest.strip() == _BUCKETS:
        return f" {_ONE} "
    if name in ("or", "and", "unless"):
        return f" {name} {_ONE if _is_one(given) else _MANY} "
    return f" {_ONE} " if (not name or name in _FUNCTIONS) and _is_one(first if name else given) else f" {_MANY} "


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


_NO_METRICS = ("memory", "gpu", "gpu_utilization", "cpu_utilization", "memory_utilization")
_METRIC = r"[a-zA-Z_:][a-zA-Z0-9_:]*"


def _to_autoscaler(value: Autoscaler | str | None, argument: str = "") -> Autoscaler:
    # None becomes the autoscaler that knows the metric, in `__attrs_post_init__`.
    return None if value is None else choice(argument, value, Autoscaler)  # type: ignore[return-value]


def to_metric(value: str | None, argument: str = "") -> str | None:
    """The name of a series of Prometheus, or `cpu`."""
    if value is None:
        return None
    rule = "the name of a metric such as 'vllm:num_requests_waiting', or 'cpu'"
    if not re.fullmatch(_METRIC, text(argument, value, rule)):
        raise wrong(argument, rule, value, "an expression is a 'query'" if re.search(r"[({]", value) else "")
    if value.lower() in _NO_METRICS:
        hint = "a model holds its memory while nobody asks, and 'cpu' is the only resource here; DCGM's metrics have names such as DCGM_FI_DEV_GPU_UTIL"
        raise wrong(argument, rule, value, hint)
    return value


def _to_query(value: str | None, argument: str = "") -> str | None:
    if value is None:
        return None
    rule = "a PromQL expression with one element as its answer, such as 'sum(…)'"
    query = text(argument, value, rule)
    if not has_one_element(query):
        hint = "with several elements KEDA fails as soon as there is a second pod; put the whole expression into 'sum(…)' or 'max(…)', and a scalar into 'vector(…)'"
        raise wrong(argument, rule, value, hint)
    return query


def _to_threshold(value: float | None, argument: str = "") -> float | None:
    rule = "a number above 0"
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_kind(argument, rule, value)
    if not 0 < value < float("inf"):
        raise wrong(argument, rule, value)
    return value


def to_address(value: str | None, argument: str = "") -> str | None:
    """The URL of Prometheus."""
    rule = "the URL of Prometheus, such as 'http://prometheus-operated.monitoring.svc:9090'"
    if value is not None and not re.fullmatch(r"https?://[^\s/]+(/\S*)?", text(argument, value, rule)):
        raise wrong(argument, rule, value, f"did you mean 'http://{value}'?" if re.fullmatch(r"[\w.-]+(:\d+)?", value) else "")
    return value


def _to_host_names(value: Iterable[str] | str, argument: str = "") -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else texts(argument, value)
    return tuple(host_name(argument, name) for name in names)


_ASKING = ("query", "prometheus")
_OF_KEDA = (*_ASKING, "wake_on", "concurrency", "port", "cooldown_period")
HPA_TO_ZERO_SINCE = 37
"""The first minor of Kubernetes with the feature gate HPAScaleToZero on by default.

Source: kubernetes/kubernetes pkg/features/kube_features.go, pkg/apis/autoscaling/validation/validation.go at v1.37.2
(2026-11-28)
"""


@attrs.frozen(eq=False, repr=False, field_transformer=named)
class ScalingSettings(PartSettings):
    """The checked arguments of `autoscale`, which documents each argument."""

    # KEDA takes one ScaledObject for a workload, so the name is no choice: a second object of one name is refused.
    name: str = attrs.field(default="", init=False)
    metric: str | None = attrs.field(default=None, converter=to_metric, kw_only=True)
    autoscaler: Autoscaler = attrs.field(default=None, converter=_to_autoscaler, kw_only=True)
    query: str | None = attrs.field(default=None, converter=_to_query, kw_only=True)
    threshold: float | None = attrs.field(default=None, converter=_to_threshold, kw_only=True)
    prometheus: str | None = attrs.field(default=None, converter=to_address, kw_only=True)
    wake_on: tuple[str, ...] = attrs.field(default=(), converter=_to_host_names, kw_only=True)
    concurrency: int | None = attrs.field(default=None, converter=to_optional_positive, kw_only=True)
    port: str | None = attrs.field(default=None, converter=to_optional_text, kw_only=True)
    interceptor_namespace: str = attrs.field(default=KEDA_NAMESPACE, converter=to_namespace, kw_only=True)
    max_replicas: int | None = attrs.field(default=None, converter=to_optional_positive, kw_only=True)
    min_replicas: int = attrs.field(default=1, converter=to_count, kw_only=True)
    cooldown_period: int | None = attrs.field(default=None, converter=to_optional_count, kw_only=True)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        workload = self.workload
        if workload.kind not in SERVERS:
            raise wrong("workload", "a Deployment or a StatefulSet", str(workload.kind), "a Job has no replicas", part="kind")
        if workload.replicas is not None:
            hint = "say replicas=None: a fixed number would fight the autoscaler at every sync"
            raise wrong("workload", "a workload with replicas=None", workload.replicas, hint, part="replicas")
        settle(self, "autoscaler", Autoscaler.HPA if self.metric == CPU else Autoscaler.KEDA)
        if self.autoscaler is Autoscaler.HPA:
            self._check_pod_autoscaler()
        else:
            self._check_series()
            self._check_trigger()
        self._check_replicas()

    def _check_pod_autoscaler(self) -> None:
        """Refuse what a HorizontalPodAutoscaler does not have, and CPU without a request, of which it is a part."""
        for name in _OF_KEDA:
            if getattr(self, name):
                hint = "a HorizontalPodAutoscaler reads no Prometheus itself: the prometheus-adapter does, with its own address ('adapter_values')"
                raise wrong(name, f"left out with autoscaler='{Autoscaler.HPA}'", getattr(self, name), hint if name in _ASKING else "")
        if self.interceptor_namespace != KEDA_NAMESPACE:
            raise wrong("interceptor_namespace", f"left out with autoscaler='{Autoscaler.HPA}'", self.interceptor_namespace)
        if self.metric is None:
            raise wrong("metric", f"given with autoscaler='{Autoscaler.HPA}'", NOTHING, "'cpu', or a metric of the workload's pods")
        if self.min_replicas == 0:
            hint = (
                f"a HorizontalPodAutoscaler of 0 needs the feature gate HPAScaleToZero, on by default from Kubernetes 1.{HPA_TO_ZERO_SINCE} on, "
                "and an object or external metric: no metric of a pod can rise without a pod; say 'wake_on' with KEDA"
            )
            raise wrong("min_replicas", f"at least 1 with autoscaler='{Autoscaler.HPA}'", 0, hint)
        if self.metric == CPU:
            settle(self, "threshold", DEFAULT_CPU)
            if self.threshold is None or self.threshold != int(self.threshold):
                raise wrong("threshold", "a whole percentage of the CPU request with metric='cpu'", self.threshold)
            if self.workload.cpu is None:
                hint = (
                    "the percentage is one of the CPU request; without it the autoscaler says 'missing request for cpu', and does nothing"
                )
                raise wrong("workload", "a workload with 'cpu' for metric='cpu'", None, hint, part="cpu")
        elif self.threshold is None:
            raise wrong("threshold", "given with a 'metric'", None, "it is the average of the metric for each pod")

    def _check_series(self) -> None:
        """Refuse a metric that KEDA's query by the labels of the workload's Service can't have."""
        if self.metric == CPU:
            raise wrong("metric", "a metric of Prometheus with autoscaler='keda'", CPU, "KEDA asks Prometheus here; leave 'autoscaler' out")
        if self.metric and self.metric.startswith(EXPORTER_METRICS):
            hint = "its series have the labels of the exporter's Service; give a 'query' that selects the pods, or autoscaler='hpa'"
            raise wrong("metric", "a metric that the workload's own server has", self.metric, hint)

    def _check_trigger(self) -> None:
        if self.metric and self.query:
            raise wrong("query", "left out beside 'metric'", self.query)
        if not (self.metric or self.query or self.wake_on):
            raise wrong("metric", "given, or else 'query' or 'wake_on'", NOTHING, "KEDA scales by a number")
        for name in ("threshold", "prometheus"):
            if (self.metric or self.query) and getattr(self, name) is None:
                raise wrong(name, "given with a 'metric' or a 'query'", None)
            if not (self.metric or self.query) and getattr(self, name) is not None:
                raise wrong(name, "given only with a 'metric' or a 'query'", getattr(self, name))
        if bool(self.wake_on) != (self.concurrency is not None):
            hint = "it is the number of requests that one pod serves at the same time"
            raise wrong("concurrency", "given with 'wake_on', and only then", self.concurrency, hint)
        if self.wake_on:
            settle(self, "port", port_name(self.workload, self.port))
            tcp_port(self.workload, str(self.port), "the proxy")
            if self.workload.kind is WorkloadKind.STATEFUL_SET:
                hint = "the headless Service of a StatefulSet names pods that are not ready, and the proxy would send requests to them"
                raise wrong("wake_on", "left out for a StatefulSet", self.wake_on, hint)

    def _check_replicas(self) -> None:
        most = self.workload.most_pods
        if self.max_replicas is None:
            if most is None:
                hint = "a class with 'count' and the number of GPUs of a node would tell it"
                raise wrong("max_replicas", "given", None, hint)
            settle(self, "max_replicas", most)
        highest = self.max_replicas or 1
        if most is not None and highest > most:
            raise wrong(
                "max_replicas", f"at most {most}, the pods for which the nodes have GPUs", highest, "the other pods would stay Pending"
            )
        if highest <= self.min_replicas:
            raise wrong("max_replicas", f"more than 'min_replicas' ({self.min_replicas})", highest, "otherwise there is nothing to scale")
        if highest > 1 and self.workload.kind is WorkloadKind.DEPLOYMENT:
            check_single_node("max_replicas", self.workload.volumes, highest)
        if self.min_replicas == 0 and not self.wake_on:
            hint = "without a pod no metric of a pod can rise; requests must go through a proxy that counts them and waits"
            raise wrong("min_replicas", "at least 1 without 'wake_on'", 0, hint)
        if self.min_replicas == 0 and self.workload.direct_client:
            hint = f"{self.workload.direct_client} calls the Service, past the proxy that wakes the workload"
            raise wrong("min_replicas", "at least 1 for this workload", 0, hint)


def scaling(settings: ScalingSettings) -> Manifests:
    """The ScaledObject, and with `wake_on` the InterceptorRoute; or the HorizontalPodAutoscaler."""
    if settings.autoscaler is Autoscaler.HPA:
        workload, replicas = settings.workload, (settings.min_replicas, settings.max_replicas or 1)
        api, wanted = pod_autoscaler(workload.name, str(workload.kind), str(settings.metric), settings.threshold or 0, replicas)
        return {MAIN: settings.manifest(api, "HorizontalPodAutoscaler", wanted)}
    triggers = []
    if settings.metric or settings.query:
        triggers.append({"type": "prometheus", "metadata": _prometheus(settings)})
    if settings.wake_on:
        address = EXTERNAL_SCALER.format(namespace=settings.interceptor_namespace)
        triggers.append({"type": "external-push", "metadata": {"scalerAddress": address, "interceptorRoute": settings.name}})
    spec: dict[str, Any] = {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": str(settings.workload.kind), "name": settings.workload.name},
        "minReplicaCount": settings.min_replicas,
        "maxReplicaCount": settings.max_replicas,
        **({} if settings.cooldown_period is None else {"cooldownPeriod": settings.cooldown_period}),
        "triggers": triggers,
    }
    objects = {MAIN: settings.manifest(SCALED_OBJECT_API, "ScaledObject", spec)}
    if settings.wake_on:
        objects["InterceptorRoute"] = settings.manifest(INTERCEPTOR_ROUTE_API, "InterceptorRoute", _route(settings))
    return objects


def _prometheus(settings: ScalingSettings) -> dict[str, str]:
    query = settings.query
    if query is None:
        namespace = settings.workload.own_namespace
        if namespace is None:
            hint = "the query names the namespace, so that no other workload of this name counts"
            raise wrong("workload", "in a chart with a namespace, or with a 'namespace'", None, hint, part="namespace")
        query = f'sum({settings.metric}{{namespace="{namespace}",service="{settings.workload.name}"}})'
    return {
        "serverAddress": str(settings.prometheus),
        "query": query,
        "threshold": f"{settings.threshold:.10g}",
        # KEDA's default takes an empty answer for 0: pods whose metrics Prometheus has lost would be stopped. Without a
        # pod the answer is always empty.
        "ignoreNullValues": "true" if settings.min_replicas == 0 else "false",
    }


def _route(settings: ScalingSettings) -> dict[str, Any]:
    return {
        "target": {"service": settings.workload.name, "portName": settings.port},
        "rules": [{"hosts": list(settings.wake_on)}],
        "scalingMetric": {"concurrency": {"targetValue": settings.concurrency}},
        # The default ends a request whose answer has not begun after 300 s, as one that does not stream.
        "timeouts": {"responseHeader": "0s"},
    }
