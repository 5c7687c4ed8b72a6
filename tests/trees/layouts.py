"""The layouts of a repository: where the objects and releases of a cluster's apps are written, and by whom they are applied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from constructs_lib.upstream.talos.folders import CLUSTERTOOL_FILE

from .hcl import block
from .model import App, Cluster, Object
from .releases import application, helm_chart, helm_release, umbrella
from .terraform import Root, label, manifest, release_block
from .tree import Tree

REPO = "https://github.com/example/home-ops.git"
LOCAL = {"server": "https://kubernetes.default.svc"}
Layout = Callable[[Cluster, Tree, str], None]
LAYOUTS: dict[str, Layout] = {}


def layout(write: Layout) -> Layout:
    """A layout, by the name of its function."""
    LAYOUTS[write.__name__.replace("_", "-")] = write
    return write


def flux_kustomization(name: str, path: str, *, namespace: str = "flux-system", **spec: Any) -> Object:
    """A Kustomization of Flux."""
    body: Object = {
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": {"name": name, "namespace": namespace},
    }
    source = {"kind": "GitRepository", "name": "flux-system", "namespace": "flux-system"}
    return {**body, "spec": {"interval": "1h", "path": path, "prune": True, "sourceRef": source, **spec}}


def app_folder(app: App, tree: Tree, folder: str, source_namespace: str, *, prefix: str = "", **fields: Any) -> None:
    """A folder with the objects and HelmReleases of an app, and its kustomization. The prefix is for the names of sources."""
    resources = tree.spread(folder, app.objects)
    for release in app.releases:
        objects, more = helm_release(tree.random, release, source_namespace=source_namespace, tree=tree, folder=folder, prefix=prefix)
        names = ["helmrelease.yaml", tree.random.choice(("helmrelease.yaml", "source.yaml"))]
        for name, each in zip(names, objects, strict=True):
            tree.put(f"{folder}/{name}", each)
        resources += dict.fromkeys(names)
        fields |= more
    if "configMapGenerator" in fields:
        fields["namespace"] = app.namespace
    tree.kustomization(folder, list(dict.fromkeys(resources)), **fields)


@layout
def flux_template(cluster: Cluster, tree: Tree, root: str) -> None:
    """kubernetes/apps/<namespace>/<app>/{ks.yaml,app/helmrelease.yaml}, as the community's template of Flux makes it."""
    top = tree.random.choice(("kubernetes", "cluster", "k8s"))
    base = f"{root}{top}"
    substitute = {"substituteFrom": [{"kind": "Secret", "name": "cluster-secrets"}]}
    folder = tree.random.choice(("cluster", "flux"))
    tree.put(f"{base}/flux/{folder}/ks.yaml", flux_kustomization("cluster-apps", f"./{base}/apps", postBuild=substitute))
    by_namespace: dict[str, list[App]] = {}
    for app in cluster.apps:
        by_namespace.setdefault(app.namespace, []).append(app)
    for namespace, apps in by_namespace.items():
        where = f"{base}/apps/{namespace}"
        resources = []
        for app in apps:
            made = [each for each in app.objects if each["kind"] == "Namespace"]
            for each in made:
                tree.put(f"{where}/namespace.yaml", each)
                resources.insert(0, "./namespace.yaml")
            rest = App(app.name, app.namespace, [each for each in app.objects if each not in made], app.releases)
            app_folder(rest, tree, f"{where}/{app.name}/app", "flux-system")
            spec = {"targetNamespace": namespace} if tree.random.random() < 0.7 else {}
            ks = flux_kustomization(app.name, f"./{where}/{app.name}/app", namespace=tree.random.choice(("flux-system", namespace)), **spec)
            tree.put(f"{where}/{app.name}/ks.yaml", ks)
            resources.append(f"./{app.name}/ks.yaml")
        tree.kustomization(where, resources, **({"namespace": namespace} if tree.random.random() < 0.3 else {}))


@layout
def flux_plain(cluster: Cluster, tree: Tree, root: str) -> None:
    """clusters/<name>/ with Flux' own objects; infrastructure/ and apps/ beside it."""
    home = f"{root}clusters/{cluster.name}"
    sync = flux_kustomization("flux-system", f"./{home}")
    tree.put(f"{home}/flux-system/gotk-sync.yaml", sync)
    tree.kustomization(f"{home}/flux-system", ["gotk-sync.yaml"])
    for app in cluster.apps:
        part = "infrastructure" if app.name in AGENTS else "apps"
        where = f"{root}{part}/{app.name}"
        if app.releases and tree.random.random() < 0.4:
            app_folder(app, tree, f"{where}/base", "flux-system")
            labels = [{"pairs": {"example.org/cluster": cluster.name}}]
            tree.kustomization(f"{where}/{cluster.name}", ["../base"], labels=labels)
            where = f"{where}/{cluster.name}"
        else:
            app_folder(app, tree, where, "flux-system")
        tree.put(f"{home}/{part}.yaml", flux_kustomization(app.name, f"./{where}"))


AGENTS = ("nvidia-device-plugin", "gpu-operator", "dcgm-exporter", "node-feature-discovery", "dra-driver-nvidia-gpu")


def argo_app(name: str, path: str, namespace: str, destination: Object = LOCAL) -> Object:
    """An Application of a folder."""
    spec: Object = {"project": "default", "source": {"repoURL": REPO, "targetRevision": "main", "path": path}}
    spec["destination"] = {**destination, "namespace": namespace}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": name, "namespace": "argocd"}, "spec": spec}


@layout
def argo_applications(cluster: Cluster, tree: Tree, root: str, destination: Object = LOCAL) -> None:
    """An Application for each release, and one for each folder of objects."""
    for app in cluster.apps:
        for release in app.releases:
            folder = f"{root}values"
            tree.put(
                f"{root}argocd/{release.name}.yaml",
                application(tree.random, release, tree, repo=REPO, folder=folder, destination=destination),
            )
        if app.objects:
            tree.spread(f"{root}manifests/{app.name}", app.objects)
            one = argo_app(f"{app.name}-objects", f"{root}manifests/{app.name}", app.namespace, destination)
            tree.put(f"{root}argocd/{app.name}.yaml", one)


@layout
def app_of_apps(cluster: Cluster, tree: Tree, root: str) -> None:
    """One Application deploys the folder of all others."""
    argo_applications(cluster, tree, root)
    tree.put(f"{root}root.yaml", argo_app("root", f"{root}argocd", "argocd"))


def app_set(name: str, generators: list[Object], path: str, namespace: str, *, destination: Object | None = None) -> Object:
    """An ApplicationSet whose Applications deploy folders."""
    template = argo_app("{{.path.basename}}", path, namespace, destination or LOCAL)
    meta = {"name": template["metadata"]["name"]}
    body: Object = {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "metadata": {"name": name, "namespace": "argocd"}}
    body["spec"] = {"goTemplate": True, "generators": generators, "template": {"metadata": meta, "spec": template["spec"]}}
    return body


def rendered_folder(app: App, tree: Tree, folder: str) -> None:
    """The folder of an app: a kustomization with its objects, which renders its charts."""
    charts = [helm_chart(tree.random, each, tree, folder) for each in app.releases]
    tree.kustomization(folder, tree.spread(folder, app.objects), **({"helmCharts": charts} if charts else {}))


@layout
def application_set_directories(cluster: Cluster, tree: Tree, root: str) -> None:
    """An ApplicationSet makes an Application of each folder."""
    top = tree.random.choice(("infrastructure", "apps", "my-apps"))
    for app in cluster.apps:
        rendered_folder(app, tree, f"{root}{top}/{app.namespace}/{app.name}")
    git = {"git": {"repoURL": REPO, "revision": "main", "directories": [{"path": f"{root}{top}/*/*"}]}}
    tree.put(f"{root}bootstrap/set.yaml", app_set("apps", [git], "{{.path.path}}", "{{index .path.segments 1}}" if not root else "default"))


@layout
def application_set_list(cluster: Cluster, tree: Tree, root: str) -> None:
    """An ApplicationSet lists the apps."""
    elements = []
    for app in cluster.apps:
        folder = f"{root}deploy/{app.name}"
        rendered_folder(app, tree, folder)
        elements.append({"name": app.name, "namespace": app.namespace})
    body = app_set("apps", [{"list": {"elements": elements}}], f"{root}deploy/{{{{.name}}}}", "{{.namespace}}")
    body["spec"]["template"]["metadata"]["name"] = "{{.name}}"
    tree.put(f"{root}bootstrap/set.yaml", body)


@layout
def application_set_matrix(cluster: Cluster, tree: Tree, root: str) -> None:
    """A matrix of clusters and folders."""
    for app in cluster.apps:
        rendered_folder(app, tree, f"{root}components/{app.name}")
    git = {"git": {"repoURL": REPO, "revision": "main", "directories": [{"path": f"{root}components/*"}]}}
    clusters = {"clusters": {"selector": {"matchLabels": {"gpu": "true"}}}}
    body = app_set(
        "components", [{"matrix": {"generators": [clusters, git]}}], "{{.path.path}}", "default", destination={"server": "{{.server}}"}
    )
    body["spec"]["template"]["metadata"]["name"] = "{{.name}}-{{.path.basename}}"
    tree.put(f"{root}bootstrap/set.yaml", body)


@layout
def umbrella_charts(cluster: Cluster, tree: Tree, root: str) -> None:
    """A chart of the repository wraps each release; Applications deploy the charts."""
    for app in cluster.apps:
        for release in app.releases:
            umbrella(release, tree, f"{root}charts/{release.name}")
            tree.put(f"{root}argocd/{app.name}.yaml", argo_app(release.name, f"{root}charts/{release.name}", release.namespace))
        if app.objects:
            tree.spread(f"{root}manifests/{app.name}", app.objects)
            tree.put(f"{root}argocd/{app.name}.yaml", argo_app(f"{app.name}-objects", f"{root}manifests/{app.name}", app.namespace))


def second_cluster(cluster: Cluster, tree: Tree, root: str) -> str:
    """Write another cluster, which the deployers of the first one reach; how they name it."""
    form = tree.random.choice(("destination.server", "destination.name", "kubeConfig"))
    if form == "kubeConfig":
        for app in cluster.apps:
            where = f"{root}{cluster.name}/{app.name}"
            app_folder(app, tree, where, "flux-system")
            reached = {"kubeConfig": {"secretRef": {"name": f"{cluster.name}-kubeconfig"}}}
            tree.put(f"{root}remote/{cluster.name}.yaml", flux_kustomization(f"{cluster.name}-{app.name}", f"./{where}", **reached))
    else:
        place = {"server": f"https://{cluster.name}.example.org:6443"} if form == "destination.server" else {"name": cluster.name}
        argo_applications(cluster, tree, f"{root}{cluster.name}/", place)
    return f"second cluster by {form}"


@layout
def kustomize_overlays(cluster: Cluster, tree: Tree, root: str) -> None:
    """Bases, a component, and an overlay that changes the settings of a base."""
    overlay = f"{root}overlays/{cluster.name}"
    resources = []
    for app in cluster.apps:
        # One build takes no object twice, and two charts may have one repository
        app_folder(app, tree, f"{root}base/{app.name}", "flux-system", prefix=f"{app.name}-")
        resources.append(f"../../base/{app.name}")
    component: Object = {"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component"}
    component["labels"] = [{"pairs": {"example.org/managed": "kustomize"}}]
    tree.put(f"{root}components/labels/kustomization.yaml", component)
    tree.kustomization(overlay, resources, components=["../../components/labels"])


@layout
def bare_manifests(cluster: Cluster, tree: Tree, root: str) -> None:
    """Files for `kubectl apply`, with HelmReleases."""
    for app in cluster.apps:
        folder = f"{root}manifests/{app.name}"
        tree.spread(folder, app.objects)
        for release in app.releases:
            values = dict(release.values)
            objects, fields = helm_release(tree.random, release, source_namespace="flux-system", tree=Tree(tree.random), folder=folder)
            if fields:
                objects[0]["spec"].pop("valuesFrom")
                objects[0]["spec"]["values"] = values
            tree.put(f"{folder}/release.yaml", *objects)


@layout
def terraform(cluster: Cluster, tree: Tree, root: str) -> None:
    """A module of Terraform with the releases and objects as resources; an app may have a module of its own, which the root calls."""
    main = Root(tree.random, tree, f"{root}{tree.random.choice(('terraform/apps', 'terraform', 'infra'))}")
    for app in cluster.apps:
        is_called = tree.random.random() < 0.2
        module = Root(tree.random, tree, f"{main.folder}/modules/{app.name}") if is_called else main
        file = "main.tf" if is_called else f"{app.name}.tf"
        module.add(file, *(manifest(module, each, number) for number, each in enumerate(app.objects)))
        module.add(file, *(release_block(module, each) for each in app.releases))
        if is_called:
            main.add("modules.tf", block("module", label(app.name), source=f"./modules/{app.name}"))
            module.write()
    main.write()


@layout
def clustertool(cluster: Cluster, tree: Tree, root: str) -> None:
    """clusters/main/kubernetes/<group>/<app>/{ks.yaml,app/helm-release.yaml}, as TrueForge's ClusterTool makes it."""
    home = f"{root}clusters/main"
    base = f"{home}/kubernetes"
    substitute = {"substituteFrom": [{"kind": "ConfigMap", "name": "cluster-config"}]}
    entry = flux_kustomization("flux-entry", f"./{base}", postBuild=substitute)
    entry["spec"]["sourceRef"] = {"kind": "GitRepository", "name": "cluster"}
    tree.put(f"{base}/flux-entry.yaml", entry)
    tree.put(f"{home}/{CLUSTERTOOL_FILE}", {"VIP": "10.0.0.5", "GATEWAY": "10.0.0.1", "PODNET": "172.16.0.0/16"})
    groups: dict[str, list[str]] = {}
    for app in cluster.apps:
        group = "system" if app.name in AGENTS else app.namespace if app.namespace == "kube-system" else "apps"
        where = f"{base}/{group}/{app.name}"
        app_folder(app, tree, f"{where}/app", "flux-system")
        one = flux_kustomization(app.name, f"{where}/app")
        one["spec"]["sourceRef"] = {"kind": "GitRepository", "name": "cluster"}
        tree.put(f"{where}/ks.yaml", one)
        groups.setdefault(group, []).append(f"{app.name}/ks.yaml")
    for group, names in groups.items():
        tree.kustomization(f"{base}/{group}", names)
    tree.kustomization(base, ["flux-entry.yaml", *groups])
