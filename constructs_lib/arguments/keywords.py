"""Errors for misspelt and missing arguments, in the form of this library, before an object is built."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, TypeVar

from .errors import NOTHING, Argument, InPython, Phrase, wrong_kind
from .spelling import did_you_mean

_T = TypeVar("_T")


def named_arguments(**hints: str) -> Callable[[_T], _T]:
    """A decorator of a class or a function: it checks the names of the arguments before the call.

    `hints` holds, for a required argument, the reason why it has no default.
    """

    def wrap(owner: Any) -> Any:
        if not isinstance(owner, type):
            return checked_call(owner, owner.__name__, 0, hints)
        owner.__init__ = checked_call(owner.__init__, owner.__name__, 1, hints)  # type: ignore[misc]  # a decorator is an assignment
        return owner

    return wrap


PassedOn = Callable[[], Mapping[str, Container[str]]]
"""The arguments that are mappings of further arguments, with the names of those; only an error asks for them."""


def checked_call(call: Any, owner: str, first: int, hints: Mapping[str, str], passed_on: PassedOn = dict) -> Any:
    """A call that checks the names of its arguments; the `first` ones, as `self`, are no arguments of users."""

    @functools.cache
    def arguments() -> tuple[list[str], list[str], list[str]]:
        """The names of the positional arguments, of the keyword-only arguments, and of the required arguments."""
        every = list(inspect.signature(call).parameters.values())[first:]
        by_name = [each.name for each in every if each.kind is each.KEYWORD_ONLY]
        required = [each.name for each in every if each.default is each.empty]
        return [each.name for each in every if each.name not in by_name], by_name, required

    @functools.wraps(call)
    def checked(*args: Any, **given: Any) -> Any:
        __tracebackhide__ = True  # pytest shows the caller's line, not this one
        positional, by_name, required = arguments()
        count = len(args) - first
        if count > len(positional):
            surplus = args[first + len(positional)]
            if not by_name:
                raise TypeError(f"{owner} must be given at most {len(positional)} values (got {surplus!r} as well)")
            name = next((each for each in by_name if each in required), by_name[0])
            raise wrong_kind(name, "given by its name", surplus, f"such as {owner}(…, {name}=…)")
        check_keywords(owner, (*positional, *by_name), given, passed_on)
        check_required(owner, required, {*given, *positional[: max(count, 0)]}, hints)
        # For type checkers the scope and id of a construct are positional-only; at run time both may be given by name
        # as well.
        named = list(itertools.takewhile(given.__contains__, positional[max(count, 0) :]))
        return call(*args, *(given.pop(name) for name in named), **given)

    return checked


def check_required(owner: str, required: Iterable[str], given: Container[str], hints: Mapping[str, str]) -> None:
    """Refuse a call without an argument that has no default."""
    for name in required:
        if name not in given:
            raise wrong_kind(name, Phrase("given", InPython(f" to {owner}")), NOTHING, hints.get(name, ""))


def check_keywords(owner: str, known: Iterable[str], given: Mapping[str, object], passed_on: PassedOn = dict) -> None:
    """Refuse a keyword that `owner` does not have; the hint names the argument that passes it on, or a similar one."""
    names = list(known)
    for name, value in given.items():
        if name not in names:
            hint = (
                answer(owner, name)
                or _passing(name, passed_on())
                or did_you_mean(name, names)
                or f"the arguments of {owner} are "
                + ", ".join(f"'{known_name}'" for known_name in names if known_name not in ("scope", "id"))
            )
            raise wrong_kind(name, f"an argument of {owner}", Argument(name, value), hint)


def _passing(name: str, passed_on: Mapping[str, Container[str]]) -> str:
    """The arguments that pass a keyword on."""
    ways = [f"{argument}={{'{name}': …}}" for argument, names in passed_on.items() if name in names]
    return f"write {' or '.join(ways)}" if ways else ""


# Names of Kubernetes, Docker Compose and Helm charts that people try as arguments, and what to write instead.
_SELECTOR = "give the 'labels' to GpuNodes: the labels become the selector"
_RUNTIME = "the RuntimeClass follows from the 'talos_version' of GpuNodes"

# The values hold names without '_', in lower case, so that they stand for every spelling.
_COMMON = {
    "give the 'taints' to GpuNodes: every pod for these nodes tolerates the taints": "tolerations toleration",
    _SELECTOR: "nodeselector nodelabels affinity nodeaffinity",
    _RUNTIME: "runtimeclass runtimeclassname runtime",
    "'mig_strategy' is an argument of GpuNodes": "migstrategy",
    "'sharing' is an argument of GpuNodes": "sharing",
    "'dra' is an argument of GpuNodes": "dra",
    "give sharing=TimeSlicing(…) to GpuNodes": "timeslicing",
}
_OF_PODS = {
    "a pod requests a MIG profile by 'profile'; 'mig_devices' of GpuNodes sets the partitions of the cards": "migprofile mig",
    "the argument is 'gpus'": "gpusperpod gpucount numgpus ngpus nvidiagpu",
}
_OF_WORKLOADS = {
    **_OF_PODS,
    "give talos_version='1.12' to GpuNodes, and the GpuNodes as nodes=…": "talos talosversion",
    "write port=8000, or port={'http': 8000, 'rtp': '8555/udp'}": "ports containerport containerports targetport expose",
    "write env={'NAME': 'value'}": "environment envvars variables extraenv",
    "write env={'NAME': SecretKey('secret', 'key')}, or volumes={'/path': SecretFiles('secret')}": "secrets secret",
    "write env={'NAME': ConfigMapKey('name', 'key')}, or volumes={'/path': ConfigMapFiles('name')}": "config configmap configmaps",
    "write pod_spec={'containers': [{'name': …, 'envFrom': […]}]}, or env={…} with a SecretKey or ConfigMapKey each": "envfrom",
    "write cpu='2', memory='16Gi' and gpus=1": "resources limits requests",
    "write gpu_memory='8Gi'": "vram",
    "write shared_memory='2Gi'": "shm shmsize",
    "write pod_spec={'hostNetwork': True}": "hostnetwork",
    "write pod_spec={'restartPolicy': 'OnFailure'} for kind='Job'; servers restart always": "restartpolicy restart",
    "write an Ingress or an HTTPRoute of your own, whose backend is the workload's 'service'": "ingress host hosts domain httproute",
    "write service={'type': 'LoadBalancer'}": "servicetype loadbalancer",
    "write service={'type': 'NodePort', 'ports': [{'name': 'http', 'nodePort': 30080}]}": "nodeport",
    "write volumes={'/path': Persistent('100Gi')}, or ExistingClaim('name')": "pvc storage persistence persistent",
    "write volumes={'/path': Persistent('100Gi', storage_class='…')}": "storageclass storageclassname",
    "write volumes={'/path': …}: each key is a mount path, each value a volume such as Persistent('100Gi')": "volumemounts mounts",
    "write volumes={'/path': HostPath('/var/mnt/…')}": "hostpath",
    "write volumes={'/path': Nfs('server', '/export')}": "nfs",
    "write volumes={'/path': Empty()}": "emptydir",
    "write security_context={'runAsUser': 1000}": "user runasuser",
    "write security_context={'privileged': True}; a GPU needs no privilege": "privileged",
    "write pod_security_context={'fsGroup': 1000}": "fsgroup",
    "write gpus=1: the device plugin gives the container its GPUs": "devices device visibledevices nvidiavisibledevices",
    "write readiness_probe=HttpProbe('/health'), and startup_probe=… for a slow start": "probe probes healthcheck",
    "the argument is 'update_strategy'": "strategy",
    "write replicas=None and an autoscaler of your own for the attribute 'resource'": "autoscaling hpa",
    "write replicas=2": "replicacount",
    "write init_containers=[{'name': …, 'image': '…', 'restartPolicy': 'Always'}]": "sidecar sidecars containers",
    "write command=['…'], which replaces the image's ENTRYPOINT": "entrypoint",
    "write args=['…'], which replaces the image's CMD": "cmd extraargs",
    "write pod_spec={'nodeSelector': {'kubernetes.io/hostname': '…'}}": "nodename",
    "write image='repository:tag'": "tag repository",
    "write image_pull_secrets=['…']": "pullsecrets imagepullsecret",
    "write kind='CronJob', schedule='0 3 * * *'": "cron cronjob",
}
_GATES = {"give feature gates in 'values': {'featureGates': …}": "featuregates"}
_BY_OWNER: Mapping[str, Mapping[str, str]] = {
    "DraDriver": _GATES,
    "NodeFeatureDiscovery": _GATES,
    "GpuWorkload": _OF_WORKLOADS,
    "GpuClaim": _OF_PODS,
    "gpu_pod": _OF_PODS,
    "gpu_claim": _OF_PODS,
    "request_gpus": _OF_PODS,
    "StandaloneDevicePlugin": {
        "the argument is 'feature_discovery'": "gfd",
        "the plugin's config follows from 'sharing' and 'mig_strategy' of GpuNodes": "config",
    },
    "NvidiaRuntimeClass": {"the handler is 'nvidia' on every Talos, whatever the name of the RuntimeClass": "handler"},
    "GpuStack": {
        "the argument is 'operator'": "gpuoperator",
        "the argument is 'discovery'": "nfd gfd",
        "the argument is 'exporter'": "dcgm dcgmexporter",
        "the argument is 'dashboard'": "grafana",
    },
}


def answers(owner: str) -> dict[str, str]:
    """The answers to names that `owner` does not have, by name; the names are without '_' and in lower case."""
    tables = (_COMMON, _BY_OWNER.get(owner, {}))
    return {name: hint for table in tables for hint, names in table.items() for name in names.split()}


def answer(owner: str, name: str) -> str:
    """The answer to a name that `owner` does not have: the code to write instead; empty for a name in no table."""
    return answers(owner).get(name.replace("_", "").lower(), "")
