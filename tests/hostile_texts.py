"""Hostile texts, a repository with each of them in every name, label, path and value that a verb prints, and what no output may hold."""

import re

TEXTS = {
    "newline": "x\ntouch ran", "substitution": "$(touch ran)", "backticks": "`touch ran`", "semicolon": "x;touch ran;", "and": "x && touch ran #",
    "pipe": "x|touch ran", "redirect": "x > ran", "single quote": "x' ; touch ran ; '", "double quote": 'x" ; touch ran ; "', "backslash": "x\\",
    "flag": "--kubeconfig=ran", "short flag": "-fran", "bidi": "x\u202ey\u2066z", "ansi": "\x1b[2J\x1b]0;t\x07", "c1": "x\x9b31m", "carriage return": "x\rtouch ran",
    "separator": "x\u2028::error::y", "tags": "x\U000e0041", "up": "../../ran", "absolute": "/tmp/ran/x", "nul": "x\0ran", "long": "x" * 9_000,
    "tag": "!!python/object/apply:os.system ['touch ran']", "alias": "*x", "heredoc": "x\nEOF\ntouch ran\ncat <<'EOF'", "workflow": "::error file=a::x",
    "azure": "##vso[task.setvariable]x", "link": "[x](javascript:alert(1)) ![y](https://example.com/z)", "html": "<script>alert(1)</script><img src=x onerror=y>",
    "fence": "x\n```\n<b>y</b>\n", "heading": "\n# x\n- y", "python": "');__import__('os').system('touch ran')#", "python doc": '"""\nimport os\n', "template": "{{ x }} ${{ github.token }} %s {0}",
    "mermaid": 'x"] --> y\nclick a "javascript:alert(1)"', "table": "x | y |\n|---|", "comment": "x -->", "glob": "*", "tilde": "~root", "variable": "$HOME", "equals": "a=b=c",
    "colon": "a: b", "empty": "", "space": " ", "percent": "%x",
}  # fmt: skip

RAW = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]")
"""The characters that no output has."""
OBEYED = re.compile(r"^\s*(::\w|##vso\[|##\[)", re.MULTILINE)
"""The lines that a workflow obeys."""
PROGRAM = re.compile(r"(?<![\w/.'-])(kubectl|talosctl|omnictl|talhelper|helm|flux|curl|rm|sed|talos-gpu(?! \w+:)|crane) (?=[\w-])")


def yaml_text(text):
    """A text as a double-quoted scalar of YAML."""
    return (
        '"' + "".join(each if each.isascii() and each.isprintable() and each not in '"\\' else f"\\U{ord(each):08x}" for each in text) + '"'
    )


def unquoted(line):
    """The parts of a line behind its first program that a shell would not take as quoted, up to the end of the command in the sentence."""
    found = PROGRAM.search(line)
    if not found:
        return ""
    rest, quote, parts = line[found.start() :], "", []
    for number, each in enumerate(rest):
        if quote:
            quote = "" if each == quote else quote
        elif each in "'\"":
            quote = each
        elif each in "),`" or rest[number : number + 2] in (". ", "; "):
            break
        else:
            parts.append(each)
    return "".join(parts)


def offences(text):
    """What an output has that nothing may have: raw characters, lines that a workflow obeys, and hostile texts that a shell would read."""
    found = [f"raw {each!a}" for each in RAW.findall(text)] + [f"obeyed {each[0]!a}" for each in OBEYED.finditer(text)]
    for line in text.replace("&&\\n", "&&\n").splitlines():  # the lines of a command are one in JSON
        for command in re.split(f"(?={PROGRAM.pattern})", line):
            plain = unquoted(command or "")
            found += [
                f"unquoted {each}: {command[:200]!a}"
                for each in ("touch ran", "$(", " --kubeconfig=ran", " -fran", "> ran", "$HOME")
                if each in plain
            ]
    return found


OBJECTS = """\
apiVersion: v1
kind: Namespace
metadata: {name: T, labels: {pod-security.kubernetes.io/enforce: baseline, T: T}}
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: T, namespace: T}
handler: T
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: nvidia, annotations: {talos-gpu/ignore-TG041: T}}
handler: T
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: T, namespace: T, annotations: {T: T}}
spec:
  replicas: T
  strategy: {type: T}
  selector: {matchLabels: {app: T}}
  template:
    metadata: {labels: {app: T}}
    spec:
      runtimeClassName: T
      priorityClassName: T
      serviceAccountName: T
      nodeSelector: {T: T, nvidia.com/gpu.present: T}
      tolerations: [{key: T, operator: T, value: T, effect: T}]
      volumes: [{name: T, hostPath: {path: T}}]
      containers:
        - {name: T, image: T, command: [T], env: [{name: T, value: T}, {name: NVIDIA_VISIBLE_DEVICES, value: T}], resources: {limits: {nvidia.com/gpu: 0.5, T: T}}}
        - {name: b, image: T, resources: {limits: {nvidia.com/gpu: T}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: nvidia-device-plugin, namespace: T}
spec:
  selector: {matchLabels: {app: plugin}}
  template:
    metadata: {labels: {app: plugin}}
    spec:
      runtimeClassName: T
      containers: [{name: T, image: "nvcr.io/nvidia/k8s-device-plugin:v0.20.0", args: [T, --device-list-strategy, T], env: [{name: DEVICE_LIST_STRATEGY, value: T}]}]
---
apiVersion: v1
kind: Node
metadata: {name: T, labels: {extensions.talos.dev/nvidia-container-toolkit-production: T, nvidia.com/gpu.product: T, extensions.talos.dev/T: T}}
spec: {taints: [{key: T, value: T, effect: NoSchedule}]}
status: {capacity: {nvidia.com/gpu: T}, nodeInfo: {osImage: T}, addresses: [{type: InternalIP, address: T}]}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: T, namespace: T}
spec: {hard: {requests.nvidia.com/gpu: T}}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: T}
value: T
"""
DEPLOYERS = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: T, namespace: T}
spec: {chart: {spec: {chart: gpu-operator, version: T, sourceRef: {kind: HelmRepository, name: T}}}, values: {driver: {version: T, repository: T}, toolkit: {enabled: T}, T: T}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: gpu, namespace: T}
spec: {chart: {spec: {chart: T, version: T}}, values: {T: T, runtimeClassName: T, image: {repository: T, tag: T}, resources: {limits: {nvidia.com/gpu: 1}}}}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: T, namespace: T}
spec: {source: {repoURL: T, chart: nvidia-device-plugin, targetRevision: T, path: T, helm: {valuesObject: {T: T, config: {map: {T: T}, default: T}}}}, destination: {namespace: T, name: T}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: T, namespace: T}
spec: {path: T, postBuild: {substitute: {T: T}}, sourceRef: {kind: GitRepository, name: T}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: T}
spec: {selectors: [{cel: {expression: T}}]}
"""
TALOS = """\
version: v1alpha1
machine:
  type: worker
  network: {hostname: T}
  install: {image: T, disk: T, extraKernelArgs: [T]}
  nodeLabels: {T: T, node-role.kubernetes.io/T: T, nvidia.com/gpu.present: T}
  nodeTaints: {T: T, nvidia.com/gpu: T}
  kernel: {modules: [{name: nvidia, parameters: [T]}, {name: T}]}
  files: [{path: T, content: T, op: T}]
  kubelet: {extraArgs: {node-labels: T, T: T}, registerWithTaints: [T]}
  sysctls: {T: T}
cluster: {clusterName: T}
---
apiVersion: v1alpha1
kind: ExtensionServiceConfig
name: T
environment: [T]
"""
SCHEMATIC = (
    "customization: {systemExtensions: {officialExtensions: [siderolabs/nvidia-container-toolkit-production, T]}, extraKernelArgs: [T]}\n"
)
TALCONFIG = """\
clusterName: T
talosVersion: v1.13.9
endpoint: T
nodes:
  - {hostname: T, ipAddress: T, controlPlane: false, talosImageURL: T, nodeLabels: {T: T}, nodeTaints: {T: T}, schematic: {customization: {systemExtensions: {officialExtensions: [siderolabs/nvidia-open-gpu-kernel-modules-production, T]}}}, patches: [T]}
"""
KUSTOMIZATION = "resources: [T, objects.yaml]\nnamePrefix: T\nnamespace: T\npatches: [{path: T, target: {kind: T, name: T}}]\nhelmCharts: [{name: T, version: T, repo: T, releaseName: T}]\n"
FILES = {
    "objects.yaml": OBJECTS,
    "deployers.yaml": DEPLOYERS,
    "talos/worker.yaml": TALOS,
    "talos/schematic.yaml": SCHEMATIC,
    "talos/talconfig.yaml": TALCONFIG,
}


def repository(root):
    """A folder for each hostile text, with the text in every value, and a folder whose files have the texts as names."""
    (root / ".git").mkdir(parents=True)
    for number, text in enumerate(TEXTS.values()):
        for name, content in FILES.items():
            path = root / f"t{number}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(
                re.sub(
                    r"(?<![A-Za-z0-9])T(?![A-Za-z0-9:])|(?<![A-Za-z0-9/])T(?=:)|(?<=/)T(?=:)", lambda _, text=text: yaml_text(text), content
                )
            )
        (root / f"t{number}" / "k").mkdir()
        (root / f"t{number}" / "k" / "kustomization.yaml").write_text(KUSTOMIZATION.replace("T", yaml_text(text)))
        if "\0" not in text and "/" not in text and len(text.encode()) < 200 and text.strip():
            (root / "names" / text).mkdir(parents=True)
            (root / "names" / text / f"{text}.yaml").write_text(OBJECTS.replace("T", "name"))
    return root
