"""The matrix of cards, kernel modules, drivers, Talos releases and CUDA."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..arguments.errors import wrong
from ..arguments.plain_values import text
from ..upstream.nvidia.card_facts import CARD_FACTS, CardFact, facts_about
from ..upstream.nvidia.card_names import WITHOUT_GSP, Architecture, architecture, unsupported
from ..upstream.nvidia.driver_branches import CUDA_FLOORS, CUDA_WITHOUT_GSP, DriverTrack, KernelModules
from ..upstream.talos import releases as talos_releases
from .cards import needs_proprietary, refusal, warn_of_unknown
from .talos_version import TalosVersion, dated

# A card of each architecture. The later Blackwell chips need a later driver than the others.
_CARDS = {
    Architecture.MAXWELL: "M40",
    Architecture.PASCAL: "P40",
    Architecture.VOLTA: "V100",
    Architecture.TURING: "T4",
    Architecture.AMPERE: "A100",
    Architecture.ADA: "L40S",
    Architecture.HOPPER: "H100",
    Architecture.BLACKWELL: "B200",
    Architecture.RUBIN: "VR200",
}

_RULE = "the name of a card, such as 'A16'"


class Combination(NamedTuple):
    """A Talos release and a track that run a card: driver, kernel modules, and major versions of CUDA."""

    talos: str
    track: str
    driver: str
    modules: list[str]
    cuda: list[int]


def combinations(product: str, cuda: int | None = None) -> list[Combination]:
    """The combinations that run a card, oldest Talos first; with `cuda` those that run images of this major of CUDA."""
    kind = architecture(text("product", product, _RULE))
    if kind is None:
        why = unsupported(product)
        rule = "a card that a driver of Talos runs" if why else "a card that is known, such as 'A16'"
        raise wrong("product", rule, product, why or dated("the drivers that run the card are not known"))
    _check_cuda(cuda)
    found = [_combination(product, kind, *each) for each in _tracks()]
    return [each for each in found if each.modules and (cuda is None or cuda in each.cuda)]


def card_table(product: str, cuda: int | None = None) -> str:
    """The combinations of a card as a Markdown table; for an unknown card a warning and `architecture_table`."""
    if architecture(text("product", product, _RULE)) is None and not unsupported(product):
        warn_of_unknown(product, "the table has the drivers of each architecture")
        return architecture_table(cuda)
    rows = [[each.talos, each.track, each.driver, " or ".join(each.modules), _numbers(each.cuda)] for each in combinations(product, cuda)]
    if not rows:
        return f"No Talos runs this card with CUDA {cuda}.\n"
    return _table(["Talos", "track", "driver", "kernel modules", "CUDA"], rows) + _graded(facts_about(product, architecture(product)))


def architecture_table(cuda: int | None = None) -> str:
    """The architectures that each driver of each Talos release runs, as a table in Markdown."""
    _check_cuda(cuda)
    rows = []
    for talos, track, driver in _tracks():
        found = {str(kind): _combination(card, kind, talos, track, driver) for kind, card in _CARDS.items()}
        runs = {name: each for name, each in found.items() if each.modules and (cuda is None or cuda in each.cuda)}
        if runs:
            columns = [", ".join(name for name, each in runs.items() if modules in each.modules) for modules in ("open", "proprietary")]
            rows.append([talos, track, driver, *columns, _numbers(_cuda(driver))])
    return _table(["Talos", "track", "driver", "open modules", "proprietary modules", "CUDA"], rows) + _graded(CARD_FACTS)


def _graded(facts: Iterable[CardFact]) -> str:
    """The facts below a table, as a list in Markdown: the grade of each, the releases of Talos, and the source."""
    rows = [f"- {each.grade}, {each.releases}: {each.claim} ({each.source}).\n" for each in facts]
    return "".join(["\nThe table rests on:\n\n", *rows])


def _tracks() -> Iterator[tuple[str, str, str]]:
    for talos, release in talos_releases.TALOS.items():
        for track, driver in release.drivers.items():
            yield talos, track, driver


def modules_for(product: str, track: str, talos: TalosVersion) -> list[str]:
    """The kernel modules that run a card with the driver of a track; none where no modules do."""
    return [
        str(modules)
        for modules in KernelModules
        if not (track == DriverTrack.NEW_FEATURE and modules is KernelModules.PROPRIETARY)
        and not (modules is KernelModules.OPEN and needs_proprietary(product, talos))
        and not refusal(product, kernel_modules=str(modules), driver_track=track, talos_version=talos)
    ]


def _combination(product: str, kind: Architecture, talos: str, track: str, driver: str) -> Combination:
    modules = modules_for(product, track, TalosVersion.parse("talos_version", talos))
    cuda = [major for major in _cuda(driver) if kind not in WITHOUT_GSP or major in CUDA_WITHOUT_GSP]
    return Combination(talos, track, driver, modules, cuda)


def _cuda(driver: str) -> list[int]:
    return [major for major, floor in CUDA_FLOORS.items() if int(driver.partition(".")[0]) >= floor]


def _check_cuda(cuda: int | None) -> None:
    if cuda is not None and cuda not in CUDA_FLOORS:
        raise wrong("cuda", f"one of {_numbers(list(CUDA_FLOORS))}, a major version of CUDA", cuda)


def _numbers(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
