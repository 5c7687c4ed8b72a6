"""The recipes of the face, and what each asks for beside its nodes."""

from constructs_lib.constructs.recipes import Recipe
from public_face import every_public

RECIPES = {name: public for name, public in every_public().items() if isinstance(public, type) and issubclass(public, Recipe)}
ARGUMENTS: dict[str, dict[str, object]] = {
    "LlamaCpp": {"model": "Qwen/Qwen3-8B-GGUF", "file": "Qwen3-8B-Q4_K_M.gguf"},
    "Sglang": {"model": "Qwen/Qwen3-8B"},
    "TextEmbeddings": {"model": "BAAI/bge-m3"},
    "Vllm": {"model": "Qwen/Qwen3-8B"},
}
"""What a recipe asks for beside its nodes."""
