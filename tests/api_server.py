"""A real API server for tests: ``with ApiServer() as api: api.dry_run(manifest)``.

Schemas say whether a manifest is well formed; only the API server says whether a cluster takes it: defaulting, validation across fields,
CEL rules of CRDs, and Pod Security as Talos configures it. ``KUBEBUILDER_ASSETS`` names the folder with ``etcd`` and ``kube-apiserver``
(``setup-envtest use -p path`` prints one). Nothing else runs. No controllers: a DaemonSet makes no pods, so dry-run a Pod made from its
template; no ServiceAccount ``default``, so the plugin that demands it is off. What a manifest refers to (namespace, RuntimeClass,
PriorityClass, CRD) has to be applied before it.
"""

from __future__ import annotations

import contextlib
import ctypes
import http.client
import json
import os
import re
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode

from talos_gpu_rehearsal.control_plane import ADMISSION

TIMEOUT = 180.0  # seconds for each wait; the start takes about three on two idle cores, and a minute where others want them too
# Waits until this process has ended, in whichever way, and then removes the folder. The second removal is for a server that wrote while it was killed.
JANITOR = 'cat; rm -rf "$0"; sleep 1; rm -rf "$0"'
# PR_SET_PDEATHSIG: the servers end with this process even if it is killed and no `finally` runs
DIE_WITH_PARENT = partial(ctypes.CDLL(None).prctl, 1, signal.SIGKILL) if sys.platform == "linux" else None


def reserved_port(held: contextlib.ExitStack) -> int:
    """A port of loopback. On Linux no other program gets it until `held` ends: a socket has it and does not listen, so a server that sets
    SO_REUSEADDR, as all of Go do, can listen there (socket(7)); elsewhere it could not."""
    kept = held.enter_context(contextlib.closing(socket.socket()))
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    kept.bind(("127.0.0.1", 0))
    port: int = kept.getsockname()[1]
    if sys.platform != "linux":
        kept.close()
    return port


class ApiError(Exception):
    """The API server refused; ``str()`` is the message of its Status, ``code`` the HTTP status, ``reason`` e.g. ``Forbidden``."""

    def __init__(self, code: int, status: Mapping[str, Any]) -> None:
        self.code = code
        self.reason = str(status.get("reason", ""))
        super().__init__(str(status.get("message", status)))


class ApiServer:
    """etcd and kube-apiserver on loopback ports, from ``__enter__`` to ``__exit__``; state and logs are in a temporary folder."""

    # No controllers run beside the server, so no namespace has the account that the plugin ServiceAccount demands.
    ACCESS: tuple[str, ...] = ("--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount")

    def __init__(self, assets: Path | None = None, *, feature_gates: Iterable[str] = (), runtime_config: Iterable[str] = ()) -> None:
        """`feature_gates` are switched on in every program that has them, and `runtime_config` are versions of APIs that are served too."""
        self._assets = assets or Path(os.environ["KUBEBUILDER_ASSETS"])
        self._gates = tuple(f"--feature-gates={gate}=true" for gate in feature_gates)
        self._versions = tuple(f"--runtime-config={version}=true" for version in runtime_config)

    def __enter__(self) -> Self:
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._kinds: dict[str, dict[str, tuple[str, bool]]] = {}
        self._trust: ssl.SSLContext | None = None
        self._held = threading.local()
        self._ports = contextlib.ExitStack()
        self._connections: list[http.client.HTTPSConnection] = []
        self._folder = Path(tempfile.mkdtemp(prefix="api-server-"))
        self._janitor = subprocess.Popen(["/bin/sh", "-c", JANITOR, self._folder], stdin=subprocess.PIPE, start_new_session=True)
        try:
            self._start(self._assets)
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def apply(self, manifests: Iterable[Mapping[str, Any]]) -> None:
        """Create or update for real, in the given order (server-side apply, strict); return when the CRDs among them are served."""
        crds = []
        for manifest in manifests:
            path = f"{self._path(manifest, None)}/{manifest['metadata']['name']}"
            self._call("PATCH", path, {"fieldManager": "test", "force": "true", "fieldValidation": "Strict"}, manifest)
            if manifest["kind"] == "CustomResourceDefinition":
                crds.append(manifest["spec"])
        for spec in crds:
            for version in (version["name"] for version in spec["versions"] if version["served"]):
                self._wait(partial(self._resource, f"{spec['group']}/{version}", spec["names"]["kind"]))  # lists the Established

    def dry_run(self, manifest: Mapping[str, Any], namespace: str | None = None) -> list[str]:
        """Create without storing, unknown fields refused; return the warnings. What was applied is refused with AlreadyExists.

        ``namespace`` is kubectl's ``-n``: it must not disagree with the manifest's own, and without both it is ``default``.
        """
        query = {"dryRun": "All", "fieldValidation": "Strict"}
        _, headers = self._call("POST", self._path(manifest, namespace), query, manifest)
        texts = (re.sub(r'^\d{3} \S+ "(.*)"$', r"\1", header) for header in headers.get_all("Warning", []))
        return [re.sub(r"\\(.)", r"\1", text) for text in texts]

    def applied(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """The object that server-side apply would store, with its defaults, in a dry run. A null that no default replaces is refused."""
        path = f"{self._path(manifest, None)}/{manifest['metadata']['name']}"
        return self._call("PATCH", path, {"dryRun": "All", "fieldManager": "test", "force": "true", "fieldValidation": "Strict"}, manifest)[
            0
        ]

    def stored(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """The object that the server would store, with its defaults, created in a dry run."""
        return self._call("POST", self._path(manifest, None), {"dryRun": "All", "fieldValidation": "Strict"}, manifest)[0]

    def enumerations(self, *paths: str) -> dict[tuple[str, str], set[str]]:
        """The `enum` of each field in the OpenAPI documents of these paths, as ``api/v1``, by type and field."""
        found = {}
        for path in paths:
            document, _ = self._call("GET", f"/openapi/v3/{path}", {})
            for name, schema in document["components"]["schemas"].items():
                for key, field in schema.get("properties", {}).items():
                    if values := field.get("enum") or field.get("items", {}).get("enum"):
                        found[name.rpartition(".")[2], key] = {value for value in values if value}
        return found

    def kubeconfig(self, *contexts: str) -> str:
        """A kubeconfig for kubectl whose contexts all name this server; the first one is the current context."""
        cluster = {"server": f"https://127.0.0.1:{self._port}", "certificate-authority": str(self._folder / "apiserver.crt")}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": "admin", "user": {"token": self._token}}],
            "contexts": [{"name": name, "context": {"cluster": "test", "user": "admin"}} for name in contexts],
            "current-context": contexts[0],
        }
        return json.dumps(config)

    def _start(self, assets: Path) -> None:
        self._serve(assets)
        self._wait_for_admission()

    def _serve(self, assets: Path) -> None:
        """Start etcd and the API server."""
        etcd, peer, self._port = (reserved_port(self._ports) for _ in range(3))
        folder, self._token = self._folder, secrets.token_hex(16)
        plugins = ADMISSION["plugins"]
        admission = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AdmissionConfiguration", "plugins": plugins}
        (folder / "admission.json").write_text(json.dumps(admission), encoding="utf-8")
        (folder / "tokens.csv").write_text(f"{self._token},admin,admin,system:masters\n", encoding="utf-8")
        self._run(
            assets / "etcd",
            f"--data-dir={folder}/etcd",
            f"--listen-client-urls=http://127.0.0.1:{etcd}",
            f"--advertise-client-urls=http://127.0.0.1:{etcd}",
            f"--listen-peer-urls=http://127.0.0.1:{peer}",
            f"--initial-advertise-peer-urls=http://127.0.0.1:{peer}",
            f"--initial-cluster=default=http://127.0.0.1:{peer}",
            "--unsafe-no-fsync",
        )
        self._run(
            assets / "kube-apiserver",
            f"--etcd-servers=http://127.0.0.1:{etcd}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",  # otherwise a default route is needed
            "--endpoint-reconciler-type=none",  # the `kubernetes` Service cannot point at loopback
            f"--secure-port={self._port}",
            f"--cert-dir={folder}",  # where it writes a self-signed pair, whose key then also signs service account tokens
            f"--service-account-key-file={folder}/apiserver.key",
            f"--service-account-signing-key-file={folder}/apiserver.key",
            "--service-account-issuer=https://kubernetes.default.svc",
            "--service-cluster-ip-range=10.96.0.0/12",
            f"--token-auth-file={folder}/tokens.csv",
            "--allow-privileged=true",
            f"--admission-control-config-file={folder}/admission.json",
            *self.ACCESS,
            *self._gates,
            *self._versions,
        )
        self._wait(partial(self._call, "GET", "/readyz", {}))

    def _wait_for_admission(self) -> None:
        """Return when pods are admitted: ready comes before the built-in namespaces and before admission has seen the built-in priority classes."""
        spec = {"priorityClassName": "system-node-critical", "containers": [{"name": "a", "image": "a"}]}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "ready"}, "spec": spec}
        for namespace in ("default", "kube-system"):
            self._wait(partial(self.dry_run, pod, namespace))

    def _run(self, program: Path, *arguments: str) -> None:
        with (self._folder / f"{program.name}.log").open("wb") as log:
            command = [str(program), *arguments]
            self._processes[program.name] = subprocess.Popen(command, stdout=log, stderr=log, preexec_fn=DIE_WITH_PARENT)  # noqa: PLW1509  # pytest starts no thread before it

    def _stop(self) -> None:
        for connection in self._connections:
            connection.close()
        for process in self._processes.values():
            process.kill()  # the state is thrown away: nothing to say goodbye to
            process.wait()
        self._ports.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._janitor.kill()
        self._janitor.communicate()

    def _wait(self, attempt: Callable[[], object]) -> object:
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                return attempt()
            except (ApiError, OSError, http.client.HTTPException) as error:
                ended = [name for name, process in self._processes.items() if process.poll() is not None]
                if ended or time.monotonic() > deadline:
                    logs = "\n".join(log.read_text(errors="replace")[-2000:] for log in sorted(self._folder.glob("*.log")))
                    raise RuntimeError(f"API server: {error}; ended: {ended}; the logs end with\n{logs}") from error
                time.sleep(0.05)

    def _call(
        self, method: str, path: str, query: dict[str, str], body: object = None, user: Mapping[str, str] | None = None
    ) -> tuple[dict[str, Any], http.client.HTTPMessage]:
        kind = "application/apply-patch+yaml" if method == "PATCH" else "application/json"
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": kind, "Accept": "application/json", **(user or {})}
        request = (method, f"{path}?{urlencode(query)}", json.dumps(body) if body else None, headers)
        try:
            response, text = self._sent(*request)
        except (ConnectionError, ssl.SSLEOFError):  # the server closes what was idle for long
            response, text = self._sent(*request)
        answer = json.loads(text) if text.startswith("{") else {"message": text}
        if response.status >= 300:
            raise ApiError(response.status, answer)
        return answer, response.headers

    def _sent(self, *request: Any) -> tuple[http.client.HTTPResponse, str]:
        """The answer over the connection that this thread holds: a handshake takes longer than most calls."""
        if not hasattr(self._held, "connection"):
            self._trust = self._trust or ssl.create_default_context(cafile=str(self._folder / "apiserver.crt"))
            self._held.connection = http.client.HTTPSConnection("127.0.0.1", self._port, timeout=TIMEOUT, context=self._trust)
            self._connections.append(self._held.connection)
        try:
            self._held.connection.request(*request)
            response = self._held.connection.getresponse()
            return response, response.read().decode()
        except (OSError, http.client.HTTPException):
            self._held.connection.close()  # the next request opens it again
            raise

    def _resource(self, api_version: str, kind: str) -> tuple[str, bool]:
        """Plural name, and whether it lives in namespaces; asks again for what it does not know, as a CRD may have come."""
        if kind not in self._kinds.get(api_version, {}):
            try:
                answer, _ = self._call("GET", f"{'/apis' if '/' in api_version else '/api'}/{api_version}", {})
            except ApiError as error:
                if error.code != 404:
                    raise
                answer = {"resources": []}  # no such group or version
            resources = [each for each in answer["resources"] if "/" not in each["name"]]
            self._kinds[api_version] = found = {each["kind"]: (each["name"], each["namespaced"]) for each in resources}
            if kind not in found:
                raise ApiError(404, {"reason": "NotFound", "message": f"the API server has no kind {kind} in {api_version}"})
        return self._kinds[api_version][kind]

    def _path(self, manifest: Mapping[str, Any], namespace: str | None) -> str:
        plural, namespaced = self._resource(manifest["apiVersion"], manifest["kind"])
        scope = f"namespaces/{namespace or manifest['metadata'].get('namespace') or 'default'}/" if namespaced else ""
        return f"{'/apis' if '/' in manifest['apiVersion'] else '/api'}/{manifest['apiVersion']}/{scope}{plural}"
