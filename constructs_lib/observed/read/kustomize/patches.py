"""Patches as kustomize applies them, and their targets: the objects that patterns and selectors mean.

No value is changed in place, and values keep their lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ....arguments.patterns import pattern
from ....yaml.located import Document, Map, Place, Seq, opened, traced
from ....yaml.unknown import GAP
from ...model import Answer, Unknown, all_of, answer, any_of, at, literal
from ..files import Files
from ..json_patch import operated
from ..objects import is_object
from .fields import identities, identity, remembering

_PATTERNS = ("kind", "name", "namespace", "group", "version")
_TOKENS = pattern(r"(?:[\w/:@ -]|\\[-.+*?$^{}\[\]/]|\.[*+]?)*", re.ASCII)
_GROUP = pattern(r"\((?:\?:)?(?![*+?{])((?:[^()|]|\|(?![*+?{]))*)\)(?![*+?{])")
_LONGEST, _MOST_ALTERNATIVES = 300, 100


class Pattern:
    """A regular expression of Go for a whole text: literals, alternatives, `.`, `.*` and `.+`. Any other pattern is not
    supported.

    Python's own matching backtracks. A pattern becomes alternatives of pieces between stars, and each piece is found
    once.
    """

    def __init__(self, written: str) -> None:
        self.written = written
        alternatives = [re.sub(r"^\^|(?<!\\)\$$", "", each) for each in _alternatives(written)]
        self.is_supported = bool(alternatives) and all(map(_TOKENS.fullmatch, alternatives))
        self._linear = re.compile("|".join(map(_linear, alternatives)), re.ASCII) if self.is_supported else None

    def matches(self, text: str) -> Answer:
        """Whether the pattern matches the whole text. Unknown for an unsupported pattern."""
        return answer(self._linear.fullmatch(text) is not None) if self._linear else Answer.UNKNOWN


def _alternatives(written: str) -> list[str]:
    """The alternatives of a pattern, without groups. Empty for a pattern with too many of them."""
    pending, alternatives = [written] if len(written) <= _LONGEST else [], []
    while pending:
        one = pending.pop()
        group = _GROUP.search(one)
        choices = group[1].split("|") if group else []
        pending += [f"{one[: group.start()]}{choice}{one[group.end() :]}" for choice in choices] if group else []
        alternatives += [] if group else one.split("|")
        if len(pending) + len(alternatives) > _MOST_ALTERNATIVES:
            return []
    return alternatives


def _linear(alternative: str) -> str:
    """The expression of an alternative.

    The first match of a piece between stars is final, so that its steps are few.
    """
    first, *pieces = re.split(r"(?<!\\)\.\*", re.sub(r"(?<!\\)\.\+", "..*", alternative))
    middle = "".join(f"(?>.*?{piece})" for piece in pieces[:-1] if piece)
    return f"{first}{middle}.*{pieces[-1]}" if pieces else first


def patterns_of(target: Any) -> dict[str, Pattern]:
    """The patterns of a patch target, by their keys."""
    written = {key: literal(at(target, key)) for key in _PATTERNS}
    return {key: Pattern(word) for key, word in written.items() if isinstance(word, str) and word}


def selects(target: Mapping[str, Any]) -> Callable[[Document], Answer]:
    """The selection function of a patch target. The answer is unknown for a pattern that is not supported."""
    patterns = patterns_of(target)

    def selected(each: Document) -> Answer:
        known = identities(each)
        first, now = known[0], known[-1]
        group, _, version = str(literal(at(each.value, "apiVersion")) or "").rpartition("/")
        words: dict[str, tuple[str, ...]] = {
            "group": (group,),
            "version": (version,),
            "kind": (now.kind,),
            "name": (first.name, now.name),
            "namespace": (first.namespace, now.namespace),
        }
        of_names = (any_of(pattern.matches(word) for word in words[key]) for key, pattern in patterns.items())
        return all_of([*of_names, answer(labels_fit(target, each))])

    return selected


def labels_fit(target: Any, each: Document) -> bool:
    """Whether the label and annotation selectors of a target match an object."""
    return all(
        _labelled(literal(at(target, selector)), at(each.value, "metadata", key))
        for selector, key in (("labelSelector", "labels"), ("annotationSelector", "annotations"))
    )


_TERM = pattern(r"\s*+(!?)\s*+([\w./-]++)\s*+(?:(==?|!=)\s*+([\w.-]*+)|\b(in|notin)\s*+\(([^()]*+)\))?\s*+(?:,(?=\s*+\S)|$)")


def _labelled(selector: Any, labels: Any) -> bool:
    """Whether labels match a selector such as `a=b,c!=d,e,!f,g in (h, i)`. Nothing matches a text of another form,
    which kustomize refuses."""
    if not isinstance(selector, str) or not selector:
        return True
    position, labels = 0, labels if isinstance(labels, Map) else {}
    while position < len(selector):
        match = _TERM.match(selector, position)
        if match is None or not _fits(match, labels):
            return False
        position = match.end()
    return True


def _fits(term: re.Match[str], labels: Mapping[str, Any]) -> bool:
    negated, key, sign, value, word, values = term.groups()
    if not (sign or word):
        return (key in labels) != bool(negated)
    accepted = [value] if sign else [each.strip() for each in values.split(",")]
    return (key in labels and str(labels[key]) in accepted) == ((sign or word) in ("=", "==", "in"))


# The merge keys of lists in Kubernetes' own kinds. Any other list, and every list of a custom resource, is replaced
# as a whole.
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
_KEYS: dict[tuple[str, str], str] = {
    **dict.fromkeys((("spec", each) for each in (*_CONTAINERS, "volumes", "imagePullSecrets", "drivers")), "name"),
    ("spec", "hostAliases"): "ip",
    ("spec", "topologySpreadConstraints"): "topologyKey",
    ("spec", "ports"): "port",
    **{(each, "env"): "name" for each in _CONTAINERS},
    **{(each, "ports"): "containerPort" for each in _CONTAINERS},
    **{(each, "volumeMounts"): "mountPath" for each in _CONTAINERS},
    **{(each, "volumeDevices"): "devicePath" for each in _CONTAINERS},
    ("", "secrets"): "name",
    ("", "webhooks"): "name",
    ("metadata", "ownerReferences"): "uid",
    ("metadata", "finalizers"): "",
}
_FURTHER = {"containerPort": "protocol", "port": "protocol", "topologyKey": "whenUnsatisfiable"}
_OWN_GROUP = pattern(
    r"(v1|(apps|batch|autoscaling|policy|extensions|(admissionregistration|apiextensions|apiregistration|certificates|coordination|discovery"
    r"|events|networking|node|rbac\.authorization|scheduling|storage|flowcontrol\.apiserver)\.k8s\.io)/.*)"
)


def strategic(body: Any, patch: Map, options: Any = None) -> Map | None:
    """The object with a strategic merge patch applied. None if the patch deletes the object.

    The object keeps its name and kind, unless the options allow a change.
    """
    if _is(patch, "delete"):
        return None
    names, kinds = (() if at(options, f"allow{each}Change") is True else (each.lower(),) for each in ("Name", "Kind"))
    change = _less(patch, *kinds, "apiVersion")
    if isinstance(at(change, "metadata"), Map):
        change["metadata"] = _less(change["metadata"], *names, "namespace")
    return _merged(body, change, "", is_keyed=is_own(body))


def is_own(body: Any) -> bool:
    """Whether an object is of Kubernetes itself. The lists of a custom resource have no merge keys."""
    return _OWN_GROUP.fullmatch(str(literal(at(body, "apiVersion")))) is not None


def _is(patch: Any, directive: str) -> bool:
    return isinstance(patch, Map) and literal(at(patch, "$patch")) == directive


def _less(value: Map, *keys: str) -> Map:
    return Map({key: item for key, item in value.items() if not isinstance(key, str) or key not in keys}, value.places)


def _merged(base: Any, patch: Map, parent: str, *, is_keyed: bool) -> Map:
    if not isinstance(base, Map) or _is(patch, "replace"):
        base = Map()
    result = Map(base, dict(base.places))
    for key, value in patch.items():
        if isinstance(key, str) and key.startswith("$"):
            continue
        old = result.get(key)
        if value is None or _is(value, "delete"):
            result.pop(key, None)
        elif isinstance(value, Map):
            result[key] = _merged(opened(old, patch.places[key]), value, key, is_keyed=is_keyed)
            if not isinstance(old, Map):  # an existing mapping keeps its place; new keys have their own
                result.places[key] = patch.places[key]
        else:
            result[key] = _listed(old, value, (parent, key), is_keyed=is_keyed) if isinstance(value, Seq) else value
            result.places[key] = traced(patch.places[key], result.places[key]) if key in result.places else patch.places[key]
    return result


def _listed(old: Any, patch: Seq, where: tuple[str, str], *, is_keyed: bool) -> Any:
    key = _KEYS.get(where) if is_keyed else None
    if key is None or any(_is(each, "replace") for each in patch):
        return _without_directives(patch)
    old = old if isinstance(old, Seq) else Seq()
    if not key:
        remaining = [(item, place) for item, place in zip(old, old.places, strict=True) if item not in patch]
        return Seq([*patch, *(item for item, _ in remaining)], [*patch.places, *(place for _, place in remaining)])
    return _items(old, patch, key, where[1])


def _items(base: Seq, patch: Seq, key: str, parent: str) -> Seq:
    """The merged list: first the items of the patch, each merged with its old item, then the other old items."""
    remaining = list(zip(base, base.places, strict=True))
    result = []
    for item, place in zip(patch, patch.places, strict=True):
        index = next((number for number, (old, _) in enumerate(remaining) if _same(old, item, key)), None)
        old, where = remaining.pop(index) if index is not None else (None, place)
        if not _is(item, "delete"):
            result.append((_merged(old, item, parent, is_keyed=True) if isinstance(item, Map) else item, where))
    result += remaining
    return Seq([item for item, _ in result], [place for _, place in result])


def _same(old: Any, item: Any, key: str) -> bool:
    further = [literal(at(each, _FURTHER.get(key, ""))) for each in (old, item)]
    return literal(at(old, key)) == literal(at(item, key)) and (None in further or further[0] == further[1])


def _without_directives(patch: Seq) -> Seq:
    items = [(item, place) for item, place in zip(patch, patch.places, strict=True) if not (isinstance(item, Map) and "$patch" in item)]
    return Seq([item for item, _ in items], [place for _, place in items])


_MOVES = ("move", "copy")


def patched(
    documents: Iterable[Document], patch: list[Document], target: Any, files: Files, place: Place, options: Any = None
) -> list[Document]:
    """The objects with a patch applied to the ones that it targets or names. `place` is that of the patch in
    reports."""
    result, patterns = list(documents), patterns_of(target)
    for key, selector in patterns.items():
        if not selector.is_supported:
            reason = f"the patch target's {key} {selector.written[:60]!r} is no supported pattern, so the patch may apply to any object"
            files.skip(place[0], reason, place[1])
    for each in patch:
        change, is_merge = each.value, isinstance(each.value, Map)
        if not is_merge and not (isinstance(change, Seq) and isinstance(target, Map)):
            continue
        selected = selects(target) if isinstance(target, Map) else _named_by(change)
        moves = not is_merge and any(literal(at(operation, "op")) in _MOVES for operation in change)
        if moves:
            files.skip(place[0], "a patch that moves or copies values is not followed, so what it changes is not known", place[1])
        result = [new for old in result if (new := _patched(old, change, options, selected(old), moves=moves)) is not None]
    return [each for each in result if is_object(each.value)]


def _patched(old: Document, change: Map | Seq, options: Any, selected: Answer, *, moves: bool) -> Document | None:
    """The object with a change, if it is selected. None if the change deletes it."""
    if selected.is_no:
        return old
    if moves or not selected.is_yes:
        return doubtful(old)
    value = old.value if isinstance(change, Seq) else strategic(old.value, change, options)
    for operation, place in zip(change, change.places, strict=True) if isinstance(change, Seq) else ():
        value = operated(value, operation, place)
    return None if value is None else replace(remembering(old), value=value)


def doubtful(each: Document) -> Document:
    """The object with its identity only: a patch may have changed anything else."""
    metadata = at(each.value, "metadata")
    open_metadata = Map(
        {**opened(Unknown("", GAP), each.place), **_of_keys(metadata, "name", "namespace")}, getattr(metadata, "places", {})
    )
    body = {**opened(Unknown("", GAP), each.place), **_of_keys(each.value, "apiVersion", "kind"), "metadata": open_metadata}
    return replace(remembering(each), value=Map(body, each.value.places))


def _of_keys(value: Any, *keys: str) -> dict[str, Any]:
    return {key: value[key] for key in keys if isinstance(value, Map) and key in value}


def _named_by(patch: Map) -> Callable[[Document], Answer]:
    meant = identity(patch)
    return lambda each: answer(meant in identities(each))
