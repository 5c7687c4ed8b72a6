# ruff: noqa: ISC004, PERF401, PLW0108, PTH103, PTH118, PTH120, PTH211  # lists of texts; names of bytes and of links that no Path has
"""Repositories of a stranger, made by chance: GPU manifests and all that deploys them, with hostile names, links, references, encodings and sizes.

The same seed writes the same tree. `CANARY` stands in every file outside of the repository, and in no file inside.
"""

import os
import random
from pathlib import Path

CANARY = "canary-outside"
LARGEST, ALIASES = 30_000, 3_000
"""The limits of a file's size and of expanded aliases during the fuzz. They are smaller than those of a real check, so that small trees reach them."""

OUTSIDE = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {CANARY}}}\nspec: {{containers: [{{name: a, resources: {{limits: {{nvidia.com/gpu: 0.5}}}}}}]}}\n"
RAW_NAMES = [
    b"new\nline", b"es\x1b[31mcape", b"\xff\xfe", b"latin\xe9", b"x" * 200, b"-rf", b"--output=stolen", b"a b  c", b"...", b"~", b"$HOME", b"%s%n",
    b"::error::x", b"\xe2\x80\xaetxt", b"*", b"[a", b"templates", b"charts", b"base", b"gpu", b"Kustomization", b"deprecated", b"vendor",
]  # fmt: skip
NAMES = ["a", "gpu", "b-0", "kustomization", "values", "talconfig", "Chart", "nodes", "patch"]
SUFFIXES = [".yaml", ".yaml", ".yaml", ".yml", ".json", ".env", ".yaml.j2", ".tf", ""]
SCALARS = [
    "null", "~", "true", "no", "0", "-1", "1.5", "9" * 40, "9" * 5000, "0x", "0o9", ".nan", ".inf", "1e999", "-.inf", '""', "''", "x", "1_0", "12:30:45",
    "2026-11-22", '!!int ""', '!!int "_"', "!!int x", '!!float ""', "!!float x", "!!bool x", "!!timestamp x", "!!binary x", "!!binary w6k=", "!!null x",
    "!!set {a}", "!!omap [a: 1]", "!!python/object:os.system x", "!x y", "!!str 1", "!!map x", "!!seq {a: b}", '"\\u202e\\x1b[2J\\n::error::x"',
    '"\\ud83d\\ude00"', "[]", "{}", "[null]", "[[]]", "[{}]", '{"": {}}', "{a: {b: [c]}}", "{? [a] : b}", "{1: a, null: b, true: c, 1.5: d}",
    "nvidia.com/gpu", '"1"', "v1.14.0", "1.13", "ENC[AES256_GCM,data:x]", "${VAR}", '"${A}${A}"', '"{{ x }}"', "'<< inputs.a >>'",
    "${A:=${B:-${C}}}", "$$x", "'#{ x }#'", '"' + "y" * 3000 + '"', "'%s'", "{<<: [{a: 1}, 2], b: 3}",
]  # fmt: skip
BROKEN = [
    "*missing", "|\n            a\n            b", "[" * 120 + "]" * 120, "{a: " * 120 + "1" + "}" * 120, '"\\x1b', "!x y: z: 1", "%x", "@x", '"\\ud83d"', "\x1b",
]  # fmt: skip
PATTERNS = [
    ".*", "(a+)+$", "a?" * 28 + "a" * 28, "[", "(?P<x>a)", "(", "\\", "^$", "(a|aa)+b", "a{1,1000}{1,1000}", "(?=x)", "[^]", "*", "a" * 3000,
    "(" * 200 + ")" * 200, "\\d+", "nvidia.*|gpu", "x{,9999999}", "[[:alpha:]]",
]  # fmt: skip
SELECTORS = ["a=b", "a in (b,c)", "!a", ",,,", "a in (", "((((", "a==b,c!=d", "=" * 500, "a notin ()", "\\n"]


class _Tree:
    """One tree while it is written."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.random = random.Random(seed)  # the same seed makes the same tree
        self.root = folder / "repository"
        self.outside = folder / "outside"
        self.files: list[str] = []
        self.folders = ["."]
        self.here = "."

    # Names and references

    def one(self, choices):
        return self.random.choice(choices)

    def some(self, most):
        return range(self.random.randint(0, most))

    def scalar(self):
        chance = self.random.random()
        usual = ["gpu", "nvidia", "1", "true", "x", "nvidia-device-plugin", "v0.20.0", "nvidia.com/gpu"]
        return self.one(BROKEN if chance < 0.01 else SCALARS if chance < 0.35 else usual)

    def name(self):
        return self.one(["gpu", "a", "b", "nvidia", "plugin", "x-0"]) if self.random.random() < 0.95 else self.one(SCALARS)

    def reference(self):
        chance = self.random.random()
        if chance < 0.8 and self.files:
            return self.quoted(os.path.relpath(self.one(self.files if chance < 0.55 else self.folders), self.here or "."))
        return self.one([
            ".", "..", "../..", "../../..", "../outside", "../outside/secret.yaml", "../../../../../../../../etc/passwd", "/etc/passwd", "/proc/self/environ",
            "/proc", "/", "./.", "a/../../outside", "https://example.com/x.yaml", "git::https://example.com/b.git?ref=v1", "github.com/a/b?ref=v1",
            "oci://example.com/x", "file:///etc/passwd", "git@example.com:a/b", "missing.yaml", "missing/deep/er", "'a\\0b'", '"a\\0b"', "x" * 300,
            "/dev/zero", "link", "link/secret.yaml", "loop", "loop/loop/loop", "fifo.yaml", "zero.yaml", "self", '"\\n"', '""', "~", "~/x", "'*'", "**",
            str(self.outside), f"{self.outside}/secret.yaml", "a/" * 600,
        ])  # fmt: skip

    @staticmethod
    def quoted(text):
        return "'" + text.replace("'", "''").encode("utf-8", "replace").decode().replace("\n", "\n\n") + "'"

    # Contents

    def pod_spec(self):
        lines = [f"containers: [{{name: {self.name()}, image: {self.one(['nvidia/cuda:13.0', 'x', self.scalar()])}, "
                 f"resources: {{limits: {{nvidia.com/gpu: {self.scalar()}}}}}, env: [{{name: NVIDIA_VISIBLE_DEVICES, value: {self.scalar()}}}]}}]"]  # fmt: skip
        for key in (
            "runtimeClassName",
            "nodeSelector",
            "tolerations",
            "affinity",
            "volumes",
            "securityContext",
            "hostNetwork",
            "initContainers",
            "nodeName",
        ):
            if self.random.random() < 0.3:
                lines.append(
                    f"{key}: {self.one([self.scalar(), '{nvidia.com/gpu.present: ' + self.scalar() + '}', '[{key: nvidia.com/gpu, operator: Exists}]'])}"
                )
        return lines

    def manifest(self):
        kind = self.one([
            "Pod", "Deployment", "DaemonSet", "StatefulSet", "Job", "CronJob", "Namespace", "RuntimeClass", "Node", "ConfigMap", "Secret", "Service",
            "ServiceMonitor", "PodMonitor", "PrometheusRule", "ResourceClaim", "ResourceClaimTemplate", "DeviceClass", "ClusterPolicy", "NVIDIADriver",
            "NodeFeatureRule", "List", "PriorityClass", "ResourceQuota", "LimitRange", "InferenceService", self.scalar(),
        ])  # fmt: skip
        head = f"apiVersion: {self.one(['v1', 'apps/v1', 'batch/v1', 'node.k8s.io/v1', 'resource.k8s.io/v1', 'nvidia.com/v1', self.scalar()])}\nkind: {kind}\n"
        head += f"metadata:\n  name: {self.name()}\n  namespace: {self.name()}\n  labels: {self.one(['{app: gpu}', self.scalar()])}\n"
        head += f"  annotations: {self.one(['{}', self.scalar(), '{talos-gpu/ignore-TG045: ' + self.scalar() + '}'])}\n"
        spec = self.pod_spec()
        if kind == "Pod":
            return head + "spec:\n" + "".join(f"  {line}\n" for line in spec)
        if kind == "List":
            return (
                head
                + f"items: [{{apiVersion: v1, kind: Pod, metadata: {{name: {self.name()}}}, spec: {{containers: {self.scalar()}}}}}, {self.scalar()}]\n"
            )
        if kind in ("ConfigMap", "Secret"):
            return head + f"data: {{config.yaml: {self.scalar()}, TOKEN: {self.scalar()}}}\nstringData: {self.scalar()}\n"
        if kind in ("RuntimeClass", "NodeFeatureRule", "ClusterPolicy", "DeviceClass"):
            return (
                head
                + f"handler: {self.scalar()}\nspec: {{driver: {self.scalar()}, toolkit: {{enabled: {self.scalar()}}}, rules: [{self.scalar()}], selectors: [{self.scalar()}]}}\n"
            )
        inner = "".join(f"      {line}\n" for line in spec)
        more = f"  replicas: {self.scalar()}\n  selector: {self.scalar()}\n  strategy: {{type: {self.scalar()}}}\n"
        return head + f"spec:\n{more}  template:\n    metadata: {{labels: {self.one(['{app: gpu}', self.scalar()])}}}\n    spec:\n{inner}"

    def kustomization(self):
        text = self.one(["", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n", f"kind: {self.scalar()}\n"])
        for key in (
            "resources",
            "components",
            "bases",
            "generators",
            "transformers",
            "configurations",
            "crds",
            "patchesStrategicMerge",
            "validators",
        ):
            if self.random.random() < (0.9 if key == "resources" else 0.2):
                text += f"{key}:\n" + "".join(f"  - {self.reference()}\n" for _ in range(self.random.randint(1, 4)))
        target = f"{{kind: {self.quoted(self.one(['Pod', *PATTERNS]))}, name: {self.quoted(self.one(PATTERNS))}, labelSelector: {self.quoted(self.one(SELECTORS))}}}"
        options = [
            f"patches: [{{path: {self.reference()}, target: {target}}}]\n",
            f"patches: [{{patch: '[{{op: add, path: /spec/{self.one(['x', '-', '0', '~1', '-5', 'a/' * 99])}, value: {self.one(['1', '{a: b}'])}}}]', target: {target}}}]\n",
            f"patches: [{{patch: {self.scalar()}, target: {self.scalar()}}}]\n",
            f"patchesJson6902: [{{path: {self.reference()}, target: {{kind: Pod, name: gpu, version: v1}}}}]\n",
            f"namePrefix: {self.scalar()}\n", f"nameSuffix: {self.scalar()}\n", f"namespace: {self.scalar()}\n",
            f"commonLabels: {{a: {self.scalar()}}}\n", f"labels: [{{pairs: {{a: {self.scalar()}}}, includeSelectors: {self.scalar()}}}]\n",
            f"images: [{{name: {self.one(['nvidia/cuda', self.scalar()])}, newTag: {self.scalar()}, digest: {self.scalar()}}}]\n",
            f"replicas: [{{name: gpu, count: {self.scalar()}}}]\n",
            f"configMapGenerator: [{{name: {self.name()}, files: [{self.reference()}, a={self.reference()}], envs: [{self.reference()}], literals: [a=b, {self.scalar()}], behavior: {self.scalar()}}}]\n",
            f"secretGenerator: [{{name: {self.name()}, env: {self.reference()}, files: {self.scalar()}}}]\n",
            f"helmCharts: [{{name: {self.one(['gpu-operator', self.scalar()])}, version: {self.scalar()}, valuesFile: {self.reference()}, valuesInline: {self.scalar()}, additionalValuesFiles: [{self.reference()}]}}]\n",
            f"replacements: [{{source: {{kind: Pod, fieldPath: {self.one(['metadata.name', 'spec.*', 'a.[x=y].b', self.scalar()])}}}, targets: [{{select: {{kind: Pod}}, fieldPaths: [{self.scalar()}, 'spec.containers.*.image'], options: {{create: true, delimiter: {self.scalar()}, index: {self.scalar()}}}}}]}}, {{path: {self.reference()}}}]\n",
            f"vars: [{{name: A, objref: {{kind: Pod, name: gpu, apiVersion: v1}}, fieldref: {{fieldpath: {self.scalar()}}}}}]\n",
            f"openapi: {{path: {self.reference()}}}\n", f"generatorOptions: {self.scalar()}\n", f"{self.one(['resources', 'patches', 'images'])}: {self.scalar()}\n",
        ]  # fmt: skip
        return text + "".join(self.random.sample(options, self.random.randint(0, 6)))

    def deployer(self):
        meta = f"metadata: {{name: {self.name()}, namespace: {self.name()}}}\n"
        nested = self.random.randint(0, 3)
        return self.one([
            lambda: f"apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n{meta}spec:\n  path: {self.reference()}\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n"
            f"  targetNamespace: {self.scalar()}\n  components: [{self.reference()}]\n  postBuild: {{substitute: {{A: {self.scalar()}, B: '${{A}}${{A}}', N: {self.scalar()}}}}}\n"
            f"  patches: [{{patch: {self.scalar()}, target: {{name: {self.quoted(self.one(PATTERNS))}}}}}]\n  images: {self.scalar()}\n  commonMetadata: {{labels: {self.scalar()}}}\n",
            lambda: f"apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n{meta}spec:\n  chart: {{spec: {{chart: {self.one(['gpu-operator', 'nvidia-device-plugin', self.scalar()])}, version: {self.scalar()}, sourceRef: {self.scalar()}}}}}\n"
            f"  values: {self.one(['{driver: {enabled: true}}', self.scalar()])}\n  valuesFrom: [{{kind: ConfigMap, name: {self.name()}, valuesKey: {self.scalar()}, targetPath: {self.scalar()}}}]\n  chartRef: {self.scalar()}\n  postRenderers: {self.scalar()}\n",
            lambda: f"apiVersion: argoproj.io/v1alpha1\nkind: Application\n{meta}spec:\n  source: {{repoURL: 'https://example.com/a.git', path: {self.reference()}, chart: {self.one(['null', 'gpu-operator', self.scalar()])}, directory: {{recurse: true, include: {self.quoted(self.one(PATTERNS))}}},\n"
            f"    helm: {{values: {self.scalar()}, valuesObject: {self.scalar()}, valueFiles: [{self.reference()}], parameters: [{{name: {self.one(['a.b', 'a[0]', 'a.' * 80, self.scalar()])}, value: {self.scalar()}}}]}}, kustomize: {self.one(['null', '{namePrefix: x}', self.scalar()])}}}\n  destination: {{namespace: {self.scalar()}}}\n",
            lambda: f"apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\n{meta}spec:\n  generators: [{self.generator(nested)}, {self.generator(nested)}]\n"
            f"  template: {{metadata: {{name: '{{{{path.basename}}}}'}}, spec: {{source: {{path: '{{{{path}}}}{self.one(['', '/..', '{{a}}'])}', helm: {self.scalar()}}}, destination: {{namespace: '{{{{a}}}}'}}}}}}\n  templatePatch: {self.scalar()}\n",
            lambda: f"apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\n{meta}spec:\n  inputs: [{{a: {self.scalar()}, b: {self.scalar()}}}, {self.scalar()}]\n"
            f"  resources: [{{apiVersion: v1, kind: Pod, metadata: {{name: 'x-<< inputs.a >>'}}, spec: {self.one(['<< inputs.b >>', self.scalar()])}}}]\n"
            f"  resourcesTemplate: |\n    apiVersion: v1\n    kind: Pod\n    metadata: {{name: << inputs.a | quote >>}}\n    << if inputs.b >>\n    spec: {{}}\n    << end >>\n    ---\n    << range >>\n",
        ])()  # fmt: skip

    def generator(self, depth):
        if depth == 0:
            return self.one([
                f"{{list: {{elements: [{{a: {self.scalar()}}}, {{a: b}}, {self.scalar()}]}}}}",
                f"{{git: {{directories: [{{path: {self.one(['*', '**', 'a/*', '../*', '/etc/*', '[', self.reference()])}}}, {{path: x, exclude: true}}]}}}}",
                f"{{git: {{files: [{{path: {self.one(['*.yaml', '**/*.json', '../../*', '/proc/**', self.reference()])}}}]}}}}",
                f"{{clusters: {self.scalar()}}}", f"{{list: {self.scalar()}}}", self.scalar(),
            ])  # fmt: skip
        inner = ", ".join(self.generator(depth - 1) for _ in range(self.random.randint(1, 3)))
        return f"{{{self.one(['matrix', 'matrix', 'merge'])}: {{generators: [{inner}]}}, selector: {{matchLabels: {{a: {self.scalar()}}}, matchExpressions: [{{key: a, operator: In, values: {self.scalar()}}}]}}}}"

    def talos(self):
        patch = f"{self.one(['@', ''])}{self.one(['patch.yaml', '../outside/secret.yaml', 'gpu.yaml'])}"
        config = f"machine:\n  type: {self.scalar()}\n  token: {self.scalar()}\n  ca: {{crt: {self.scalar()}}}\n  install: {{image: {self.one(['ghcr.io/siderolabs/installer:v1.13.0', self.scalar()])}, extensions: {self.scalar()}}}\n"
        config += f"  kernel: {{modules: [{{name: nvidia}}, {self.scalar()}]}}\n  files: [{{path: /etc/cri/conf.d/20-customization.part, content: {self.scalar()}}}]\n"
        config += f"  nodeLabels: {self.scalar()}\n  sysctls: {self.scalar()}\n  network: {{hostname: {self.scalar()}}}\ncluster: {{apiServer: {{admissionControl: {self.scalar()}}}}}\n"
        return self.one([
            config,
            f"apiVersion: v1alpha1\nkind: {self.one(['KernelModuleConfig', 'KubeNodeConfig', 'HostnameConfig', 'SysctlConfig', 'ExtensionServiceConfig', self.scalar()])}\nname: {self.scalar()}\nparams: {self.scalar()}\nlabels: {self.scalar()}\nhostname: {self.scalar()}\n",
            f"clusterName: {self.scalar()}\ntalosVersion: {self.one(['v1.13.9', self.scalar()])}\nkubernetesVersion: {self.scalar()}\nnodes:\n  - {{hostname: {self.scalar()}, ipAddress: {self.scalar()}, controlPlane: {self.scalar()}, patches: ['{patch}', {self.scalar()}], "
            f"schematic: {{customization: {{systemExtensions: {{officialExtensions: {self.one(['[siderolabs/nvidia-open-gpu-kernel-modules]', self.scalar()])}}}}}}}, kernelModules: {self.scalar()}, nodeLabels: {self.scalar()}}}\n  - {self.scalar()}\nworker: {{patches: {self.scalar()}}}\ncontrolPlane: {self.scalar()}\npatches: [{self.reference()}]\n",
            f"kind: Cluster\nname: {self.scalar()}\ntalos: {{version: {self.scalar()}}}\nkubernetes: {{version: {self.scalar()}}}\npatches: [{{file: {self.reference()}}}, {{name: x, inline: {self.scalar()}}}]\n---\n"
            f"kind: Workers\nname: gpu\nmachines: {self.one(['[a, b]', self.scalar()])}\nmachineClass: {{name: x, size: {self.scalar()}}}\nsystemExtensions: {self.scalar()}\npatches: {self.scalar()}\n---\nkind: Machine\nname: {self.scalar()}\nsystemExtensions: [siderolabs/nvidia-container-toolkit-production]\n",
            f"metadata: {{type: {self.one(['ConfigPatches.omni.sidero.dev', 'Clusters.omni.sidero.dev', 'ExtensionsConfigurations.omni.sidero.dev', self.scalar()])}, id: {self.scalar()}, namespace: default, labels: {{omni.sidero.dev/cluster: {self.scalar()}}}}}\nspec: {{data: {self.scalar()}, extensions: {self.scalar()}}}\n",
            f"customization: {{systemExtensions: {{officialExtensions: {self.one(['[siderolabs/nvidia-open-gpu-kernel-modules-lts]', self.scalar()])}}}, extraKernelArgs: {self.scalar()}}}\n",
            f"apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3\nkind: TalosConfigTemplate\nmetadata: {{name: a}}\nspec: {{template: {{spec: {{generateType: {self.scalar()}, talosVersion: {self.scalar()}, data: {self.scalar()}, configPatches: {self.scalar()}}}}}}}\n",
            f"apiVersion: controlplane.cluster.x-k8s.io/v1alpha3\nkind: TalosControlPlane\nmetadata: {{name: a}}\nspec: {{version: {self.scalar()}, infrastructureTemplate: {self.scalar()}, controlPlaneConfig: {{controlplane: {{generateType: controlplane, "
            f"configPatches: [{{op: {self.one(['add', self.scalar()])}, path: {self.one(['/machine/kernel/modules', self.scalar()])}, value: {self.scalar()}}}, {self.scalar()}], strategicPatches: ['machine: {{nodeLabels: {{a: b}}}}', {self.scalar()}]}}}}}}\n",
            f"node: {self.scalar()}\nmetadata: {{type: MachineConfigs.config.talos.dev, id: {self.scalar()}}}\nspec: {self.scalar()}\n",
            f"- {{op: {self.one(['add', self.scalar()])}, path: /machine/{self.one(['kernel/modules/0/name', 'nodeLabels', 'install/image'])}, value: {self.scalar()}}}\n- {{op: remove, path: /cluster/apiServer}}\n",
        ])  # fmt: skip

    def other(self):
        return self.one([
            lambda: f"driver: {{enabled: {self.scalar()}, version: {self.scalar()}}}\ntoolkit: {self.scalar()}\ndevicePlugin: {{config: {self.scalar()}}}\n",
            lambda: f"apiVersion: v2\nname: gpu\ndependencies: [{{name: gpu-operator, version: {self.scalar()}, alias: {self.scalar()}, condition: {self.scalar()}}}]\n",
            lambda: f"version: v1\nsharing: {{timeSlicing: {{resources: [{{name: nvidia.com/gpu, replicas: {self.scalar()}}}], renameByDefault: {self.scalar()}}}}}\nflags: {self.scalar()}\n",
            lambda: f'resource "talos_machine_configuration_apply" "x" {{\n  config_patches = [yamlencode({{ machine = {{ install = {{ image = "{self.scalar()}" }} }} }})]\n}}\ntalos_version = "v1.13.0"\n',
            lambda: f"TALOS_VERSION=v1.13.0\nKUBERNETES_VERSION={self.scalar()}\nA='b\n",
            lambda: "a: &a [x, x]\n" + "".join(f"k{n}: &k{n} [*{'a' if n == 0 else f'k{n - 1}'}, *{'a' if n == 0 else f'k{n - 1}'}]\n" for n in range(self.random.randint(3, 40))),
            lambda: "x: &x {apiVersion: v1, kind: Pod, spec: {containers: [*x]}}\n",
            lambda: "apiVersion: v1\nkind: List\nitems:\n" + "  - &p {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}}\n" + "  - *p\n" * self.random.randint(1, 300),
            lambda: "[" * self.random.randint(1, 5000), lambda: "{a: " * self.random.randint(1, 300), lambda: "- " * self.random.randint(1, 3000) + "x\n",
            lambda: "---\n" * self.random.randint(1, 500), lambda: "{}\n---\n" * self.random.randint(1, 300),
            lambda: "".join(f"k{n}: v\n" for n in range(self.random.randint(1, 800))), lambda: "a: " + "z" * self.random.randint(1, 20_000) + "\n",
            lambda: "%YAML 9.9\n---\na: b\n", lambda: "\ufeff\ufeffkind: Pod\n", lambda: "\tkind: Pod\n", lambda: "{{ if }}\nkind: Pod\n{{ end }}\n{{ end }}\n",
            lambda: "sops: {mac: x}\nkind: Secret\napiVersion: v1\n", lambda: "{" + '"a":' * 200 + "1", lambda: "", lambda: "\n" * 2000,
        ])()  # fmt: skip

    def text(self):
        makers = [
            self.manifest,
            self.manifest,
            self.manifest,
            self.kustomization,
            self.deployer,
            self.deployer,
            self.talos,
            self.talos,
            self.other,
        ]
        return "---\n".join(self.one(makers)() for _ in range(self.random.randint(1, 4)))

    def encoded(self, text):
        content = text.encode("utf-8", "surrogatepass")
        chance = self.random.random()
        if chance < 0.8:
            return content
        return self.one([
            lambda: text.encode("utf-16", "surrogatepass"), lambda: b"\xef\xbb\xbf" + content, lambda: content.replace(b"a", b"\xe9"), lambda: content.replace(b"\n", b"\r\n"),
            lambda: content.replace(b"\n", b"\r"), lambda: content.replace(b"x", b"\0"), lambda: content[: len(content) // 2], lambda: content + b"#" * (LARGEST - len(content)),
            lambda: content + b"#" * (LARGEST + 1 - len(content)), lambda: content.replace(b" ", b"\xc2\xa0"), lambda: content.replace(b":", b"\x7f:"), lambda: content.replace(b"\n", b"\xe2\x80\xa8"),
            lambda: text.encode("utf-32", "surrogatepass"), lambda: content.replace(b"  ", b"\t"), lambda: content.replace(b"b", b"\xed\xa0\x80"),
        ])()  # fmt: skip

    # The tree

    def write(self):
        self.root.mkdir()
        self.outside.mkdir()
        (self.outside / "secret.yaml").write_text(OUTSIDE)
        (self.outside / "kustomization.yaml").write_text("resources: [secret.yaml]\n")
        if self.random.random() < 0.8:
            (self.root / ".git").mkdir()
        for _ in self.some(4):
            folder = os.path.join(self.one(self.folders), self.file_name())
            if self.does(lambda path=folder: os.makedirs(os.path.join(os.fsencode(self.root), os.fsencode(path)))):
                self.folders.append(folder)
        places = []
        for _ in range(self.random.randint(2, 9)):
            folder = self.one(self.folders)
            kustomization = self.random.random() < 0.35
            name = (
                self.one(["kustomization.yaml", "kustomization.yml", "Kustomization"])
                if kustomization
                else self.file_name() + self.one(SUFFIXES)
            )
            places.append((os.path.normpath(os.path.join(folder, name)), kustomization))
        self.files = [name for name, _ in places]
        for name, kustomization in places:
            self.here = os.path.dirname(name) if self.random.random() < 0.6 else "."
            content = self.encoded(self.kustomization() if kustomization else self.text())
            self.does(lambda path=name, text=content: (self.root / os.fsdecode(os.fsencode(path))).write_bytes(text))
        self.links()
        return self.root

    def file_name(self):
        return os.fsdecode(self.one(RAW_NAMES)) if self.random.random() < 0.25 else self.one(NAMES)

    def links(self):
        targets = [
            ("link", str(self.outside)), ("out.yaml", "../outside/secret.yaml"), ("loop", "loop"), ("one.yaml", "two.yaml"), ("two.yaml", "one.yaml"), ("self", "."),
            ("zero.yaml", "/dev/zero"), ("proc.yaml", "/proc/self/environ"), ("dangling.yaml", "nowhere"), ("up", ".."), ("root", "/"), ("tty.yaml", "/dev/tty"),
            ("kustomization.yaml", "../outside/kustomization.yaml"), ("fifo-link.yaml", "fifo.yaml"), ("inner.yaml", self.one(self.files)), ("long.yaml", "x/" * 500),
        ]  # fmt: skip
        for name, target in self.random.sample(targets, self.random.randint(0, 5)):
            self.does(lambda name=name, target=target: os.symlink(target, self.root / self.one(self.folders) / name))
        if self.random.random() < 0.2:
            self.does(lambda: os.mkfifo(self.root / "fifo.yaml"))
        if self.random.random() < 0.1:
            self.does(lambda: (self.root / "secret-mode.yaml").mkdir())

    @staticmethod
    def does(action):
        """Whether the file system takes a name; two of them may be the same, or too long."""
        try:
            action()
        except (OSError, ValueError):
            return False
        return True


def hostile_tree(seed: int, folder: Path) -> Path:
    """Write the tree of a seed into an empty folder, and return the repository in it."""
    return _Tree(seed, folder).write()
