"""A real Chromium for tests, and a server of a folder that notes every request."""

from __future__ import annotations

import base64
import functools
import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_PICTURES = Path(__file__).resolve().parents[2] / "build" / "pictures"
_TALLEST = 3000  # pixels of a picture; a longer page is cut
_TYPES = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".mjs": "text/javascript"}


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The address of a server of the folder, and the requests that it has got."""
    requests: list[str] = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        extensions_map = _TYPES

        def log_message(self, *_: Any) -> None:
            requests.append(self.requestline)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=f"{folder}"))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def chromium(*, width: int = 1280, height: int = 900, downloads: Path | None = None) -> Iterator[Any]:
    """A driver of a headless Chromium. A test that asks for it is skipped where Chromium, its driver or Selenium is missing."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="`make site` installs Selenium")
    driver = shutil.which("chromedriver")
    if driver is None:
        pytest.skip("chromedriver is not installed: Debian's packages chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={width},{height}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    if downloads is not None:
        options.add_experimental_option("prefs", {"download.default_directory": f"{downloads}"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield browser
    finally:
        browser.quit()


def pictured(browser: Any, name: str) -> None:
    """Write a picture of the whole page into build/pictures, where PICTURES is set."""
    if os.environ.get("PICTURES"):
        data = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": _whole_page(browser)})["data"]
        _PICTURES.mkdir(parents=True, exist_ok=True)
        (_PICTURES / f"{name}.png").write_bytes(base64.b64decode(data))


def _whole_page(browser: Any) -> dict[str, int]:
    size = browser.execute_script("const {scrollWidth, scrollHeight} = document.documentElement; return [scrollWidth, scrollHeight]")
    return {"x": 0, "y": 0, "width": size[0], "height": min(size[1], _TALLEST), "scale": 1}
