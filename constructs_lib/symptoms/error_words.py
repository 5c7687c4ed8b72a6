"""The errors that a line names by number, name or text: XIDs, and those of NVML, CUDA and NCCL."""

from __future__ import annotations

from collections.abc import Iterator

from ..arguments.patterns import pattern
from ..upstream.nvidia.error_codes import ErrorCode, error_codes

_LONGEST_LINE = 4096
_XID = pattern(r"\bXid(?: \([\w:. ]{1,40}\): ?|=| )(\d{1,3})\b")
_NAME = pattern(r"\b(?:NVML_)?(ERROR_[A-Z_]+|CUDA_ERROR_[A-Z_0-9]+|(?:cudaError|nccl)[A-Z]\w+)\b")
_NCCL = pattern(r"(?i)\bnccl (?:error|failure)\b")
"""What PyTorch, vLLM and nccl-tests print before the text of an error. One word, such as `timeout`, is no such text."""
_CUDA = pattern(r"(?i)\bcuda")
_CUDA_NUMBER = pattern(r"(?i)\b(?:error|code|failure)[ =]?\(?(\d{1,3})\b")


def named_errors(line: str) -> list[str]:
    """A sentence for each error in a line that has another name or number there."""
    return [_sentence(code) for code in dict.fromkeys(_codes(line[:_LONGEST_LINE]))]


def _codes(line: str) -> Iterator[ErrorCode]:
    codes = error_codes()
    numbers = [("xid", int(number)) for number in _XID.findall(line)]
    if _CUDA.search(line):
        numbers += [("cuda", int(number)) for number in _CUDA_NUMBER.findall(line)]
    yield from (codes[number] for number in numbers if number in codes)
    if _NCCL.search(line):
        yield from (code for code in codes.values() if code.library == "nccl" and " " in code.words[0] and code.words[0] in line)
    names = set(_NAME.findall(line))
    if names:
        yield from (code for code in codes.values() if code.library != "xid" and not names.isdisjoint((code.name, *code.words)))


def _sentence(code: ErrorCode) -> str:
    if code.library == "xid":
        asks = f"; NVIDIA's catalogue asks for {', then '.join(code.words)}" if code.words else ""
        return f"Xid {code.number} is {code.name}{asks}"
    library = code.library.upper()
    if code.library == "nccl":
        return f"{library}'s error {code.number} is {code.name}: {code.words[0]}"
    return f"{library}'s error {code.number} is {' or '.join((code.name, *code.words))}"
