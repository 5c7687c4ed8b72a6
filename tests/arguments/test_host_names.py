"""Host names and paths: what a route can match, and the words for what it can't."""

import pytest

from conftest import message
from constructs_lib.arguments.host_names import host_name, url_path

RULE = "'hostname' must be a host name such as 'chat.example.com' or '*.example.com'"


@pytest.mark.parametrize("name", ["chat.example.com", "*.example.com", "chat", "xn--bcher-kva.example", "1.chat.example.com"])
def test_a_host_name_is_taken_as_it_is(name):
    assert host_name("hostname", name) == name


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("https://chat.example.com/app", "; did you mean 'chat.example.com'?"),
        ("chat.example.com:443", "; did you mean 'chat.example.com'?"),
        ("Chat.Example.com", "; did you mean 'chat.example.com'?"),
        ("192.168.1.4", "; routes match the host name of a request, and an IP address is none"),
        ("http://192.168.1.4:80", "; routes match the host name of a request, and an IP address is none"),
        ("[fd00::1]", "; routes match the host name of a request, and an IP address is none"),
        ("chat.*.com", ""),
        ("chat_app.example.com", ""),
        ("a" * 64 + ".com", ""),
        ("a." * 127 + "com", ""),
        (" ", ""),
    ],
)
def test_a_host_name_that_is_none_is_refused(name, hint):
    assert message(lambda: host_name("hostname", name)) == f"{RULE} (got {name!r}){hint}"


def test_a_host_name_is_a_string():
    assert message(lambda: host_name("hostname", 4), TypeError) == f"{RULE} (got 4)"


@pytest.mark.parametrize("path", ["/", "/v1/models", "/a/"])
def test_a_path_starts_at_the_root(path):
    assert url_path("path", path) == path


@pytest.mark.parametrize(
    ("path", "hint"),
    [("v1/models", "; did you mean '/v1/models'?"), ("/a//b", ""), ("/a?b", ""), ("/a b", ""), ("/a/..", ""), ("/a#b", ""), ("x y", "")],
)
def test_a_path_that_no_route_takes_is_refused(path, hint):
    assert message(lambda: url_path("path", path)) == f"'path' must be a path such as '/' or '/api' (got {path!r}){hint}"
