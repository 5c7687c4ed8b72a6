"""The models that people run, by the numbers of their config.json."""

from __future__ import annotations

from typing import NamedTuple

from ..table_files import read_table


class ModelShape(NamedTuple):
    """The numbers of a model that its memory follows from."""

    source: str
    """The repository on https://huggingface.co whose config.json has the numbers; empty for a model of the user's."""
    parameters: int
    """The parameters of the language model, without an encoder of images and without layers for several tokens at once
    (MTP)."""
    layers: int
    hidden: int
    heads: int
    """The attention heads, which tensor parallelism divides."""
    kv_heads: int
    """The heads of the KV cache; 0 for an encoder, which keeps none."""
    head_dim: int
    vocabulary: int
    context: int
    """The longest context of the model, in tokens."""
    expert_parameters: int = 0
    """The part of the parameters that is in routed experts (MoE)."""
    has_images: bool = False
    """Whether the repository also has an encoder of images."""
    is_tied: bool = False
    """Whether the output layer is the embedding, in one tensor."""
    windowed_layers: int = 0
    """The layers that keep the last `window` tokens only (sliding-window attention)."""
    window: int = 0
    token_values: int = 0
    """The values of a token in a layer without a window, where they are not a key and a value of each KV head (MLA,
    Gemma 4)."""
    recurrent_layers: int = 0
    """The layers with a state of fixed size in place of a KV cache (linear attention)."""
    recurrent_values: int = 0
    """The values of that state in all layers, for one request."""
    quantization: str = "bf16"
    """The quantization of the weights in the repository."""


_READ = ("config", "read_on")
"""Where and when a row was read."""

CATALOGUE: dict[str, ModelShape] = {
    name: ModelShape(**{key: value for key, value in row.items() if key not in _READ})
    for name, row in read_table("tables/models")["models"].items()
}
"""The models by the names that they have in talk: lower case, with the number of the release and the size. The
parameters are the sum over the tensors that config.json describes.

Source: tables/models.json, where each row names the place and the day of its config.json (2026-11-28)
"""
