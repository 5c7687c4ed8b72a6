"""Checks of Kubernetes quantities: memory, CPUs and durations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ..upstream.nvidia.gpu_resources import is_gpu
from .errors import wrong, wrong_kind
from .plain_values import mapping, text

_QUANTITY = r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)((?:[numkMGTPE]|[KMGTPE]i)?|[eE][+-]?[0-9]+)"
_FACTORS = {"n": Decimal("1e-9"), "u": Decimal("1e-6"), "m": Decimal("1e-3"), "": Decimal(1)}
_FACTORS |= {letter: Decimal(1000) ** power for power, letter in enumerate("kMGTPE", 1)}
_FACTORS |= {f"{letter}i": Decimal(1024) ** power for power, letter in enumerate("KMGTPE", 1)}

LARGEST = 2**63 - 1
"""The largest quantity of Kubernetes."""


def quantity(argument: str, value: object, example: str = "16Gi") -> str:
    """A Kubernetes quantity above zero, returned in the same notation."""
    rule = f"a Kubernetes quantity above zero such as '{example}'"
    if isinstance(value, int) and not isinstance(value, bool):
        raise wrong_kind(argument, rule, value, f"did you mean '{value}Gi'?" if 0 < value < LARGEST else "")
    if not isinstance(value, str):
        from .meant import amount_meant  # deferred: only an error needs it

        raise wrong_kind(argument, rule, value, amount_meant(value, example))
    written = text(argument, value, rule)
    amount = _amount(written)
    if amount is None:
        raise wrong(argument, rule, written, _repaired(written))
    if not 0 < amount <= LARGEST:
        raise wrong(argument, rule, written)
    return written


def any_quantity(argument: str, value: object) -> None:
    """A quantity in the notation of Kubernetes, of any amount. JSON numbers are quantities too."""
    rule = "a Kubernetes quantity such as '500m' or '16Gi'"
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise wrong_kind(argument, rule, value)
    if isinstance(value, str):
        amount = _amount(value)
        if amount is None or amount > LARGEST:
            raise wrong(argument, rule, value, _repaired(value))
    elif not 0 <= value <= LARGEST:
        raise wrong(argument, rule, value)


def _repaired(written: str) -> str:
    repaired = re.sub(r"\s*([kmgtp])i?b?$", lambda unit: f"{unit[1].upper()}i", written.strip(), flags=re.IGNORECASE)
    return f"did you mean '{repaired}'?" if repaired != written and _amount(repaired) else ""


def byte_quantity(argument: str, value: object, example: str = "16Gi") -> str:
    """A quantity of memory or storage. A quantity below 1Mi is refused: its unit is missing, or is `m`, which means
    milli."""
    written = quantity(argument, value, example)
    if amount_of(written) < _FACTORS["Mi"]:
        meant = f"{written[:-1]}Mi" if written.endswith("m") else f"{written}Gi" if written.isdecimal() else ""
        hint = f"did you mean '{meant}'?" if meant else "memory and storage are counted in bytes"
        raise wrong(argument, f"at least 1Mi, such as '{example}'", written, hint)
    return written


def cpu_quantity(argument: str, value: object) -> str:
    """A quantity of CPUs: '500m', '2', or an int or float."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        written = quantity(argument, value, "500m")
        if written.endswith((*"kMGTPE", "i")):
            raise wrong(argument, "a number of CPUs such as '2' or '500m'", written, "CPUs are not counted in bytes")
        return written
    if not 0 < value <= LARGEST:
        raise wrong(argument, "a Kubernetes quantity above zero such as '500m'", value)
    return format(Decimal(str(value)).normalize(), "f")


def resources(argument: str, value: object) -> dict[str, Any]:
    """The requests and limits of a node agent's container, with the keys of Kubernetes."""
    rule = "a mapping with 'requests' and 'limits'"
    sections = mapping(argument, value, rule)
    for section in sections:
        if section not in ("requests", "limits"):
            raise wrong(argument, rule, section)
    return {section: _amounts(f"{argument}[{section}]", amounts) for section, amounts in sections.items()}


def _amounts(argument: str, value: object) -> dict[str, str]:
    amounts = mapping(argument, value)
    for name, amount in amounts.items():
        if is_gpu(name):
            hint = "a node agent sees every GPU of its node, and needs no GPU limit: a limit would take a GPU from the workloads"
            raise wrong(argument, f"without {name}", amount, hint)
    return {
        name: cpu_quantity(f"{argument}[{name}]", amount) if name == "cpu" else byte_quantity(f"{argument}[{name}]", amount)
        for name, amount in amounts.items()
    }


def check_requests(argument: str, resources: Mapping[str, Any], where: str = "") -> None:
    """Refuse checked resources of a container that request more than their limit; `where` names the container, as " in
    'main'"."""
    limits = resources.get("limits") or {}
    for name, amount in (resources.get("requests") or {}).items():
        if name in limits and amount_of(str(amount)) > amount_of(str(limits[name])):
            rule = f"with a request for {name}{where} of at most the limit {limits[name]!r}"
            raise wrong(argument, rule, amount, "Kubernetes refuses a container that requests more than its limit")


def amount_of(written: str) -> Decimal:
    """The amount of a checked quantity, for comparisons."""
    return _amount(written) or Decimal(0)


def is_less(value: object, other: object) -> bool:
    """Whether two values are quantities, and the first is the smaller one."""
    amount, another = (_amount(f"{each}") for each in (value, other))
    return amount is not None and another is not None and amount < another


def _amount(written: str) -> Decimal | None:
    match = re.fullmatch(_QUANTITY, written)
    if not match:
        return None
    number, unit = match.groups()
    try:
        return Decimal(number) * _FACTORS[unit] if unit in _FACTORS else Decimal(number + unit)
    except ArithmeticError:  # the exponent is too large
        return None


_DURATION = r"([0-9]+(\.[0-9]+)?(ms|s|m|h))+"


def duration(argument: str, value: object, example: str = "1h") -> str:
    """A duration in the notation of Go and of the GitOps tools."""
    rule = f"a duration such as '{example}' or '30s'"
    written = text(argument, value, rule)
    if not re.fullmatch(_DURATION, written):
        raise wrong(argument, rule, written)
    return written


_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}


def seconds(written: str) -> float:
    """The seconds of a checked duration."""
    return sum(float(count) * _SECONDS[unit] for count, _, unit in re.findall(r"([0-9]+(\.[0-9]+)?)(ms|s|m|h)", written))


# Whole numbers, the largest unit first: no '1.5m' and no '30s1m' (prometheus/common model/time.go). A scrape needs no
# unit above hours.
_SCRAPE_DURATION = r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?"
_MILLISECONDS = (3_600_000, 60_000, 1000, 1)


def scrape_duration(argument: str, value: object, example: str = "15s") -> str:
    """A duration above zero in the notation of Prometheus."""
    rule = f"a duration such as '{example}' or '1m30s'"
    if isinstance(value, int) and not isinstance(value, bool):
        raise wrong_kind(argument, rule, value, f"did you mean '{value}s'?" if abs(value) < LARGEST else "")
    written = text(argument, value, rule)
    if not re.fullmatch(_SCRAPE_DURATION, written) or not milliseconds(written):
        raise wrong(argument, rule, written, f"did you mean '{written}s'?" if written.isdecimal() and int(written) else "")
    return written


def milliseconds(written: str) -> int:
    """The milliseconds of a checked Prometheus duration."""
    match = re.fullmatch(_SCRAPE_DURATION, written)
    counts = match.groups("0") if match else ()
    return sum(int(count) * unit for count, unit in zip(counts, _MILLISECONDS, strict=False))
