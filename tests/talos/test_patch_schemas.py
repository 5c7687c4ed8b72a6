"""Every patch against the JSON schemas that Talos publishes for its machine configuration.

A patch is a partial document, and nothing in these schemas is required of `machine:`, so they take patches too. They are strict: an
unknown field is refused. Talos publishes one a minor release; where the folder lacks one, the nearest checks: 1.8 to 1.11 and 1.12 have the
same fields of what is written here (each was tried with its own, pkg/machinery/config/schemas at v1.8.0 to v1.11.0).
"""

import copy
import functools
import itertools
import json
from pathlib import Path

import jsonschema
import pytest

from conftest import needs
from constructs_lib import GpuNodes, Taint
from constructs_lib.talos.config.control_plane import ControlPlanePatch
from constructs_lib.talos.config.machine_config import MachineConfigPatch
from constructs_lib.upstream.talos.releases import TALOS

FLAGS = ("gdrcopy", "operator", "default_runtime", "base_runtime_spec")
TAINTS = (Taint("dedicated", "ai"), Taint("gpu", effect="NoExecute"), Taint("example.com/gpu", "", "PreferNoSchedule"))
CONTROL_PLANE = Taint("node-role.kubernetes.io/control-plane")


@functools.cache
def validator(path: Path) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads(path.read_text()))


def schema(minor: int) -> jsonschema.Draft202012Validator:
    folder = Path(needs("TALOS_SCHEMAS", "the schemas that Talos publishes"))
    nearest = min((int(path.stem.rpartition(".")[2]) for path in folder.glob("config.schema-v1.*.json")), key=lambda had: abs(had - minor))
    return validator(folder / f"config.schema-v1.{nearest}.json")


def schema_for(talos: str, style: str) -> jsonschema.Draft202012Validator:
    """The schema of this minor; Talos 1.14 still reads the fields, but its schema lists them no more, so 1.13's checks them."""
    minor = int(talos.partition(".")[2])
    return schema(minor if style == "documents" else min(minor, 13))


def every_patch(talos: str, style: str):
    """Each combination of flags, with and without all the rest, for workers and for the control plane."""
    for flags, full, control_plane in itertools.product(itertools.product((False, True), repeat=4), (False, True), (False, True)):
        given = dict(zip(FLAGS, flags, strict=True))
        minor = int(talos.partition(".")[2])
        # What this Talos does not have, it refuses: test_talos_machine_config.py.
        given["gdrcopy"] &= minor >= 12
        given["base_runtime_spec"] &= 9 <= minor <= 14
        given["default_runtime"] &= minor <= 14
        taints = [*(TAINTS if full else ()), *([CONTROL_PLANE] if control_plane else [])]
        if full:
            given["kernel_module_parameters"] = {"nvidia": ["NVreg_OpenRmEnableUnsupportedGpus=1"], "nvidia_drm": ["modeset=1"]}
            given["sysctls"] = {"vm.max_map_count": "262144"}
            given["extra_kernel_modules"] = ["nbd", "ib_umad"]
            given["cdi_spec_dirs"] = ["/var/cdi/static"]
        nodes = GpuNodes(talos_version=talos, taints=taints, **({"name": "rtx", "labels": {"role": "gpu"}} if full else {}))
        yield MachineConfigPatch(nodes=nodes, style=style, **given)


STYLES = [(talos, "fields") for talos in TALOS if talos != "1.15"] + [("1.14", "documents")]


@pytest.mark.parametrize(("talos", "style"), STYLES)
def test_every_patch_is_valid_by_the_schema_of_its_talos(talos, style):
    validator = schema_for(talos, style)
    checked = [document for made in every_patch(talos, style) for document in made.documents]

    assert len(checked) >= 64
    assert [error.message for document in checked for error in validator.iter_errors(document)] == []


@pytest.mark.filterwarnings("ignore::constructs_lib.TalosGpuWarning")
@pytest.mark.parametrize("style", ["fields", "documents"])
def test_the_preview_has_no_schema_yet_and_is_valid_by_the_last_that_is_published(style):
    validator = schema_for("1.15", style)

    assert [
        error.message for made in every_patch("1.15", style) for document in made.documents for error in validator.iter_errors(document)
    ] == []


def test_all_that_a_patch_can_hold_was_judged():
    """Or the two tests above would say less than they seem to."""
    fields = {key for made in every_patch("1.12", "fields") for key in made.documents[0]["machine"]}
    kinds = {document["kind"] for made in every_patch("1.14", "documents") for document in made.documents}

    assert fields == {"kernel", "sysctls", "nodeLabels", "nodeTaints", "kubelet", "files"}
    assert kinds == {"KernelModuleConfig", "SysctlConfig", "KubeNodeConfig", "CRICustomizationConfig"}


def _changed(document, path, value):
    """A copy with one thing else in it; None takes it away."""
    changed = copy.deepcopy(document)
    *parents, last = path
    place = changed
    for key in parents:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return changed


FULL = {
    "taints": TAINTS,
    "labels": {"role": "gpu"},
}


def full(talos, style):
    nodes = GpuNodes(talos_version=talos, **FULL)
    return MachineConfigPatch(
        nodes=nodes,
        style=style,
        default_runtime=True,
        sysctls={"vm.max_map_count": "262144"},
        kernel_module_parameters={"nvidia": ["a=1"]},
    )


@pytest.mark.parametrize("talos", ["1.12", "1.13"])
@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("machine", "kernelModules"), []),
        (("machine", "kernel", "modules"), ["nvidia"]),
        (("machine", "kernel", "modules", 0, "parameters"), "a=1"),
        (("machine", "kernel", "modules", 0, "params"), ["a=1"]),
        (("machine", "sysctls", "vm.max_map_count"), ["262144"]),
        (("machine", "nodeLabels"), ["role"]),
        (("machine", "nodeLabels", "role"), 1),
        (("machine", "nodeTaints"), [{"key": "a"}]),
        (("machine", "nodeTaints", "dedicated"), {"value": "ai", "effect": "NoSchedule"}),
        (("machine", "kubelet", "registerWithTaints"), []),
        (("machine", "files", 0, "op"), "replace"),
        (("machine", "files", 0, "mode"), 420),
        (("machine", "files"), {}),
        (("kind",), "KernelModuleConfig"),
    ],
)
def test_wrong_fields_are_refused_so_the_schemas_can_fail(talos, path, value):
    validator = schema_for(talos, "fields")
    (document,) = full(talos, "fields").documents

    assert validator.is_valid(document)
    assert not validator.is_valid(_changed(document, path, value))


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("KernelModuleConfig", ("name",), None),
        ("KernelModuleConfig", ("apiVersion",), "v1"),
        ("KernelModuleConfig", ("kind",), "KernelModulesConfig"),
        ("KernelModuleConfig", ("parameters",), "a=1"),
        ("KernelModuleConfig", ("modules",), []),
        ("SysctlConfig", ("params", "vm.max_map_count"), 262144),
        ("SysctlConfig", ("sysctls",), {}),
        ("KubeNodeConfig", ("nodeLabels",), {}),
        ("KubeNodeConfig", ("labels", "role"), True),
        ("KubeNodeConfig", ("taints",), ["dedicated=ai:NoSchedule"]),
        ("CRICustomizationConfig", ("name",), None),
        ("CRICustomizationConfig", ("content",), {"plugins": {}}),
        ("CRICustomizationConfig", ("path",), "/etc/cri"),
    ],
)
def test_wrong_documents_are_refused_so_the_schema_can_fail(kind, path, value):
    validator = schema_for("1.14", "documents")
    document = next(each for each in full("1.14", "documents").documents if each["kind"] == kind)

    assert validator.is_valid(document)
    assert not validator.is_valid(_changed(document, path, value))


def test_the_schema_of_1_14_knows_the_fields_no_more_so_another_judges_them():
    (document,) = full("1.14", "fields").documents

    assert schema(13).is_valid(document)
    assert not schema(14).is_valid(document)


def test_the_schema_of_1_13_knows_none_of_the_documents():
    validator = schema(13)

    assert [document["kind"] for document in full("1.14", "documents").documents if validator.is_valid(document)] == []


@pytest.mark.parametrize(("talos", "style"), [("1.12", "fields"), ("1.13", "fields"), ("1.14", "fields"), ("1.14", "documents")])
def test_talos_takes_the_patch_of_a_control_plane(talos, style):
    patch = ControlPlanePatch(talos_version=talos, style=style, feature_gates=["GenericWorkload"], kubernetes_version="1.37")

    # The document that Talos 1.14 generates has the image of the program; a patch leaves it as it is.
    image = {"image": "registry.k8s.io/program:v1.37.2"} if style == "documents" else {}
    for document in ({**image, **document} for document in patch.documents):
        assert [*schema_for(talos, style).iter_errors(document)] == []
