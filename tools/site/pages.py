"""The pages of the site: those of docs/ and of the clusters in dist/, the repository's own, and one for each public name. Only links, anchors and diagrams change."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from constructs_lib.arguments.public_names import PACKAGES, package_of, public_names

from .parts import divided, index_of, linked_by_page, page_of_part, parts

ROOT = Path(__file__).resolve().parents[2]

GUIDES: Mapping[str, tuple[str, ...]] = {
    "Start": ("install", "tutorial", "new-node", "faq"),
    "How to": (
        *("doctor", "changes", "bumps", "renovate", "working", "sharing", "dra", "pods", "workloads", "recipes", "apps", "around", "gangs"),
        *("virtual-machines", "proxmox", "fleet", "air-gap", "monitoring", "testing", "rehearsal", "agents"),
    ),
    "Reference": ("cluster-file", "commands", "stack", "talos", "matrix", "models", "rules", "symptoms", "alerts"),
    "Explanation": ("why-talos", "benchmarks"),
    "The project": ("changelog", "contributing", "security", "publishing"),
}
"""The pages of the sidebar. A page of docs/ that no list names comes last."""

_SEARCHED: Mapping[str, tuple[str, ...]] = {
    "install": ("install", "installation", "setup", "pip", "pip install", "download", "zipapp", "docker", "container image"),
    "tutorial": ("tutorial", "getting started", "quick start", "nvidia-smi"),
    "new-node": ("new node", "schematic", "image factory"),
    "proxmox": ("proxmox", "proxmox passthrough", "gpu passthrough", "pci passthrough", "pcie passthrough", "vfio"),
    "virtual-machines": ("kubevirt", "virtual machine", "vm"),
    "sharing": ("time slicing", "time-slicing", "timeslicing", "share a gpu", "gpu sharing", "mps", "mig"),
    "dra": ("dra", "dynamic resource allocation", "resourceclaim"),
    "air-gap": ("air gap", "air-gapped", "airgap", "offline", "mirror"),
    "fleet": ("argo cd", "argocd", "applicationset", "many clusters"),
    "talos": ("talosctl upgrade", "upgrade", "machine config"),
    "matrix": ("supported gpus", "supported cards", "compatibility", "driver version"),
    "agents": ("agents.md", "skill", "claude", "codex", "copilot", "llms.txt"),
    "changes": ("diff", "pull request", "bump"),
    "renovate": ("renovate", "renovate preset", "dependency updates"),
    "monitoring": ("grafana", "prometheus", "dcgm", "dcgm exporter", "dashboard"),
    "faq": ("faq", "questions"),
    "cluster-file": ("cluster file", "cluster.yaml"),
}
"""The words that people type for a page, beside those of its text. The search shows the page first."""

_GROUPS: Mapping[str, tuple[str, ...]] = {
    "Constructs and functions for apps": ("constructs",),
    "Nodes": ("nodes",),
    "Values of workloads and charts": ("manifests", "recipes"),
    "Files for Talos": ("talos",),
    "Checks and tests": ("checks", "testing", "arguments"),
    "Monitoring": ("monitoring",),
    "Names and choices": ("upstream",),
}
"""The groups of the reference: their titles, and the folders of the library whose names they hold."""

_ENTRANCE = """\
<form class="entrance" role="search" action="search.html">
<label for="entrance">A log line, a rule, or words</label>
<input id="entrance" name="q" placeholder="NVRM: No NVIDIA GPU found" autocomplete="off"> <button>Search</button>
</form>
<p><a href="playground/index.html">Playground</a>: check your YAML in this browser, without an installation;
<a href="playground/index.html?task=why">explain log lines</a>; <a href="playground/index.html?task=node">write the files of a new node</a>.
The playground sends nothing anywhere. The text of a search is in the address of its page, so the server of this site sees it.</p>
"""

_OWN = {"CHANGELOG": "changelog", "CONTRIBUTING": "contributing", "SECURITY": "security"}
_ANCHOR = re.compile(r'^(?P<marks>#+) <a id="(?P<id>[\w-]+)"></a>', re.MULTILINE)
_DIAGRAM = re.compile(r"^```mermaid$", re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()(?!https?:|#|mailto:)(?P<path>[^)#\s]+)(?P<fragment>#[^)\s]*)?(?=\))")


def sources() -> dict[str, str | bytes]:
    """Every file of the site's sources by name."""
    files: dict[str, str | bytes] = {}
    for path in sorted((ROOT / "docs").iterdir()):
        files |= divided(path, page(path)) if path.suffix == ".md" else {path.name: path.read_bytes()}
    for path in sorted((ROOT / "dist").glob("*/README.md")):
        files[_example(path)] = page(path)
    for name, new in _OWN.items():
        files[f"{new}.md"] = page(ROOT / f"{name}.md")
    files["NOTICE.txt"], files["LICENSE.txt"] = (ROOT / "NOTICE").read_bytes(), (ROOT / "LICENSE").read_bytes()
    files |= dict(_reference())
    for name, words in _SEARCHED.items():
        files[f"{name}.md"] = f"{index_of(words)}{files[f'{name}.md']!s}"
    title, _, rest = page(ROOT / "README.md").partition("\n")
    files["index.md"] = f"{title}\n\n{_ENTRANCE}\n{rest}" + "".join(_sidebar(files))
    return files


def page(path: Path) -> str:
    """A page of the repository as a page of the site."""
    text = linked_by_page(path, path.read_text(encoding="utf-8"))
    if not parts(path):
        text = _ANCHOR.sub(lambda found: f"({found['id']})=\n\n{found['marks']} ", text)
    text = _DIAGRAM.sub("```{code-block} text\n:class: mermaid\n", text)
    return _LINK.sub(lambda found: _link(path, found["path"], found["fragment"] or ""), text)


def _link(page_path: Path, link: str, fragment: str) -> str:
    """A link of a page of the repository, as seen from the one folder of the site."""
    target = (page_path.parent / link).resolve()
    if fragment[1:] in parts(target):
        return page_of_part(target.name, fragment[1:])
    return _page_of(target) + fragment


def _page_of(target: Path) -> str:
    """The file of the site for a file of the repository."""
    if target == ROOT / "README.md":
        return "index.md"
    if target.name == "README.md" and target.parent.parent == ROOT / "dist":
        return _example(target)
    if target.parent == ROOT and target.stem in _OWN:
        return f"{_OWN[target.stem]}.md"
    return f"{target.name}.txt" if target.parent == ROOT and not target.suffix else target.name


def _example(readme: Path) -> str:
    """The page of a cluster of dist/."""
    return f"example-{readme.parent.name}.md"


def _sidebar(files: Mapping[str, str | bytes]) -> Iterator[str]:
    examples = tuple(sorted(name.removesuffix(".md") for name in files if name.startswith("example-")))
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} | {*_OWN.values(), *examples}
    listed = {*examples, *(name for names in GUIDES.values() for name in names)}
    for caption, names in {**GUIDES, "Example clusters": examples, "Further pages": tuple(sorted(pages - listed))}.items():
        if lines := [name for name in names if name in pages]:
            yield _toctree(caption, lines)
    yield _toctree("Reference", [f"api-{_slug(title)}" for title in _GROUPS])


def _toctree(caption: str, names: list[str]) -> str:
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(names) + "\n```\n"


def _slug(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower())


def _reference() -> Iterator[tuple[str, str]]:
    """The pages of the reference: one for each group, and one for each public name."""
    homes = {name: home.split(".")[1] for package in PACKAGES for name, home in public_names(package).items()}
    for title, folders in _GROUPS.items():
        names = [name for name in sorted(homes, key=str.lower) if homes[name] in folders]
        for name in names:
            yield f"api-{name}.md", _of_name(name)
        rows = "\n".join(f"| [{name}](api-{name}.md) | {_summary(name)} |" for name in names)
        toctree = "\n```{toctree}\n:hidden:\n\n" + "\n".join(f"api-{name}" for name in names) + "\n```\n"
        yield f"api-{_slug(title)}.md", f"# {title}\n\n| name | purpose |\n|---|---|\n{rows}\n{toctree}"


def _of_name(name: str) -> str:
    value = public_value(name)
    directive = "autoclass" if inspect.isclass(value) else "autofunction" if callable(value) else "autodata"
    options = ":members:\n:undoc-members:\n" if inspect.isclass(value) and _is_plain(value) else ""
    return f"# {name}\n\n```{{eval-rst}}\n.. {directive}:: {package_of(name)}.{name}\n{_indented(options)}```\n"


def public_value(name: str) -> Any:
    """The value of a public name."""
    return getattr(import_module(package_of(name)), name)


def _is_plain(value: type) -> bool:
    """Whether the members of a class are its own: those of a construct are mostly those of jsii."""
    return not any(base.__module__.startswith(("jsii", "constructs.", "cdk8s")) or base.__name__ == "Construct" for base in value.__mro__)


def _indented(text: str) -> str:
    return "".join(f"   {line}\n" for line in text.splitlines())


def _summary(name: str) -> str:
    text = inspect.getdoc(public_value(name)) or ""
    return " ".join(text.partition("\n\n")[0].split()).replace("|", r"\|")
