"""The API server of a rehearsal, read over a connection that is made in the cluster's network.

Reads are many, as states are waited for, and a process of kubectl for each costs more than all else that runs.
"""

from __future__ import annotations

import ctypes
import http.client
import json
import os
import socket
import ssl
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

from .namespaces import NamespaceError

CLONE_NEWNET = 0x40000000
_DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
"""All resources of all groups in one answer.

Source: https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery (2026-11-23)
"""


class ApiError(NamespaceError):
    """The API server refused a request, or did not answer."""


class Api:
    """One connection to the API server of the network of a process."""

    def __init__(self, pid: int, address: str, token: str) -> None:
        self._pid = pid
        self._address = address
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        self._connection: http.client.HTTPSConnection | None = None
        self._lock = threading.Lock()
        self._resources: dict[str, tuple[str, Mapping[str, Any]]] = {}

    def get(self, kind: str, name: str, namespace: str) -> dict[str, Any]:
        """An object."""
        path, resource = self._resource(kind)
        return self._read(f"{_place(path, resource, namespace)}/{quote(name)}")

    def list(self, kind: str, namespace: str | None) -> list[dict[str, Any]]:
        """The objects of a kind, with kind and apiVersion as kubectl prints them."""
        path, resource = self._resource(kind)
        found = self._read(_place(path, resource, namespace))
        common = {"apiVersion": found["apiVersion"], "kind": resource["responseKind"]["kind"]}
        return [{**common, **each} for each in found["items"]]

    def close(self) -> None:
        """Close the connection."""
        if self._connection:
            self._connection.close()
            self._connection = None

    def _resource(self, kind: str) -> tuple[str, Mapping[str, Any]]:
        """The path of a group with its version, and the resource, by kind or by any of its names. The first group wins."""
        if kind.lower() not in self._resources:
            self._discover()
        try:
            return self._resources[kind.lower()]
        except KeyError:
            raise ApiError(f'the server doesn\'t have a resource type "{kind}"') from None

    def _discover(self) -> None:
        for path in ("/api", "/apis"):
            for group in self._read(path, Accept=_DISCOVERY)["items"]:
                name = group["metadata"].get("name", "")
                version = group["versions"][0]
                place = f"/apis/{name}/{version['version']}" if name else f"/api/{version['version']}"
                for resource in version["resources"]:
                    names = (resource["responseKind"]["kind"], resource["resource"], *resource.get("shortNames", ()))
                    for each in (*names, resource.get("singularResource", "")):
                        self._resources.setdefault(each.lower(), (place, resource))

    def _read(self, path: str, **headers: str) -> dict[str, Any]:
        with self._lock:
            try:
                status, body = self._ask(path, self._headers | headers)
            except (OSError, http.client.HTTPException, ValueError):
                self.close()  # the server ends a connection that nobody used for a while
                try:
                    status, body = self._ask(path, self._headers | headers)
                except (OSError, http.client.HTTPException, ValueError) as error:
                    self.close()
                    raise ApiError(f"the API server does not answer: {error!r}") from error
        if status != http.client.OK:
            raise ApiError(str(body.get("message", body)))
        return body

    def _ask(self, path: str, headers: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        self._connection = self._connection or self._connect()
        self._connection.request("GET", path, headers=dict(headers))
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())

    def _connect(self) -> http.client.HTTPSConnection:
        """A connection whose socket is of the cluster's network: a thread of its own enters the network to make it."""
        with ThreadPoolExecutor(1) as thread:
            plain = thread.submit(self._socket).result()
        # The server's certificate is its own; nothing but the server is in its network.
        context = ssl._create_unverified_context()  # noqa: S323, SLF001
        connection = http.client.HTTPSConnection(self._address, context=context)
        connection.auto_open = 0  # or it would connect by itself, in the network of this process
        connection.sock = context.wrap_socket(plain, server_hostname=self._address)
        return connection

    def _socket(self) -> socket.socket:
        network = os.open(f"/proc/{self._pid}/ns/net", os.O_RDONLY)
        try:
            if ctypes.CDLL(None, use_errno=True).setns(network, CLONE_NEWNET):
                number = ctypes.get_errno()
                raise OSError(number, f"the network of the cluster: {os.strerror(number)}")
        finally:
            os.close(network)
        return socket.create_connection((self._address, 443), timeout=60)


def _place(path: str, resource: Mapping[str, Any], namespace: str | None) -> str:
    """The path of the objects of a resource."""
    is_namespaced = resource["scope"] == "Namespaced"
    where = f"/namespaces/{quote(namespace)}" if is_namespaced and namespace else ""
    return f"{path}{where}/{resource['resource']}"
