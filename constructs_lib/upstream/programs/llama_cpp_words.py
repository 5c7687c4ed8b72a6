"""The words of llama.cpp's server: its port, its variables and its dangerous flags."""

from __future__ import annotations

PORT = 8080
"""The port of the image's health check. The program's own default differs between releases.

Source: ggml-org/llama.cpp .devops/cuda.Dockerfile at 00d6946, tools/server/README.md at 00dc805 (2026-11-22)
"""

API_KEY = "LLAMA_API_KEY"
"""The key that clients give, also for `/metrics`. `/health` asks for none.

Source: ggml-org/llama.cpp tools/server/README.md at 00dc805, tools/server/server-http.cpp (2026-11-22)
"""

CACHE = "LLAMA_CACHE"
"""The folder of the server's own downloads.

Source: ggml-org/llama.cpp common/common.cpp (2026-11-22)
"""

AGENT_FLAGS = ("--tools", "--agent", "-ag", "--mcp-servers-config", "--mcp-servers-json", "--ui-mcp-proxy", "--webui-mcp-proxy")
"""The flags with which the server reads and writes files and runs shell commands for its clients.

Source: ggml-org/llama.cpp tools/server/README.md at 00dc805 (2026-11-22)
"""

CACHE_FLAGS = ("--cache-type-k", "-ctk", "--cache-type-v", "-ctv", "--flash-attn", "-fa")
"""The flags of the KV cache. Images with CUDA have one type for keys and values, and a quantized cache of values needs
flash attention.

Source: ggml-org/llama.cpp#28524, tools/server/README.md at 00dc805 (2026-11-22)
"""
