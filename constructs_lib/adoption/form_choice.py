"""The choice of forms: which forms an entry may have, and which objects of the tree each form replaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..clusters.composer import OBJECT
from ..clusters.file_values import FileError
from ..clusters.part_table import PART_NAMES, part_of
from .belonging import WRITTEN_BY_CDK8S
from .entries import Entry, Form
from .normal_form import normal
from .plain_objects import Identity, PlainObject
from .trial import Trials


def may_differ(entry: Entry) -> bool:
    """Whether a form may make other objects than the tree has. What an app wrote is complete: its classes of nodes decided it."""
    return not entry.file.endswith(WRITTEN_BY_CDK8S)


def is_exact(form: Form, entry: Entry, tree: Mapping[Identity, PlainObject], trials: Trials) -> bool:
    """Whether a form makes exactly the objects of the tree that it replaces."""
    made = trials.objects(entry.id, form.part)
    if isinstance(made, FileError) or not form.replaces <= made.keys():
        return form.name == OBJECT
    return all(identity in tree and normal(tree[identity].body) == normal(body) for identity, body in made.items())


def with_made(form: Form, entry: Entry, free: Mapping[Identity, PlainObject], trials: Trials) -> Form:
    """A form that also replaces the objects of the same names as those that it makes."""
    made = trials.objects(entry.id, form.part)
    names = frozenset() if isinstance(made, FileError) else frozenset(made).intersection(free)
    return replace(form, replaces=form.replaces.intersection(free) | names)


def named_form(form: Form, name: str) -> Form:
    """A form with its name as an argument, where the name follows from the id."""
    if form.name not in PART_NAMES or "name" not in part_of(form.name).defaults:
        return form
    return replace(form, part={form.name: {"name": name, **form.part[form.name]}})
