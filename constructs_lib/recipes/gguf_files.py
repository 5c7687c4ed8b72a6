"""The names of files of GGUF in a repository."""

from __future__ import annotations

import re

from ..arguments.errors import wrong
from ..arguments.patterns import pattern
from ..arguments.plain_values import text
from ..upstream.programs.quantizations import QUANTIZATIONS
from .model import Model
from .model_inference import quantization_of_file

_PARTS = pattern(r"(?P<stem>.+)-00001-of-(?P<count>\d{5})\.gguf")


def to_file(value: str, argument: str = "") -> str:
    """The path of a GGUF file in a repository."""
    rule = "a GGUF file of the repository, such as 'Qwen3-8B-Q4_K_M.gguf'"
    if not re.fullmatch(r"(?:[\w.-]+/)*[\w.-]+\.gguf", text(argument, value, rule), re.ASCII) or ".." in value:
        raise wrong(argument, rule, value)
    part = re.search(r"-(\d{5})-of-\d{5}\.gguf$", value)
    if part and part[1] != "00001":
        raise wrong(argument, "the first part of a model in parts", value, f"did you mean '{value.replace(part[1] + '-of', '00001-of')}'?")
    return value


def to_optional_file(value: str | None, argument: str = "") -> str | None:
    """The path of a GGUF file in a repository, or None."""
    return None if value is None else to_file(value, argument)


def parts_of(file: str) -> list[str]:
    """The files of a model: one, or all parts of a model in parts."""
    match = _PARTS.fullmatch(file)
    if match is None:
        return [file]
    return [f"{match['stem']}-{number:05}-of-{match['count']}.gguf" for number in range(1, int(match["count"]) + 1)]


def check_quantization(file: str, model: Model | None) -> None:
    """Refuse a `Model` of another quantization than the file names.

    A file need not name one. Experts in MXFP4 keep their format in files of every type.
    """
    named = quantization_of_file(file)
    if model is not None and not QUANTIZATIONS[model.quantization].experts and named not in (None, model.quantization):
        raise wrong("fits", f"a Model of the quantization that 'file' names, {named}", model)
