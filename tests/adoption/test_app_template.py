"""A release of bjw-s' app-template becomes a workload, as the chart would have made it.

Else it stays, with the reason.
"""

import copy

import pytest
import yaml

from constructs_lib.adoption.adopted_cluster import adopt
from constructs_lib.adoption.app_template import App
from constructs_lib.adoption.differences import BEFORE, differences, removals
from constructs_lib.observed.read.repository import read_text

RUNTIME_CLASS = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}
VALUES = {
    "controllers": {
        "plex": {
            "annotations": {"reloader.stakater.com/auto": "true"},
            "pod": {"runtimeClassName": "nvidia"},
            "containers": {
                "app": {
                    "image": {"repository": "ghcr.io/home-operations/plex", "tag": "1.43.3@sha256:" + "0" * 64},
                    "args": ["--quiet"],
                    "env": {"TZ": "Europe/Berlin", "PORT": 32400, "DEBUG": False, "KEY": {"valueFrom": {"secretKeyRef": {"name": "plex", "key": "k"}}}},
                    "envFrom": [{"secretRef": {"name": "{{ .Release.Name }}-secret"}}],
                    "probes": {
                        "liveness": {"enabled": True, "custom": True, "spec": {"httpGet": {"path": "/identity", "port": 32400}}},
                        "readiness": {"enabled": True},
                        "startup": {"enabled": False},
                    },
                    "resources": {"requests": {"cpu": "100m"}, "limits": {"nvidia.com/gpu": 1, "memory": "8Gi"}},
                    "securityContext": {"allowPrivilegeEscalation": False},
                }
            },
        }
    },
    "defaultPodOptions": {"nodeSelector": {"pool-gpu": "yes"}, "securityContext": {"fsGroup": 1000}},
    "service": {"app": {"controller": "plex", "ports": {"http": {"port": 80, "targetPort": 32400}}}},
    "route": {
        "app": {
            "hostnames": ["plex.example.com"],
            "parentRefs": [{"name": "internal", "namespace": "network", "sectionName": "https"}],
            "rules": [{"backendRefs": [{"identifier": "app", "port": "http"}]}],
        }
    },
    "persistence": {
        "config": {"existingClaim": "plex", "globalMounts": [{"path": "/config"}]},
        "tmp": {"type": "emptyDir", "advancedMounts": {"plex": {"app": [{"path": "/transcode", "subPath": "t"}, {"path": "/logs", "subPath": "l"}]}}},
        "media": {"type": "nfs", "server": "nas.local", "path": "/media", "globalMounts": [{"readOnly": True}]},
    },
}  # fmt: skip


def release(values, **spec):
    chart = {"chart": "app-template", "version": "4.1.1", "sourceRef": {"kind": "HelmRepository", "name": "bjw-s"}}
    return {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "plex", "namespace": "media"},
        "spec": {"interval": "1h", "chart": {"spec": chart}, "values": values, **spec},
    }


def application(values):
    source = {
        "repoURL": "https://bjw-s-labs.github.io/helm-charts",
        "chart": "app-template",
        "targetRevision": "4.1.1",
        "helm": {"valuesObject": values},
    }
    destination = {"server": "https://kubernetes.default.svc", "namespace": "media"}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "plex", "namespace": "argocd"},
        "spec": {"project": "default", "destination": destination, "source": source},
    }


def changed(path, value):
    """The values with another value at a path with slashes."""
    values = copy.deepcopy(VALUES)
    *steps, last = path.split("/")
    inner = values
    for step in steps:
        inner = inner.setdefault(step, {})
    inner[last] = value
    return values


def adopted(*objects):
    return adopt(read_text(yaml.safe_dump_all([RUNTIME_CLASS, *objects])), "1.13.9")


def made(adoption):
    files = (text for name, text in adoption.files.items() if name.startswith("manifests/"))
    return {each["kind"]: each for text in files for each in yaml.safe_load_all(text)}


@pytest.mark.parametrize("about", [release(VALUES), application(VALUES)], ids=["Flux", "Argo CD"])
def test_a_release_becomes_the_workload_that_the_chart_makes(about):
    adoption = adopted(about)
    objects = made(adoption)
    pod = objects["Deployment"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]

    assert [each.reason for each in adoption.left] == []
    assert container["image"] == f"ghcr.io/home-operations/plex:1.43.3@sha256:{'0' * 64}"
    assert {each["name"]: each.get("value") for each in container["env"]} == {
        "TZ": "Europe/Berlin",
        "PORT": "32400",
        "DEBUG": "false",
        "KEY": None,
    }
    assert container["envFrom"] == [{"secretRef": {"name": "plex-secret"}}]
    assert container["resources"]["limits"] == {"nvidia.com/gpu": 1, "memory": "8Gi"}
    assert container["livenessProbe"]["httpGet"]["path"] == "/identity"
    assert "tcpSocket" in container["readinessProbe"]
    assert "startupProbe" not in container
    assert {each["mountPath"] for each in container["volumeMounts"]} == {"/config", "/transcode", "/logs", "/media"}
    sources = [{key for key in each if key != "name"} for each in pod["volumes"]]
    assert sorted(sources, key=str) == sorted([{"persistentVolumeClaim"}, {"emptyDir"}, {"nfs"}], key=str)
    assert (pod["runtimeClassName"], pod["nodeSelector"]["pool-gpu"], pod["securityContext"]["fsGroup"]) == ("nvidia", "yes", 1000)
    assert objects["Deployment"]["metadata"]["annotations"] == {"reloader.stakater.com/auto": "true"}
    assert [(each["name"], each["port"]) for each in objects["Service"]["spec"]["ports"]] == [("http", 80)]
    assert objects["HTTPRoute"]["spec"]["hostnames"] == ["plex.example.com"]
    (parent,) = objects["HTTPRoute"]["spec"]["parentRefs"]
    assert parent == {"name": "internal", "namespace": "network", "sectionName": "https"}
    assert next((each.when, each.labels) for each in removals(adoption)) == (
        BEFORE,
        (f"{about['kind']} {about['metadata']['namespace']}/plex",),
    )


def test_an_ingress_becomes_a_way_in():
    values = changed(
        "ingress",
        {
            "app": {
                "className": "internal",
                "hosts": [{"host": "plex.example.com", "paths": [{"path": "/", "service": {"identifier": "app"}}]}],
            }
        },
    )
    del values["route"]
    objects = made(adopted(release(values)))

    assert objects["Ingress"]["spec"]["ingressClassName"] == "internal"
    assert [each["host"] for each in objects["Ingress"]["spec"]["rules"]] == ["plex.example.com"]


def test_a_cron_job_keeps_its_schedule():
    values = changed("controllers/plex/type", "cronjob")
    values["controllers"]["plex"]["cronjob"] = {"schedule": "0 3 * * *", "backoffLimit": 2}
    del values["service"], values["route"]
    for probes in (each["probes"] for each in values["controllers"]["plex"]["containers"].values()):
        probes.clear()
    app = App(read_text(yaml.safe_dump(release(values))).releases[0])

    assert app.workload["spec"]["schedule"] == "0 3 * * *"
    assert app.workload["spec"]["jobTemplate"]["spec"]["backoffLimit"] == 2


def test_a_placeholder_of_flux_is_named():
    adoption = adopted(release(changed("controllers/plex/containers/app/env/TZ", "${TIMEZONE}")))

    assert made(adoption)["Deployment"]
    assert any("the file has ${TIMEZONE} as it is written" in each.reason for each in differences(adoption))


REASONS = {
    "persistence/config": ({"size": "10Gi", "accessMode": "ReadWriteOnce"}, "the release makes the claim of persistence.config"),
    "persistence/settings": ({"type": "configMap", "identifier": "settings"}, "persistence.settings names an object of the release"),
    "configMaps": ({"settings": {"data": {"a": "b"}}}, "values.configMaps is not known"),
    "controllers/redis": ({"containers": {"app": {"image": {"repository": "redis", "tag": "8"}}}}, "its values have 2 controllers"),
    "service/lan": ({"controller": "plex", "type": "LoadBalancer", "ports": {"http": {"port": 1}}}, "its values have 2 service"),
    "route/app/hostnames": (["plex.${DOMAIN}"], "'hostname' must be"),
    "controllers/plex/containers/app/env/BITRATE": (50_000_000, "env.BITRATE is a number that Helm may write in another form"),
    "controllers/plex/containers/app/env/HF_TOKEN": ("hunter2secret", "a credential in values.controllers.plex"),
    "controllers/plex/containers/app/args": (["--url={{ .Values.url }}"], "args.0 is a template"),
    "defaultPodOptions/runtimeClassName": ("kata", ""),
}


@pytest.mark.parametrize(("path", "value", "reason"), [(path, *each) for path, each in REASONS.items() if each[1]])
def test_what_no_argument_says_stays_with_its_reason(path, value, reason):
    adoption = adopted(release(changed(path, value)))

    assert [each.id for each in adoption.parts if each.id == "plex"] == []
    assert any(reason in each.reason for each in adoption.left), [each.reason for each in adoption.left]


@pytest.mark.parametrize(
    "spec", [{"suspend": True}, {"postRenderers": [{"kustomize": {}}]}, {"kubeConfig": {"secretRef": {"name": "paris"}}}]
)
def test_a_release_that_is_not_installed_here_as_it_is_stays(spec):
    (left,) = adopted(release(VALUES, **spec)).left

    assert f"no argument says spec.{next(iter(spec))} of its delivery" in left.reason
