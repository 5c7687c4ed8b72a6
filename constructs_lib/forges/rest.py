"""A REST API of a forge. The token goes to this one address: no redirect and no page of another origin is followed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from email.message import Message
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ..arguments.patterns import pattern

if TYPE_CHECKING:
    from http.client import HTTPResponse

FORBIDDEN, NOT_FOUND, UNPROCESSABLE = 403, 404, 422
_TOO_MANY = 429
_SECONDS = 30
A_PAGE = 20
"""The items of a page. A stranger can fill each with the longest note of GitLab."""
_LARGEST = 130_000_000
"""The largest answer, in bytes: a page of notes of 1,000,000 characters, of which JSON may write each as six bytes, such as \\u003c."""
_PAGES = 500
_TRIES = 3
_LONGEST_WAIT = 60
"""A secondary limit without `retry-after` asks for one minute.

Source: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api (2026-11-28)
"""
_NUMBER = pattern(r"[0-9]{1,15}")
_NEXT = pattern(r'<([^<>]*)>\s*;[^<>]*\brel="?next"?')


class ForgeError(Exception):
    """A request that the forge did not answer as its documentation says."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


class Rest:
    """The API at an address, with the headers of its token."""

    def __init__(self, address: str, headers: dict[str, str]) -> None:
        if urlsplit(address).scheme not in ("http", "https"):
            raise ForgeError(f"the address of the API must be one of http or https (got {address!r})")
        self.address = address.rstrip("/")
        self._headers = headers
        self._opener = build_opener(_NoRedirects)

    def has_origin_of(self, address: str) -> bool:
        """Whether an address is on the same server."""
        return urlsplit(address)[:2] == urlsplit(self.address)[:2]

    def send(self, method: str, path: str, body: object = None) -> Any:
        """The answer to a request, as JSON."""
        return self._answer(method, f"{self.address}{path}", body)[0]

    def send_to(self, address: str, body: object) -> Any:
        """The answer to a POST to another address of the same server, such as that of GraphQL."""
        return self._answer("POST", address, body)[0]

    def pages(self, path: str) -> Iterator[Any]:
        """The items of a list on all its pages, which the header Link names.

        Source: https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api,
        https://docs.gitlab.com/api/rest/#pagination (2026-11-28)
        """
        address: str | None = f"{self.address}{path}"
        for _ in range(_PAGES):
            if address is None:
                return
            if not self.has_origin_of(address):
                raise ForgeError(f"the next page of {path} is on another server ({address!r}); the token is not sent there")
            items, headers = self._answer("GET", address, None)
            yield from items
            following = _NEXT.search(headers.get("link", ""))
            address = following[1] if following else None

    def _answer(self, method: str, address: str, body: object) -> tuple[Any, Message]:
        for tries_left in range(_TRIES - 1, -1, -1):
            request = Request(address, method=method, data=None if body is None else json.dumps(body).encode())  # noqa: S310  # checked above
            request.add_header("accept", "application/json")
            request.add_header("user-agent", "talos-gpu")
            if body is not None:
                request.add_header("content-type", "application/json")
            for name, value in self._headers.items():
                request.add_header(name, value)
            try:
                with self._opener.open(request, timeout=_SECONDS) as answer:
                    return json.loads(_read(answer) or b"null"), answer.headers
            except HTTPError as error:
                message = _message(error)
                wait = _wait(error, message)
                if wait is None or wait > _LONGEST_WAIT or not tries_left:
                    limited = "" if wait is None else f"; the rate limit ends in {wait} seconds"
                    raise ForgeError(f"{method} {urlsplit(address).path}: {error.code} {message}{limited}", error.code) from None
                time.sleep(wait)
            except (OSError, ValueError) as error:
                raise ForgeError(f"{method} {urlsplit(address).path}: {error}") from None
        raise AssertionError  # the last try returns or raises


def _read(answer: HTTPResponse) -> bytes:
    content = answer.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise ValueError(f"the answer is larger than {_LARGEST:,} bytes")
    return content


def _message(error: HTTPError) -> str:
    """The words of the forge: the key `message` of all three, which has an object in a refusal of GitLab."""
    try:
        said = json.loads(error.read(_LARGEST))
    except (OSError, ValueError):
        return error.reason
    message = said.get("message", said.get("error")) if isinstance(said, dict) else None
    return error.reason if message is None else message if isinstance(message, str) else json.dumps(message)


def _wait(error: HTTPError, message: str) -> int | None:
    """The seconds after which the request may be sent again; None for one that is refused for another reason."""
    if error.code not in (FORBIDDEN, _TOO_MANY):
        return None
    after, reset = (error.headers.get(name, "") for name in ("retry-after", "x-ratelimit-reset"))
    if _NUMBER.fullmatch(after):
        return int(after)
    if error.headers.get("x-ratelimit-remaining") == "0" and _NUMBER.fullmatch(reset):
        return max(0, int(reset) - int(time.time()))
    return _LONGEST_WAIT if "secondary rate limit" in message.lower() or error.code == _TOO_MANY else None
