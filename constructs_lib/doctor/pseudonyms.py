"""Pseudonyms for a report that strangers read: one for each name, address, identifier and domain of a cluster, the same
wherever the name stands. The words of NVIDIA, Talos and Kubernetes stay."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from ipaddress import ip_address

from ..arguments.patterns import pattern
from ..observed.model import known_str
from ..observed.model.dump import Dump
from ..observed.model.live_object import LiveObject
from ..observed.pods.pod_templates import pod_of
from ..observed.read.live.bundle_commands import kubernetes_commands, talos_commands
from ..upstream.kubernetes.api import POD_TEMPLATES
from ..upstream.kubernetes.registries import split_reference
from ..upstream.programs.images import ROOT_IMAGES
from ..upstream.talos.features import EXEMPT_NAMESPACE
from .table_causes import agent_of
from .text_names import ACCOUNT, PUBLIC_KEY, hosts_in, names_in

_PUBLIC_NAMES = frozenset((
    EXEMPT_NAMESPACE, "ai", "cuda", "dcgm", "default", "dra-driver-nvidia-gpu", "gpu", "gpu-operator", "gpus", "kube-public", "llm", "main", "media", "ml",
    "host", "kernel", "kubelet", "localhost", "node", "node-feature-discovery", "nvidia", "nvidia-device-plugin", "nvidia-dra-driver-gpu", "ollama", "plugin",
    "server", "talos", "vllm", "worker",
))  # fmt: skip
"""Names that say nothing about their owner, and that stand in other words of the report."""
_PUBLIC_DOMAINS = (
    "argoproj.io", "cncf.io", "docker.io", "fluxcd.io", "gcr.io", "ghcr.io", "github.com", "helm.sh", "huggingface.co", "k8s.io", "kubernetes.io", "nvcr.io",
    "nvidia.com", "nvidia.github.io", "quay.io", "readthedocs.io", "siderolabs.com", "talos.dev", "x-k8s.io",
)  # fmt: skip
_PUBLIC_REPOSITORIES = ("nvcr.io/nvidia/", "registry.k8s.io/")
_FOLDERS = frozenset(("kubernetes", "logs", "service-logs", "talos"))
"""The folders of a bundle. Any other folder has the name that somebody gave it."""
_PUBLIC_FILES = frozenset(each.file.rpartition("/")[2].partition(".")[0] for each in (*kubernetes_commands(), *talos_commands())) | {
    "cluster",
    "describe",
    "dump",
    "dumps",
    "log",
    "logs",
    "nvidia-smi",
    "report",
    "support",
}
"""The names of files that say nothing about their owner, without their ends."""
_FILE_ENDS = ("conf", "go", "json", "log", "md", "py", "rules", "sh", "so", "service", "toml", "txt", "yaml", "yml", "zip")
_ADDRESS = pattern(
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d)|(?<![\w.:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:]|\.\w)", re.IGNORECASE
)
_IDENTIFIER = pattern(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", re.IGNORECASE)
_SERIAL = pattern(r"(?P<key>(?i:serial(?: number)?)\s*[:=]\s*)\w{4,}")
_OF_UPSTREAM = pattern(r"nvidia|kubernetes\.io|k8s\.io|talos\.dev")
"""The labels whose keys are those of upstream: their values are no names of anybody."""
_TOP = "[a-z]{2}|ai|app|example|io|localdomain|test|arpa|biz|cloud|com|corp|dev|edu|gov|home|info|internal|lan|local|net|online|org|site|tech|xyz"
"""The ends of domains: those of countries, and those that clusters have. A field such as status.conditions is none."""
_DOMAIN = pattern(rf"(?:(?<=//)|(?<![\w./]))(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:{_TOP})(?![\w.-]*\w)", re.IGNORECASE)

_KEPT = pattern("\ue000(?P<index>\\d+)\ue001")
"""The place of a pseudonym, so that nothing replaces it again. The characters are of nobody (Unicode, Private Use Area)."""


class Pseudonyms:
    """The pseudonyms of a dump. A text is given whole, so that a name inside of another one is found, too."""

    def __init__(self, dump: Dump) -> None:
        self._given: dict[str, str] = {}
        self._of_text: dict[str, str] = {}
        self._numbers: dict[str, int] = defaultdict(int)
        for kind, name in _names(dump):
            if name and name not in _PUBLIC_NAMES:
                self._of(kind, name)
        self._folders = dict.fromkeys(folder for source in _sources(dump) if (folder := _folder(source)))
        files = [name for source in _sources(dump) if "." in (name := source.rpartition("/")[2]) and not self._is_known_file(name)]
        for kind, given in (("folder", self._folders), ("file", files)):
            for each in given:
                self._of(kind, each)

    def replaced(self, text: str) -> str:
        """The text with pseudonyms: the names of the dump wherever they stand, those of free text at their own place."""
        for host in hosts_in(text):
            self._of("node", host)
        names = self._given.keys() - self._folders
        known = re.compile(rf"(?<![\w./-])(?:{_any_of(self._folders)})|(?<![\w-])(?:{_any_of(names)})(?![\w-])")
        text = PUBLIC_KEY.sub("hidden", text)
        kept: list[str] = []
        text = ACCOUNT.sub(lambda found: _kept(kept, self._of("account", found[0].replace("<!-- -->", ""))), text)
        text = self._places(text, kept)
        text = known.sub(lambda found: self._name(found[0].replace("\\", "")), text)
        text = _IDENTIFIER.sub(lambda found: self._of("id", found[0].lower()), text)
        text = _SERIAL.sub(lambda found: f"{found['key']}hidden", text)
        text = _ADDRESS.sub(lambda found: self._address(found[0]), text)
        text = _DOMAIN.sub(lambda found: self._domain(found[0]), text)
        return _KEPT.sub(lambda found: kept[int(found["index"])], text)

    def _places(self, text: str, kept: list[str]) -> str:
        """The text with pseudonyms for the names of free text, each at its own place."""
        parts, end = [], 0
        for each in names_in(text):
            if each.name not in _PUBLIC_NAMES and not _ADDRESS.fullmatch(each.name):
                given = self._given.get(each.name) or self._pseudonym(self._of_text, each.kind, each.name)
                parts += [text[end : each.start], _kept(kept, given)]
                end = each.end
        return "".join([*parts, text[end:]])

    def _name(self, name: str) -> str:
        return f"{self._given[name]}{'/' if name.endswith('/') else ''}"

    def _is_known_file(self, name: str) -> bool:
        """Whether the name of a file is one of a bundle, of a kind or an output, or that of an object, which has a pseudonym."""
        stem = name.partition(".")[0]
        return stem in self._given or stem in _PUBLIC_FILES

    def _of(self, kind: str, name: str) -> str:
        return self._pseudonym(self._given, kind, name)

    def _pseudonym(self, given: dict[str, str], kind: str, name: str) -> str:
        if name not in given:
            self._numbers[kind] += 1
            given[name] = f"{kind}-{self._numbers[kind]}"
        return given[name]

    def _address(self, written: str) -> str:
        try:
            address = ip_address(written)
        except ValueError:
            return written
        return written if address.is_loopback or address.is_unspecified else self._of(f"ipv{address.version}", written)

    def _domain(self, written: str) -> str:
        name = written.lower()
        is_file = name.rpartition(".")[2] in _FILE_ENDS
        if is_file or any(name == each or name.endswith(f".{each}") for each in _PUBLIC_DOMAINS):
            return written
        return self._of("domain", name)


def _kept(kept: list[str], pseudonym: str) -> str:
    kept.append(pseudonym)
    return f"\ue000{len(kept) - 1}\ue001"


def _names(dump: Dump) -> Iterator[tuple[str, str]]:
    """The names with the words for their pseudonyms: those of nodes and namespaces, then those of objects."""
    for machine in dump.machines:
        yield from (("node", each) for each in sorted(machine.names) if not _ADDRESS.fullmatch(each))
        for _, holder in machine.card_pods or ():
            yield from zip(("namespace", "pod"), holder.split("/", 1), strict=True)
    for each in dump.of_kind("Node"):
        yield "node", each.name
        yield from (
            ("node", str(address.get("address", "")))
            for address in each.mappings("status", "addresses")
            if _is_name(address.get("address"))
        )
    for log in dump.logs:
        yield from (("namespace", log.namespace), ("pod", log.pod))
        yield "node", "" if _ADDRESS.fullmatch(log.node) else log.node
    for row in dump.rows:
        yield from (("namespace", row.namespace), ("node", row.node))
        yield f"{agent_of(row.name) or row.kind}".lower().replace(" ", "-"), row.name
        yield from (("label", each) for each in re.split(r"[\s,]+", row.evidence.text) if "=" in each and not _OF_UPSTREAM.search(each))
    for event in dump.of_kind("Event"):
        name, kind = (str(event.at("involvedObject", key) or "") for key in ("name", "kind"))
        yield "namespace", str(event.at("involvedObject", "namespace") or "")
        yield f"{agent_of(name) or kind or 'object'}".lower().replace(" ", "-"), name
    objects = [
        each for kind, listed in dump.objects.items() if kind not in ("Node", "Event", "CustomResourceDefinition") for each in listed
    ]
    yield from (("namespace", each.name if each.kind == "Namespace" else each.namespace) for each in objects)
    yield from ((_word(each), each.name) for each in objects if not _is_of_chart(each))
    for each in dump.of_kind(*POD_TEMPLATES):
        pod = pod_of(each)
        yield from (("workload", name) for name in (pod.deployment, pod.maker[1]) if name)
        if pod.agent is None:
            yield from (("container", known_str(container.body.get("name")) or "") for container in pod.containers)
            yield from (("image", _own_image(f"{container.image}")) for container in pod.containers)
        yield from (
            ("pvc", str(volume.get("persistentVolumeClaim", {}).get("claimName", ""))) for volume in each.mappings("spec", "volumes")
        )


def _sources(dump: Dump) -> Iterator[str]:
    """The files of the dump, in the order in which reports may name them."""
    yield from (log.source for log in dump.logs)
    for machine in dump.machines:
        yield from (log.source for log in (machine.kernel_log, *machine.service_logs.values()) if log is not None)
    yield from (each.source for listed in dump.objects.values() for each in listed)
    yield from (*dump.cut, *(each.source for each in dump.unread))


def _folder(source: str) -> str:
    """The folders above a bundle, with their last slash: they have the names that somebody gave them."""
    parts = source.split("/")[:-1]
    own = next((index for index, part in enumerate(parts) if part in _FOLDERS), len(parts))
    return "".join(f"{part}/" for part in parts[:own])


def _any_of(names: Iterable[str]) -> str:
    """A pattern of any of the names, the longest first, also with the escapes of Markdown; of none where there is none."""
    spelled = (
        "".join(rf"\\?{re.escape(mark)}" if not mark.isalnum() else mark for mark in name) for name in sorted(names, key=len, reverse=True)
    )
    return "|".join(spelled) or "(?!)"


def _word(each: LiveObject) -> str:
    """The word for an object: that of the agent that its pods are, else its kind."""
    agent = pod_of(each).agent if each.kind in POD_TEMPLATES else None
    return f"{agent or each.kind}".lower().replace(" ", "-")


def _own_image(image: str) -> str:
    """The repository of an image; empty for one that everybody knows."""
    reference = split_reference(image)
    is_public = reference.on_hub in ROOT_IMAGES or reference.repository.startswith(_PUBLIC_REPOSITORIES)
    return "" if is_public else reference.repository


def _is_name(value: object) -> bool:
    return isinstance(value, str) and not _ADDRESS.fullmatch(value)


def _is_of_chart(each: LiveObject) -> bool:
    """Whether the name of an object is that of NVIDIA's charts and drivers, which upstream needs to see."""
    return each.kind in ("RuntimeClass", "DeviceClass", "ClusterPolicy", "Namespace") and (
        "nvidia" in each.name or each.name in _PUBLIC_NAMES
    )
