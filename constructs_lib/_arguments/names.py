"""Names as Kubernetes accepts them: of objects, labels, variables and images."""

from __future__ import annotations

import re

from .errors import wrong, wrong_kind
from .plain_values import mapping, text

# Strings, which re compiles when they are first used: an import compiles none.
_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_LABEL_VALUE = r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?"
_LONGEST_NAME = 253
_ENV_NAME = r"[-._a-zA-Z][-._a-zA-Z0-9]*"


def dns_label(argument: str, value: object, longest: int = 63) -> str:
    """A name that is right for pods, containers and Services alike (RFC 1035: Services may not start with a digit)."""
    rule = f"a DNS label (lower-case letters, digits and '-', starting with a letter, at most {longest} characters)"
    name = text(argument, value, rule)
    if not re.fullmatch(_LABEL, name) or name[0].isdigit() or len(name) > longest:
        raise wrong(argument, rule, name, _similar(name, longest, "-0123456789"))
    return name


def _similar(name: str, longest: int, not_first: str) -> str:
    suggestion = re.sub(r"[^a-z0-9-]+", "-", name.lower()).lstrip(not_first)[:longest].rstrip("-")
    return f"did you mean '{suggestion}'?" if suggestion and suggestion != name else ""


def namespace_name(argument: str, value: object) -> str:
    """The name of a namespace: a DNS label, which may start with a digit here."""
    rule = "the name of a namespace (lower-case letters, digits and '-', at most 63 characters)"
    name = text(argument, value, rule)
    if not re.fullmatch(_LABEL, name):
        raise wrong(argument, rule, name, _similar(name, 63, "-"))
    return name


def image_reference(argument: str, value: object) -> str:
    """An image; whether it exists only a registry knows."""
    rule = "an image reference without white space"
    image = text(argument, value, rule)
    if re.search(r"\s", image):
        raise wrong(argument, rule, image)
    return image


def dns_subdomain(argument: str, value: object) -> str:
    """The name of most Kubernetes objects: DNS labels with dots between them."""
    rule = f"a DNS name (lower-case letters, digits, '-' and '.', at most {_LONGEST_NAME} characters)"
    name = text(argument, value, rule)
    if len(name) > _LONGEST_NAME or not all(re.fullmatch(_LABEL, part) for part in name.split(".")):
        raise wrong(argument, rule, name)
    return name


def label_key(argument: str, value: object) -> str:
    """The key of a label, a taint or an annotation: `name` or `prefix/name`."""
    rule = "a label key ('name' or 'prefix/name', the name of at most 63 letters, digits, '-', '_' and '.')"
    key = text(argument, value, rule)
    prefix, slash, name = key.rpartition("/")
    if not name or not re.fullmatch(_LABEL_VALUE, name) or (slash and not all(re.fullmatch(_LABEL, part) for part in prefix.split("."))):
        raise wrong(argument, rule, key)
    return key


def label_value(argument: str, value: object) -> str:
    """The value of a label or a taint: a string, also where YAML would read a bool."""
    rule = "a label value (at most 63 letters, digits, '-', '_' and '.', as a string)"
    if not isinstance(value, str):
        raise wrong_kind(argument, rule, value, f"did you mean '{str(value).lower()}'?" if isinstance(value, bool | int) else "")
    if not re.fullmatch(_LABEL_VALUE, value):
        raise wrong(argument, rule, value)
    return value


def label_map(argument: str, value: object) -> dict[str, str]:
    """Labels, or a node selector."""
    pairs = mapping(argument, value, "a mapping of label keys to label values")
    return {label_key(argument, key): label_value(f"{argument}[{key}]", item) for key, item in pairs.items()}


def annotation_map(argument: str, value: object) -> dict[str, str]:
    """Annotations: any string is a value, the empty one too."""
    pairs = mapping(argument, value, "a mapping of annotation keys to strings")
    for key, item in pairs.items():
        label_key(argument, key)
        if not isinstance(item, str):
            raise wrong_kind(f"{argument}[{key}]", "a string", item)
    return pairs


def env_name(argument: str, value: object) -> str:
    """The name of an environment variable, as Kubernetes accepts it."""
    name = text(argument, value, "the name of an environment variable")
    if not re.fullmatch(_ENV_NAME, name):
        raise wrong(argument, "the name of an environment variable (letters, digits, '_', '-' and '.')", name)
    return name
