"""Versions that are newer than the tables of this library: the rules know nothing of them."""

from __future__ import annotations

from collections.abc import Iterator

from ...nodes.talos_version import newer_than_tables
from ...observed.model import Inputs
from ...observed.nodes.node_settings import talos_of
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS


def _newer(inputs: Inputs) -> Iterator[Violation]:
    for release in inputs.releases:
        if release.is_newer_than_known:
            yield Violation(
                severity=Severity.INFO,
                message=f"{newer_than_tables(f'{release.chart} {release.version}')}. The rules go by the templates and values of older versions",
                about=release,
            )
    for config in inputs.node_configs:
        talos = talos_of(config, inputs)
        if talos is not None and (not talos.is_known or talos.follows_preview):
            yield Violation(
                severity=Severity.INFO,
                message=f"{newer_than_tables(f'Talos {talos}')}. The rules go by the newest Talos that they know",
                about=config,
            )


_RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: nfd, namespace: kube-system}
spec: {chart: {spec: {chart: node-feature-discovery, version: %s}}}
"""

RULES = (
    Rule(
        **WORDS["TG101"],
        severity=Severity.INFO,
        check=_newer,
        failing=Example(yaml=_RELEASE % "99.1.0"),
        passing=Example(yaml=_RELEASE % "0.19.0"),
    ),
)
