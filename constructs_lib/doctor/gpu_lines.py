"""The lines of a log by which a program says that it uses a GPU."""

from __future__ import annotations

from ..upstream.programs.gpu_log_words import GPU_DENIED, GPU_SHOWN

_LONGEST = 4_000
_WORDS = ("nvidia", "cuda", "gpu", "tesla")
"""One of them is in every line of `GPU_SHOWN`. Most lines have none, and a search for words is the fast one."""


def shows_gpu(line: str) -> bool:
    """Whether a program names the card that it uses."""
    text = line[:_LONGEST].lower()
    return any(word in text for word in _WORDS) and GPU_SHOWN.search(text) is not None and GPU_DENIED.search(text) is None
