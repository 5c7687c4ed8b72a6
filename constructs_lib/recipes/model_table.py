"""Which models of the catalogue run on which cards, with which quantization and context."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..arguments.errors import wrong
from ..arguments.plain_values import text
from ..arguments.spelling import did_you_mean
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.nvidia.card_memory import CARD_OF_EACH_MEMORY
from ..upstream.nvidia.card_names import architecture
from ..upstream.nvidia.written_cards import usual_name
from ..upstream.programs.model_catalogue import CATALOGUE
from ..upstream.programs.model_names import GGUF_SUFFIX
from ..upstream.programs.model_servers import GGUF_SERVERS, ModelServer
from ..upstream.programs.quantizations import QUANTIZATIONS
from ..upstream.talos.releases import PREVIEW, TALOS
from .model import Model
from .model_fit import VLLM_PART, pod_memory, runs
from .model_inference import model_of_repository, model_of_tag
from .model_memory import ModelMemory

LEAST_CONTEXT = 8192
"""The context with which a model must run to be in the table, unless its own is shorter."""
COUNTS = (1, 2, 4, 8)
"""The numbers of GPUs that are tried."""
_STEP = 1024
_SMALLER = {"bf16": ("bf16", "fp8", "awq"), "fp8": ("fp8", "awq")}
"""The quantizations for vLLM, by that of the model's own repository."""
_GGUF = ("q8_0", "q4_k_m")


class Choice(NamedTuple):
    """A way to run a model on cards of one kind."""

    model: str
    quantization: str
    server: ModelServer
    gpus: int
    context: int
    """The longest context, in tokens, for one request."""
    memory: float
    """The GiB that the model then needs of each GPU."""

    def __str__(self) -> str:
        """The way in words."""
        return f"{self.quantization}, {self.context}" + (f", {self.gpus} GPUs" if self.gpus > 1 else "")


def card_nodes(card: str) -> GpuNodes:
    """Nodes with cards of a known memory."""
    rule = "the name of a card, such as 'RTX 4090'"
    nodes = GpuNodes(
        talos_version=next(each for each in reversed(TALOS) if each != PREVIEW),
        product=usual_name(text("card", card, rule)),
        gpus_per_node=max(COUNTS),
    )
    if pod_memory(nodes) is None:
        is_known = architecture(usual_name(card)) is not None
        hint = f"{'the name does not tell the size' if is_known else 'the card is not known'}: write the size behind the name, as 'A100-SXM4-80GB'"
        raise wrong("card", "a card of known memory", card, hint)
    return nodes


def known_model(name: str) -> str:
    """A model of the catalogue, by its name, its repository or its tag in Ollama's library."""
    rule = "a model of the catalogue, such as 'llama-3.3-70b'"
    written = text("model", name, rule).strip().lower().replace(" ", "-").removeprefix("ollama.com/library/")
    written = written.partition(":")[0] if "/" in written else written  # the quantization of a file in a repository
    named = model_of_repository(written.removesuffix(GGUF_SUFFIX)) or model_of_tag(written)
    if named is None:
        raise wrong("model", rule, name, did_you_mean(written, CATALOGUE) or "the command without --model lists them")
    return named.model


def ways(name: str) -> Iterator[tuple[str, ModelServer]]:
    """The quantizations of a model, each with a server that reads it; the larger one first."""
    own = CATALOGUE[name].quantization
    yield from ((each, ModelServer.VLLM) for each in _SMALLER.get(own, (own,)))
    gguf = (own,) if QUANTIZATIONS[own].experts else _GGUF
    yield from ((each, ModelServer.LLAMA_CPP) for each in gguf)


def choice(name: str, nodes: GpuNodes, quantization: str, server: ModelServer, gpus: int = 1) -> Choice | None:
    """The longest context with which a model runs; None where it does not run."""
    longest = CATALOGUE[name].context
    contexts = [*range(min(LEAST_CONTEXT, longest), longest, _STEP), longest]
    found: dict[int, ModelMemory] = {}

    def is_too_long(context: int) -> bool:
        model = Model(name, quantization=quantization, context=context)
        part = None if server in GGUF_SERVERS else VLLM_PART
        if memory := runs(model, nodes, server=server, gpus=gpus, utilization=part):
            found[context] = memory
        return memory is None

    if is_too_long(contexts[0]):
        return None
    context = contexts[bisect.bisect_left(contexts, True, key=is_too_long) - 1]  # the first that is too long
    return Choice(name, quantization, server, gpus, context, found[context].total)


def fewest(name: str, nodes: GpuNodes, quantization: str, server: ModelServer) -> Choice | None:
    """The way with the fewest GPUs; None where eight do not suffice."""
    return next((found for gpus in COUNTS if (found := choice(name, nodes, quantization, server, gpus))), None)


def on_card(card: str, names: Iterable[str] = CATALOGUE) -> list[Choice]:
    """Each way to run each model on cards of one kind, with the fewest GPUs."""
    nodes = card_nodes(card)
    return [found for name in names for way in ways(name) if (found := fewest(name, nodes, *way))]


def best(name: str, nodes: GpuNodes) -> Choice | None:
    """The way with the fewest GPUs, of these the one with the largest quantization."""
    found = (choice(name, nodes, *way, gpus) for gpus in COUNTS for way in ways(name))
    return next(filter(None, found), None)


def card_table(card: str, names: Iterable[str] = CATALOGUE) -> str:
    """The ways to run models on a card, as a table in Markdown."""
    names = list(names)
    rows = [
        [each.model, each.quantization, _server(each.server), str(each.gpus), str(each.context), f"{each.memory:.1f} GiB"]
        for each in on_card(card, names)
    ]
    if not rows:
        return f"{max(COUNTS)} of these cards are too few for {', '.join(names)}.\n"
    return _table(["model", "quantization", "server", "GPUs", "context", "memory of each"], rows)


def cards_table(names: Iterable[str] = CATALOGUE) -> str:
    """The best way to run each model on a card of each memory, as a table in Markdown."""
    cards = [(f"{card}, {memory} GB", card_nodes(card)) for memory, card in CARD_OF_EACH_MEMORY.items()]
    rows = [[name, *(str(best(name, nodes) or "no") for _, nodes in cards)] for name in names]
    return _table(["model", *(head for head, _ in cards)], rows)


def model_table(name: str) -> str:
    """The ways to run one model on a card of each memory, as a table in Markdown."""
    every = list(ways(name))
    rows = [
        [f"{card}, {memory} GB", *(str(fewest(name, nodes, *way) or "no") for way in every)]
        for memory, card in CARD_OF_EACH_MEMORY.items()
        for nodes in [card_nodes(card)]
    ]
    return _table(["card", *(f"{_server(server)}, {quantization}" for quantization, server in every)], rows)


def _server(server: ModelServer) -> str:
    return "llama.cpp, Ollama" if server in GGUF_SERVERS else "vLLM"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (head, ["---"] * len(head), *rows))
