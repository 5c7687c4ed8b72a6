"""The public names of the library, of every package that has some."""

from importlib import import_module

from constructs_lib.arguments.public_names import PACKAGES, public_names

PUBLIC = {name: package for package in PACKAGES for name in public_names(package)}


def public(name: str) -> object:
    return getattr(import_module(PUBLIC[name]), name)


def every_public() -> dict[str, object]:
    return {name: public(name) for name in PUBLIC}
