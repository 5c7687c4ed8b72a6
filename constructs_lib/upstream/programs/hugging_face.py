"""The words of Hugging Face's libraries: the variables that servers and downloads read."""

from __future__ import annotations

HOME = "HF_HOME"
"""The folder of the caches of Hugging Face's libraries.

Source: https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables (2026-11-22)
"""

TOKEN = "HF_TOKEN"  # noqa: S105  # the name of a variable
"""The token for gated and private repositories.

Source: https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables (2026-11-22)
"""

OLD_TOKEN = "HUGGING_FACE_HUB_TOKEN"  # noqa: S105  # the name of a variable
"""The former name of the token's variable, which the libraries still read.

Source: huggingface/huggingface_hub src/huggingface_hub/utils/_auth.py at 0806068 (2026-11-22)
"""

OFFLINE = "HF_HUB_OFFLINE"
"""Whether the libraries read local files only.

Source: https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables (2026-11-22)
"""

ORIGINALS = "original/*"
"""The files of a repository in which Meta's models have their weights a second time, in another format.

Source: https://huggingface.co/meta-llama/Llama-3.1-8B-Instruct, vllm-project/vllm
vllm/model_executor/model_loader/default_loader.py (2026-11-22)
"""

SITE = "https://huggingface.co"
"""The site of the models. A file is at `/<repository>/resolve/<revision>/<path>`, and answers by a redirect.

Source: https://huggingface.co/docs/huggingface_hub/package_reference/file_download (2026-11-22)
"""
