"""A release of bjw-s' app-template as the objects that the chart makes of its values.

Source: bjw-s-labs/helm-charts charts/library/common/templates at common 4 (2026-11-23)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..observed.model import ChartRelease, at, known_str
from ..observed.pods.chart_workloads import image_of
from .tree import Path, UnreadError, gaps_in, plain_values

CHART = "app-template"
_KINDS = {"deployment": "Deployment", "statefulset": "StatefulSet", "cronjob": "CronJob", "job": "Job"}
_RELEASE = re.compile(r"\{\{-?\s*\.Release\.(Name|Namespace)\s*-?\}\}")
_VALUES = ("controllers", "defaultPodOptions", "service", "route", "ingress", "persistence")
_CONTROLLER = (
    "type",
    "annotations",
    "labels",
    "replicas",
    "strategy",
    "rollingUpdate",
    "revisionHistoryLimit",
    "pod",
    "containers",
    "initContainers",
    "cronjob",
    "job",
)
_CONTAINER = (
    "image",
    "command",
    "args",
    "workingDir",
    "env",
    "envFrom",
    "ports",
    "probes",
    "resources",
    "securityContext",
    "lifecycle",
    "restartPolicy",
    "stdin",
    "tty",
)
_POD = (
    "annotations", "labels", "automountServiceAccountToken", "priorityClassName", "runtimeClassName", "schedulerName", "securityContext", "hostname",
    "hostIPC", "hostNetwork", "hostPID", "hostUsers", "shareProcessNamespace", "dnsPolicy", "dnsConfig", "hostAliases", "imagePullSecrets",
    "terminationGracePeriodSeconds", "restartPolicy", "nodeSelector", "affinity", "topologySpreadConstraints", "tolerations", "enableServiceLinks",
)  # fmt: skip
_OF_SERVICE = (
    "clusterIP", "loadBalancerIP", "loadBalancerSourceRanges", "loadBalancerClass", "internalTrafficPolicy", "externalTrafficPolicy",
    "allocateLoadBalancerNodePorts", "sessionAffinity", "externalIPs", "publishNotReadyAddresses", "ipFamilyPolicy", "ipFamilies",
)  # fmt: skip
_MOUNT = {
    "path": "mountPath",
    "subPath": "subPath",
    "subPathExpr": "subPathExpr",
    "readOnly": "readOnly",
    "mountPropagation": "mountPropagation",
}
_TIMES = {"initialDelaySeconds": 0, "failureThreshold": 3, "timeoutSeconds": 1, "periodSeconds": 10}


_ROUNDED = 1_000_000
"""The number from which on Helm writes a whole number with an exponent."""


class App:
    """The objects of a release.

    Raises `UnreadError` for a part that the chart's templates make in a way that is not known here.
    """

    def __init__(self, release: ChartRelease) -> None:
        if release.chart != CHART:
            raise UnreadError(f"the templates of the chart {release.chart} are not known")
        self.name, self.namespace = known_str(release.name) or "", known_str(release.namespace) or ""
        placeholders: list[str] = []
        names = {"Name": self.name, "Namespace": self.namespace}
        values = _filled(plain_values(release, placeholders), names)
        self.gaps = gaps_in(_RELEASE.sub(lambda match: names[match[1]], each) for each in placeholders)
        _only(values, _VALUES, "values")
        self.values: Mapping[str, Any] = values
        self.controller_id, self.controller = self._one("controllers", values.get("controllers"))
        _only(self.controller, _CONTROLLER, f"controllers.{self.controller_id}")

    @property
    def service(self) -> dict[str, Any] | None:
        """The Service."""
        if not _enabled(self.values.get("service")):
            return None
        name, given = self._one("service", self.values["service"])
        _only(given, ("controller", "type", "annotations", "labels", "ports", "primary", *_OF_SERVICE), f"service.{name}")
        ports = [
            {
                **{key: value for key, value in port.items() if key in ("port", "nodePort", "appProtocol")},
                "name": port_name,
                "targetPort": port.get("targetPort") or port.get("port"),
                **({"protocol": "UDP"} if port.get("protocol") == "UDP" else {}),
            }
            for port_name, port in _enabled(given.get("ports")).items()
        ]
        fields = {"type": given.get("type") or "ClusterIP", **{key: given[key] for key in _OF_SERVICE if given.get(key) is not None}}
        metadata = {key: given[key] for key in ("labels", "annotations") if given.get(key)}
        return self._object("v1", "Service", {**fields, "ports": ports, "selector": self._labels}, **metadata)

    @property
    def workload(self) -> dict[str, Any]:
        """The workload with its pods."""
        given, options = self.controller, self._options()
        kind = _KINDS.get(str(given.get("type") or "deployment").lower())
        if kind is None:
            raise UnreadError(f"no construct makes a {given['type']} with GPUs")
        labels = {**self._labels, **(options.pop("labels", None) or {})}
        metadata = {"labels": labels, **({"annotations": annotations} if (annotations := options.pop("annotations", None)) else {})}
        spec: dict[str, Any] = {"enableServiceLinks": False, **options}
        if spec.get("hostNetwork"):
            spec.setdefault("dnsPolicy", "ClusterFirstWithHostNet")
        for key in ("initContainers", "containers"):
            if each := _enabled(given.get(key)):
                spec[key] = [self._container(name, container) for name, container in each.items()]
        if len(spec.get("initContainers", ())) > 1:
            raise UnreadError("it has several init containers, whose order the chart decides")
        if volumes := [{"name": name, **_source(name, each)} for name, each in self._persistence() if self._is_mounted(each)]:
            spec["volumes"] = volumes
        template = {"metadata": metadata, "spec": spec}
        own = {key: given[key] for key in ("labels", "annotations") if given.get(key)}
        return self._object("batch/v1" if kind.endswith("ob") else "apps/v1", kind, self._controller_spec(kind, template), **own)

    def ways_in(self) -> dict[str, dict[str, Any]]:
        """The arguments of `expose` for the route and the ingress."""
        ways: dict[str, dict[str, Any]] = {}
        if _enabled(self.values.get("route")):
            ways[f"{self.name}-route"] = self._route(*self._one("route", self.values["route"]))
        if _enabled(self.values.get("ingress")):
            ways[f"{self.name}-ingress"] = self._ingress(*self._one("ingress", self.values["ingress"]))
        return ways

    def _one(self, key: str, given: Any) -> tuple[str, Mapping[str, Any]]:
        found = _enabled(given)
        if len(found) != 1:
            raise UnreadError(f"its values have {len(found)} {key} ({', '.join(found)}), and they go together")
        ((name, each),) = found.items()
        if each.keys() & {"forceRename", "nameOverride", "prefix", "suffix"}:
            raise UnreadError(f"{key}.{name} has a name of its own")
        return name, {inner: value for inner, value in each.items() if inner != "enabled"}

    @property
    def _labels(self) -> dict[str, str]:
        return {
            "app.kubernetes.io/controller": self.controller_id,
            "app.kubernetes.io/instance": self.name,
            "app.kubernetes.io/name": self.name,
        }

    def _object(self, api_version: str, kind: str, spec: Mapping[str, Any], **metadata: Any) -> dict[str, Any]:
        names = {"name": self.name, **({"namespace": self.namespace} if self.namespace else {})}
        return {"apiVersion": api_version, "kind": kind, "metadata": {**names, **metadata}, "spec": dict(spec)}

    def _options(self) -> dict[str, Any]:
        own, common = self.controller.get("pod") or {}, self.values.get("defaultPodOptions") or {}
        for key in own.keys() & common.keys():
            if isinstance(own[key], Mapping | list):
                raise UnreadError(f"both pod and defaultPodOptions have {key}")
        options = {**common, **own}
        _only(options, _POD, "defaultPodOptions")
        return {key: value for key, value in options.items() if value not in (None, {}, [])}

    def _controller_spec(self, kind: str, template: Mapping[str, Any]) -> dict[str, Any]:
        given = self.controller
        history = {"revisionHistoryLimit": given["revisionHistoryLimit"]} if "revisionHistoryLimit" in given else {}
        if kind in ("Deployment", "StatefulSet"):
            if "replicas" in given and given["replicas"] is None:
                raise UnreadError("something else scales it")
            strategy = {"strategy": {"type": given.get("strategy") or "Recreate"}} if kind == "Deployment" else {"serviceName": self.name}
            return {
                "replicas": given.get("replicas", 1),
                **history,
                **strategy,
                "selector": {"matchLabels": self._labels},
                "template": template,
            }
        key = kind.lower()
        job = dict(given.get(key) or {})
        of_cron = {each: job.pop(each) for each in ("schedule", "timeZone", "startingDeadlineSeconds", "suspend") if each in job}
        limits = {"successfulJobsHistory": "successfulJobsHistoryLimit", "failedJobsHistory": "failedJobsHistoryLimit"}
        of_cron |= {field: job.pop(each) for each, field in limits.items() if each in job}
        policy = job.pop("concurrencyPolicy", "Forbid")
        template["spec"].setdefault("restartPolicy", "Never")
        if kind == "Job":
            return {**job, **of_cron, "template": template}
        return {
            "startingDeadlineSeconds": 30,
            **of_cron,
            "concurrencyPolicy": policy,
            "jobTemplate": {"spec": {**job, "template": template}},
        }

    def _container(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        _only(given, _CONTAINER, f"containers.{name}")
        image = given.get("image")
        if isinstance(image, Mapping):
            digest = f"@{image['digest']}" if image.get("digest") else ""
            policy = {"imagePullPolicy": image["pullPolicy"]} if image.get("pullPolicy") else {}
            written = {"image": f"{image_of(image.get('repository'), image.get('tag'))}{digest}", **policy}
        else:
            written = {"image": image}
        plain = ("workingDir", "ports", "resources", "securityContext", "lifecycle", "restartPolicy", "stdin", "tty")
        words = {key: [given[key]] if isinstance(given[key], str) else given[key] for key in ("command", "args") if given.get(key)}
        return {
            "name": name,
            **written,
            **words,
            **{key: given[key] for key in plain if given.get(key) not in (None, {}, [])},
            **({"env": env} if (env := list(_env(given.get("env")))) else {}),
            **({"envFrom": sources} if (sources := [_env_from(each) for each in given.get("envFrom") or ()]) else {}),
            **{f"{key}Probe": self._probe(probe) for key, probe in _switched(given.get("probes")).items()},
            **({"volumeMounts": mounts} if (mounts := list(self._mounts(name))) else {}),
        }

    def _probe(self, given: Mapping[str, Any]) -> dict[str, Any]:
        if given.get("custom"):
            return dict(given.get("spec") or {})
        ports = at(self.service, "spec", "ports") or [{}]
        kind, port = str(given.get("type") or "TCP"), given.get("port") or ports[0].get("targetPort")
        if kind not in ("TCP", "HTTP", "HTTPS") or port is None:
            raise UnreadError(f"a probe of the kind {kind} is made by the chart")
        times = {key: (given.get("spec") or {}).get(key, default) for key, default in _TIMES.items()}
        request = (
            {"tcpSocket": {"port": port}}
            if kind == "TCP"
            else {"httpGet": {"path": given.get("path") or "/", "scheme": kind, "port": port}}
        )
        return {**request, **times}

    def _persistence(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        yield from _enabled(self.values.get("persistence")).items()

    def _is_mounted(self, given: Mapping[str, Any]) -> bool:
        return bool(given.get("globalMounts") or at(given, "advancedMounts", self.controller_id) or not given.get("advancedMounts"))

    def _mounts(self, container: str) -> Iterator[dict[str, Any]]:
        for name, given in self._persistence():
            default = given.get("hostPath") if given.get("type") == "hostPath" else f"/{name}"
            mounts = [*(given.get("globalMounts") or ()), *(at(given, "advancedMounts", self.controller_id, container) or ())]
            if not given.get("globalMounts") and not given.get("advancedMounts"):
                mounts = [{}]
            for mount in mounts:
                yield {
                    "name": name,
                    "mountPath": default,
                    **{_MOUNT[key]: value for key, value in mount.items() if key in _MOUNT and value},
                }

    def _route(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        _only(given, ("kind", "hostnames", "parentRefs", "rules", "annotations", "labels"), f"route.{name}")
        hosts, parents = given.get("hostnames") or [], given.get("parentRefs") or []
        rules = [{key: value for key, value in each.items() if value} for each in given.get("rules") or ()]
        if (
            given.get("kind", "HTTPRoute") != "HTTPRoute"
            or len(hosts) != 1
            or len(parents) != 1
            or any(set(each) - {"backendRefs"} for each in rules)
        ):
            raise UnreadError(f"route.{name} is more than one host name at one gateway")
        self._check_backends(name, [backend for each in rules for backend in each.get("backendRefs") or ()])
        fields = {"gateway": "name", "gateway_namespace": "namespace", "section": "sectionName"}
        return self._way(given, hostname=hosts[0], **{argument: parents[0].get(key) for argument, key in fields.items()})

    def _ingress(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        _only(given, ("className", "hosts", "tls", "annotations", "labels"), f"ingress.{name}")
        hosts, tls = given.get("hosts") or [], given.get("tls") or []
        paths = [path for each in hosts for path in each.get("paths") or ()]
        if len(hosts) != 1 or len(tls) > 1 or len(paths) != 1 or paths[0].get("pathType", "Prefix") != "Prefix":
            raise UnreadError(f"ingress.{name} is more than one host name and one path")
        self._check_backends(name, [paths[0]["service"]] if paths[0].get("service") else [])
        secret = tls[0].get("secretName") if tls else None
        way = {"ingress_class": given.get("className"), "tls_secret": secret, "path": paths[0].get("path", "/")}
        return self._way(given, hostname=hosts[0].get("host"), **way)

    def _check_backends(self, name: str, backends: list[Mapping[str, Any]]) -> None:
        services = _enabled(self.values.get("service"))
        if len(backends) > 1 or any(each.get("identifier") not in services and each.get("name") != self.name for each in backends):
            raise UnreadError(f"{name} leads to another Service")

    def _way(self, given: Mapping[str, Any], **arguments: Any) -> dict[str, Any]:
        marks = {key: given[key] for key in ("annotations", "labels") if given.get(key)}
        return {"workload": self.name, **{key: value for key, value in arguments.items() if value is not None}, **marks}


def _filled(value: Any, names: Mapping[str, str], path: Path = ()) -> Any:
    """Values in which the name and the namespace of the release are filled in."""
    if isinstance(value, Mapping):
        return {key: _filled(each, names, (*path, key)) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, names, (*path, index)) for index, each in enumerate(value)]
    text = _RELEASE.sub(lambda match: names[match[1]], value) if isinstance(value, str) else value
    if isinstance(text, str) and "{{" in text:
        raise UnreadError(f"{'.'.join(map(str, path))} is a template")
    return text


def _only(given: Mapping[str, Any], known: tuple[str, ...], about: str) -> None:
    if other := next((key for key, value in given.items() if key not in (*known, "enabled") and value not in (None, {}, [], "")), None):
        raise UnreadError(f"{about}.{other} is not known")


def _enabled(given: Any) -> dict[str, Mapping[str, Any]]:
    """The entries of a mapping that are not switched off."""
    return {name: each for name, each in (given or {}).items() if isinstance(each, Mapping) and each.get("enabled", True)}


def _switched(given: Any) -> dict[str, Mapping[str, Any]]:
    """The entries of a mapping that are switched on."""
    return {name: each for name, each in (given or {}).items() if isinstance(each, Mapping) and each.get("enabled")}


def _env(given: Any) -> Iterator[dict[str, Any]]:
    if isinstance(given, list):
        yield from given
        return
    for name, value in (given or {}).items():
        if isinstance(value, Mapping):
            fields = {key: each for key, each in value.items() if key in ("value", "valueFrom")}
            if len(fields) != 1:
                raise UnreadError(f"env.{name} is not known")
            yield {"name": name, **({"value": _written(name, fields["value"])} if "value" in fields else fields)}
        elif value is not None:
            yield {"name": name, "value": _written(name, value)}


def _written(name: str, value: Any) -> str:
    """A value of a variable as Helm writes it."""
    if isinstance(value, float) or (isinstance(value, int) and abs(value) >= _ROUNDED):
        raise UnreadError(f"env.{name} is a number that Helm may write in another form; write it in quotes")
    return str(value).lower() if isinstance(value, bool) else str(value)


def _env_from(given: Mapping[str, Any]) -> dict[str, Any]:
    short = {"secret": "secretRef", "config": "configMapRef", "configMap": "configMapRef"}
    for key, value in given.items():
        if key in short and isinstance(value, str):
            return {short[key]: {"name": value}}
        if key in ("secretRef", "configMapRef") and isinstance(value, Mapping) and "name" in value:
            return dict(given)
    raise UnreadError(f"envFrom {given!r} names an object of the release")


def _source(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    kind = given.get("type") or "persistentVolumeClaim"
    if kind == "persistentVolumeClaim":
        if not given.get("existingClaim"):
            raise UnreadError(
                f"the release makes the claim of persistence.{name}, which goes with the release; make it an existingClaim first"
            )
        return {kind: {"claimName": given["existingClaim"]}}
    if kind in ("configMap", "secret"):
        if not given.get("name"):
            raise UnreadError(f"persistence.{name} names an object of the release")
        more = {key: given[key] for key in ("defaultMode", "items") if given.get(key)}
        return {kind: {"name" if kind == "configMap" else "secretName": given["name"], **more}}
    keys = {"emptyDir": ("medium", "sizeLimit"), "nfs": ("server", "path")}
    if kind in keys:
        return {kind: {key: given[key] for key in keys[kind] if given.get(key)}}
    if kind == "hostPath":
        return {kind: {"path": given.get("hostPath"), **({"type": given["hostPathType"]} if given.get("hostPathType") else {})}}
    if kind == "custom":
        return {key: value for key, value in (given.get("volumeSpec") or {}).items() if key != "name"}
    raise UnreadError(f"persistence.{name} has the type {kind}")
