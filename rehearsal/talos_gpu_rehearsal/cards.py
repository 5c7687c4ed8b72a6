"""The cards of a node without a card: dataclasses, presets, and the file that the mock `libnvidia-ml.so.1` reads.

    write(folder / "cards.conf", [A100, replace(A100, mig=("3g.20gb", "1g.5gb"))], Driver(version="580.95.05"))

nvml/README.md describes the file.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from constructs_lib.upstream.nvidia.card_names import Architecture, architecture

from . import mig_profiles
from .mig_profiles import Instance, MigProfile

ARCHITECTURES = {
    Architecture.MAXWELL: 3,
    Architecture.PASCAL: 4,
    Architecture.VOLTA: 5,
    Architecture.TURING: 6,
    Architecture.AMPERE: 7,
    Architecture.ADA: 8,
    Architecture.HOPPER: 9,
    Architecture.BLACKWELL: 10,
}
"""NVML's number of an architecture: NVML_DEVICE_ARCH_…

Source: NVIDIA/go-nvml gen/nvml/nvml.h at v0.13.0-1 (2026-11-23)
"""

BRANDS = {"Tesla": 2, "GeForce": 5, "NVIDIA RTX": 13, "NVIDIA": 14}
"""NVML's number of a brand: NVML_BRAND_…

Source: NVIDIA/go-nvml gen/nvml/nvml.h at v0.13.0-1 (2026-11-23)
"""

CUDA_OF_DRIVER = {535: "12.2", 550: "12.4", 565: "12.7", 570: "12.8", 575: "12.9", 580: "13.0", 590: "13.1", 595: "13.2"}
"""The CUDA that a driver branch runs, as `nvidia-smi` shows it.

Source: https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/ (2026-11-23)
"""

_NAMES = uuid.UUID("6e1c2f1e-5d0f-4a57-9a43-0f1c7a1f2d3b")  # of the UUIDs that are made from places


@dataclass(frozen=True, kw_only=True)
class Event:
    """An event of a card that reaches programs which wait for one."""

    kind: str = "xid"
    """`xid`, `ecc-single` or `ecc-double`."""
    data: int = 0
    """The number of the XID."""
    gi: int | None = None
    ci: int | None = None
    """The instance of the card, for an event of one MIG device."""


def xid(number: int) -> Event:
    """An error of a card that the driver numbers."""
    return Event(data=number)


@dataclass(frozen=True, kw_only=True)
class Driver:
    """The driver of a node, as programs see it through NVML."""

    version: str = "580.95.05"
    cuda: str = ""
    """The newest CUDA that the driver runs; empty for that of the driver's branch."""
    init: str = "SUCCESS"
    """What NVML answers a program that starts, such as ERROR_DRIVER_NOT_LOADED or ERROR_LIB_RM_VERSION_MISMATCH."""
    device_nodes: bool = True
    """Whether a program sees only the cards whose /dev/nvidia0, /dev/nvidia1, … it may open, as with a real driver."""

    @property
    def cuda_version(self) -> str:
        """The newest CUDA that the driver runs."""
        return self.cuda or CUDA_OF_DRIVER.get(int(self.version.split(".")[0]), "13.0")


@dataclass(frozen=True, kw_only=True)
class Card:
    """A card of a node. `dataclasses.replace` makes another one from a preset."""

    name: str
    memory_mib: int
    capability: str
    """The CUDA compute capability, such as `8.0`."""
    pci_device: int
    """Device and vendor, such as 0x20B010DE."""
    brand: str = "NVIDIA"
    multiprocessors: int = 0
    power_limit_w: int = 300
    has_ecc: bool = True
    profiles: tuple[MigProfile, ...] = ()
    """The MIG profiles of the card; none for a card without MIG."""
    mig: tuple[str, ...] | None = None
    """The profiles of the instances on the card; empty for MIG without an instance, None for MIG that is off."""
    uuid: str = ""
    """`GPU-…`; made from the place in the node if empty."""
    numa: int = 0
    is_present: bool = True
    """Whether the card is there. A card that is not keeps its place: its minor number, its address and its UUID."""
    is_lost: bool = False
    """Whether the card has fallen off the bus: NVML answers ERROR_GPU_IS_LOST."""
    events: tuple[Event, ...] = ()
    """What the card tells, oldest first. An event that is added while a program waits reaches it."""
    faults: tuple[tuple[str, str], ...] = ()
    """Functions of NVML that fail for the card, such as `("DeviceGetMemoryInfo", "ERROR_UNKNOWN")`."""
    memory_used_mib: int = 0
    nvlink: tuple[int, ...] = ()
    """The places of the cards at the other ends of its links."""
    fabric: str = ""
    """The UUID of the cluster of cards in a rack; empty for a card without a fabric."""
    extra: tuple[tuple[str, str], ...] = ()
    """Further keys of the file with their values."""

    def __post_init__(self) -> None:
        self.instances()  # which refuses what does not fit

    def instances(self) -> tuple[Instance, ...]:
        """The GPU instances of `mig`, each with its ID and its place."""
        return mig_profiles.place(self.profiles, self.mig or ())


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A card at its place in a node."""

    card: Card
    place: int
    node: str

    @property
    def uuid(self) -> str:
        """The UUID of the card."""
        return self.card.uuid or f"GPU-{_uuid(self.node, self.place, self.card.name)}"

    @property
    def pci(self) -> str:
        """The PCI address of the card, as NVML writes it."""
        return f"00000000:{self.place + 1:02X}:00.0"

    def mig_uuid(self, instance: Instance) -> str:
        """The UUID of a MIG device of the card."""
        return f"MIG-{_uuid(self.uuid, instance.gi, instance.profile.name)}"


def placed(cards: Sequence[Card], node: str = "") -> list[Placed]:
    """The cards of a node that are there, each at its place. The name of the node keeps UUIDs of two nodes apart."""
    return [Placed(card=card, place=place, node=node) for place, card in enumerate(cards) if card.is_present]


def cards_text(cards: Sequence[Card], driver: Driver | None = None, node: str = "") -> str:
    """The file of cards for the mock library."""
    driver = driver or Driver()
    major, minor = driver.cuda_version.split(".")
    values = (
        ("version", driver.version),
        ("cuda", int(major) * 1000 + int(minor) * 10),
        ("init", driver.init),
        ("device-nodes", int(driver.device_nodes)),
    )
    sections = [("driver", values), *(section for one in placed(cards, node) for section in _sections(one))]
    return "\n\n".join("\n".join([f"[{name}]", *(f"{key} = {value}" for key, value in lines)]) for name, lines in sections) + "\n"


def write(path: Path, cards: Sequence[Card], driver: Driver | str | None = None, node: str = "") -> None:
    """Write the file of cards in one step, so a program that reads it meanwhile sees the old one or the new one.

    Args:
        path: The file.
        cards: The cards of the node.
        driver: The driver, or its version alone.
        node: The name of the node, which keeps the UUIDs of its cards apart from those of other nodes.
    """
    driver = Driver(version=driver) if isinstance(driver, str) else driver
    new = path.with_name(f".{path.name}.new")
    new.write_text(cards_text(cards, driver, node))
    new.replace(path)


def _uuid(*parts: object) -> uuid.UUID:
    return uuid.uuid5(_NAMES, " ".join(map(str, parts)))


_Lines = Iterable[tuple[str, object]]


def _sections(one: Placed) -> Iterator[tuple[str, _Lines]]:
    """The sections of a card, of its profiles and of its instances."""
    yield "card", _card(one)
    for profile in one.card.profiles:
        yield "profile", _profile(profile)
    for instance in one.card.instances():
        yield (
            "instance",
            (
                ("profile", instance.profile.name),
                ("uuid", one.mig_uuid(instance)),
                ("gi", instance.gi),
                ("ci", 0),
                ("start", instance.start),
                ("compute-slices", instance.profile.slices),
            ),
        )


def _card(one: Placed) -> Iterator[tuple[str, object]]:
    """The lines of a card."""
    card = one.card
    kind = architecture(card.name)
    major, minor = card.capability.split(".")
    yield from (("name", card.name), ("uuid", one.uuid), ("minor", one.place), ("pci", one.pci), ("pci-device", f"0x{card.pci_device:08X}"))
    yield from (("architecture", ARCHITECTURES[kind] if kind else 0xFFFFFFFF), ("brand", BRANDS[card.brand]))
    yield from (("capability-major", major), ("capability-minor", minor), ("multiprocessors", card.multiprocessors))
    yield from (("memory-mib", card.memory_mib), ("memory-used-mib", card.memory_used_mib), ("numa", card.numa))
    yield from (("temperature", 33), ("power-mw", 50_000), ("power-limit-mw", card.power_limit_w * 1000))
    yield from (("ecc-capable", int(card.has_ecc)), ("ecc", int(card.has_ecc)), ("persistence", 1))
    yield from (("mig-capable", int(bool(card.profiles))), ("mig", int(card.mig is not None)), ("lost", int(card.is_lost)))
    yield from (("nvlink", f"00000000:{place + 1:02X}:00.0") for place in card.nvlink)
    if card.fabric:
        yield "fabric-cluster", card.fabric
    for number, event in enumerate(card.events, 1):
        where = f" gi={event.gi} ci={event.ci}" if event.gi is not None else ""
        yield "event", f"{number} {event.kind} {event.data}{where}"
    yield from (("fault", " ".join(fault)) for fault in card.faults)
    yield from card.extra


def _profile(profile: MigProfile) -> _Lines:
    """The lines of a MIG profile."""
    return (
        ("name", profile.name),
        ("nvml", profile.nvml),
        ("id", profile.id),
        ("slices", profile.slices),
        ("size", profile.size),
        ("starts", " ".join(map(str, profile.starts))),
        ("count", profile.count),
        ("memory-mib", profile.memory_mib),
        ("multiprocessors", profile.multiprocessors),
        ("copy-engines", profile.copy_engines),
        ("decoders", profile.decoders),
        ("encoders", profile.encoders),
        ("jpegs", profile.jpegs),
        ("ofas", profile.ofas),
    )


RTX_4090 = Card(
    name="NVIDIA GeForce RTX 4090",
    memory_mib=24564,
    capability="8.9",
    pci_device=0x268410DE,
    brand="GeForce",
    multiprocessors=128,
    power_limit_w=450,
    has_ecc=False,
)
RTX_3090 = replace(
    RTX_4090,
    name="NVIDIA GeForce RTX 3090",
    memory_mib=24576,
    capability="8.6",
    pci_device=0x220410DE,
    multiprocessors=82,
    power_limit_w=350,
)
RTX_5090 = replace(
    RTX_4090,
    name="NVIDIA GeForce RTX 5090",
    memory_mib=32607,
    capability="12.0",
    pci_device=0x2B8510DE,
    multiprocessors=170,
    power_limit_w=575,
)
T4 = Card(name="Tesla T4", memory_mib=15360, capability="7.5", pci_device=0x1EB810DE, multiprocessors=40, power_limit_w=70)
L4 = Card(name="NVIDIA L4", memory_mib=23034, capability="8.9", pci_device=0x27B810DE, multiprocessors=58, power_limit_w=72)
L40S = Card(name="NVIDIA L40S", memory_mib=46068, capability="8.9", pci_device=0x26B910DE, multiprocessors=142, power_limit_w=350)
A100 = Card(
    name="NVIDIA A100-SXM4-40GB",
    memory_mib=40960,
    capability="8.0",
    pci_device=0x20B010DE,
    multiprocessors=108,
    power_limit_w=400,
    profiles=mig_profiles.A100_40GB,
)
A100_80GB = replace(A100, name="NVIDIA A100-SXM4-80GB", memory_mib=81920, pci_device=0x20B210DE, profiles=mig_profiles.A100_80GB)
H100 = Card(
    name="NVIDIA H100 80GB HBM3",
    memory_mib=81559,
    capability="9.0",
    pci_device=0x233010DE,
    multiprocessors=132,
    power_limit_w=700,
    profiles=mig_profiles.H100_80GB,
)
PRESETS = (RTX_4090, RTX_3090, RTX_5090, T4, L4, L40S, A100, A100_80GB, H100)
"""Cards as NVML shows them.

Source: the devices of https://pci-ids.ucw.cz/v2.2/pci.ids, the capabilities of https://developer.nvidia.com/cuda-gpus,
NVIDIA's data sheets. Written from memory of these and not compared with a card: the exact MiB, multiprocessors and power
(2026-11-23)
"""
