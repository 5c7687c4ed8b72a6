"""The releases of `helm install`, `helm upgrade` and `helm template` in a guide."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from ...model import ChartRelease, Unknown
from ...model.unknown import GAP
from ..helm.release_values import as_helm_reads, at_path, chart_of, merged, release_lines
from ..kubernetes.located_yaml import Map, Place

Values = Callable[[str], Map | None]
"""A function from the name of a values file to its values; None if the guide does not show the file."""

_VERBS = {"install", "upgrade", "template"}
_WITH_VALUE = {
    *("--version", "--namespace", "--values", "--set", "--set-string", "--set-json", "--set-file", "--set-literal", "--repo", "--timeout"),
    *("--kube-context", "--kubeconfig", "--kube-token", "--kube-apiserver", "--kube-ca-file", "--kube-tls-server-name", "--kube-as-user"),
    *("--kube-as-group", "--registry-config", "--repository-config", "--repository-cache", "--burst-limit", "--qps", "--post-renderer"),
    *("--post-renderer-args", "--history-max", "--username", "--password", "--ca-file", "--cert-file", "--key-file", "--keyring"),
    *("--description", "--labels", "--output", "--output-dir", "--name", "--name-template", "--api-versions", "--kube-version"),
    "--show-only",
}
_SHORT = {
    "-n": "--namespace",
    "-f": "--values",
    "-s": "--show-only",
    "-o": "--output",
    "-l": "--labels",
    "-a": "--api-versions",
    "-g": "--generate-name",
    "-i": "--install",
}
_VALUES = ("--values", "--set", "--set-string", "--set-json", "--set-file", "--set-literal")
_UNREAD = ("--set-json", "--set-file", "--reuse-values", "--reset-then-reuse-values")
"""The flags whose values are not read: those of the cluster's release are no part of the guide."""
_REDIRECTION = re.compile(r"\d*[<>]+(?P<target>[^<>]*)")
_PLACEHOLDER = re.compile(r"<[^<>]*>")
_ASSIGNMENTS = re.compile(r"(?:[^,\\]|\\.)+")


def helm_release(words: tuple[str, ...], place: Place, find: Values) -> ChartRelease | None:
    """The release of a command. None for a command that installs no chart."""
    if not words or PurePosixPath(words[0]).name != "helm":
        return None
    flags, positional = _parsed(words[1:])
    if not positional or positional[0] not in _VERBS or len(positional) < 2:  # noqa: PLR2004  # the verb and the chart
        return None
    chart, names = positional[-1], [*positional[1:-1], *_of(flags, "--name")]
    values, complete = _merged(flags, place, find)
    return ChartRelease(
        body=values,
        chart=chart_of(word_value(chart)),
        name=word_value(names[0] if names else PurePosixPath(chart).name),
        namespace=next(map(word_value, _of(flags, "--namespace")), None),
        version=next(map(word_value, _of(flags, "--version")), None),
        values=values,
        complete=complete,
        **release_lines(values, place, values, ()),
    )


def _parsed(words: tuple[str, ...]) -> tuple[list[tuple[str, str]], list[str]]:
    """The flags with their values, and the other words."""
    flags: list[tuple[str, str]] = []
    positional: list[str] = []
    pending = iter(words)
    for word in pending:
        if word.startswith("-") and word != "-":
            flag, value = _flag(word)
            flags.append((flag, next(pending, "") if value is None and flag in _WITH_VALUE else value or ""))
        elif (redirection := _REDIRECTION.fullmatch(word)) and not _PLACEHOLDER.fullmatch(word):
            if not redirection["target"]:
                next(pending, None)
        else:
            positional.append(word)
    return flags, positional


def _flag(word: str) -> tuple[str, str | None]:
    """The long name of a flag, and the value in the same word: `--name=value`, `-nvalue` or `-n=value`."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return name, value if equals else None
    word = re.sub(r"^-[gi]+(?=[a-z])", "-", word)  # flags without a value, before another flag
    name, value = word[:2], word[2:]
    return _SHORT.get(name, name), value.removeprefix("=") if value else None


def _of(flags: list[tuple[str, str]], *names: str) -> list[str]:
    return [value for flag, value in flags if flag in names]


def _merged(flags: list[tuple[str, str]], place: Place, find: Values) -> tuple[Map, bool]:
    """The values of the files, then those of the flags, as Helm merges them; and whether all were read."""
    files = [find(name) for written in _of(flags, "--values") for name in written.split(",")]
    layers: list[Any] = [*files]
    for flag in ("--set", "--set-string", "--set-literal"):
        for written in _of(flags, flag):
            parts = [written] if flag == "--set-literal" else _ASSIGNMENTS.findall(written)
            layers += [_assigned(part, place, is_text=flag != "--set") for part in parts]
    complete = None not in layers and not _of(flags, *_UNREAD)
    return merged(layers), complete


def _assigned(written: str, place: Place, *, is_text: bool) -> Map | None:
    """The values of `a.b=value`. None for a list, which is not read."""
    path, equals, value = written.partition("=")
    if not equals or "{" in written.replace("${", ""):
        return None
    read = word_value(re.sub(r"\\(.)", r"\1", value))
    return at_path(path.strip(), read if is_text else as_helm_reads(read), place)


def word_value(word: str) -> str | Unknown:
    """The value of a word. Unknown if the shell or the reader of the guide fills it in."""
    return Unknown(word, GAP) if "$" in word or _PLACEHOLDER.fullmatch(word) else word
