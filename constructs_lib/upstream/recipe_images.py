"""The images of the recipes, by the major version of CUDA that each is built with. 0 is an image that brings several versions."""

from __future__ import annotations

OLLAMA_IMAGES = {0: "ollama/ollama:0.32.15"}
"""Ollama, with the libraries of CUDA 12.8 and 13.0.

Source: ollama/ollama Dockerfile and docs/gpu.mdx at v0.32.15 (2026-11-21)
"""
