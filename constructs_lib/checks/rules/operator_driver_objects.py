"""NVIDIADriver objects, for which the operator starts a driver's pods in spite of `driver.enabled: false`."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.agents.operators import Operator, operators
from ...observed.model import Inputs, KubernetesObject, equals, is_among, is_given, starts_with
from ...observed.nodes.gpu_node_configs import gpu_nodes_run_talos
from ...upstream.charts.gpu_operator_chart import DRIVER_OBJECT_GUARDED, DRIVER_OBJECT_SWITCHED, default
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._charts import operator_release

_EFFECT = (
    "The operator starts the pods of a driver for the object, and does not look at driver.enabled: false. The pods stay in ImagePullBackOff: NVIDIA "
    "builds no driver image for Talos"
)
_CRD = ("driver", "nvidiaDriverCRD")


def _driver_objects(inputs: Inputs) -> Iterator[Violation]:
    found = operators(inputs)
    for operator in found:
        if operator.is_on("driver", "enabled").is_no and _chart_creates_one(operator):
            yield Violation(
                severity=Severity.ERROR if gpu_nodes_run_talos(inputs) else Severity.WARNING,
                message=f"{'.'.join(_CRD)}.enabled is true, and charts before {DRIVER_OBJECT_GUARDED} then create the NVIDIADriver default. {_EFFECT}",
                about=operator.about,
                path=operator.path(*_CRD, "enabled"),
                fix=f"Set {'.'.join(_CRD)}.enabled: false, or update the chart to {DRIVER_OBJECT_GUARDED} or newer",
            )
    if found and all(each.is_on("driver", "enabled").is_no and _looks_at_objects(each) for each in found):
        for each in inputs.of_kind("NVIDIADriver"):
            if starts_with(each.api_version, "nvidia.com/").is_yes and is_among(each.at("spec", "driverType"), (None, "gpu")).is_yes:
                is_sure = gpu_nodes_run_talos(inputs) and not is_given(each.at("spec", "nodeSelector")) and not _has_own_image(each)
                yield Violation(
                    severity=Severity.ERROR if is_sure else Severity.WARNING,
                    message=f"driver.enabled of the operator is false, but an NVIDIADriver is in these files. {_EFFECT}",
                    about=each,
                )


def _chart_creates_one(operator: Operator) -> bool:
    creates = operator.written(*_CRD, "deployDefaultCR")
    is_on = operator.is_on(*_CRD, "enabled").is_yes and (creates is None or operator.is_on(*_CRD, "deployDefaultCR").is_yes)
    return is_on and operator.is_older_than(DRIVER_OBJECT_GUARDED)


def _looks_at_objects(operator: Operator) -> bool:
    switch = (*_CRD, "enabled") if operator.release else ("driver", "useNvidiaDriverCRD")
    return operator.is_older_than(DRIVER_OBJECT_SWITCHED) or operator.is_on(*switch).is_yes


def _has_own_image(driver: KubernetesObject) -> bool:
    """Whether an object names an image that is not NVIDIA's, or may."""
    written = ((driver.at("spec", key), default("driver", key)) for key in ("repository", "image"))
    return any(value is not None and not equals(value, own).is_yes for value, own in written)


_OPERATOR = operator_release().replace("driver: {enabled: false}", "driver: {enabled: false, nvidiaDriverCRD: {enabled: true}}")
_OBJECT = """\
---
apiVersion: nvidia.com/v1alpha1
kind: NVIDIADriver
metadata: {name: gpu}
spec: {driverType: gpu, repository: nvcr.io/nvidia, image: driver, version: 595.71.05}
"""

RULES = (
    Rule(
        **WORDS["TG117"],
        severity=Severity.ERROR,
        check=_driver_objects,
        failing=Example(yaml=_OPERATOR + _OBJECT, talos="1.13"),
        # This chart creates no object itself.
        passing=Example(yaml=_OPERATOR, talos="1.13"),
    ),
)
