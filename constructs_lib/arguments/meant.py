"""What a user meant by a value of the wrong type: the right form of the value, as the hint of an error.

A class of mistakes has one function here, which the checks of all arguments of that type call: a number as text, a
list of one value, a list of pairs where a mapping belongs, an object where its name belongs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf
from typing import Any

from .errors import Phrase, Value

_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def meant(value: object) -> Phrase:
    """The hint with the value that is right."""
    return Phrase("did you mean ", Value(value), "?")


def number_meant(value: object) -> int | None:
    """For a whole number: digits as text, also with the unit of seconds; a whole float; a list of one number."""
    if isinstance(value, list | tuple) and len(value) == 1:
        return number_meant(value[0])
    if isinstance(value, str) and (digits := re.fullmatch(r"\s*(-?[0-9]{1,18})s?\s*", value)):
        return int(digits[1])
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def flag_meant(value: object) -> str | Phrase:
    """For True or False: the words of YAML 1.1 and of shells."""
    found = _FLAGS.get(value.lower()) if isinstance(value, str) else None
    return "" if found is None else meant(found)


def amount_meant(value: object, example: str) -> str | Phrase:
    """For a quantity: a switch, a fraction, a list of one amount."""
    if isinstance(value, bool):
        return Phrase(Value(value), " is a switch, and no amount: write the amount, such as ", Value(example))
    if isinstance(value, float) and 0 < value < inf and example.endswith("i"):
        return meant(f"{value:g}{example.lstrip('0123456789')}")
    return meant(value[0]) if isinstance(value, list | tuple) and len(value) == 1 and isinstance(value[0], str) else ""


def text_meant(value: object) -> str | Phrase:
    """For a string: a list of one string, the text that an object has."""
    if isinstance(value, list | tuple) and len(value) == 1 and isinstance(value[0], str):
        return meant(value[0])
    return of_object(value)


def of_object(value: object) -> str:
    """For the name of an object: the attribute of an object of cdk8s-plus, of cdk8s or of this library with the text."""
    if isinstance(value, type) or not hasattr(value, "__jsii_type__"):
        return ""
    attribute = next((each for each in ("name", "value") if isinstance(getattr(value, each, None), str)), "")
    kind = type(value).__name__
    return f"give the {attribute} of the {kind}: {re.sub(r'(?<=[a-z])(?=[A-Z])', '_', kind).lower()}.{attribute}" if attribute else ""


def pairs_meant(value: object) -> str | Phrase:
    """For a mapping: 'key=value' texts, or mappings with 'name' and 'value' as Kubernetes has them. The values may be
    credentials, so only a label's or an annotation's are repeated."""
    pairs = _pairs([value] if isinstance(value, str) else value)
    return meant(pairs) if pairs else ""


def names_meant(value: object) -> str | Phrase:
    """For a mapping whose values may be credentials: the form, with the names alone."""
    pairs = _pairs([value] if isinstance(value, str) else value)
    return meant(dict.fromkeys(pairs, "…")) if pairs else ""


def _pairs(items: object) -> dict[str, Any]:
    if not isinstance(items, list | tuple) or not items:
        return {}
    found: dict[str, Any] = {}
    for each in items:
        if isinstance(each, str) and re.fullmatch(r"[^\s=]+=[^=]*", each):
            key, _, text = each.partition("=")
            found[key] = text
        elif isinstance(each, Mapping) and isinstance(each.get("name"), str):
            found[each["name"]] = str(each.get("value", "…"))
        else:
            return {}
    return found
