"""The checks of a workload's texts: literal credentials, and images whose release a restart may change."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...arguments.credentials.names import HIDDEN, is_credential
from ...arguments.credentials.places import credential_path, in_list
from ...arguments.credentials.texts import hidden_value
from ...arguments.errors import warn, wrong
from ...arguments.names import is_floating


def warn_of_tag(argument: str, image: object) -> None:
    """Warn of an image without a tag, or with `latest`."""
    if isinstance(image, str) and is_floating(image):
        warn(
            f"{argument} has {'the tag latest' if image.endswith(':latest') else 'no tag'} (got {image!r}): a restart may run another release, "
            "built with a CUDA that the driver does not run; give a tag with a version, or a digest"
        )


def warn_of_tags(template: Mapping[str, Any]) -> None:
    """Warn of the images of a pod template, whose form is checked elsewhere."""
    spec = template.get("spec")
    containers = spec.get("containers") if isinstance(spec, Mapping) else None
    for each in containers if isinstance(containers, list) else ():
        if isinstance(each, Mapping):
            warn_of_tag(f"the image of '{each.get('name')}'", each.get("image"))


_ABBREVIATED = ("--api-key", "--hf-token")
"""Flags whose beginning is enough for a parser of Python."""
_SHORTEST = len("--hf-t")
_REFERENCE = re.compile(r"\$\([\w.-]+\)|\$\{\w+\}")
_IN_PODS = "give {name} a 'valueFrom' with a 'secretKeyRef'"


def check_variables(env: Mapping[str, Any]) -> None:
    """Refuse a literal credential in a variable. The error does not repeat the credential."""
    for name, value in env.items():
        if _is_credential(name, value):
            hint = f"give SecretKey('<name of the Secret>', '{name}')"
            raise wrong(f"env[{name}]", "a SecretKey: the value is a credential", HIDDEN, hint)


def check_words(argument: str, words: Sequence[Any], hint: str = "give the program's environment variable as a SecretKey in 'env'") -> None:
    """Refuse a literal credential on a command line."""
    texts = [word for word in words if isinstance(word, str)]
    for word, after in itertools.pairwise([*texts, ""]):
        flag, equals, value = word.partition("=")
        given = value if equals else after
        if _is_flag(flag) and (not given or _is_credential("--token", given)):
            raise wrong(argument, "without a credential", f"{flag} and {HIDDEN}", hint)
    for _ in in_list(texts):
        raise wrong(argument, "without a credential", HIDDEN, hint)


def check_beside(init_containers: Sequence[Mapping[str, Any]], pod_spec: Mapping[str, Any], **notes: Mapping[str, str]) -> None:
    """Refuse a literal credential beside the container, and in annotations by the name of their argument."""
    for index, container in enumerate(init_containers):
        check_container(f"init_containers[{index}", container)
    if pod_spec:
        check_pod("pod_spec[", pod_spec)
    for argument, given in notes.items():
        for key, value in given.items():
            if hidden_value(key, value) != value:
                raise wrong(f"{argument}[{key}]", "without a credential", HIDDEN, "everybody who may read the object reads its annotations")


def check_pod(argument: str, pod: Mapping[str, Any], ending: str = "]") -> None:
    """Refuse a literal credential in a pod's spec or template in Kubernetes' spelling, whose form is checked elsewhere.

    `argument` is the begin of the path in errors, and `ending` its end.
    """
    for place, container in _containers(pod):
        check_container(f"{argument}{place}", container, ending)
    if (path := credential_path(pod)) is not None:
        place = ".".join(map(str, path))
        raise wrong(
            f"{argument}{place}{ending}", "without a credential", HIDDEN, "put the credential into a Secret, and name the Secret here"
        )


def check_container(place: str, container: Mapping[str, Any], ending: str = "]") -> None:
    """Refuse a literal credential in a variable or on the command line of a container."""
    for index, variable in enumerate(_items(container, "env")):
        name = variable.get("name") if isinstance(variable, Mapping) else None
        if isinstance(name, str) and _is_credential(name, variable.get("value")):
            hint = _IN_PODS.format(name=name)
            raise wrong(f"{place}.env.{index}.value{ending}", "left out: the value is a credential", HIDDEN, hint)
    words = (*_items(container, "command"), *_items(container, "args"))
    check_words(f"{place}.args{ending}", words, _IN_PODS.format(name="the program's environment variable"))


def _is_credential(name: str, value: object) -> bool:
    """Whether a value is a credential. Kubernetes fills in a whole reference; any other `$` is a character."""
    if not isinstance(value, str) or _REFERENCE.fullmatch(value):
        return False
    return ("$" in value and is_credential(name)) or hidden_value(name, value) != value


def _is_flag(flag: str) -> bool:
    plain = flag.replace("_", "-")
    begins = len(plain) >= _SHORTEST and any(full.startswith(plain) for full in _ABBREVIATED)
    return plain == "-hft" or (plain.startswith("--") and not {*plain} & {*" \n"} and (begins or is_credential(plain)))


def _containers(pod: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for key in ("containers", "initContainers"):
        for index, container in enumerate(_items(pod, key)):
            if isinstance(container, Mapping):
                yield f"{key}.{index}", container


def _items(fields: Mapping[str, Any], key: str) -> Sequence[Any]:
    items: Iterable[Any] | None = fields.get(key)
    return items if isinstance(items, list | tuple) else ()
