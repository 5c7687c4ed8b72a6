"""What has changed between two reports about one cluster: causes that are new, gone or stay, and chains with other marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .cause import Cause
from .chain_shapes import Shape
from .doctor_report import DoctorReport


@dataclass(frozen=True, kw_only=True, slots=True)
class Stay:
    """A cause of both reports, with the subjects that it has got and lost."""

    cause: Cause
    got: list[str]
    lost: list[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """The difference of two reports. The words of the evidence, which have times and counts, are no part of it."""

    new: list[Cause]
    gone: list[Cause]
    stay: list[Stay]
    chains: list[Shape]
    """The chains that are new or have other marks, with these subjects alone."""
    without: list[str]
    """The subjects that have no chain any more."""
    signs: list[str]
    """The signs of cards that are new, or whose counts have grown."""
    is_less_read: bool
    """Whether a command failed that had not failed before, so that what is gone may be there."""

    @property
    def any(self) -> bool:
        """Whether something has changed."""
        return bool(self.new or self.gone or self.chains or self.without or self.signs or any(each.got or each.lost for each in self.stay))


def changes(before: DoctorReport, after: DoctorReport) -> Changes:
    """The changes from a report to the next one."""
    old, new = _causes(before), _causes(after)
    shapes = {subject: shape.marks for shape in before.shapes for subject in shape.subjects}
    subjects = {subject for shape in after.shapes for subject in shape.subjects}
    return Changes(
        new=[each for key, each in new.items() if key not in old],
        gone=[each for key, each in old.items() if key not in new],
        stay=[_stay(old[key], each) for key, each in new.items() if key in old],
        chains=[each for shape in after.shapes if (each := _changed(shape, shapes)).subjects],
        without=[each for each in shapes if each not in subjects],
        signs=[each for each in after.lasting_signs if each not in before.lasting_signs],
        is_less_read=bool(_failed(after) - _failed(before)),
    )


def _causes(report: DoctorReport) -> dict[object, Cause]:
    return {(each.link, each.fault.name, each.fault.cause): each for each in report.diagnosis.causes}


def _stay(old: Cause, new: Cause) -> Stay:
    before, after = ([*each.subjects, *each.followers] for each in (old, new))
    return Stay(cause=new, got=[each for each in after if each not in before], lost=[each for each in before if each not in after])


def _changed(shape: Shape, before: Mapping[str, object]) -> Shape:
    subjects = [each for each in shape.subjects if before.get(each) != shape.marks]
    return Shape(is_of_pod=shape.is_of_pod, marks=shape.marks, subjects=subjects)


def _failed(report: DoctorReport) -> set[tuple[str, str]]:
    return {(program, each) for program, failed in report.dump.failed.items() for each in failed}
