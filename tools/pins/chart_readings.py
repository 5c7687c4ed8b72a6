"""What one tag of a Helm chart says: the keys that its templates read, their types, its subcharts and its own values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from constructs_lib.upstream.version import Version

from .conditions import ALWAYS, Alternatives, either, for_key
from .repositories import Repository, UnreachableError
from .value_schemas import Fact, value_facts
from .values_read import values_read

# Uses that hand a value on whole, so that any key may stand below it.
_WHOLE = {"toYaml", "range", "omit", "deepCopy", "tpl"}
_PRINTED = {"print", "pipe", "quote", "toYaml", "printf", "default", "ternary"}


@dataclass(frozen=True, kw_only=True)
class ChartSource:
    """Where a chart is published: `tag` matches the tags of its releases, and its group is the version as the chart's repository writes it.

    `fields` names, by a key that is handed on whole, the CRD whose `spec` has a field of that name: its properties are the keys below.
    """

    name: str
    repository: str
    folder: str
    tag: str
    fields: Mapping[str, str] = field(default_factory=dict)

    def releases(self, tags: Iterable[str]) -> dict[str, Version]:
        """The versions of the chart among tags, by tag, oldest first."""
        matches = ((tag, re.fullmatch(self.tag, tag)) for tag in tags)
        versions = {tag: version for tag, match in matches if match and (version := Version.parse(match[1]))}
        return dict(sorted(versions.items(), key=lambda item: item[1]))

    def written(self, tag: str) -> str:
        """The version of a tag, as the chart's repository writes it."""
        match = re.fullmatch(self.tag, tag)
        return match[1] if match else tag


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What one release of a chart says.

    `paths` are all that its templates read, with the mappings on the way; `whole` those of them that are handed on whole, and `leaves` the keys of
    a table: `whole` ones and those with nothing below them. `conditions` has, by the path of each use, under which it stands,
    `handed` are the paths that a template hands on whole, and `schema` has what values.schema.json says of each.
    """

    version: Version
    written: str
    paths: frozenset[str]
    whole: frozenset[str]
    leaves: frozenset[str]
    booleans: list[str]
    strings: list[str]
    switches: list[str]
    subcharts: dict[str, str]
    values: dict[str, Any]
    conditions: dict[str, Alternatives]
    handed: frozenset[str]
    schema: dict[str, Fact] = field(default_factory=dict)

    @property
    def images(self) -> dict[str, str]:
        """The images of values.yaml that it names by `repository`, `image` and `version`, by the keys of their mappings.

        An image without a version has that of the chart.
        """
        return dict(_images(self.values, "", self.written))

    def reads(self, key: str) -> bool:
        """Whether a template reads a key, or hands on a mapping that it stands in."""
        return key in self.paths or any(parent in self.whole for parent in parents(key))

    def condition(self, key: str) -> Alternatives:
        """Under what a template reads a key, or anything below it; always, where that is not known."""
        if key in self.subcharts:
            return self.conditions.get(key, ALWAYS)
        inner = (f"{key}.", f"{key}[")
        found = (
            formula
            for path, formula in self.conditions.items()
            if path == key or path.startswith(inner) or (path in self.handed and key.startswith(f"{path}."))
        )
        return for_key(either(*found), key) or ALWAYS

    def unread_values(self) -> Iterator[str]:
        """The keys of values.yaml that no template reads, each without those below it."""
        yield from self._unread(self.values, "")

    def _unread(self, values: Mapping[str, Any], below: str) -> Iterator[str]:
        for name, value in values.items():
            key = f"{below}{name}"
            if key in self.subcharts or self.reads(key):
                if isinstance(value, dict) and key not in self.whole | self.leaves and key not in self.subcharts:
                    yield from self._unread(value, f"{key}.")
            else:
                yield key


def _images(values: Mapping[str, Any], below: str, chart: str) -> Iterator[tuple[str, str]]:
    if values.get("repository") and values.get("image"):
        yield below.removesuffix("."), f"{values['repository']}/{values['image']}:{values.get('version') or chart}"
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _images(value, f"{below}{name}.", chart)


def parents(key: str) -> list[str]:
    """The mappings that a key stands in, from the outermost."""
    parts = key.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts))]


def read_chart(source: ChartSource, repository: Repository, tag: str, version: Version) -> Reading:
    """Read one release of a chart. Raises UnreachableError where it can't be read."""
    files = repository.files(tag, source.folder)
    try:
        templates = {path: text for path, text in files.items() if path.startswith(f"{source.folder}/templates/")}
        uses = values_read(templates).uses
        handed = frozenset(path for path, how in uses.items() if how & _WHOLE)
        # What a release prints after it is installed changes nothing in a cluster.
        conditions = values_read({path: text for path, text in templates.items() if not path.endswith("/NOTES.txt")}).conditions
        values = yaml.safe_load(files[f"{source.folder}/values.yaml"]) or {}
        chart = yaml.safe_load(files[f"{source.folder}/Chart.yaml"])
        schema = value_facts(files.get(f"{source.folder}/values.schema.json", "{}"))
        fields = {key: _properties(yaml.safe_load(files[f"{source.folder}/{path}"]), key) for key, path in source.fields.items()}
    except (ValueError, TypeError, KeyError, yaml.YAMLError) as error:
        raise UnreachableError(f"{repository.name} {tag}: {source.folder} can't be read ({type(error).__name__}: {error})") from error
    subcharts = {each.get("alias", each["name"]): str(each["version"]).removeprefix("v") for each in chart.get("dependencies", ())}
    for each in chart.get("dependencies", ()):
        if keys := list(filter(None, each.get("condition", "").split(","))):
            conditions |= {each.get("alias", each["name"]): _installed_by(keys), **dict.fromkeys(keys, ALWAYS)}
    return _reading(uses, conditions, handed, values, fields, subcharts, schema, version=version, written=source.written(tag))


def _installed_by(keys: list[str]) -> Alternatives:
    """Under what Helm installs a subchart: the first of these keys that is set decides."""
    return frozenset(frozenset([key, *(f"{earlier}!=false" for earlier in keys[:index])]) for index, key in enumerate(keys))


def _reading(
    uses: Mapping[str, set[str]],
    conditions: dict[str, Alternatives],
    handed: frozenset[str],
    values: dict[str, Any],
    fields: Mapping[str, list[str]],
    subcharts: dict[str, str],
    schema: dict[str, Fact],
    *,
    version: Version,
    written: str,
) -> Reading:
    uses = _without_items(uses, subcharts)
    for key, names in fields.items():
        uses.pop(key, None)
        uses |= {f"{key}.{name}": {"toYaml"} for name in names}
    paths = frozenset([*uses, *(parent for key in uses for parent in parents(key))])
    whole = frozenset(key for key in uses if uses[key] & _WHOLE)
    inner = {parent for key in paths for parent in parents(key)}
    leaves = frozenset(key for key in paths if (key in whole or key not in inner) and not whole.intersection(parents(key)))
    booleans = sorted(key for key, found in uses.items() if found & {"typeIs bool", "kindIs bool"})
    return Reading(
        version=version,
        written=written,
        paths=paths,
        whole=whole,
        leaves=leaves,
        booleans=booleans,
        strings=sorted(key for key, found in uses.items() if "typeIs string" in found and not found & {"typeIs int", "typeIs float64"}),
        switches=sorted(
            key
            for key, found in uses.items()
            if "truth" in found and not found & _PRINTED and key not in booleans and isinstance(value_at(values, key), bool)
        ),
        subcharts=subcharts,
        values=values,
        conditions=conditions,
        handed=handed,
        schema=schema,
    )


def _without_items(uses: Mapping[str, set[str]], subcharts: Mapping[str, str]) -> dict[str, set[str]]:
    """The uses by key: of an item of a list or a mapping the list alone, and nothing of the subcharts, which read their values themselves."""
    found: dict[str, set[str]] = {}
    for path, how in uses.items():
        key, bracket, _ = path.partition("[]")
        key = key.rstrip(".")
        if key and key.partition(".")[0] not in subcharts:
            found.setdefault(key, set()).update({"range"} if bracket else how)
    return found


def _properties(crd: Mapping[str, Any], name: str) -> list[str]:
    """The fields below a field of a CRD's `spec`."""
    (version,) = (each for each in crd["spec"]["versions"] if each["storage"])
    return list(version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"][name]["properties"])


def value_at(values: Mapping[str, Any], key: str) -> object:
    """The value at a dotted key, None where there is none."""
    found: object = values
    for name in key.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return found
