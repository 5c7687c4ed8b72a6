"""The words of Open WebUI: its port and its folder."""

from __future__ import annotations

OPEN_WEBUI_PORT = 8080
"""The port of Open WebUI, which answers `/health` without a login. The variable PORT changes it.

Source: open-webui/open-webui Dockerfile, EXPOSE and HEALTHCHECK; backend/start.sh (2026-11-22)
"""

OPEN_WEBUI_DATA = "/app/backend/data"
"""The folder of Open WebUI's database, uploads and models.

Source: open-webui/open-webui Dockerfile, WORKDIR and WHISPER_MODEL_DIR (2026-11-22)
"""
