"""What talosctl prints of a machine of the laboratory: a `TalosSide` is a machine with its faults, and `printed` gives the outputs as files.

The shapes are those of siderolabs/talos v1.13.9: pkg/machinery/resources/{runtime,hardware}, cmd/talosctl/cmd/talos/{service,dmesg}.go and
internal/app/machined/pkg/system; the lines of the kernel are those of NVIDIA/open-gpu-kernel-modules kernel-open/nvidia/{nv.c,nv-pci.c}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sentences as words
import yaml
from kernel_lines import kernel_log
from machines import Card
from talos_side import BUS_FILE, MOMENT, NEEDS, OTHER, PRODUCTS, RUNNING, SIZES, Service, TalosSide, address

HEALTHY = Service("Running", "OK", words.HEALTHY())
PLANTED = "planted.1234567890abcdef"
"""What stands for the secrets of a machine configuration."""


def printed(side: TalosSide) -> dict[str, str]:
    """The outputs of talosctl by the names of their files."""
    files = {
        "extensions.yaml": _stream(side, "ExtensionStatuses.runtime.talos.dev", "runtime.ExtensionStatusController", _extensions(side)),
        "configured-modules.yaml": _stream(
            side, "KernelModuleSpecs.runtime.talos.dev", "runtime.KernelModuleConfigController", _specs(side)
        ),
        "pci-devices.yaml": _stream(side, "PCIDevices.hardware.talos.dev", "hardware.PCIDevicesController", _devices(side)),
        "security.yaml": _stream(side, "SecurityStates.talos.dev", "runtime.SecurityStateController", _security(side)),
        "loaded-modules.yaml": loaded_modules(side),
        "nodename.yaml": _stream(side, "Nodenames.kubernetes.talos.dev", "k8s.NodenameController", _names(side), namespace="k8s"),
        "services.txt": services(side),
        "dmesg.log": dmesg(side),
        "proc-modules.txt": proc_modules(side),
        "version.txt": version(side),
    }
    if side.is_bound:
        files["driver-version.txt"] = nvidia_version(side)
    if side.shows_config:
        files["machineconfig.yaml"] = machine_config(side)
    if side.sysctls:
        files["kernel-parameters.yaml"] = _stream(
            side, "KernelParamStatuses.runtime.talos.dev", "runtime.KernelParamSpecController", _params(side)
        )
    return files


def loaded_modules(side: TalosSide) -> str:
    """`talosctl get loadedkernelmodules -o yaml`."""
    specs = {
        name: {
            "size": SIZES[name],
            "referenceCount": len([each for each in side.modules if name in NEEDS[each]]),
            "dependencies": NEEDS[name],
            "state": "Live",
            "address": "0x0000000000000000",
        }
        for name in (OTHER, *side.modules)
    }
    return _stream(side, "LoadedKernelModules.runtime.talos.dev", "runtime.LoadedKernelModuleController", specs)


def machine_config(side: TalosSide) -> str:
    """`talosctl get machineconfig -o yaml`: the configuration is one string, with its secrets."""
    secrets = f"machine:\n  type: worker\n  token: {PLANTED}\n  ca:\n    crt: LS0tLS1CRUdJTg==\n    key: {PLANTED}\n"
    text = f"version: v1alpha1\n{secrets}---\n{side.machine.config}"
    specs: dict[str, Any] = {"v1alpha1": text}
    return _stream(side, "MachineConfigs.config.talos.dev", "config.AcquireController", specs, namespace="config")


def _extensions(side: TalosSide) -> dict[str, Any]:
    layers = [*side.image.items(), ("schematic", "86a5d7c9beb23b4aea2777e44ca06c8c2ceea8a874ccd2b9a6743c4f734329e0")]
    return {
        f"{index}": {
            "image": f"{index}.sqsh",
            "metadata": {"name": name, "version": text, "author": "Sidero Labs", "compatibility": {"talos": {"version": ">= v1.2.0"}}},
        }
        for index, (name, text) in enumerate(layers)
    }


def _specs(side: TalosSide) -> dict[str, Any]:
    return {name: {"string": name, "parameters": []} for name in side.configured}  # the key is Talos' own


def _devices(side: TalosSide) -> dict[str, Any]:
    host = {
        "class": "Bridge",
        "subclass": "Host bridge",
        "vendor": "Intel Corporation",
        "product": "82G33/G31/P35/P31 Express DRAM Controller",
    }
    found: dict[str, Any] = {
        "0000:00:00.0": {**host, "class_id": "0x06", "subclass_id": "0x00", "vendor_id": "0x8086", "product_id": "0x29c0"}
    }
    for index, card in enumerate(side.machine.cards if side.has_cards else ()):
        found[address(index)] = _card(card) | ({"driver": side.driver or "nvidia"} if side.driver or side.is_bound else {})
    for index, device in enumerate(side.extra_pci):
        found[f"0000:0{8 + index}:00.0"] = dict(device)
    return found


def _card(card: Card) -> dict[str, str]:
    product, number = PRODUCTS[card.product]
    subclass = "VGA compatible controller" if card.pci_class == "0300" else "3D controller"
    return {
        "class": "Display controller",
        "subclass": subclass,
        "vendor": "NVIDIA Corporation",
        "product": product,
        "class_id": "0x03",
        "subclass_id": f"0x{card.pci_class[2:]}",
        "vendor_id": "0x10de",
        "product_id": number,
    }


def _security(side: TalosSide) -> dict[str, Any]:
    spec = {"secureBoot": False, "selinuxState": "enabled, permissive", "bootedWithUKI": True}
    return {"securitystate": spec}


def _names(side: TalosSide) -> dict[str, Any]:
    return {"nodename": {"nodename": side.machine.name, "hostnameVersion": "2", "skipNodeRegistration": False}}


def _params(side: TalosSide) -> dict[str, Any]:
    return {f"proc.sys.{name}": {"current": value, "default": value, "unsupported": False} for name, value in side.sysctls.items()}


def _stream(side: TalosSide, kind: str, owner: str, specs: Mapping[str, Any], namespace: str = "") -> str:
    """Resources as `talosctl get -o yaml` prints them: the line of the node, then the resource with four spaces of indent."""
    texts = []
    for name, spec in specs.items():
        metadata = {"namespace": namespace or ("hardware" if kind.startswith("PCI") else "runtime"), "type": kind, "id": name, "version": 1}
        body = {"metadata": {**metadata, "owner": owner, "phase": "running", "created": MOMENT, "updated": MOMENT}, "spec": spec}
        text = yaml.dump(body, Dumper=GoDumper, sort_keys=False, indent=4, width=1000)
        text = text.replace(f'"{MOMENT}"', MOMENT)  # Go prints times without quotes
        texts.append(f"node: {side.address}\n{text}")
    return "---\n".join(texts)


class GoDumper(yaml.SafeDumper):
    """YAML as Go prints it: a text of several lines is a block, and a text that would be read as something else has double quotes."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    is_plain = dumper.resolve(yaml.ScalarNode, value, (True, False)) == "tag:yaml.org,2002:str"
    style = "|" if "\n" in value else None if is_plain else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


GoDumper.add_representer(str, _text)


def services(side: TalosSide) -> str:
    """`talosctl services`."""
    rows = {
        "apid": HEALTHY,
        "containerd": HEALTHY,
        "cri": HEALTHY,
        **_extension_services(side),
        "kubelet": HEALTHY,
        "machined": HEALTHY,
        "udevd": HEALTHY,
        **side.services,
    }
    table = [("NODE", "SERVICE", "STATE", "HEALTH", "LAST CHANGE", "LAST EVENT")]
    for name, row in sorted(rows.items()):
        table.append((side.address, name, row.state, row.health, "19m20s ago", row.event.format(name=name)))
    widths = [max(len(row[column]) for row in table) + 3 for column in range(5)]
    return "".join("".join(cell.ljust(width) for cell, width in zip(row[:5], widths, strict=True)) + row[5] + "\n" for row in table)


def _extension_services(side: TalosSide) -> dict[str, Service]:
    names = []
    if any(each.startswith("nvidia-container-toolkit") for each in side.image):
        names += ["ext-nvidia-persistenced", *(["ext-nvidia-cdi-gen"] if side.machine.minor >= 13 else [])]
    if any(each.startswith("nvidia-fabricmanager") for each in side.image):
        names.append("ext-nvidia-fabricmanager")
    if "nvidia" not in side.modules:
        waits = {"ext-nvidia-cdi-gen": words.AWAITED_SERVICE("ext-nvidia-persistenced", "up")}
        return {name: Service("Waiting", "?", words.AWAITED(waits.get(name, words.AWAITED_FILE(BUS_FILE)))) for name in names}
    done = {"ext-nvidia-cdi-gen": Service("Finished", "?", words.FINISHED())}
    return {name: done.get(name, RUNNING) for name in names}


def dmesg(side: TalosSide) -> str:
    """`talosctl dmesg`."""
    return "".join(
        f"{side.address}: {facility}: {priority:>7}: [2026-11-22T09:57:{index % 60:02}.662764956Z]: {message}\n"
        for index, (facility, priority, message) in enumerate(kernel_log(side))
    )


def proc_modules(side: TalosSide) -> str:
    """`talosctl read /proc/modules`."""
    lines = []
    for name in (*reversed(side.modules), OTHER):
        users = [each for each in side.modules if name in NEEDS[each]]
        taint = "" if name == OTHER else " (O)"
        lines.append(f"{name} {SIZES[name]} {len(users)} {','.join(users)}{',' if users else '-'} Live 0x0000000000000000{taint}\n")
    return "".join(lines)


def nvidia_version(side: TalosSide) -> str:
    """`talosctl read /proc/driver/nvidia/version`."""
    return f"NVRM version: {side.banner}\nGCC version:  gcc version 15.2.0 (GCC)\n"


def version(side: TalosSide) -> str:
    """`talosctl version`."""
    talos = side.machine.talos
    return (
        f"Client:\n\tTag:         v{talos}\n\tSHA:         8e2b1d4c\n\tBuilt:       \n\tGo version:  go1.26.1\n\tOS/Arch:     linux/amd64\n"
        f"Server:\n\tNODE:        {side.address}\n\tTag:         v{talos}\n\tSHA:         8e2b1d4c\n\tBuilt:       \n\tGo version:  go1.26.1\n"
        "\tOS/Arch:     linux/amd64\n\tEnabled:     RBAC\n"
    )
