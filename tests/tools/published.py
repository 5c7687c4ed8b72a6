"""Upstream as the tests of `make pins` have it: small git repositories, and tables that know their first tags."""

import atexit
import functools
import json
import os
import shutil
import subprocess
import tempfile
from importlib.metadata import version
from pathlib import Path

from tools.pins.__main__ import main
from tools.pins.chart_tables import CHART_SOURCES
from tools.pins.kubernetes_fields import API, GO_FILES, MACHINERY, schema_facts
from tools.pins.tables import Table

FIRST = {"gpu-operator": "v26.1.0", "nvidia-dra-driver-gpu": "25.1.0"}
TAGS = {
    "gpu-operator": "v26.1.0",
    "nvidia-device-plugin": "v1.0.0",
    "dcgm-exporter": "4.5.0-1.0.0",
    "dra-driver-nvidia-gpu": "v1.0.0",
    "nvidia-dra-driver-gpu": "v25.1.0",
    "node-feature-discovery": "v1.0.0",
}
CRD = "crds/nvidia.com_clusterpolicies.yaml"


def chart(template, values="", dependencies=(), **fields):
    """The files of a chart whose one template and values.yaml are given; `fields` are those of its CRD, by key."""
    specs = {key: {"properties": {name: {} for name in names}} for key, names in fields.items()}
    crd = {"spec": {"versions": [{"storage": True, "schema": {"openAPIV3Schema": {"properties": {"spec": {"properties": specs}}}}}]}}
    return {
        "templates/all.yaml": template,
        "values.yaml": values,
        "Chart.yaml": json.dumps({"name": "chart", "dependencies": list(dependencies)}),
        CRD: json.dumps(crd),
    }


def talos_files(kubernetes=(32, 37), kernel="6.18.1", minor=14):
    first, last = kubernetes
    return {
        "pkg/machinery/constants/constants.go": f'const DefaultKernelVersion = "{kernel}-talos"\n',
        f"pkg/machinery/compatibility/talos1{minor}/talos1{minor}.go": (
            f'var MinimumKubernetesVersion = semver.MustParse("1.{first}.0")\nvar MaximumKubernetesVersion = semver.MustParse("1.{last}.99")\n'
        ),
    }


def extension_files(names=("nvidia-container-toolkit-lts",), toolkit="1.19.1", **drivers):
    versions = drivers or {"LTS": "580.1.01", "PRODUCTION": "595.1.01"}
    lines = [f"NVIDIA_DRIVER_{track}_VERSION: {driver}\n" for track, driver in versions.items()]
    targets = [f"TARGETS {'+=' if index else '='} {name}\n" for index, name in enumerate(names)]
    return {
        "nvidia-gpu/vars.yaml": f"# versions\n{''.join(lines)}CONTAINER_TOOLKIT_VERSION: v{toolkit}\n",
        "Makefile": "".join(targets) + "NONFREE_TARGETS = nonfree-kmod-nvidia-lts\n",
    }


CORE = """package v1

type ContainerPort struct {
\t// Protocol for port.
\t// +optional
\tProtocol Protocol `json:"protocol,omitempty" protobuf:"bytes,4,opt,name=protocol"`
}

// +enum
type Protocol string

const (
\t// ProtocolTCP is the TCP protocol.
\tProtocolTCP Protocol = "TCP"
%s)
"""
META = """package v1

type LabelSelectorRequirement struct {
\tOperator LabelSelectorOperator `json:"operator" protobuf:"bytes,2,opt,name=operator"`
}

type LabelSelectorOperator string

const LabelSelectorOpIn LabelSelectorOperator = "In"
"""


def api_files(*protocols):
    """The Go types of Kubernetes, with one enumeration: TCP and the given protocols."""
    core = CORE % "".join(f'\tProtocol{name} Protocol = "{name}"\n' for name in protocols)
    return {path: core if "core" in path else "package v1\n" for path in GO_FILES[API]}


class Upstream:
    """Repositories in `copies`, and the tables in `tables`."""

    def __init__(self, folder, *, copied=True):
        self.copies, self.tables = folder / "copies", folder / "upstream"
        if copied:
            shutil.copytree(_first_tags(), folder, dirs_exist_ok=True)
            return
        for part in ("tables", "charts/tables"):
            (self.tables / part).mkdir(parents=True)
        for source in CHART_SOURCES:
            first = FIRST.get(source.name, "1.0.0")
            self.publish_chart(source.name, TAGS[source.name], chart("{{ .Values.image }}", "image: a", daemonsets=["labels"]))
            facts = {"source": "here", "read_on": "2026-01-01", "oldest": first, "newest": first, "released": first}
            keys = {"image": {}} | ({"daemonsets.labels": {}} if source.fields else {})
            guards = {"booleans": [], "strings": [], "switches": []}
            self._write(f"charts/tables/{source.name}", {**facts, **guards, "subcharts": {}, "keys": keys, "kinds": {"string": ["image"]}})
        self.publish("siderolabs/talos", "v1.14.1", talos_files())
        self.publish("siderolabs/extensions", "v1.14.1", extension_files())
        self.publish("NVIDIA/mig-parted", "v0.1.0", {"README.md": ""})
        self.publish(API, "v0.36.1", api_files("UDP"))
        self.publish(MACHINERY, "v0.36.1", dict.fromkeys(GO_FILES[MACHINERY], META))
        choices = {"ContainerPort": {"protocol": ["TCP", "UDP"]}, "LabelSelectorRequirement": {"operator": ["In"]}}
        facts = {
            "source": "here",
            "read_on": "2026-01-01",
            "sources": {"kubernetes-validate": version("kubernetes-validate"), API: "v0.36.1", MACHINERY: "v0.36.1"},
        }
        self._write("tables/kubernetes_fields", {**facts, **schema_facts(), "choices": choices})
        row = {"newest": "1.14.1", "kubernetes": [32, 37], "kernel": "6.18.1", "drivers": {"lts": "580.1.01", "production": "595.1.01"}}
        row |= {"toolkit": "1.19.1", "sources": {"siderolabs/talos": "v1.14.1", "siderolabs/extensions": "v1.14.1"}}
        self._write("tables/talos_releases", {"source": "here", "read_on": "2026-01-01", "releases": {"1.14": row}})
        names = {"nonfree-kmod-nvidia-lts": "1.14", "nvidia-container-toolkit-lts": "1.14"}
        self._write("tables/extension_names", {"source": "here", "read_on": "2026-01-01", "whole": {"1.14": "1.14.1"}, "since": names})

    def _write(self, name, facts):
        path = self.tables / f"{name}.json"
        path.write_text("{}")
        table = Table(path)
        table.facts = facts
        table.write()

    def publish_chart(self, name, tag, files):
        """Tag a release of a chart."""
        (source,) = (source for source in CHART_SOURCES if source.name == name)
        self.publish(source.repository, tag, {f"{source.folder}/{path}": text for path, text in files.items()})

    def publish(self, name, tag, files, date="2026-01-02"):
        """Tag a commit that has these files alone."""
        folder = self.copies / name.replace("/", "+")
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / ".git").exists():
            git(folder, "init", "--quiet", "--template=")
            git(folder, "config", "uploadpack.allowFilter", "true")
            git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
        for path in git(folder, "ls-files").split():
            (folder / path).unlink()
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--allow-empty", "--message", tag, date=date)
        git(folder, "tag", tag)

    def run(self, *arguments):
        """Run the command on the copies."""
        return main(["--from", str(self.copies), *map(str, arguments)], self.tables)

    def facts(self, name):
        """What a table says."""
        return json.loads((self.tables / f"{name}.json").read_text())

    def keys(self, name):
        """The keys of a chart's table."""
        return self.facts(f"charts/tables/{name}")["keys"]

    @property
    def texts(self):
        """Every table as it stands."""
        return {str(path.relative_to(self.tables)): path.read_text() for path in self.tables.rglob("*.json")}


@functools.cache
def _first_tags():
    """The folder with the first tags, which git makes once for all tests."""
    folder = Path(tempfile.mkdtemp(prefix="upstream-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    Upstream(folder, copied=False)
    return folder


def git(folder, *arguments, date="2026-01-02"):
    when = f"{date}T12:00:00+00:00"
    environment = {
        **os.environ,
        "GIT_AUTHOR_DATE": when,
        "GIT_COMMITTER_DATE": when,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
    }
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout
