"""Terraform's resources give the inputs that the rules know: node configurations, releases and objects."""

from constructs_lib.observed.model import Unknown

CLUSTER = """\
variable "nodes" {
  type    = map(object({ gpu = optional(bool, false) }))
  default = { cp = {}, gpu-1 = { gpu = true } }
}
data "talos_image_factory_extensions_versions" "gpu" {
  talos_version = "v1.12.6"
  filters       = { names = ["nonfree-kmod-nvidia-lts", "nvidia-container-toolkit-lts"] }
}
resource "talos_image_factory_schematic" "gpu" {
  schematic = yamlencode({
    customization = {
      systemExtensions = { officialExtensions = data.talos_image_factory_extensions_versions.gpu.extensions_info.*.name }
    }
  })
}
data "talos_machine_configuration" "this" {
  for_each      = var.nodes
  machine_type  = each.key == "cp" ? "controlplane" : "worker"
  talos_version = "v1.11"
}
resource "talos_machine_configuration_apply" "this" {
  for_each                    = var.nodes
  machine_configuration_input = data.talos_machine_configuration.this[each.key].machine_configuration
  config_patches = [
    yamlencode({ machine = { network = { hostname = each.key } } }),
    each.value.gpu ? file("gpu.yaml") : "machine: {}",
    each.value.gpu ? yamlencode({
      machine = { install = { image = "factory.talos.dev/installer/${talos_image_factory_schematic.gpu.id}:v1.12.6" } }
    }) : "machine: {}",
  ]
}
"""
PATCH = "machine:\n  kernel:\n    modules:\n      - name: nvidia\n"


def test_an_applied_configuration_is_that_of_its_node(terraform):
    inputs = terraform(CLUSTER, files={"gpu.yaml": PATCH})
    control, gpu = inputs.node_configs

    assert [(each.scope, each.name, each.complete, each.control_plane) for each in (control, gpu)] == [
        ("node", "cp", True, True),
        ("node", "gpu-1", True, False),
    ]
    assert (control.talos_version, control.pod_security, control.extensions) == ("v1.11", "baseline", None)
    assert (gpu.talos_version, gpu.kernel_modules) == ("v1.12.6", ("nvidia",))
    assert gpu.extensions == ("siderolabs/nonfree-kmod-nvidia-lts", "siderolabs/nvidia-container-toolkit-lts")
    assert gpu.place_at(gpu.paths["kernel_modules"]) == ("gpu.yaml", 3)
    assert gpu.place_at(gpu.paths["extensions"]) == ("main.tf", 9)


def test_nodes_that_only_terraform_knows_are_a_group(terraform):
    configs = terraform(CLUSTER.replace("default = ", "nullable = true # "), files={"gpu.yaml": PATCH}).node_configs

    assert [(each.scope, each.complete) for each in configs] == [("group", False), ("patch", False), ("patch", False)]


def test_a_schematic_of_no_node_is_a_patch(terraform):
    (config,) = terraform(CLUSTER.partition('data "talos_machine_configuration"')[0]).node_configs

    assert (config.scope, config.name) == ("patch", "talos_image_factory_schematic.gpu")


RELEASE = """\
resource "kubernetes_namespace" "gpu" {
  metadata {
    name = "gpu"
  }
}
resource "helm_release" "plugin" {
  name       = "plugin"
  namespace  = kubernetes_namespace.gpu.metadata[0].name
  repository = "https://nvidia.github.io/k8s-device-plugin"
  chart      = "nvidia-device-plugin"
  version    = "0.18.0"
  values     = [file("values.yaml"), yamlencode({ a = 2, c = var.c })]
SET
}
"""


def test_a_release_has_its_values_merged(terraform):
    blocks = '  set {\n    name  = "d.e"\n    value = "true"\n  }\n'
    listed = '  set = [{ name = "d.e", value = "true" }]\n'
    for written in (blocks, listed):
        (release,) = terraform(RELEASE.replace("SET\n", written), files={"values.yaml": "a: 1\nb: 1\n"}).releases

        assert (release.chart, release.name, release.namespace, release.version) == ("nvidia-device-plugin", "plugin", "gpu", "0.18.0")
        assert release.complete
        assert (release.value("a"), release.value("b"), release.value("d", "e")) == (2, 1, True)
        assert isinstance(release.value("c"), Unknown)
        assert release.place_at(("values", "b")) == ("values.yaml", 2)
        assert release.place_at(("values", "a")) == ("main.tf", 12)


def test_values_that_were_not_read_make_a_release_incomplete(terraform):
    assert not terraform(RELEASE.replace("SET\n", ""), files={}).releases[0].complete


def test_a_count_of_zero_installs_nothing(terraform):
    assert not terraform(RELEASE.replace("SET\n", "  count = false ? 1 : 0\n"), files={"values.yaml": ""}).releases


def test_the_alias_of_a_provider_is_another_cluster(terraform):
    other = RELEASE.replace("SET\n", "  provider = helm.b\n").replace('"plugin" {', '"other" {').partition('resource "helm_release"')
    inputs = terraform(RELEASE.replace("SET\n", "") + other[1] + other[2], files={"values.yaml": "a: 1\n"})

    assert len(inputs.releases) == 1
    assert [each.reason for each in inputs.skipped if "helm_release" in each.reason] == [
        "helm_release.other is of another cluster: provider b"
    ]


def test_a_cluster_that_does_not_run_talos_is_left_out(terraform):
    inputs = terraform(RELEASE.replace("SET\n", "") + 'resource "aws_eks_cluster" "a" {\n}\n', files={"values.yaml": "a: 1\n"})

    assert not inputs.releases
    assert all("does not run Talos: aws_eks_cluster" in each.reason for each in inputs.skipped if each.file == "main.tf")


def test_a_resource_that_is_not_read_is_named_if_it_speaks_of_nvidia(terraform):
    inputs = terraform('resource "kubernetes_daemonset" "a" {\n  image = "nvidia"\n}\nresource "kubernetes_namespace" "a" {\n}\n')

    assert [(each.line, each.reason, each.names_nvidia) for each in inputs.skipped] == [
        (1, "the resource kubernetes_daemonset.a is not read", True)
    ]
