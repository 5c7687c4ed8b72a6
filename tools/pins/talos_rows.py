"""The table of Talos' minor releases: newest patch, Kubernetes, kernel, and NVIDIA's drivers and toolkit in the extensions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from constructs_lib.upstream.nvidia.driver_branches import DriverTrack
from constructs_lib.upstream.version import Version

from .release_notes import EXTENSIONS, TALOS, ReleaseNotes
from .repositories import Repository, UnreachableError
from .tables import Report, Table

_TAG = re.compile(r"v1\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?")
_KERNEL = re.compile(r'DefaultKernelVersion\s*=\s*"([\d.]+)')
_KUBERNETES = re.compile(r'(?:Minimum|Maximum)KubernetesVersion = semver\.MustParse\("1\.(\d+)\.\d+"\)')
_DRIVER = re.compile(r"^NVIDIA_DRIVER_([A-Z_]+)_VERSION: *(\S+)", re.MULTILINE)
_TOOLKIT = re.compile(r"^CONTAINER_TOOLKIT_VERSION: *v?(\S+)", re.MULTILINE)

Row = dict[str, Any]


def talos_versions(tags: Iterable[str]) -> list[Version]:
    """The releases and pre-releases of Talos 1 among tags, oldest first."""
    return sorted(version for tag in tags if _TAG.fullmatch(tag) and (version := Version.parse(tag)))


def newest_of(versions: Iterable[Version], minor: str) -> Version | None:
    """The newest version of a minor: a release where there is one."""
    of_minor = (version for version in versions if version.without_patch == minor)
    return max(of_minor, key=lambda version: (not version.pre_release, version), default=None)


def renew_newest(table: Table, versions: Sequence[Version], report: Report) -> None:
    """Move the newest patch of each minor, and name the minors that the table lacks."""
    rows = table.facts["releases"]
    for minor, row in rows.items():
        _move(row, newest_of(versions, minor), report)
    last = Version.parse(next(reversed(rows)))
    for minor in dict.fromkeys(version.without_patch for version in versions):
        if last and (Version.parse(minor) or last) > last:
            report.reviews.append(f"Talos {minor} has {newest_of(versions, minor)}: add it to the table once its manifests were tried")


def _move(row: Row, newest: Version | None, report: Report) -> None:
    known = Version.parse(row["newest"])
    if newest and known and newest > known:
        report.changes.append(f"Talos {newest.without_patch}: its newest release is {newest} (was {known})")
        row["newest"] = str(newest)
        if known.pre_release and not newest.pre_release:
            report.reviews.append(
                f"Talos {newest.without_patch} is released: nodes with it are warned of no beta any more; try its manifests"
            )


def apply_notes(table: Table, notes: ReleaseNotes, report: Report) -> None:
    """Bring a row up to the notes of a release; what they don't list stays, and is named."""
    row = table.facts["releases"].get(notes.version.without_patch)
    if row is None or notes.version < (Version.parse(row["newest"]) or notes.version):
        report.unread.append(
            f"{notes.repository}: nothing was taken from the {notes.source}: the table has no such minor, or a newer patch"
        )
        return
    _move(row, notes.version, report)
    drivers = _known_tracks(notes.drivers, f"{notes.repository}: {notes.source}", report)
    if notes.repository == TALOS:
        listed, all_facts = {"kernel": notes.kernel}, {"kernel", "kubernetes"}
    else:
        listed, all_facts = {"toolkit": notes.toolkit, **drivers}, {"toolkit", *row["drivers"]}
    facts = {name: listed[name] for name in ("kernel", "toolkit") if listed.get(name)}
    _renew(row, facts | ({"drivers": _in_order(row["drivers"] | drivers)} if drivers else {}), report)
    sources = row["sources"]
    if notes.source not in sources[notes.repository]:
        sources[notes.repository] += f"; {notes.source}"
    stay = ", ".join(sorted(all_facts - {name for name, fact in listed.items() if fact}))
    report.unread.append(f"{notes.repository}: the {notes.source} list what changed alone; what stays: {stay}")


def read_files(table: Table, repository: Repository, report: Report, *, every_tag: bool = False) -> None:
    """Read the files of the newest release of each minor, where the row is not of them already, or of all."""
    tags = set(repository.tags())
    for row in table.facts["releases"].values():
        tag, source = f"v{row['newest']}", row["sources"][repository.name]
        if source == tag and not every_tag:
            continue
        try:
            facts = _facts(repository, tag, report) if tag in tags else None
        except UnreachableError as error:
            report.unread.append(f"{error}; what is known of {source} stays")
            continue
        if facts is None:
            report.unread.append(f"{repository.name} has no {tag} here; what is known of {source} stays")
        else:
            _renew(row, facts, report)
            row["sources"][repository.name] = tag


def _facts(repository: Repository, tag: str, report: Report) -> Row:
    return _extension_facts(repository, tag, report) if repository.name == EXTENSIONS else _talos_facts(repository, tag)


def _talos_facts(repository: Repository, tag: str) -> Row:
    """The Kubernetes and the kernel of a release."""
    name = f"talos1{tag.split('.')[1]}"
    text = "".join(repository.files(tag, "pkg/machinery/constants/constants.go", f"pkg/machinery/compatibility/{name}/{name}.go").values())
    kernel, kubernetes = _KERNEL.search(text), sorted(int(minor) for minor in _KUBERNETES.findall(text))
    if kernel is None or len(kubernetes) != len(("first", "last")):
        raise UnreachableError(f"{repository.name} {tag}: the versions of the kernel and of Kubernetes are not where they were")
    return {"kubernetes": kubernetes, "kernel": kernel[1]}


def _extension_facts(repository: Repository, tag: str, report: Report) -> Row:
    """The drivers and the toolkit of a release."""
    path = "nvidia-gpu/vars.yaml"
    text = repository.files(tag, path)[path]
    drivers = {track.lower().replace("_", "-"): driver for track, driver in _DRIVER.findall(text)}
    if not drivers:
        raise UnreachableError(f"{repository.name} {tag}: the versions of the drivers are not where they were")
    toolkit = _TOOLKIT.search(text)
    return {"drivers": _known_tracks(drivers, f"{repository.name} {tag}", report), "toolkit": toolkit[1] if toolkit else ""}


def _known_tracks(drivers: dict[str, str], source: str, report: Report) -> dict[str, str]:
    """The drivers of the tracks that this library knows, in its order."""
    unknown = sorted(drivers.keys() - set(DriverTrack))
    report.reviews += [f"{source}: DriverTrack has no {track}, which has the driver {drivers[track]}" for track in unknown]
    return _in_order(drivers)


def _in_order(drivers: dict[str, str]) -> dict[str, str]:
    return {str(track): drivers[track] for track in DriverTrack if track in drivers}


def _renew(row: Row, facts: Row, report: Report) -> None:
    for name, fact in facts.items():
        if row[name] != fact:
            report.changes.append(f"Talos {row['newest']}: {name} {fact or 'none'} (was {row[name] or 'not known'})")
            row[name] = fact
