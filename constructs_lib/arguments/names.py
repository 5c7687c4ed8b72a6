"""Checks of Kubernetes names: of objects, labels, environment variables and images; of host names, and of paths below
them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..upstream.kubernetes.registries import (
    DEFAULT_TAG,
    DOCKER_HUB,
    DOCKER_HUB_BEFORE,
    OFFICIAL_IMAGES,
    split_reference,
)
from .errors import Refusal, wrong, wrong_kind
from .plain_values import mapping, text, writable

# Patterns are strings: re compiles a pattern at its first use, so that an import compiles none.
_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_LABEL_VALUE = r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?"
_LONGEST_NAME = 253
_ENV_NAME = r"[-._a-zA-Z][-._a-zA-Z0-9]*"


def dns_label(argument: str, value: object, longest: int = 63) -> str:
    """A name that is valid for pods, containers and Services alike (RFC 1035: the name of a Service starts with a
    letter)."""
    rule = f"a DNS label (lower-case letters, digits and '-', starting with a letter, at most {longest} characters)"
    name = text(argument, value, rule)
    if not re.fullmatch(_LABEL, name) or name[0].isdigit() or len(name) > longest:
        raise wrong(argument, rule, name, _similar(name, longest, "-0123456789"))
    return name


def _similar(name: str, longest: int, not_first: str) -> str:
    suggestion = re.sub(r"[^a-z0-9-]+", "-", name.lower()).lstrip(not_first)[:longest].rstrip("-")
    return f"did you mean '{suggestion}'?" if suggestion and suggestion != name else ""


def namespace_name(argument: str, value: object) -> str:
    """The name of a namespace: a DNS label that may start with a digit."""
    rule = "the name of a namespace (lower-case letters, digits and '-', at most 63 characters)"
    name = text(argument, value, rule)
    if not re.fullmatch(_LABEL, name):
        raise wrong(argument, rule, name, _similar(name, 63, "-"))
    return name


def image_reference(argument: str, value: object) -> str:
    """An image reference, as the container runtime reads it. Only a registry knows whether the image exists.

    An image with a variable such as `${TAG}`, which another tool fills in, is only held to have no white space.
    """
    rule = "an image reference without white space"
    image = text(argument, value, rule)
    if re.search(r"\s", image):
        raise wrong(argument, rule, image)
    if "$" in image:
        return image
    rule = "an image reference such as 'registry.example.com/team/app:1.2'"
    scheme, separator, rest = image.rpartition("://")
    if separator:
        raise wrong(argument, rule, image, f"did you mean '{rest}'? The container runtime takes no '{scheme}://'" if rest else "")
    _check_reference(argument, rule, image)
    return image


# The parts of an image reference, as in the module distribution/reference of containerd and Docker.
_HOST = r"([a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)*|\[[0-9a-fA-F:]+\])(:[0-9]+)?"
_PATH_PART = r"[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*"
_TAG = r"\w[\w.-]{0,127}"
_DIGEST = r"sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128}"
_LONGEST_IMAGE = 255


def _check_reference(argument: str, rule: str, image: str) -> None:
    reference = split_reference(image)
    host, path = reference.registry, reference.path
    marks = image.removeprefix(reference.repository)
    if host and not (re.search(r"[.:]", host) or host == "localhost"):
        host, path = "", f"{host}/{path}"
    if marks.startswith(":") and not re.fullmatch(_TAG, reference.tag, re.ASCII):
        hint = "leave the ':' out, or give a tag" if not reference.tag else "a tag has at most 128 letters, digits, '_', '-' and '.'"
        raise wrong(argument, rule, image, hint)
    if "@" in marks and not re.fullmatch(_DIGEST, reference.digest):
        raise wrong(argument, rule, image, "a digest is 'sha256:' and 64 hexadecimal digits in lower case")
    if path != path.lower():
        lower = f"{host}/{path.lower()}" if host else path.lower()
        raise wrong(argument, rule, image, f"did you mean '{lower}{marks}'? The path of an image is in lower case")
    is_host = not host or re.fullmatch(_HOST, host)
    if not is_host or not all(re.fullmatch(_PATH_PART, part) for part in path.split("/")) or len(reference.repository) > _LONGEST_IMAGE:
        raise wrong(argument, rule, image)


def dns_subdomain(argument: str, value: object) -> str:
    """The name of most Kubernetes objects: DNS labels, separated by dots."""
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
    """The value of a label or a taint: always a string, also for words that YAML reads as a bool."""
    rule = "a label value (at most 63 letters, digits, '-', '_' and '.', as a string)"
    if not isinstance(value, str):
        raise wrong_kind(argument, rule, value, f"did you mean '{str(value).lower()}'?" if isinstance(value, bool | int) else "")
    if not re.fullmatch(_LABEL_VALUE, value):
        raise wrong(argument, rule, value)
    return value


def label_map(argument: str, value: object) -> dict[str, str]:
    """Labels, or a node selector."""
    pairs = _pairs(argument, value, "a mapping of label keys to label values")
    return {label_key(argument, key): label_value(f"{argument}[{key}]", item) for key, item in pairs.items()}


def _pairs(argument: str, value: object, rule: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        from .meant import pairs_meant  # deferred: only an error needs it

        raise wrong_kind(argument, rule, value, pairs_meant(value))
    return mapping(argument, value, rule)


def annotation_map(argument: str, value: object) -> dict[str, str]:
    """Annotations: every string is a valid value, also an empty one."""
    pairs = _pairs(argument, value, "a mapping of annotation keys to strings")
    for key, item in pairs.items():
        label_key(argument, key)
        if not isinstance(item, str):
            raise wrong_kind(f"{argument}[{key}]", "a string", item)
        writable(f"{argument}[{key}]", item)
    return pairs


def env_name(argument: str, value: object) -> str:
    """The name of an environment variable, as Kubernetes accepts it."""
    name = text(argument, value, "the name of an environment variable")
    is_folder = name == "." or name.startswith("..")
    if is_folder or not re.fullmatch(_ENV_NAME, name):
        hint = "Kubernetes refuses a name that is '.' or starts with '..'" if is_folder else ""
        raise wrong(argument, "the name of an environment variable (letters, digits, '_', '-' and '.')", name, hint)
    return name


_HOST_NAME = "a host name such as 'chat.example.com' or '*.example.com'"
# The parts that the Gateway API refuses in a path (HTTPPathMatch of its CRDs).
_NOT_IN_PATHS = ("//", "/./", "/../", "%2f", "%2F", "#", "?")


def host_name(argument: str, value: object) -> str:
    """A host name as HTTPRoute and Ingress take it: lower case, without a scheme, a port or a path; `*` only as the
    whole first label."""
    name = text(argument, value, _HOST_NAME)
    plain = re.sub(r"^[a-z]+://", "", name.lower()).partition("/")[0]
    if not plain.startswith("[") and plain.count(":") == 1:
        plain = plain.partition(":")[0]
    if _is_address(plain.strip("[]")):
        raise wrong(argument, _HOST_NAME, name, "routes match the host name of a request, and an IP address is none")
    if not _is_host_name(name):
        raise wrong(argument, _HOST_NAME, name, f"did you mean '{plain}'?" if plain != name and _is_host_name(plain) else "")
    return name


def url_path(argument: str, value: object) -> str:
    """The path of requests, from its first '/' on."""
    rule = "a path such as '/' or '/api'"
    path = text(argument, value, rule)
    if not path.startswith("/") or re.search(r"\s", path) or any(part in path for part in _NOT_IN_PATHS) or path.endswith(("/.", "/..")):
        raise wrong(argument, rule, path, f"did you mean '/{path}'?" if re.fullmatch(r"[-\w]+(/[-\w]+)*", path) else "")
    return path


def _is_host_name(name: str) -> bool:
    labels = name.removeprefix("*.").split(".")
    return len(name) <= _LONGEST_NAME and all(re.fullmatch(_LABEL, label) for label in labels)


def _is_address(name: str) -> bool:
    import ipaddress  # only a route needs it

    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class ImageParts(NamedTuple):
    """The registry and the path of an image, with its tag or its digest.

    Example:
        >>> print(ImageParts.parse("busybox"), ImageParts.parse("nvcr.io/nvidia/cuda:13.0.2-base-ubi9"))
        docker.io/library/busybox:latest nvcr.io/nvidia/cuda:13.0.2-base-ubi9
    """

    registry: str
    path: str
    tag: str
    digest: str

    @classmethod
    def parse(cls, written: str) -> ImageParts | None:
        """The parts of a reference. None for a text that is no reference."""
        try:
            image_reference("image", written)
        except Refusal:
            return None
        reference = split_reference(written)
        registry, path = split_name(reference.repository)
        return None if "$" in written else cls(registry, path, reference.tag, reference.digest)

    @property
    def name(self) -> str:
        """The whole name, without a tag and a digest."""
        return f"{self.registry}/{self.path}"

    @property
    def suffix(self) -> str:
        """The digest, or else the tag, with its mark. With a digest the runtime ignores the tag."""
        return f"@{self.digest}" if self.digest else f":{self.tag or DEFAULT_TAG}"

    def __str__(self) -> str:
        return f"{self.name}{self.suffix}"


def split_name(name: str) -> tuple[str, str]:
    """The registry and the path of a name without a tag."""
    registry, path = split_reference(name)[:2]
    registry = DOCKER_HUB if registry in ("", DOCKER_HUB_BEFORE) else registry
    return registry, f"{OFFICIAL_IMAGES}/{path}" if registry == DOCKER_HUB and "/" not in path else path


def is_floating(written: str) -> bool:
    """Whether an image has no tag, or the tag `latest`, and no digest: a restart may run another release."""
    reference = split_reference(written)
    return not reference.digest and reference.tag in ("", DEFAULT_TAG) and ImageParts.parse(written) is not None
