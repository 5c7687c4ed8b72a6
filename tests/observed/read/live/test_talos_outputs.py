"""What talosctl prints: resources as YAML, JSON and tables, services, versions, files of /proc, kernels' messages and services' logs."""

import json

import pytest
import yaml

from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.observed.model.evidence import LogKind

NODE = "10.5.0.2"


def resource(kind, name, spec, node=NODE, namespace="runtime"):
    metadata = {"namespace": namespace, "type": kind, "id": name, "version": 1, "owner": "a.Controller", "phase": "running"}
    return {"node": node, "metadata": metadata, "spec": spec}


def as_yaml(*resources):
    return "---\n".join(yaml.dump(each, sort_keys=False, indent=4) for each in resources)


def as_json(*resources):
    return "".join(json.dumps(each, indent=4) + "\n" for each in resources)


in_each_form = pytest.mark.parametrize("form", [as_yaml, as_json])


def machine(text, node=NODE):
    dump = read_dump([], stream=text)
    assert dump.unread == []
    return dump.machine([node])


def extension(number, name, version):
    return resource(
        "ExtensionStatuses.runtime.talos.dev", str(number), {"image": f"{number}.sqsh", "metadata": {"name": name, "version": version}}
    )


@in_each_form
def test_extensions_and_the_schematic_are_read(form):
    read = machine(
        form(
            extension(0, "nvidia-container-toolkit-lts", "580.126.20-v1.18.2"),
            extension(1, "schematic", "5ab1"),
            extension("modules.dep", "modules.dep", "6.18.1"),
        )
    )

    assert {name: each.version for name, each in read.extensions.items()} == {"nvidia-container-toolkit-lts": "580.126.20-v1.18.2"}
    assert read.schematic.value == "5ab1"
    assert read.extensions["nvidia-container-toolkit-lts"].evidence.source == "ExtensionStatuses.runtime.talos.dev/0 (standard input)"


@in_each_form
@pytest.mark.parametrize(("kind", "state"), [("LoadedKernelModules", "Live"), ("KernelModuleStatuses", "live")])
def test_loaded_modules_are_read_with_underscores(form, kind, state):
    assert (
        machine(form(resource(f"{kind}.runtime.talos.dev", "nvidia-uvm", {"size": 1, "state": state}))).modules["nvidia_uvm"].value == state
    )


@in_each_form
def test_configured_modules_are_read_with_their_parameters(form):
    spec = {"string": "nvidia", "parameters": ["NVreg_OpenRmEnableUnsupportedGpus=1", "NVreg_X=0"]}

    assert machine(form(resource("KernelModuleSpecs.runtime.talos.dev", "nvidia", spec))).configured_modules["nvidia"].value == (
        "NVreg_OpenRmEnableUnsupportedGpus=1 NVreg_X=0"
    )


@in_each_form
def test_sysctls_are_read(form):
    spec = {"current": "1", "default": "0", "unsupported": False}

    assert (
        machine(form(resource("KernelParamStatuses.runtime.talos.dev", "proc.sys.net.core.bpf_jit_harden", spec)))
        .sysctls["net.core.bpf_jit_harden"]
        .value
        == "1"
    )


@in_each_form
def test_secure_boot_is_read(form):
    assert machine(form(resource("SecurityStates.talos.dev", "securitystate", {"secureBoot": True}))).is_secure_boot.value == "true"


def device(name, class_id, vendor_id, **more):
    return resource("PCIDevices.hardware.talos.dev", name, {"class_id": class_id, "vendor_id": vendor_id, **more}, namespace="hardware")


@in_each_form
def test_cards_of_nvidia_are_read_and_their_audio_devices_are_not(form):
    card = device("0000:01:00.0", "0x03", "0x10de", vendor="NVIDIA Corporation", product="AD102 [GeForce RTX 4090]", driver="vfio-pci")
    read = machine(
        form(card, device("0000:01:00.1", "0x04", "0x10de", product="AD102 Audio"), device("0000:00:02.0", "0x03", "0x8086", product="UHD"))
    )

    assert {name: each.value for name, each in read.pci.items()} == {"0000:01:00.0": "AD102 [GeForce RTX 4090]"}
    assert "vfio-pci" in read.pci["0000:01:00.0"].evidence.text


@in_each_form
def test_a_machine_whose_devices_are_of_others_has_no_card(form):
    assert machine(form(device("0000:00:02.0", "0x03", "0x8086"))).pci == {}


@in_each_form
def test_what_was_not_printed_is_unknown(form):
    read = machine(form(extension(0, "iscsi-tools", "v0.2.0")))

    assert (read.pci, read.modules, read.services, read.configured_modules) == (None, None, None, None)


@in_each_form
def test_outputs_of_several_nodes_are_kept_apart(form):
    other = {**extension(0, "b", "2"), "node": "10.5.0.3"}
    dump = read_dump([], stream=form(extension(0, "a", "1"), other))

    assert [list(dump.machine([node]).extensions) for node in (NODE, "10.5.0.3")] == [["a"], ["b"]]


CONFIG = """\
version: v1alpha1
machine:
  type: worker
  token: planted-machine-token
  ca: {crt: abc, key: planted-ca-key}
  kernel:
    modules:
    - name: nvidia
      parameters: [NVreg_X=0]
    - name: nvidia_uvm
  sysctls: {net.core.bpf_jit_harden: "1"}
  install: {image: "factory.talos.dev/installer/5ab1:v1.13.2", wipe: false}
  registries: {config: {ghcr.io: {auth: {password: planted-registry}}}}
  files:
  - {path: /etc/cri/conf.d/20-customization.part, op: create, content: 'default_runtime_name = "nvidia"'}
  - {path: /var/etc/other, op: create, content: planted-file}
cluster: {secret: planted-cluster-secret, token: planted-cluster-token, aescbcEncryptionSecret: planted-aescbc}
---
apiVersion: v1alpha1
kind: KernelModuleConfig
name: nvidia_modeset
---
apiVersion: v1alpha1
kind: RegistryAuthConfig
password: planted-document
"""


@in_each_form
@pytest.mark.parametrize("spec", [CONFIG, yaml.safe_load(CONFIG.split("---", maxsplit=1)[0])], ids=["text", "mapping"])
def test_of_a_machine_configuration_only_what_gpus_need_is_kept(form, spec):
    read = machine(form(resource("MachineConfigs.config.talos.dev", "v1alpha1", spec, namespace="config")))

    assert "planted" not in repr(read)
    assert 'default_runtime_name = "nvidia"' in read.config.files[0]["content"]
    assert read.config.image == "factory.talos.dev/installer/5ab1:v1.13.2"
    assert read.configured_modules["nvidia"].value == "NVreg_X=0"


@in_each_form
def test_modules_of_documents_are_configured_modules(form):
    read = machine(form(resource("MachineConfigs.config.talos.dev", "v1alpha1", CONFIG, namespace="config")))

    assert list(read.configured_modules) == ["nvidia", "nvidia_uvm", "nvidia_modeset"]


EXTENSIONS = """\
NODE       NAMESPACE   TYPE              ID   VERSION   NAME                           VERSION
10.5.0.2   runtime     ExtensionStatus   0    1         nvidia-container-toolkit-lts   580.126.20-v1.18.2
10.5.0.2   runtime     ExtensionStatus   1    1         schematic                      5ab1
"""
PCI = """\
NODE       NAMESPACE   TYPE        ID             VERSION   CLASS                SUBCLASS                    VENDOR               PRODUCT
10.5.0.2   hardware    PCIDevice   0000:00:02.0   1                                                          Intel Corporation
10.5.0.2   hardware    PCIDevice   0000:01:00.0   1         Display controller   VGA compatible controller   NVIDIA Corporation   AD102 [GeForce RTX 4090]
"""
SERVICES = """\
NODE       SERVICE                   STATE     HEALTH   LAST CHANGE   LAST EVENT
10.5.0.2   apid                      Running   OK       1h2m3s ago    Health check successful
10.5.0.2   ext-nvidia-persistenced   Waiting   ?        2m0s ago      Waiting for file "/dev/nvidia0" to exist
"""


@pytest.mark.parametrize("text", [EXTENSIONS, EXTENSIONS.partition("\n")[2]], ids=["table", "grep"])
def test_a_table_of_extensions_is_read(text):
    read = machine(text)

    assert {name: each.version for name, each in read.extensions.items()} == {"nvidia-container-toolkit-lts": "580.126.20-v1.18.2"}
    assert read.schematic.value == "5ab1"


@pytest.mark.parametrize("text", [PCI, PCI.splitlines()[2] + "\n"], ids=["table", "grep"])
def test_a_table_with_empty_cells_is_read_by_its_columns(text):
    assert {name: each.value for name, each in machine(text).pci.items()} == {"0000:01:00.0": "AD102 [GeForce RTX 4090]"}


def test_a_card_without_a_subclass_is_read_by_the_columns_of_the_head():
    text = PCI.replace("VGA compatible controller   NVIDIA", "                            NVIDIA")

    assert list(machine(text).pci) == ["0000:01:00.0"]


@pytest.mark.parametrize("text", [SERVICES, SERVICES.partition("\n")[2]], ids=["table", "grep"])
def test_services_are_read_with_their_last_event(text):
    service = machine(text).services["ext-nvidia-persistenced"]

    assert (service.state, service.health, service.event) == ("Waiting", "?", 'Waiting for file "/dev/nvidia0" to exist')
    assert "Waiting for file" in service.evidence.text


def test_the_state_of_one_service_is_read():
    text = """\
NODE     10.5.0.2
ID       ext-nvidia-persistenced
STATE    Waiting
HEALTH   ?
EVENTS   [Waiting]: Waiting for file "/dev/nvidia0" to exist (1m0s ago)
         [Waiting]: Waiting for service "cri" to be "up" (2m0s ago)
"""
    service = machine(text).services["ext-nvidia-persistenced"]

    assert (service.state, service.event) == ("Waiting", 'Waiting for file "/dev/nvidia0" to exist')


def test_members_join_names_and_addresses():
    members = """\
NODE       NAMESPACE   TYPE     ID      VERSION   HOSTNAME   MACHINE TYPE   OS                ADDRESSES
10.5.0.2   cluster     Member   gpu-1   1         gpu-1      worker         Talos (v1.13.2)   ["10.5.0.2","fd00::2"]
"""
    dump = read_dump([], stream=EXTENSIONS + members + SERVICES.replace(NODE, "gpu-1   "))

    assert [each.names for each in dump.machines] == [{"10.5.0.2", "fd00::2", "gpu-1"}]
    assert dump.machines[0].extensions
    assert dump.machines[0].services


def test_the_version_of_the_server_is_read_and_that_of_the_client_is_not():
    text = "Client:\n\tTag:         v1.14.0\n\tSHA:         abc\nServer:\n\tNODE:        10.5.0.2\n\tTag:         v1.13.2\n\tSHA:         abc\n"

    assert machine(text).talos_version.value == "1.13.2"


MODULES = "nvidia_uvm 1540096 0 - Live 0x0000000000000000 (O)\nnvidia 11542528 2 nvidia_uvm, Live 0x0000000000000000 (O)\n"
DRIVER = "NVRM version: NVIDIA UNIX {0}580.126.20  Release Build  (root@)\nGCC version:  gcc version 15.2.0 (GCC)\n"


def test_proc_modules_without_a_node_belongs_to_the_only_machine():
    assert list(machine(SERVICES + MODULES).modules) == ["nvidia_uvm", "nvidia"]


def test_an_output_without_a_node_belongs_to_no_machine_of_several():
    dump = read_dump([], stream=SERVICES + SERVICES.replace(NODE, "10.5.0.3") + MODULES)

    assert [(each.names, each.modules is not None) for each in dump.machines] == [
        ({"10.5.0.2"}, False),
        ({"10.5.0.3"}, False),
        (set(), True),
    ]


def test_an_output_belongs_to_the_machine_that_its_file_names(tmp_path):
    (tmp_path / "modules-gpu-1.txt").write_text(MODULES)
    (tmp_path / "services.txt").write_text(SERVICES.replace(NODE, "gpu-1   ") + SERVICES.replace(NODE, "gpu-2   "))
    dump = read_dump([tmp_path])

    assert [dump.machine([name]).modules is not None for name in ("gpu-1", "gpu-2")] == [True, False]


@pytest.mark.parametrize("words", ["Open Kernel Module for x86_64  ", "x86_64 Kernel Module  "])
def test_the_driver_is_read_in_both_flavours(words):
    assert machine(SERVICES + DRIVER.format(words)).driver_version.value == "580.126.20"


DMESG = """\
10.5.0.2: kern:    info: [2026-11-20T10:00:00.123456789Z]: Linux version 6.18.1-talos
10.5.0.2: kern: warning: [2026-11-20T10:00:01.123456789Z]: nvidia: loading out-of-tree module taints kernel.
10.5.0.3: kern:    info: [2026-11-20T10:00:01.123456789Z]: Linux version 6.18.1-talos
10.5.0.2: kern:     err: [2026-11-20T10:00:02.123456789Z]: NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
10.5.0.2: kern:  notice: [2026-11-20T10:00:03.123456789Z]: NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.126.20  Release Build  (root@)
"""


def test_kernel_messages_are_the_log_of_their_machine():
    dump = read_dump([], stream=DMESG)
    log = dump.machine([NODE]).kernel_log

    assert (log.kind, log.lines, dump.machine(["10.5.0.3"]).kernel_log.lines) == (LogKind.KERNEL, 4, 1)
    assert (log.matches[0].symptom.name, log.matches[0].line) == ("fallen-off-the-bus", 4)
    assert [number for number, _ in log.kept] == [2, 4, 5]


def test_the_further_lines_of_one_record_belong_to_the_machine_of_its_first_line():
    record = """\
10.5.0.2: kern:     err: [2026-11-20T10:00:02.123456789Z]: NVRM: The NVIDIA GPU 0000:b3:00.0
               NVRM: (PCI ID: 10de:26b5) installed in this system has
NVRM: fallen off the bus and is not responding to commands.
10.5.0.3: kern:    info: [2026-11-20T10:00:03.123456789Z]: Linux version 6.18.1-talos
"""
    log = read_dump([], stream=record).machine([NODE]).kernel_log

    assert (log.lines, [(match.symptom.name, match.line) for match in log.matches]) == (3, [("fallen-off-the-bus", 3)])


def test_the_driver_is_read_from_kernel_messages():
    assert machine(DMESG).driver_version.value == "580.126.20"


def test_a_support_bundle_names_its_nodes_by_folders(tmp_path):
    folder = tmp_path / NODE
    for name in ("resources", "service-logs", "kubernetes-logs/kube-system"):
        (folder / name).mkdir(parents=True)
    (folder / "dmesg.log").write_text(DMESG.replace("10.5.0.2: ", "").replace("10.5.0.3: ", ""))
    (folder / "summary").write_text("Client:\n\tTag:         v1.14.0\nServer:\n\tTag:         v1.13.2\n")
    bare = extension(0, "nvidia-container-toolkit-lts", "580")
    del bare["node"]
    (folder / "resources" / "extensionstatuses.runtime.talos.dev.yaml").write_text(as_yaml(bare, bare))
    (folder / "service-logs" / "ext-nvidia-persistenced.log").write_text("Failed to query NVIDIA devices\n")
    (folder / "service-logs" / "ext-nvidia-persistenced.state").write_text(
        "ID       ext-nvidia-persistenced\nSTATE    Running\nHEALTH   OK\n"
    )
    (folder / "processes").write_text("PID STATE\n")
    read = read_dump([tmp_path]).machine([NODE])

    assert (read.talos_version.value, read.kernel_log.lines, list(read.extensions)) == ("1.13.2", 5, ["nvidia-container-toolkit-lts"])
    assert read.services["ext-nvidia-persistenced"].state == "Running"
    assert read.service_logs["ext-nvidia-persistenced"].kind is LogKind.SERVICE


def test_the_fields_of_nvidia_smi_are_named_by_their_path():
    text = """\
==============NVSMI LOG==============

Timestamp                                 : Fri Nov 20 10:00:00 2026
Driver Version                            : 580.126.20
CUDA Version                              : 13.0

Attached GPUs                             : 1
GPU 00000000:01:00.0
    Product Name                          : NVIDIA H100
    ECC Errors
        Volatile
            SRAM Correctable              : 0
        Aggregate
            DRAM Uncorrectable            : 7
    Power Readings
        Instantaneous Power Draw          : 70.00 W
"""
    read = machine(SERVICES + text)

    assert read.driver_version.value == "580.126.20"
    assert {name: each.value for name, each in read.smi.items()} == {
        "GPU 0: Bus": "00000000:01:00.0",
        "GPU 0: Product Name": "NVIDIA H100",
        "GPU 0: ECC Errors Volatile SRAM Correctable": "0",
        "GPU 0: ECC Errors Aggregate DRAM Uncorrectable": "7",
        "GPU 0: Power Readings Instantaneous Power Draw": "70.00 W",
    }


def test_the_table_of_nvidia_smi_names_the_driver():
    text = "+----+\n| NVIDIA-SMI 580.126.20             Driver Version: 580.126.20     CUDA Version: 13.0     |\n"

    assert read_dump([], stream=SERVICES + text).machine([NODE]).driver_version.value == "580.126.20"


def test_a_refusal_of_talos_is_kept_with_its_words():
    dump = read_dump([], stream=SERVICES + "error from node 10.5.0.2: rpc error: code = PermissionDenied desc = not authorized\n")

    assert [each.text for each in dump.machine([NODE]).refused.values()] == [
        "error from node 10.5.0.2: rpc error: code = PermissionDenied desc = not authorized"
    ]


def test_a_resource_that_this_talos_does_not_have_is_no_failure(tmp_path):
    folder = tmp_path / "talos" / NODE
    folder.mkdir(parents=True)
    (folder / "module-statuses.yaml.failed").write_text(
        'rpc error: code = NotFound desc = resource "kernelmodulestatuses" is not registered\n'
    )

    assert read_dump([tmp_path]).unread == []


def test_a_table_without_its_column_of_nodes_is_of_the_only_machine():
    cut = "\n".join(line[len("NODE       ") :] for line in EXTENSIONS.splitlines())

    assert machine(SERVICES + cut).extensions.keys() == machine(EXTENSIONS).extensions.keys()
