"""For tools that still ask for a setup.py; the metadata is in pyproject.toml."""

from setuptools import setup

setup()
