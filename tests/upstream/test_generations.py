"""The table of what each generation of Talos needs: the library does what it says, and no text contradicts it."""

import ast
import io
import itertools
import re
import tokenize
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from constructs_lib import GpuNodes
from constructs_lib.arguments.errors import ArgumentError
from constructs_lib.manifests.operator.settings import GpuOperatorSettings
from constructs_lib.manifests.plugin.options import check_strategies
from constructs_lib.upstream.nvidia.plugin_words import CDI_STRATEGIES, DeviceListStrategy
from constructs_lib.upstream.talos import generations
from constructs_lib.upstream.talos.generations import GENERATIONS, needs_of, strategy_words, working_strategies
from constructs_lib.upstream.talos.minors import Minors
from constructs_lib.upstream.talos.releases import TALOS

ROOT = Path(__file__).resolve().parent.parent.parent
MINORS = [int(minor.partition(".")[2]) for minor in TALOS]


def nodes_of(minor: int) -> GpuNodes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the newest minor may be a preview
        return GpuNodes(talos_version=f"1.{minor}")


def test_each_talos_has_one_row_and_a_newer_one_has_the_last():
    assert [[row.generation for row in GENERATIONS if minor in row.talos] for minor in MINORS] == [
        [nodes_of(minor).generation] for minor in MINORS
    ]
    assert needs_of(99) is GENERATIONS[-1]


def test_the_strategies_are_words_of_the_plugin_and_those_of_containerd_are_cdi_s():
    by_containerd = {strategy for row in GENERATIONS for strategy in row.by_containerd}
    by_class = {strategy for row in GENERATIONS for strategy in row.by_class}

    assert by_containerd == {str(each) for each in CDI_STRATEGIES}
    assert by_class == {str(each) for each in DeviceListStrategy} - by_containerd - {"volume-mounts"}


@pytest.mark.parametrize("minor", MINORS)
def test_the_builders_read_the_row(minor):
    row, nodes = needs_of(minor), nodes_of(minor)

    def allows(strategy: DeviceListStrategy) -> bool:
        try:
            check_strategies("device_list_strategy", [strategy], nodes)
        except ArgumentError:
            return False
        return True

    assert nodes.runtime_class == ("nvidia" if row.by_class else None)
    assert [str(each) for each in DeviceListStrategy if allows(each)] == list(row.strategies)
    assert bool(GpuOperatorSettings(nodes=nodes).bridges) == row.has_bridge


def test_the_strategies_are_named_with_their_talos():
    assert strategy_words() == "envvar up to Talos 1.14, and cdi-annotations or cdi-cri from Talos 1.13 on"
    assert working_strategies(12) == ("envvar",)
    assert working_strategies(None) == ("envvar", "cdi-annotations", "cdi-cri")


SUBJECTS = {
    r"RuntimeClass|runtimeClassName|handler": ("CLASS_ONLY", "CLASS_HANDLER", "BY_CONTAINERD", "CDI", "NRI_TOOLKIT"),
    r"strateg|envvar|cdi-cri|cdi-annotations|only sets NVIDIA_VISIBLE_DEVICES": ("CLASS_ONLY", "CLASS_HANDLER", "BY_CONTAINERD"),
    r"\bCDI\b|cdi_spec_dirs|cdi\.enabled|/run/cdi": ("LEGACY_LAYOUT", "CDI_LAYOUT", "CDI", "NRI_TOOLKIT"),
    r"just[- ]in[- ]time|\bvoid\b": ("JUST_IN_TIME",),
    r"nvidia-cdi-gen": ("CDI_SERVICE",),
    r"\bNRI\b|operator's toolkit": ("NRI_ENABLED", "NRI_TOOLKIT", "CLASS_HANDLER"),
    r"[Bb]ridge|\bvalidator|driverInstallDir": ("BRIDGED", "UNBRIDGED", "CDI"),
    r"/usr/local/glibc|LEGACY_ROOT|[Ll]ibraries of the driver|driver's libraries": ("LEGACY_LAYOUT", "CDI_LAYOUT", "CDI"),
}
"""What the table decides: the words for it, and the ranges of Talos that may stand beside them."""

NARROW = r"nvidia-cdi-gen|just[- ]in[- ]time|\bvoid\b"
"""Words whose ranges alone count, whatever else is beside them."""

HOW = re.compile(r"handler|envvar|variable|strateg|\bCDI\b|agent|device plugin|StandaloneDevicePlugin")
"""A pod needs its RuntimeClass on every Talos with the handler only because of the plugin's strategy, so the sentence names one of these."""

_MINOR = r"(?:Talos )?v?1\.(\d{1,2})\b(?!\.\d)"
RANGES = [
    (
        re.compile(rf"\b[Uu]p to {_MINOR}|≤ ?{_MINOR}|{_MINOR} (?:and|or) older|\b1\.8 (?:\u2013|to) {_MINOR}"),
        lambda last: Minors(until=last),
    ),
    (re.compile(rf"\b[Bb]efore {_MINOR}"), lambda next_: Minors(until=next_ - 1)),
    (re.compile(rf"\b[Ff]rom {_MINOR} on\b|\b[Ss]ince {_MINOR}|≥ ?{_MINOR}|{_MINOR} (?:and|or) newer"), lambda first: Minors(since=first)),
    (re.compile(rf"{_MINOR}(?: and|,| to) {_MINOR}"), Minors),
    (re.compile(rf"\b[Oo]n {_MINOR}"), lambda only: Minors(only, only)),
]
_CLAUSE = re.compile(r"(?<=[.;?!)])\s+|,\s(?=(?:and )?(?:up to|from|on|since) (?:Talos )?1\.)|\s(?=- )")


class Said(NamedTuple):
    """A range of Talos beside a subject of the table."""

    place: str
    clause: str
    talos: Minors
    is_message: bool


def ranges_in(clause: str) -> Iterator[Minors]:
    """The ranges of Talos that a clause names. The end of one is none of another."""
    taken: list[tuple[int, int]] = []
    for pattern, made in RANGES:
        for found in pattern.finditer(clause):
            if not any(found.start() < end and start < found.end() for start, end in taken):
                taken.append(found.span())
                yield made(*(int(number) for number in found.groups() if number))


def said_in(place: str, text: str, *, is_message: bool = False) -> Iterator[Said]:
    """The ranges that a text says beside a subject."""
    plain = re.sub(r"<!--.*?-->|`", "", text)
    rows = re.findall(r"^\|.*", plain, re.MULTILINE)
    prose = re.sub(r"^\|.*", "", plain, flags=re.MULTILINE)
    for clause in (*rows, *_CLAUSE.split(" ".join(prose.split()))):
        if any(re.search(words, clause) for words in SUBJECTS):
            yield from (Said(place, clause, talos, is_message) for talos in ranges_in(clause))


def contradicts(said: Said) -> bool:
    """Whether no subject of the clause has this range in the table."""
    subjects = [words for words in SUBJECTS if re.search(words, said.clause)]
    subjects = [words for words in subjects if re.search(NARROW, words)] or subjects
    rows = {"CDI": generations.CDI.talos}
    allowed = {rows.get(name) or getattr(generations, name) for words in subjects for name in SUBJECTS[words]}
    is_vague = said.talos == generations.CLASS_HANDLER and "RuntimeClass" in said.clause and not HOW.search(said.clause)
    is_one = said.talos.since is not None and said.talos.since == said.talos.until
    is_in = any(said.talos.since in each for each in allowed) if is_one else said.talos in allowed
    return not is_in or is_vague


def texts_of(path: Path) -> Iterator[tuple[str, bool]]:
    """The texts of a module, and whether each is a message: the others are docstrings and comments."""
    source = path.read_text()
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node) if part is not node}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and id(node) not in inner:
            yield "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values), True
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            text = re.sub(r"\n *Source: .*?\(\d{4}-\d\d-\d\d\)", "", node.value, flags=re.DOTALL)
            yield text, id(node) not in docstrings
    comments = [token for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type == tokenize.COMMENT]
    for _, group in itertools.groupby(enumerate(comments), lambda each: each[1].start[0] - each[0]):
        yield " ".join(token.string.lstrip("# ") for _, token in group), False


def all_said() -> Iterator[Said]:
    for path in sorted((ROOT / "constructs_lib").rglob("*.py")):
        place = str(path.relative_to(ROOT))
        for text, is_message in texts_of(path):
            yield from said_in(place, text, is_message=is_message and "/upstream/" not in place)
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        yield from said_in(str(path.relative_to(ROOT)), path.read_text())


SAID = list(all_said())


def test_no_docstring_page_or_message_contradicts_the_table():
    assert [(said.place, str(said.talos), said.clause) for said in SAID if contradicts(said)] == []


def test_a_message_has_its_range_from_the_table():
    assert [(said.place, str(said.talos), said.clause) for said in SAID if said.is_message] == []


@pytest.mark.parametrize(
    "text",
    [
        "Up to Talos 1.14 a pod sees its GPU only through the RuntimeClass `nvidia`.",
        "Up to Talos 1.13 a pod needs the RuntimeClass `nvidia`.",
        "with CDI (Talos 1.12 and newer, and DRA) NVIDIA's runtime shows it",
        "from Talos 1.13 on `ext-nvidia-cdi-gen` too;",
        "Talos 1.13 and older: run the ValidationBridge",
        "The CDI strategies need Talos 1.12 or newer.",
        "| 1.8 – 1.11 | libraries under /usr/local/glibc |",  # noqa: RUF001  # as pages write it
        "NRI plugins run since Talos 1.13",
        "the strategies `envvar` and `cdi-cri` work on Talos 1.12 and 1.13",
        "On Talos 1.13 a container's NVIDIA runtime <!-- when X -->up to Talos 1.13<!-- end --> needs the handler",
    ],
)
def test_a_contradiction_is_found(text):
    assert [said for said in said_in("", text) if contradicts(said)] != []


@pytest.mark.parametrize(
    "text",
    [
        "Up to Talos 1.12 a pod needs the RuntimeClass `nvidia`.",
        "up to Talos 1.14 the RuntimeClass, which the strategy `envvar` needs",
        "on Talos 1.13 and 1.14 the service `ext-nvidia-cdi-gen`",
        "up to Talos 1.12 by the handler `nvidia`, from Talos 1.13 on by CDI",
        "A GB10 needs `arm64.nobti` from Talos 1.13 on.",
    ],
)
def test_what_agrees_with_the_table_is_left_alone(text):
    assert [said for said in said_in("", text) if contradicts(said)] == []
