"""The command `models`: the models of the catalogue that run on a card, with quantization and context."""

from __future__ import annotations

import argparse
import json

from .command_parser import Commands, add_verb
from .flags import add_flag

_EXAMPLES = """\
examples:
  talos-gpu models --card "RTX 4090"
  talos-gpu models --model Qwen/Qwen3-32B"""


def add_models(commands: Commands) -> None:
    """Add the command and its flags."""
    about = "print the language models that run on a card, with which quantization and context"
    parser = add_verb(commands, models, about, _EXAMPLES)
    parser.set_defaults(talos_version=None, mps=None)
    add_flag(parser, "--card NAME", "the card, such as 'RTX 4090' or 'A100-SXM4-80GB'; default: a card of each memory")
    add_flag(parser, "--model NAME", "the model, such as qwen3-32b or Qwen/Qwen3-32B; default: every model of the catalogue")
    add_flag(parser, "--format", "default: text", choices=("text", "json"), default="text")
    add_flag(parser, "--output FILE")


def models(options: argparse.Namespace) -> str:
    """The table of a card, of a model, or of all."""
    from ..recipes import model_table as table  # only this verb needs the models and the nodes
    from ..upstream.nvidia.card_memory import CARD_OF_EACH_MEMORY
    from ..upstream.programs.model_catalogue import CATALOGUE
    from .fitted import fitted

    names = None if options.model is None else [table.known_model(options.model)]
    if options.format == "json":
        cards = [options.card] if options.card else list(CARD_OF_EACH_MEMORY.values())
        rows = [
            {"card": card, **each._asdict(), "memory": round(each.memory, 1)}
            for card in cards
            for each in table.on_card(card, names or CATALOGUE)
        ]
        return json.dumps(rows, indent=2) + "\n"
    if options.card:
        return fitted(table.card_table(options.card, names or CATALOGUE), options)
    return fitted(table.model_table(names[0]) if names else table.cards_table(), options)
