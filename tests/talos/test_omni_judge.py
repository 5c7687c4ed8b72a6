"""Omni's own library takes the resources and the templates that this library writes, and refuses what this library refuses."""

import subprocess

import pytest
import yaml

from conftest import message, needs
from constructs_lib import GpuNodes, Taint
from constructs_lib.checks.rules import RULES
from constructs_lib.talos import MachineConfigPatch, OmniTarget, Schematic, omni_config_patch, omni_extensions, omni_template
from constructs_lib.talos.targets.omni import patch_data
from constructs_lib.talos.targets.omni_template import template_document

CONTROL_PLANE, WORKER = "27c16241-96bf-4f17-9579-ea3a6c4a3ca8", "37c16241-96bf-4f17-9579-ea3a6c4a3ca8"
TEMPLATE = {
    "Cluster": {"kind": "Cluster", "name": "home", "kubernetes": {"version": "v1.34.1"}, "talos": {"version": "v1.13.9"}},
    "ControlPlane": {"kind": "ControlPlane", "machines": [CONTROL_PLANE]},
    "Workers": {"kind": "Workers", "name": "gpu", "machines": [WORKER]},
    "Machine": {"kind": "Machine", "name": WORKER},
}
TARGETS = {
    "cluster": OmniTarget(cluster="home"),
    "machine set": OmniTarget(cluster="home", machine_set="home-gpu"),
    "machine in its cluster": OmniTarget(cluster="home", cluster_machine=WORKER),
}


def omni(what, text):
    """The resources that Omni reads, and its error."""
    line = [needs("OMNI_VALIDATE", "a program with Omni's own library (tools/omni.sh)"), what]
    done = subprocess.run(line, input=text, capture_output=True, text=True, check=False)
    return done.stdout.splitlines(), done.stderr


def nodes_of(talos):
    return GpuNodes(talos_version=talos, name="rtx", labels={"role": "gpu"}, taints=[Taint("dedicated", "ai")])


def patch_of(nodes):
    return MachineConfigPatch(
        nodes=nodes, style="fields", operator=True, sysctls={"vm.max_map_count": "262144"}, cdi_spec_dirs=["/var/cdi"], default_runtime=True,
        kernel_module_parameters={"nvidia": ["NVreg_EnableGpuFirmware=1"]},
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore:every machine of the cluster")
@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
@pytest.mark.parametrize("talos", ["1.9.6", "1.12.11", "1.13.9", "1.14.6"])
def test_omni_takes_the_resources(talos, target):
    nodes = nodes_of(talos)
    arguments = ["net.ifnames=0"] if target.cluster_machine else []
    written = f"{omni_config_patch(patch_of(nodes), target=target)}---\n{omni_extensions(Schematic(nodes=nodes, extra_kernel_args=arguments), target=target)}"
    expected = [f"{each['metadata']['type']} {each['metadata']['id']}" for each in yaml.safe_load_all(written)]

    assert omni("resources", written) == (expected, "")
    assert len(expected) == 2 + len(arguments)


@pytest.mark.filterwarnings("ignore:every machine of the cluster")
@pytest.mark.parametrize("kind", TEMPLATE)
@pytest.mark.parametrize("talos", ["1.9.6", "1.12.11", "1.13.9"])
def test_omni_takes_the_template_and_makes_the_resources_that_this_library_writes(talos, kind):
    nodes = nodes_of(talos)
    name = TEMPLATE[kind].get("name")
    part = yaml.safe_load(omni_template(schematic=Schematic(nodes=nodes), patch=patch_of(nodes), kind=kind, name=name))
    resources, error = omni("template", yaml.safe_dump_all((TEMPLATE | {kind: TEMPLATE[kind] | part}).values()))
    target = {
        "Cluster": TARGETS["cluster"],
        "ControlPlane": OmniTarget(cluster="home", machine_set="home-control-planes"),
        "Workers": TARGETS["machine set"],
        "Machine": TARGETS["machine in its cluster"],
    }[kind]

    assert error == ""
    for ours in (omni_config_patch(patch_of(nodes), target=target), omni_extensions(Schematic(nodes=nodes), target=target)):
        metadata = yaml.safe_load(ours)["metadata"]
        assert f"{metadata['type']} {metadata['id']}" in resources


def test_omni_takes_the_locks_of_an_upgrade_plan_on_workers_alone():
    locked = {"kind": "Machine", "name": WORKER, "locked": True}
    on_control_plane = locked | {"name": CONTROL_PLANE}

    assert omni("template", yaml.safe_dump_all((TEMPLATE | {"Machine": locked}).values()))[1] == ""
    assert (
        "is locked and used in controlplane" in omni("template", yaml.safe_dump_all((TEMPLATE | {"Machine": on_control_plane}).values()))[1]
    )


@pytest.mark.parametrize(
    ("target", "kind"),
    [(TARGETS["cluster"], "Cluster"), (TARGETS["machine set"], "Workers"), (TARGETS["machine in its cluster"], "Machine")],
)
@pytest.mark.filterwarnings("ignore:every machine of the cluster")
def test_omni_makes_the_resources_of_a_target_from_its_template_document(target, kind):
    nodes = nodes_of("1.13.9")
    image = Schematic(nodes=nodes, extra_kernel_args=["a=b"])
    part = yaml.safe_load(omni_template(schematic=image, patch=patch_of(nodes), **template_document(target)))
    resources, error = omni("template", yaml.safe_dump_all((TEMPLATE | {kind: TEMPLATE[kind] | part}).values()))
    ours = yaml.safe_load(omni_config_patch(patch_of(nodes), target=target))["metadata"]

    assert error == ""
    assert f"{ours['type']} {ours['id']}" in resources
    assert f"KernelArgs.omni.sidero.dev {WORKER}" in resources


@pytest.mark.parametrize(
    ("field", "data"),
    [
        ("machine.token", "machine: {token: abc}"),
        ("machine.install.extensions", "machine: {install: {extensions: [{image: a}]}}"),
        ("cluster.secret", "cluster: {secret: abc}"),
        ("os:admin", "machine: {features: {kubernetesTalosAPIAccess: {enabled: true, allowedRoles: ['os:admin']}}}"),
    ],
)
def test_both_refuse_the_fields_that_omni_manages(field, data):
    resource = omni_config_patch("machine: {sysctls: {a: '1'}}\n", target=TARGETS["cluster"])
    changed = yaml.safe_load(resource)
    changed["spec"]["data"] = data

    assert field in omni("resources", yaml.safe_dump(changed))[1]
    assert field in message(lambda: patch_data(data))


def test_the_documents_of_talos_1_14_need_a_newer_omni():
    patch = MachineConfigPatch(nodes=nodes_of("1.14.6"))

    assert '"KernelModuleConfig" "v1alpha1": not registered' in omni("resources", omni_config_patch(patch, target=TARGETS["cluster"]))[1]


def judged(example):
    """What Omni says of a resource, or of a machine configuration as a config patch: Omni decodes it with the library of Talos."""
    patch = {"metadata": {"type": "ConfigPatches.omni.sidero.dev", "id": "a"}, "spec": {"data": example.yaml}}
    text = example.yaml if "omni.sidero.dev" in example.yaml else yaml.safe_dump(patch)
    return " ".join(omni("resources", text)[1].split())


@pytest.mark.parametrize("rule", ["TG084", "TG087", "TG102", "TG126"])
def test_the_decoders_of_talos_and_omni_say_the_words_of_the_rule(rule):
    assert RULES[rule].symptom in judged(RULES[rule].failing)
    # The passing example of TG087 is for Talos 1.14, which this Omni does not know.
    assert rule == "TG087" or RULES[rule].symptom not in judged(RULES[rule].passing)


@pytest.mark.parametrize(
    ("what", "text", "error"),
    [
        ("template", "kind: Cluster\nname: home\n", "template should contain 1 controlplane, got 0"),
        ("template", "kind: Workers\nsystemExtension: []\n", "field systemExtension not found"),
        ("resources", "metadata: {type: ConfigPatchs.omni.sidero.dev, id: a}\nspec: {}\n", "no resource is registered"),
    ],
)
def test_omni_refuses_a_fault(what, text, error):
    assert error in omni(what, text)[1]
