"""The way from outside the cluster to a workload: a route of a Gateway, an Ingress or a load balancer."""

from __future__ import annotations

import re
from typing import Any

import attrs

from ...arguments.errors import NOTHING, warn, wrong
from ...arguments.fields import named, settle, to_flag, to_optional_dns_subdomain, to_optional_namespace, to_optional_text
from ...arguments.names import dns_label, host_name, url_path
from ...arguments.plain_values import choice, text
from ...arguments.quantities import seconds
from ...upstream.kubernetes.network import (
    GATEWAY_API,
    GATEWAY_DURATION,
    INGRESS_ANNOTATIONS,
    REFERENCE_GRANT_API,
    SILENT_STREAM,
    UNLIMITED,
    IngressController,
)
from ...upstream.programs.cluster_programs import INTERCEPTOR_PORT, INTERCEPTOR_SERVICE
from ..objects import MAIN, Manifest, Manifests, manifest
from .kinds import WorkloadKind
from .objects import service_port
from .part_settings import PartSettings, default_name, port_name

_OTHER_WAYS = "'ingress_class' or 'load_balancer'"


def _to_host_name(value: str | None, argument: str = "") -> str | None:
    return None if value is None else host_name(argument, value)


def _to_path(value: str, argument: str = "") -> str:
    return url_path(argument, value)


def _to_timeout(value: str | None, argument: str = "") -> str | None:
    if value is None:
        return None
    rule = "a duration of whole numbers such as '1h', '1h30m' or '0s'"
    if not re.fullmatch(GATEWAY_DURATION, text(argument, value, rule)):
        raise wrong(argument, rule, value)
    return value


def _to_controller(value: IngressController | str | None, argument: str = "") -> IngressController | None:
    return None if value is None else choice(argument, value, IngressController)


@attrs.frozen(eq=False, repr=False, field_transformer=named)
class ExposureSettings(PartSettings):
    """The checked arguments of `expose`, which documents each argument."""

    hostname: str | None = attrs.field(default=None, converter=_to_host_name)
    gateway: str | None = attrs.field(default=None, converter=to_optional_dns_subdomain, kw_only=True)
    gateway_namespace: str | None = attrs.field(default=None, converter=to_optional_namespace, kw_only=True)
    section: str | None = attrs.field(default=None, converter=to_optional_dns_subdomain, kw_only=True)
    ingress_class: str | None = attrs.field(default=None, converter=to_optional_dns_subdomain, kw_only=True)
    ingress_controller: IngressController | None = attrs.field(default=None, converter=_to_controller, kw_only=True)
    tls_secret: str | None = attrs.field(default=None, converter=to_optional_dns_subdomain, kw_only=True)
    load_balancer: bool = attrs.field(default=False, converter=to_flag, kw_only=True)
    interceptor_namespace: str | None = attrs.field(default=None, converter=to_optional_namespace, kw_only=True)
    port: str | None = attrs.field(default=None, converter=to_optional_text, kw_only=True)
    path: str = attrs.field(default="/", converter=_to_path, kw_only=True)
    timeout: str | None = attrs.field(default=None, converter=_to_timeout, kw_only=True)

    def __attrs_post_init__(self) -> None:
        settle(self, "port", port_name(self.workload, self.port))
        named_ways = [name for name in ("gateway", "ingress_class", "load_balancer") if getattr(self, name)]
        if not named_ways:
            raise wrong("gateway", f"given, or else {_OTHER_WAYS}", NOTHING, "an exposure is one way into the cluster")
        if len(named_ways) > 1:
            first, second = named_ways[:2]
            hint = "an exposure is one way into the cluster; for two ways call expose twice"
            raise wrong(second, f"left out beside '{first}'", getattr(self, second), hint)
        {"gateway": self._check_gateway, "ingress_class": self._check_ingress, "load_balancer": self._check_balancer}[named_ways[0]]()
        balanced = f"{self.workload.name}-{self.port}"
        settle(self, "name", dns_label("name", balanced) if self.load_balancer else default_name(self.workload, str(self.port)))
        if self.workload.unauthenticated:
            warn(
                f"{self.workload.name}: {self.workload.unauthenticated}. Everybody who reaches {self.hostname or 'this port'} can use the server; "
                "let the Gateway, or a proxy in front of it, ask for a login"
            )

    @property
    def protocol(self) -> str:
        """The protocol of the way: HTTP where it has a host name."""
        return self.workload.ports[str(self.port)].protocol if self.hostname is None else "HTTP"

    def _refuse(self, way: str, *names: str) -> None:
        fields = attrs.fields_dict(ExposureSettings)
        for name in names:
            if getattr(self, name) != fields[name].default:
                raise wrong(name, f"left out for {way}", getattr(self, name))

    def _check_http(self, way: str) -> None:
        if self.workload.ports[str(self.port)].protocol == "UDP":
            raise wrong(
                "port", f"a TCP port for {way}", self.port, "a UDP port has no host name: leave 'hostname' out, and give a 'gateway'"
            )
        if self.hostname is not None and (reason := self.workload.without_http(str(self.port))):
            raise wrong("hostname", f"left out for the port '{self.port}' of '{self.workload.name}'", self.hostname, reason)

    def _check_gateway(self) -> None:
        self._refuse("a route of a Gateway", "ingress_controller", "tls_secret")
        if self.hostname is not None:
            return self._check_http("a host name")
        route = f"a {self.protocol}Route"
        self._refuse(route, "path", "timeout", "interceptor_namespace")
        if self.section is None:
            hint = f"without it the route takes every {self.protocol} listener of the Gateway; a server of HTTP needs a 'hostname' instead"
            raise wrong("section", f"the name of the Gateway's listener for {route}", None, hint)
        return None

    def _check_ingress(self) -> None:
        self._refuse("an Ingress", "gateway_namespace", "section", "interceptor_namespace")
        self._check_http("an Ingress")
        if self.port in self.workload.app_protocols:
            hint = f"the port speaks {self.workload.app_protocols[str(self.port)]}: use a 'gateway'"
            raise wrong("port", "a port of HTTP/1 for an Ingress", self.port, hint)
        if self.hostname is None:
            raise wrong("hostname", "given for an Ingress", None, "an Ingress without a host takes every host of its controller")
        if self.timeout is not None and self.ingress_controller is None:
            hint = "an Ingress has no field for it, and the annotation depends on the controller"
            raise wrong("timeout", "given only with 'gateway' or 'ingress_controller'", self.timeout, hint)
        if self.timeout is not None and seconds(self.timeout) < 1:
            raise wrong("timeout", "at least 1s for an Ingress", self.timeout, "its controllers have no value that turns the timeout off")

    def _check_balancer(self) -> None:
        others = ("gateway_namespace", "section", "ingress_controller", "tls_secret", "interceptor_namespace", "path", "timeout")
        self._refuse("a load balancer", "hostname", *others)


def exposure(settings: ExposureSettings) -> Manifests:
    """The objects of one way in."""
    if settings.load_balancer:
        return {MAIN: _service(settings, str(settings.name), "LoadBalancer")}
    objects: Manifests = {}
    backend = settings.workload.name
    # The headless Service of a StatefulSet names pods that are not ready too, and a route would send requests to them.
    if settings.workload.kind is WorkloadKind.STATEFUL_SET and settings.interceptor_namespace is None:
        backend = dns_label("name", f"{settings.name}-ready")
        objects["Service"] = _service(settings, backend, "ClusterIP")
    if settings.ingress_class is not None:
        return {MAIN: _ingress(settings, backend), **objects}
    objects[MAIN] = _route(settings, backend)
    if settings.interceptor_namespace not in (None, settings.workload.own_namespace):
        objects["ReferenceGrant"] = _grant(settings)
    return objects


def _service(settings: ExposureSettings, name: str, type_: str) -> Manifest:
    # Without the label of the workload's own Service: a ServiceMonitor would scrape each pod twice.
    marks = {"app.kubernetes.io/part-of": settings.workload.name, **settings.labels}
    port = {key: value for key, value in service_port(settings.workload, str(settings.port)).items() if key != "nodePort"}
    spec = {"type": type_, "selector": settings.workload.service_selector, "ports": [port]}
    return manifest("v1", "Service", name, namespace=settings.workload.namespace, labels=marks, annotations=settings.annotations, spec=spec)


def _ingress(settings: ExposureSettings, backend: str) -> Manifest:
    host = str(settings.hostname)
    target = {"service": {"name": backend, "port": {"name": settings.port}}}
    rule = {"host": host, "http": {"paths": [{"path": settings.path, "pathType": "Prefix", "backend": target}]}}
    spec: dict[str, Any] = {"ingressClassName": settings.ingress_class, "rules": [rule]}
    if settings.tls_secret is not None:
        spec["tls"] = [{"hosts": [host], "secretName": settings.tls_secret}]
    words = INGRESS_ANNOTATIONS[settings.ingress_controller] if settings.ingress_controller else {}
    limit = int(seconds(settings.timeout or SILENT_STREAM))
    annotations = {key: word.format(seconds=limit) for key, word in words.items()} | dict(settings.annotations)
    return settings.manifest("networking.k8s.io/v1", "Ingress", spec, annotations=annotations)


def _route(settings: ExposureSettings, backend: str) -> Manifest:
    parent = {"name": settings.gateway, "namespace": settings.gateway_namespace, "sectionName": settings.section}
    target: dict[str, Any] = {"name": backend, "port": service_port(settings.workload, str(settings.port))["port"]}
    if settings.interceptor_namespace is not None:
        target = {"name": INTERCEPTOR_SERVICE, "namespace": settings.interceptor_namespace, "port": INTERCEPTOR_PORT}
    rule: dict[str, Any] = {"backendRefs": [target]}
    spec: dict[str, Any] = {"parentRefs": [{key: value for key, value in parent.items() if value is not None}]}
    if settings.hostname is not None:
        spec["hostnames"] = [settings.hostname]
        # An answer may stream for minutes, and a retry would do the work of the GPU again, so there is none.
        rule |= {
            "matches": [{"path": {"type": "PathPrefix", "value": settings.path}}],
            "timeouts": {"request": settings.timeout or UNLIMITED},
        }
    return settings.manifest(GATEWAY_API, f"{settings.protocol}Route", {**spec, "rules": [rule]})


def _grant(settings: ExposureSettings) -> Manifest:
    namespace = settings.workload.own_namespace
    if namespace is None:
        hint = "a ReferenceGrant names the namespace of the route"
        raise wrong("workload", "in a chart with a namespace, or with a 'namespace'", None, hint, part="namespace")
    source = {"group": GATEWAY_API.partition("/")[0], "kind": "HTTPRoute", "namespace": namespace}
    target = {"group": "", "kind": "Service", "name": INTERCEPTOR_SERVICE}
    name = f"{namespace}-{settings.name}"
    return manifest(
        REFERENCE_GRANT_API, "ReferenceGrant", name, namespace=settings.interceptor_namespace, **settings.metadata,
        spec={"from": [source], "to": [target]},
    )  # fmt: skip
