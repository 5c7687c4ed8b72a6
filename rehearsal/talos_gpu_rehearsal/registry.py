"""The registry of a cluster: containerd asks it where an image is to be pulled, as by `imagePullPolicy: Always`.

It names the digest of each image of an archive. The nodes have what is behind that digest by `ctr images import`, so
nothing is fetched. An image that no archive has is not found, as in a registry without it.
"""

from __future__ import annotations

import json
import re
import sys
import tarfile
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer  # an HTTPServer asks a DNS server for its name, and none is here
from urllib.parse import parse_qs, urlsplit

from .images import IMAGE_NAME

PORT = 10  # of no service; one that a pod with the host's network listens to is higher
_MANIFEST = re.compile(r"/v2/(.+)/manifests/([^/:]+)")


def hosts(address: str) -> str:
    """The hosts.toml by which containerd asks this registry for the images of every other one."""
    return f'server = "http://{address}:{PORT}"\ncapabilities = ["pull", "resolve"]\n'


def main(address: str, archive: str) -> None:
    """Serve the index of an archive."""
    with tarfile.open(archive) as tar, tar.extractfile("index.json") as file:  # type: ignore[union-attr]  # the archive is ours
        index = {each["annotations"][IMAGE_NAME]: each for each in json.load(file)["manifests"]}

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            url = urlsplit(self.path)
            asked = _MANIFEST.fullmatch(url.path)
            registry = parse_qs(url.query).get("ns", [""])[0]
            found = index.get(f"{registry}/{asked[1]}:{asked[2]}") if asked else None
            self.send_response(HTTPStatus.OK if found else HTTPStatus.NOT_FOUND)
            if found:
                self.send_header("Content-Type", found["mediaType"])
                self.send_header("Content-Length", str(found["size"]))
                self.send_header("Docker-Content-Digest", found["digest"])
            self.end_headers()

    ThreadingTCPServer((address, PORT), Handler).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
