"""The adoption of a tree: the description of its cluster, and what became of each of its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..arguments.credentials.places import credential_path
from ..arguments.printable import printable
from ..checks.engine import run_rules
from ..checks.finding import Severity
from ..clusters.file_values import FileError
from ..clusters.synthesis import synthesize
from ..manifests.objects import Manifest
from ..observed.agents.operators import operators
from ..observed.model import ChartRelease, Inputs, known_str
from ..observed.read.repository import read_text
from ..upstream.charts import DEVICE_PLUGIN
from ..yaml.npm_bytes import stream
from .belonging import WRITTEN_BY_CDK8S, belonging
from .chart_forms import PARTS, chart_forms, release_object
from .entries import Entry, Form, kept
from .form_choice import is_exact, may_differ, named_form, with_made
from .known_shapes import exact_form
from .left_credentials import check_release, credential_words
from .node_classes import NodeClasses, node_classes
from .normal_form import normal
from .plain_objects import Identity, PlainObject, UnreadError
from .plugin_forms import plugin_forms
from .talos_arguments import talos_entries, without_argument
from .tree_parts import OF_NVIDIA, place, tree_parts
from .trial import Trials, composed
from .workload_arguments import requested

_ROUNDS = 200
_RUNTIME_CLASS = "NvidiaRuntimeClass"
_JUDGED_BESIDE = ("Namespace", "RuntimeClass")
_RULE = re.compile(r"TG\d+")


@dataclass
class Adoption:
    """A tree that was adopted."""

    inputs: Inputs
    nodes: NodeClasses
    entries: list[Entry] = field(default_factory=list)
    tree: dict[Identity, PlainObject] = field(default_factory=dict)
    """The objects that belong to the GPUs."""
    with_credentials: dict[Identity, PlainObject] = field(default_factory=dict)
    """The objects of the GPUs that hold a credential. The file has none of them."""
    left: list[tuple[str, str, str]] = field(default_factory=list)
    """The parts that speak of GPUs and are not in the file: the label, the place and the reason."""
    undeployed: list[tuple[str, str]] = field(default_factory=list)
    """The files that speak of GPUs and that nothing deploys, each with the reason."""
    outside: int = 0
    """The number of objects that have nothing to do with GPUs."""
    reasons: dict[Identity, str] = field(default_factory=dict)
    """The reasons for which releases of known charts are kept."""
    judged: list[FileError] = field(default_factory=list)
    """The warnings of the rules about the file that the tree does not have, and that no other form avoids."""
    talos: list[dict[str, Any]] = field(default_factory=list)
    files: Mapping[str, str] = field(default_factory=dict)
    """The files that the cluster file synthesizes."""

    @property
    def description(self) -> dict[str, Any]:
        """The content of the cluster file."""
        charts: dict[str, Any] = {}
        for entry in sorted(self.entries, key=lambda entry: entry.order):
            if entry.form is not None:
                charts.setdefault(entry.chart, {"objects": {}})["objects"][entry.id] = entry.form.part
        classes = self.nodes.classes
        return {
            "nodes": classes[0] if len(classes) == 1 else classes,
            **({"charts": charts} if charts else {}),
            **({"talos": self.talos[0] if len(self.talos) == 1 and len(classes) == 1 else self.talos} if self.talos else {}),
        }

    @property
    def text(self) -> str:
        """The cluster file."""
        return stream([self.description])


def adopt(inputs: Inputs, talos: str | None = None) -> Adoption:
    """Adopt a tree. Refuses a tree whose Talos version nobody knows."""
    parts = tree_parts(inputs)
    adoption = Adoption(inputs, node_classes(inputs, talos), left=parts.left, undeployed=parts.undeployed)
    everything = {each.identity: each for each in parts.objects}
    of_releases = [release_object(each, everything) for each in inputs.releases if each.known_chart is not None]
    adoption.tree = belonging(parts.objects, {each.identity for each in of_releases if each is not None})
    adoption.outside = len(parts.objects) - len(adoption.tree)
    _leave_credentials(adoption)
    _add_entries(adoption)
    _settle(adoption)
    return adoption


def _leave_credentials(adoption: Adoption) -> None:
    for identity, each in list(adoption.tree.items()):
        if (path := credential_path(each.body)) is not None:
            adoption.with_credentials[identity] = adoption.tree.pop(identity)
            adoption.left.append((each.label, each.place_of(path), credential_words(path)))


def _add_entries(adoption: Adoption) -> None:
    trials = Trials(adoption.nodes.classes)
    tree, free = adoption.tree, dict(adoption.tree)
    order = {identity: number for number, identity in enumerate(tree)}
    by_argo = any(each.kind in ("Application", "ApplicationSet") for each in adoption.inputs.objects)
    for release in adoption.inputs.releases:
        entry = _release_entry(adoption, release, free, trials, by_argo=by_argo)
        if entry is not None:
            entry.forms = [
                with_made(form, entry, free, trials) for form in entry.forms if may_differ(entry) or is_exact(form, entry, tree, trials)
            ]
            replaced = entry.forms[0].replaces
            entry.order = min((order[identity] for identity in replaced), default=len(order))
            adoption.entries.append(entry)
            for identity in replaced:
                free.pop(identity, None)
    for identity, each in list(free.items()):
        if identity in free and (exact := exact_form(each, free, trials)) is not None:
            for made in exact.replaces:
                free.pop(made, None)
            _append(adoption, each, [exact, kept(each, "")], min(order[made] for made in exact.replaces))
    for identity, each in free.items():
        _append(adoption, each, list(_forms(each, adoption)), order[identity])


def _forms(each: PlainObject, adoption: Adoption) -> Iterator[Form]:
    arguments = requested(each, adoption.nodes.classes)
    if arguments is not None:
        reason = "the workload is kept, and its GPU fields follow from the class of nodes"
        form = Form({"request_gpus": arguments}, frozenset({each.identity}), reason)
        made = Trials(adoption.nodes.classes).objects(each.name, form.part)
        is_same = isinstance(made, dict) and normal(made[each.identity]) == normal(each.body)
        if is_same or (adoption.nodes.has_configs and not each.file.endswith(WRITTEN_BY_CDK8S)):
            yield form
        else:
            yield kept(each, "its class of nodes was not read, so the workload keeps its own placement")
            return
    yield kept(each, adoption.reasons.get(each.identity, "no construct has arguments for it"))


def _release_entry(
    adoption: Adoption, release: ChartRelease, free: Mapping[Identity, PlainObject], trials: Trials, *, by_argo: bool
) -> Entry | None:
    # An earlier release may make the namespace.
    tree = {identity: each for identity, each in adoption.tree.items() if identity in free or each.kind != "Namespace"}
    chart = release.known_chart
    about = release_object(release, tree)
    is_foreign = chart is None and not OF_NVIDIA.search(f"{dict(release.values)}")
    if about is None and (is_foreign or release_object(release, adoption.with_credentials) is not None):
        return None
    forms: list[Form] = []
    reason = f"no construct installs the chart {release.chart}"
    if chart is not None and (chart.name in PARTS or chart.name == DEVICE_PLUGIN.name):
        try:
            check_release(release, about, adoption.with_credentials)
            found = (
                chart_forms(release, tree, trials, by_argo=by_argo, has_operator=bool(operators(adoption.inputs)))
                if chart.name in PARTS
                else plugin_forms(release, tree, trials, adoption.inputs)
            )
            forms = list(found)
        except UnreadError as error:
            reason = str(error)
    if about is None and not forms:
        adoption.left.append((release.label, place(release), f"{reason}, and no object of the tree makes the release"))
        return None
    if not forms and about is not None:
        if chart is not None:
            adoption.reasons[about.identity] = reason
        return None  # kept like every other object
    name = printable(known_str(release.name) or str(release.chart))
    namespace = known_str(release.namespace) or "cluster"
    last = [kept(about, reason)] if about is not None else []
    return Entry(
        release.label, release.file, release.line_of(()) or 0, _label(_chart_of(about, namespace)), name, [*forms, *last], release=release
    )


def _append(adoption: Adoption, each: PlainObject, forms: list[Form], order: int) -> None:
    chart = _label(_chart_of(each, each.namespace or "cluster"))
    is_plain = forms[0].name == "Object"
    id = printable(f"{each.kind.lower()}-{each.name}" if is_plain else each.name)  # noqa: A001
    taken = {entry.id for entry in adoption.entries if entry.chart == chart}
    if id in taken:
        id = f"{id}-{each.kind.lower()}"  # noqa: A001
    id = next(name for name in (id, *(f"{id}-{number}" for number in range(2, len(taken) + 3))) if name not in taken)  # noqa: A001
    if id != each.name:
        forms = [named_form(form, each.name) for form in forms]
    adoption.entries.append(Entry(each.label, each.file, each.line, chart, id, forms, order=order))


def _chart_of(about: PlainObject | None, namespace: str) -> str:
    """The chart of an entry: its file where cdk8s wrote it, else its namespace."""
    file = re.split(r"[/\\]", about.file)[-1] if about else ""
    return file.removesuffix(".k8s.yaml") if file.endswith(".k8s.yaml") else namespace


def _label(name: str) -> str:
    return re.sub(r"[^a-z0-9-]+", "-", name.lower()).lstrip("-0123456789")[:63].rstrip("-") or "cluster"


def _settle(adoption: Adoption) -> None:
    """Refuse forms until the file is accepted, and its rules find no error or warning that the tree lacks."""
    found = [each for each in run_rules(adoption.inputs) if each.ignored is None and each.severity is not Severity.INFO]
    known, errors = {each.rule for each in found}, {each.rule for each in found if each.severity is Severity.ERROR}
    beside = _beside(adoption)
    adoption.talos = talos_entries(adoption.nodes)
    for _ in range(_ROUNDS):
        composer = composed(adoption.description)
        problems: list[FileError] = list(composer.errors[:1])
        if not problems:
            result = synthesize(adoption.description, _no_file, beside=beside)
            adoption.files = result.files
            new = [each for each in result.violations if _rule(each) not in errors]
            judged = _found_in_files(adoption, [each for each in result.warnings if _rule(each) not in known])
            problems = list(result.errors[:1]) or new[:1] or [each for each in judged if _has_another_form(adoption, each)][:1]
            if any(_rule(each) == "TG041" for each in (*new, *judged)) and _add_runtime_class(adoption):
                continue
            adoption.judged = [] if problems else judged
        if not problems:
            return
        _refuse(adoption, problems[0])


def _found_in_files(adoption: Adoption, found: list[FileError]) -> list[FileError]:
    """The findings that stay where the Talos files are read, too: the machine configuration may make NVIDIA's runtime the default."""
    found = [each for each in found if _RULE.fullmatch(_rule(each))]
    if not found:
        return []
    text = "---\n".join(text for name, text in adoption.files.items() if name.endswith(".yaml") and not name.endswith("schematic.yaml"))
    rules = {each.rule for each in run_rules(read_text(text, talos=str(adoption.nodes.classes[0]["talos_version"])))}
    return [each for each in found if _rule(each) in rules]


def _beside(adoption: Adoption) -> list[Manifest]:
    """The objects of the tree that are not in the file, and stay: what the file makes has to work beside them."""
    taken = set(adoption.tree)
    plain = [each for each in tree_parts(adoption.inputs).objects if each.identity not in taken and not each.gaps]
    return [each.body for each in plain if each.kind in _JUDGED_BESIDE or OF_NVIDIA.search(each.text)]


def _entry_of(adoption: Adoption, problem: FileError) -> Entry | None:
    path = problem.path
    return next((each for each in adoption.entries if path[:1] == ("charts",) and (each.chart, each.id) == (path[1], path[3])), None)


def _has_another_form(adoption: Adoption, problem: FileError) -> bool:
    entry = _entry_of(adoption, problem)
    return entry is not None and len(entry.forms) > 1


def _add_runtime_class(adoption: Adoption) -> bool:
    """Add the RuntimeClass that the parts of the file name and nothing makes: in the tree the default runtime may have served the pods."""
    if any(each.form and each.form.name == _RUNTIME_CLASS for each in adoption.entries):
        return False
    chart = adoption.entries[0].chart
    adoption.entries.append(Entry("RuntimeClass nvidia", "", 0, chart, "runtime-class", [Form({_RUNTIME_CLASS: {}})]))
    return True


def _no_file(name: str) -> str:
    raise FileNotFoundError(name)


def _rule(error: FileError) -> str:
    return str(error.error).partition(" ")[0]


def _refuse(adoption: Adoption, problem: FileError) -> None:
    """Take the next form of the entry that a problem is about, or leave out what is refused."""
    words = str(problem.error)
    match problem.path:
        case ("charts", _, "objects", _, *_):
            if (entry := _entry_of(adoption, problem)) is not None:
                _next_form(adoption, entry, words)
                return
        case ("talos", *rest):
            index = next((each for each in rest if isinstance(each, int)), 0)
            smaller = without_argument(adoption.talos[index], str(getattr(problem.error, "argument", "")))
            if smaller is None:
                adoption.talos = []
            else:
                adoption.talos[index] = smaller
            adoption.nodes.notes.append(f"the Talos files are left out{'' if smaller is None else ' in part'}: {words}")
            return
    if len(adoption.nodes.classes) > 1:
        adoption.nodes.notes.append(f"the classes of nodes are one class in the file: {words}")
        adoption.nodes.unite()
        adoption.entries.clear()
        _add_entries(adoption)
        adoption.talos = talos_entries(adoption.nodes)
        return
    for entry in adoption.entries:
        if entry.form is not None and entry.form.name != "Object":
            _next_form(adoption, entry, words)
            return
    raise problem.error


def _next_form(adoption: Adoption, entry: Entry, error: str) -> None:
    """Refuse the form of an entry. The objects that the next form does not replace are kept."""
    before = entry.form.replaces if entry.form else frozenset()
    entry.refuse(error)
    after = entry.form.replaces if entry.form else frozenset()
    if entry.form is None:
        adoption.left.append((entry.label, f"{entry.file}:{entry.line or 1}", error))
        before -= {each for each in before if adoption.tree[each].label == entry.label}
    for number, identity in enumerate(adoption.tree):
        if identity in before - after:
            _append(adoption, adoption.tree[identity], [kept(adoption.tree[identity], f"it is kept: {error}")], number)
