"""A server with the releases of our tables in the place of the Image Factory, of Helm repositories and of container registries, and the presets."""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import yaml

from constructs_lib.upstream.charts import CHARTS
from constructs_lib.upstream.charts.chart_releases import EXPORTER_TAGS, RELEASE_INDEXES
from constructs_lib.upstream.talos.releases import TALOS
from constructs_lib.upstream.version import Version
from tools.renovate_presets import presets

_DRA = ("0.4.0", "0.4.1", "0.5.0")
_OLD_DRA = ("25.3.0", "25.8.0", "25.12.0")

# The Terraform provider of Talos has versions of its own.
_PROVIDER = {
    "data": {"attributes": {"source": "https://github.com/siderolabs/terraform-provider-talos"}},
    "included": [
        {"type": "provider-versions", "attributes": {"version": each, "published-at": "2026-01-01T00:00:00Z"}}
        for each in ("0.9.0", "0.10.1")
    ],
}


@contextmanager
def registries(*more_talos: str) -> Iterator[str]:
    """The address of a server; the Image Factory also has these releases of Talos."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler([*talos_releases(), *more_talos]))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def talos_releases() -> list[str]:
    """Each patch of each minor up to the newest, and the newest pre-release."""
    newest = [Version.parse(each.newest) for each in TALOS.values()]
    return [f"v{patch}" for each in newest if each for patch in ([each] if each.pre_release else _patches(each))]


def _patches(newest: Version) -> list[Version]:
    return [Version(newest.major, newest.minor, patch) for patch in range((newest.patch or 0) + 1)]


def _charts() -> dict[str, list[str]]:
    """The versions of each chart, as its repository writes them."""
    listed = {name: [CHARTS[name].written(each) for each in index.versions] for name, index in RELEASE_INDEXES.items()}
    listed |= {"dra-driver-nvidia-gpu": [*_DRA], "nvidia-dra-driver-gpu": [*_OLD_DRA]}
    return {name: sorted({*versions, CHARTS[name].table.released} if name in CHARTS else versions) for name, versions in listed.items()}


def _tags(more: list[str]) -> dict[str, list[str]]:
    """The tags of each image, by the end of its name."""
    charts = _charts()
    kubernetes = {minor for release in TALOS.values() for minor in release.kubernetes_versions}
    return {
        "siderolabs/installer": [each for each in more if int(each.split(".")[1]) < 14],
        "siderolabs/kubelet": [f"v{minor}.{patch}" for minor in sorted(kubernetes) for patch in range(5)],
        "siderolabs/nvidia-container-toolkit-lts": ["535.247.01-v1.17.8", "580.126.20-v1.18.2"],
        "siderolabs/nvidia-open-gpu-kernel-modules-lts": ["535.247.01-v1.12.9", "580.126.20-v1.12.12"],
        "nvidia/k8s/dcgm-exporter": [*EXPORTER_TAGS.values(), "4.6.1-4.8.4-distroless"],
        "nvidia/k8s-device-plugin": [f"v{each}" for each in charts["nvidia-device-plugin"]],
        "charts/dra-driver-nvidia-gpu": charts["dra-driver-nvidia-gpu"],
    }


def _handler(talos: list[str]) -> type[BaseHTTPRequestHandler]:
    tags, written = _tags(talos), presets()
    index = {"apiVersion": "v1", "entries": {name: [{"name": name, "version": each} for each in all_] for name, all_ in _charts().items()}}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self._body(self.path.partition("?")[0])
            self.send_response(200 if body else 404)
            self.end_headers()
            self.wfile.write((body or "").encode())

        def _body(self, path: str) -> str | None:
            if path == "/factory.talos.dev/versions":
                return json.dumps(talos)
            if path.startswith("/api.github.com/repos/OWNER/cdk8s-nvidia-talos/contents/renovate/"):
                return json.dumps({"content": base64.b64encode(written[path.rpartition("/")[2]].encode()).decode()})
            if path == "/registry.terraform.io/v2/providers/siderolabs/talos":
                return json.dumps(_PROVIDER)
            if path.endswith("/index.yaml"):
                return yaml.safe_dump(index)
            if path.endswith("/v2/"):
                return "{}"
            name = next((each for each in tags if path.endswith(f"/{each}/tags/list")), "")
            return json.dumps({"name": name, "tags": tags[name]}) if name else None

        def log_message(self, *_: object) -> None:
            pass

    return Handler
