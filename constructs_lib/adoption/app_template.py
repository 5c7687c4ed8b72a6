"""A release of bjw-s' app-template as the objects that the chart makes of its values.

Source: bjw-s-labs/helm-charts charts/library/common/templates at common 4 (2026-11-23)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ..arguments.patterns import pattern
from ..observed.model import ChartRelease, at, known_str
from ..observed.pods.library_workloads import image_of
from .tree import Path, UnreadError, plain_values

CHART = "app-template"
_KINDS = {"deployment": "Deployment", "statefulset": "StatefulSet", "cronjob": "CronJob", "job": "Job"}
_RELEASE = pattern(r"\{\{-?\s*\.Release\.(Name|Namespace)\s*-?\}\}")
_NOTHING: tuple[Any, ...] = (None, {}, [])
_ROUNDED = 1_000_000
"""The number from which on Helm writes a whole number with an exponent."""
_TIMES = {"initialDelaySeconds": 0, "failureThreshold": 3, "timeoutSeconds": 1, "periodSeconds": 10}
_MOUNT = {"path": "mountPath", **{key: key for key in ("subPath", "subPathExpr", "readOnly", "mountPropagation")}}

# The values that are read here, by the part of the chart that has them.
_VALUES = ("controllers", "defaultPodOptions", "service", "route", "ingress", "persistence")
_CONTROLLER = (
    "type", "annotations", "labels", "replicas", "strategy", "rollingUpdate", "revisionHistoryLimit", "pod", "containers", "initContainers",
    "cronjob", "job",
)  # fmt: skip
_COPIED = ("workingDir", "ports", "resources", "securityContext", "lifecycle", "restartPolicy", "stdin", "tty")
_CONTAINER = (*_COPIED, "image", "command", "args", "env", "envFrom", "probes")
_POD = (
    "annotations", "labels", "automountServiceAccountToken", "priorityClassName", "runtimeClassName", "schedulerName", "securityContext", "hostname",
    "hostIPC", "hostNetwork", "hostPID", "hostUsers", "shareProcessNamespace", "dnsPolicy", "dnsConfig", "hostAliases", "imagePullSecrets",
    "terminationGracePeriodSeconds", "restartPolicy", "nodeSelector", "affinity", "topologySpreadConstraints", "tolerations", "enableServiceLinks",
)  # fmt: skip
_OF_SERVICE = (
    "clusterIP", "loadBalancerIP", "loadBalancerSourceRanges", "loadBalancerClass", "internalTrafficPolicy", "externalTrafficPolicy",
    "allocateLoadBalancerNodePorts", "sessionAffinity", "externalIPs", "publishNotReadyAddresses", "ipFamilyPolicy", "ipFamilies",
)  # fmt: skip


class App:
    """The objects of a release.

    Raises `UnreadError` for a part that the chart's templates make in a way that is not known here.
    """

    def __init__(self, release: ChartRelease) -> None:
        if release.chart != CHART:
            raise UnreadError(f"the templates of the chart {release.chart} are not known")
        self.name, self.namespace = known_str(release.name) or "", known_str(release.namespace) or ""
        values, gaps = plain_values(release)
        self.values: Mapping[str, Any] = _filled(values, {"Name": self.name, "Namespace": self.namespace})
        self.gaps = tuple(gap for gap in gaps if not _RELEASE.fullmatch(gap))
        _only(self.values, _VALUES, "values")
        self.controller_id, self.controller = self._one("controllers", _CONTROLLER)
        self._labels = {f"app.kubernetes.io/{key}": self.name for key in ("instance", "name")}
        self._labels["app.kubernetes.io/controller"] = self.controller_id

    @property
    def service(self) -> dict[str, Any] | None:
        """The Service."""
        if not _enabled(self.values.get("service")):
            return None
        _, given = self._one("service", ("controller", "type", "annotations", "labels", "ports", "primary", *_OF_SERVICE))
        ports = [
            {
                **{key: value for key, value in port.items() if key in ("port", "nodePort", "appProtocol")},
                "name": name,
                "targetPort": port.get("targetPort") or port.get("port"),
                **({"protocol": "UDP"} if port.get("protocol") == "UDP" else {}),
            }
            for name, port in _enabled(given.get("ports")).items()
        ]
        fields = {"type": given.get("type") or "ClusterIP", **_given(given, _OF_SERVICE)}
        return self._object("v1", "Service", {**fields, "ports": ports, "selector": self._labels}, given)

    @property
    def workload(self) -> dict[str, Any]:
        """The workload with its pods."""
        given, options = self.controller, self._options()
        kind = _KINDS.get(str(given.get("type") or "deployment").lower())
        if kind is None:
            raise UnreadError(f"no construct makes a {given['type']} with GPUs")
        metadata = {"labels": {**self._labels, **options.pop("labels", {})}, **_given({"annotations": options.pop("annotations", None)})}
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
        return self._object("batch/v1" if kind.endswith("ob") else "apps/v1", kind, self._controller_spec(kind, template), given)

    def ways_in(self) -> dict[str, dict[str, Any]]:
        """The arguments of `expose` for the route and the ingress."""
        makers = {"route": self._route, "ingress": self._ingress}
        return {f"{self.name}-{key}": make() for key, make in makers.items() if _enabled(self.values.get(key))}

    def _one(self, key: str, known: Collection[str]) -> tuple[str, Mapping[str, Any]]:
        """The only entry of a part, with its name."""
        found = _enabled(self.values.get(key))
        if len(found) != 1:
            raise UnreadError(f"its values have {len(found)} {key} ({', '.join(found)}), and they go together")
        ((name, each),) = found.items()
        if each.keys() & {"forceRename", "nameOverride", "prefix", "suffix"}:
            raise UnreadError(f"{key}.{name} has a name of its own")
        _only(each, known, f"{key}.{name}")
        return name, each

    def _object(self, api_version: str, kind: str, spec: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        names = {"name": self.name, **({"namespace": self.namespace} if self.namespace else {})}
        metadata = {**names, **_given(given, ("labels", "annotations"))}
        return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": dict(spec)}

    def _options(self) -> dict[str, Any]:
        own, common = self.controller.get("pod") or {}, self.values.get("defaultPodOptions") or {}
        if twice := next((key for key in own.keys() & common.keys() if isinstance(own[key], Mapping | list)), None):
            raise UnreadError(f"both pod and defaultPodOptions have {twice}")
        options = {**common, **own}
        _only(options, _POD, "defaultPodOptions")
        return _given(options)

    def _controller_spec(self, kind: str, template: dict[str, Any]) -> dict[str, Any]:
        given = self.controller
        if kind in ("Deployment", "StatefulSet"):
            if "replicas" in given and given["replicas"] is None:
                raise UnreadError("something else scales it")
            of_kind = {"strategy": {"type": given.get("strategy") or "Recreate"}} if kind == "Deployment" else {"serviceName": self.name}
            common = {"replicas": given.get("replicas", 1), **_given(given, ("revisionHistoryLimit",)), **of_kind}
            return {**common, "selector": {"matchLabels": self._labels}, "template": template}
        job = dict(given.get(kind.lower()) or {})
        of_cron = {each: job.pop(each) for each in ("schedule", "timeZone", "startingDeadlineSeconds", "suspend") if each in job}
        limits = {"successfulJobsHistory": "successfulJobsHistoryLimit", "failedJobsHistory": "failedJobsHistoryLimit"}
        of_cron |= {field: job.pop(each) for each, field in limits.items() if each in job}
        policy = job.pop("concurrencyPolicy", "Forbid")
        template["spec"].setdefault("restartPolicy", "Never")
        if kind == "Job":
            return {**job, **of_cron, "template": template}
        job_template = {"spec": {**job, "template": template}}
        return {"startingDeadlineSeconds": 30, **of_cron, "concurrencyPolicy": policy, "jobTemplate": job_template}

    def _container(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        _only(given, _CONTAINER, f"containers.{name}")
        image, policy = given.get("image"), None
        if isinstance(image, Mapping):
            digest, policy = (f"@{image['digest']}" if image.get("digest") else ""), image.get("pullPolicy")
            image = f"{image_of(image.get('repository'), image.get('tag'))}{digest}"
        fields = {
            "imagePullPolicy": policy or None,
            **{key: [given[key]] if isinstance(given[key], str) else given[key] for key in ("command", "args") if given.get(key)},
            **{key: given.get(key) for key in _COPIED},
            "env": list(_env(given.get("env"))),
            "envFrom": [_env_from(each) for each in given.get("envFrom") or ()],
            **{f"{key}Probe": self._probe(probe) for key, probe in _enabled(given.get("probes"), default=False).items()},
            "volumeMounts": list(self._mounts(name)),
        }
        return {"name": name, "image": image, **_given(fields)}

    def _probe(self, given: Mapping[str, Any]) -> dict[str, Any]:
        if given.get("custom"):
            return dict(given.get("spec") or {})
        ports = at(self.service, "spec", "ports") or [{}]
        kind, port = str(given.get("type") or "TCP"), given.get("port") or ports[0].get("targetPort")
        if kind not in ("TCP", "HTTP", "HTTPS") or port is None:
            raise UnreadError(f"a probe of the kind {kind} is made by the chart")
        times = {key: (given.get("spec") or {}).get(key, default) for key, default in _TIMES.items()}
        if kind == "TCP":
            return {"tcpSocket": {"port": port}, **times}
        return {"httpGet": {"path": given.get("path") or "/", "scheme": kind, "port": port}, **times}

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
                fields = {_MOUNT[key]: value for key, value in mount.items() if key in _MOUNT and value}
                yield {"name": name, "mountPath": default, **fields}

    def _route(self) -> dict[str, Any]:
        name, given = self._one("route", ("kind", "hostnames", "parentRefs", "rules", "annotations", "labels"))
        hosts, parents = given.get("hostnames") or [], given.get("parentRefs") or []
        rules = [_given(each) for each in given.get("rules") or ()]
        is_plain = given.get("kind", "HTTPRoute") == "HTTPRoute" and all(set(each) <= {"backendRefs"} for each in rules)
        if not is_plain or len(hosts) != 1 or len(parents) != 1:
            raise UnreadError(f"route.{name} is more than one host name at one gateway")
        fields = {"gateway": "name", "gateway_namespace": "namespace", "section": "sectionName"}
        way = {"hostname": hosts[0], **{argument: parents[0].get(key) for argument, key in fields.items()}}
        return self._way(name, given, [backend for each in rules for backend in each.get("backendRefs", ())], way)

    def _ingress(self) -> dict[str, Any]:
        name, given = self._one("ingress", ("className", "hosts", "tls", "annotations", "labels"))
        hosts, tls = given.get("hosts") or [], given.get("tls") or []
        paths = [path for each in hosts for path in each.get("paths") or ()]
        if len(hosts) != 1 or len(tls) > 1 or len(paths) != 1 or paths[0].get("pathType", "Prefix") != "Prefix":
            raise UnreadError(f"ingress.{name} is more than one host name and one path")
        secret = tls[0].get("secretName") if tls else None
        way = {"hostname": hosts[0].get("host"), "ingress_class": given.get("className"), "tls_secret": secret}
        way["path"] = paths[0].get("path", "/")
        return self._way(name, given, [paths[0]["service"]] if paths[0].get("service") else [], way)

    def _way(self, name: str, given: Mapping[str, Any], backends: list[Mapping[str, Any]], way: Mapping[str, Any]) -> dict[str, Any]:
        services = _enabled(self.values.get("service"))
        if len(backends) > 1 or any(each.get("identifier") not in services and each.get("name") != self.name for each in backends):
            raise UnreadError(f"{name} leads to another Service")
        return {"workload": self.name, **_given(way), **_given(given, ("annotations", "labels"))}


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


def _only(given: Mapping[str, Any], known: Collection[str], about: str) -> None:
    if other := next((key for key, value in given.items() if key not in (*known, "enabled") and value not in (*_NOTHING, "")), None):
        raise UnreadError(f"{about}.{other} is not known")


def _given(fields: Mapping[str, Any], keys: Collection[str] | None = None) -> dict[str, Any]:
    """The fields with a value, of these keys."""
    return {key: value for key, value in fields.items() if value not in _NOTHING and (keys is None or key in keys)}


def _enabled(given: Any, *, default: bool = True) -> dict[str, Mapping[str, Any]]:
    """The entries of a mapping that are switched on, or on by default."""
    return {name: each for name, each in (given or {}).items() if isinstance(each, Mapping) and each.get("enabled", default)}


def _env(given: Any) -> Iterator[dict[str, Any]]:
    if isinstance(given, list):
        yield from given
        return
    for name, value in (given or {}).items():
        if isinstance(value, Mapping):
            fields = _given(value, ("value", "valueFrom"))
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
        if key in short.values() and isinstance(value, Mapping) and "name" in value:
            return dict(given)
    raise UnreadError(f"envFrom {given!r} names an object of the release")


def _source(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The source of a volume. Raises `UnreadError` for one that the release makes."""
    kind = given.get("type") or "persistentVolumeClaim"
    if kind == "persistentVolumeClaim" and not given.get("existingClaim"):
        raise UnreadError(f"the release makes the claim of persistence.{name}, which goes with the release; make it an existingClaim first")
    if kind in ("configMap", "secret") and not given.get("name"):
        raise UnreadError(f"persistence.{name} names an object of the release")
    if kind == "custom":
        return {key: value for key, value in (given.get("volumeSpec") or {}).items() if key != "name"}
    fields = {
        "persistentVolumeClaim": {"existingClaim": "claimName"},
        "configMap": {"name": "name", "defaultMode": "defaultMode", "items": "items"},
        "secret": {"name": "secretName", "defaultMode": "defaultMode", "items": "items"},
        "emptyDir": {"medium": "medium", "sizeLimit": "sizeLimit"},
        "nfs": {"server": "server", "path": "path"},
        "hostPath": {"hostPath": "path", "hostPathType": "type"},
    }
    if kind not in fields:
        raise UnreadError(f"persistence.{name} has the type {kind}")
    return {kind: {field: given[key] for key, field in fields[kind].items() if given.get(key)}}
