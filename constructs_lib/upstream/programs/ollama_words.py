"""The words of Ollama: its port, its variables and its folders."""

from __future__ import annotations

PORT = 11434
"""The port of Ollama's API, which asks for no key or password, and also serves Go's pprof.

Source: ollama/ollama server/routes.go and envconfig/config.go at v0.32.15 (2026-11-21)
"""

HEALTH = "/api/version"
"""The path that answers as soon as the server runs, before any model is loaded.

Source: ollama/ollama server/routes.go at v0.32.15 (2026-11-21)
"""

HOST = "OLLAMA_HOST"
"""The address of the server, for the server and its clients.

Source: ollama/ollama envconfig/config.go at v0.32.15 (2026-11-21)
"""

CONTEXT_LENGTH = "OLLAMA_CONTEXT_LENGTH"
"""The context of a model that is loaded. Without the variable Ollama chooses 4,096, 32,768 or 262,144 by the whole
memory of the card, also where pods share the card.

Source: ollama/ollama server/routes.go at v0.32.15, #14116 (2026-11-21)
"""

GPU_OVERHEAD = "OLLAMA_GPU_OVERHEAD"
"""The bytes of each card that Ollama leaves to others.

Source: ollama/ollama envconfig/config.go at v0.32.15 (2026-11-21)
"""

MODELS = "OLLAMA_MODELS"
"""The folder of the models.

Source: ollama/ollama envconfig/config.go at v0.32.15 (2026-11-21)
"""

PARALLEL = "OLLAMA_NUM_PARALLEL"
"""The requests that a model answers at once. Each has its own context in the card's memory.

Source: ollama/ollama envconfig/config.go at v0.32.15 (2026-11-21)
"""

KEEP_ALIVE = "OLLAMA_KEEP_ALIVE"
"""The time for which an idle model stays in the card's memory: 5m by default, -1 for ever.

Source: ollama/ollama envconfig/config.go at v0.32.15 (2026-11-21)
"""

KV_CACHE_TYPE = "OLLAMA_KV_CACHE_TYPE"
"""The type of the KV cache, which other types than f16 need flash attention for.

Source: ollama/ollama envconfig/config.go at v0.32.15 (2026-11-21)
"""

FLASH_ATTENTION = "OLLAMA_FLASH_ATTENTION"
"""Whether Ollama uses flash attention.

Source: ollama/ollama envconfig/config.go at v0.32.15 (2026-11-21)
"""
