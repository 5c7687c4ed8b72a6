"""The machine configuration that an image contains, and the secrets that no image of a public factory may contain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...arguments.errors import InPython, Phrase, warn, wrong
from ...arguments.plain_values import text
from ...nodes.talos_version import TalosVersion
from ...upstream.talos.features import EMBEDDED_CONFIG, IMAGE_FACTORY, SECRET_FIELDS
from ...yaml.go_bytes import scalar


def parsed_documents(argument: str, data: str) -> list[dict[str, Any]]:
    """The documents of a machine configuration, or of a part of one."""
    from ...yaml.load import YamlError, complaint, handwritten

    rule = "YAML of a Talos patch: mappings"
    try:
        parsed = [each.value for each in handwritten(data)]
    except YamlError as error:
        raise wrong(argument, rule, data, complaint(error)) from None
    if not parsed or not all(isinstance(document, Mapping) for document in parsed):
        raise wrong(argument, rule, data)
    return parsed


# A private key and a join token are secrets in any field. "LS0t" is "---" in base64, in which Talos writes its keys.
_PRIVATE_TEXT = r"PRIVATE KEY-----|jointoken="
_ENCODED_KEY = r"LS0t|-----BEGIN"


def embedded_config(value: str, argument: str) -> str:
    """The text of configuration documents."""
    parsed_documents(argument, text(argument, value, "machine configuration as YAML"))
    if scalar(value) is None:
        # The text may have secrets, so the message names only a line.
        lines = value.split("\n")
        bad = next((number for number, line in enumerate(lines, 1) if not re.fullmatch(r"([ -~]*[!-~])?", line)), len(lines))
        rule = "printable ASCII without spaces at the end of a line, without an empty line at its start and its end"
        hint = "releases of the Image Factory write other text differently, and the ID is the hash of this text"
        raise wrong(argument, rule, f"line {bad}", hint)
    return value


def check_embedded_config(config: str, talos: TalosVersion, factory: str) -> None:
    """Refuse a Talos that reads no embedded configuration, and secrets at the public Image Factory."""
    documents = parsed_documents("embedded_config", config)
    if talos.minor not in EMBEDDED_CONFIG:
        rule = f"left out before Talos {EMBEDDED_CONFIG.first}"
        kinds = [document.get("kind", next(iter(document), None)) for document in documents]
        raise wrong("embedded_config", rule, kinds, f"the Image Factory embeds no configuration into Talos {talos}")
    secret = next((path for document in documents for path in _secrets(document, "")), None)
    if secret is None:
        return
    if factory == IMAGE_FACTORY:
        hint = Phrase(
            "everybody who knows the ID of the schematic can read the schematic and its images: apply the secret to the node",
            InPython(", or give the host of your own factory to 'factory'"),
        )
        raise wrong("embedded_config", f"without secrets at {IMAGE_FACTORY}", secret, hint)
    warn(
        f"the schematic and its images contain the secret {secret}: everybody who reaches {factory} and knows the ID of the schematic can read the secret"
    )


def _secrets(value: Any, path: str) -> Iterator[str]:
    """The paths of the secrets below a value."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            below = f"{path}.{key}" if path else str(key)
            if item and isinstance(item, str) and (str(key) in SECRET_FIELDS or (key == "key" and re.match(_ENCODED_KEY, item))):
                yield below
            else:
                yield from _secrets(item, below)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _secrets(item, f"{path}[{index}]")
    elif isinstance(value, str) and re.search(_PRIVATE_TEXT, value):
        yield path
