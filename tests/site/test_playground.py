"""The playground in a real Chromium."""

import io
import json
import re
import time
import zipfile
from pathlib import Path

import pytest

from browser import chromium, pictured, served
from constructs_lib.cli import main
from tools.site.playground_files import PYODIDE, write_playground

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "example.yaml"
PATIENCE = 120  # seconds for a state that a page should reach; an idle machine needs about five for the longest
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"


class Page:
    """The playground in a browser, by what a user sees."""

    def __init__(self, browser, address, requests):
        self.browser, self.address, self.requests = browser, address, requests

    def open(self, fragment=""):
        self.browser.get("about:blank")
        self.browser.get(f"{self.address}index.html{fragment}")
        self.until("document.body.dataset.ready === 'true'")

    def js(self, script, *arguments):
        return self.browser.execute_script(f"return {script}", *arguments)

    def until(self, script):
        deadline = time.monotonic() + PATIENCE
        while not self.js(script):
            assert time.monotonic() < deadline, f"{script}: {self.text('state')}"
            time.sleep(0.05)

    def text(self, name):
        return self.js("document.getElementById(arguments[0]).textContent", name)

    def click(self, name):
        self.browser.find_element("id", name).click()

    def paste(self, text):
        """Replace the text of the file."""
        self.browser.execute_script(
            "const text = document.getElementById('text'); text.value = arguments[0]; text.dispatchEvent(new Event('input', {bubbles: true}))",
            text,
        )

    def type(self, text):
        """Replace the text of the file, and wait for the answer."""
        answered = int(self.js("document.body.dataset.answered ?? 0"))
        self.paste(text)
        self.until(f"Number(document.body.dataset.answered) > {answered}")

    @property
    def findings(self):
        return self.js("[...document.querySelectorAll('#findings li')].map((each) => each.innerText)")

    @property
    def errors(self):
        return [each["message"] for each in self.browser.get_log("browser") if each["level"] == "SEVERE"]


def test_where_a_user_pastes_the_page_says_that_it_does_not_read_hcl():
    """The page loads no HCL reader, so a Terraform tree that is dropped here is not judged by its files."""
    folder = ROOT / "tools/site/playground"
    hint = re.search(r'<p class="hint">(Paste manifests.*?)</p>', (folder / "index.html").read_text(encoding="utf-8"))
    loaded = "".join(path.read_text(encoding="utf-8") for path in (folder / "worker.js", ROOT / "tools/site/playground_files.py"))

    assert "hcl2" not in loaded
    assert hint
    assert "HCL of Terraform and OpenTofu is not read here" in hint[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if not PYODIDE.is_dir():
        pytest.skip("Pyodide is not installed: make site")
    folder = tmp_path_factory.mktemp("site") / "playground"
    write_playground(folder)
    return folder


@pytest.fixture(scope="module")
def pages(folder):
    with served(folder) as (address, requests), chromium() as browser:
        yield Page(browser, address, requests)


@pytest.fixture
def page(pages):
    pages.open()
    yield pages
    assert pages.errors == []


@pytest.fixture
def example(page):
    page.click("example")
    page.until("document.querySelectorAll('#findings li').length > 0")
    return page


def test_findings_are_listed_and_marked_at_their_lines(example):
    assert [each.split("\n")[0] for each in example.findings] == [
        "error TG045 example.yaml:19",
        "warning TG048 example.yaml:9",
        "remark TG007 example.yaml:15",
    ]
    assert example.js("[...document.querySelectorAll('#gutter span')].map((each) => [each.className, each.textContent.trim()])") == [
        ["warning", "● 9"], ["remark", "● 15"], ["error", "● 19"],
    ]  # fmt: skip
    assert example.text("summary").startswith("1 error, 1 warning, 1 remark in")
    pictured(example.browser, "playground-check")


def test_a_click_on_a_place_selects_its_line(example):
    example.browser.find_element("css selector", "#findings .place").click()

    selected = example.js(
        "(({value, selectionStart, selectionEnd}) => value.slice(selectionStart, selectionEnd))(document.getElementById('text'))"
    )
    assert selected.strip() == "resources: {limits: {nvidia.com/gpu: 0.5}}"


def test_a_fix_is_applied_on_a_click_and_the_rest_of_the_file_stays(example):
    example.until("document.querySelector('#findings .apply')")
    example.browser.find_element("css selector", "#findings .apply").click()
    example.until("!document.getElementById('findings').innerText.includes('TG045')")

    before, after = EXAMPLE.read_text().splitlines(), example.js("document.getElementById('text').value").splitlines()
    assert [(old, new) for old, new in zip(before, after, strict=True) if old != new] == [
        ("          resources: {limits: {nvidia.com/gpu: 0.5}}", "          resources: {limits: {nvidia.com/gpu: 1}}")
    ]


def test_what_is_left_has_its_reason_in_place_of_a_button(example):
    example.until("document.body.dataset.offered")

    assert example.js("[...document.querySelectorAll('#findings li')].every((each) => each.querySelector('.apply, .left'))")
    assert example.js("document.getElementById('fix').disabled") is False


def test_text_of_strangers_is_never_html(page):
    page.browser.execute_script("window.alert = () => { window.alerted = true }")
    pod = {
        "containers": [
            {"name": HOSTILE, "resources": {"limits": {"nvidia.com/gpu": HOSTILE}}},
            {"name": "b", "resources": {"limits": {"nvidia.com/gpu": 0.5}}},
        ]
    }
    page.type(json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": HOSTILE, "namespace": HOSTILE}, "spec": pod}))

    assert page.findings
    assert page.js("document.querySelectorAll('img, main script, #report script').length") == 0
    assert not page.js("window.alerted")


def test_a_link_brings_back_the_files_and_goes_to_no_server(example):
    example.click("share")
    example.until("location.hash.length > 10")
    fragment = example.js("location.hash")
    before = len(example.requests)
    example.open(fragment)
    example.until("document.querySelectorAll('#findings li').length > 0")

    assert example.js("document.getElementById('text').value") == EXAMPLE.read_text()
    assert example.js("document.getElementById('talos').value") == "1.13"
    assert [each for each in example.requests[before:] if fragment[1:20] in each] == []


@pytest.mark.parametrize("fragment", ["#nonsense", "#%00", "#" + "A" * 1000])
def test_a_damaged_link_is_an_empty_page_and_a_sentence(pages, fragment):
    pages.open(fragment)

    assert pages.js("document.getElementById('text').value") == ""
    assert pages.errors == []


def test_nothing_is_sent_anywhere(example):
    refused = example.browser.execute_async_script(
        "fetch('https://example.com/', {method: 'POST', body: 'x'}).then(() => arguments[0](false), () => arguments[0](true))"
    )
    log = example.errors  # Chromium reports the refusal

    assert refused
    assert any("Content Security Policy" in each for each in log)
    assert {each.split()[0] for each in example.requests} == {"GET"}


def test_the_archive_holds_the_files(example):
    data = example.browser.execute_async_script(
        "import('./zip.js').then(async ({zipOf}) => arguments[1]([...new Uint8Array(await zipOf(arguments[0]).arrayBuffer())]))",
        {"a.yaml": "ä: 1\n", "../b/c.yaml": "", "/d.txt": "x" * 70_000, "....//....//x": "1", "..\\..\\x": "2", "..": "3"},
    )
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
        assert archive.testzip() is None
        assert {each: archive.read(each).decode() for each in archive.namelist()} == {
            "a.yaml": "ä: 1\n",
            "b/c.yaml": "",
            "d.txt": "x" * 70_000,
            "..../..../x": "1",
            "x": "2",
            "file": "3",
        }


def test_a_page_loads_python_and_the_library_as_one_archive_with_bytecode(folder, pages):
    before = len(pages.requests)
    pages.open()
    loaded = [each.split()[1].partition("?")[0] for each in pages.requests[before:]]
    names = zipfile.ZipFile(folder / "python.zip").namelist()

    assert {each for each in loaded if each.endswith((".zip", ".wasm", ".whl"))} <= {"/python.zip", "/pyodide/pyodide.asm.wasm"}
    assert len(loaded) <= 12
    assert {"playground.pyc", "re/__init__.pyc", "yaml/__init__.pyc", "constructs_lib/nodes/gpu_nodes.pyc"} <= set(names)
    assert [each for each in names if each.startswith("constructs_lib/checks/rules/") and each.endswith(".py")] == []


def cause_of(page, log):
    """Paste a log, and give the text of its causes."""
    page.click("tab-why")
    page.browser.execute_script(
        "document.getElementById('causes').replaceChildren(); document.getElementById('why-summary').textContent = ''"
    )
    page.browser.execute_script(
        "const log = document.getElementById('log'); log.value = arguments[0]; log.dispatchEvent(new Event('input', {bubbles: true}))", log
    )
    page.until("document.querySelector('#causes li') || document.getElementById('why-summary').textContent")
    return page.js("document.getElementById('causes').innerText")


def test_a_line_of_a_log_gets_its_cause_its_fix_and_the_pages_of_its_rules(page):
    text = cause_of(page, "[  12.3] x\n[  12.4] NVRM: GPU0 RmInitAdapter: Cannot initialize GSP firmware RM\n")

    pictured(page.browser, "playground-why")
    assert text.startswith("The GPU's own processor (GSP) does not start\n\nLine 2: ")
    assert "Fix: Drain the node" in text
    assert page.js("document.querySelector('#causes a').getAttribute('href')") == "../symptoms-gsp-firmware.html"


def test_lines_that_nobody_knows_get_a_sentence_and_no_line_is_html(page):
    assert cause_of(page, HOSTILE) == ""
    assert page.text("why-summary").startswith("Nothing known matches.")
    assert HOSTILE in cause_of(page, f"CUDA error 803 {HOSTILE}")
    assert page.js("document.querySelectorAll('img, main script').length") == 0


def test_a_link_to_a_task_opens_its_tab(page):
    page.browser.get(f"{page.address}index.html?task=why")

    assert page.js("[document.getElementById('check').hidden, document.getElementById('why').hidden]") == [True, False]
    page.until("document.body.dataset.ready === 'true'")


def test_the_keyboard_reaches_the_tabs_and_every_control(page):
    from selenium.webdriver.common.keys import Keys

    page.browser.find_element("id", "tab-check").send_keys(Keys.ARROW_RIGHT)

    assert page.js("document.activeElement.id") == "tab-node"
    assert page.js("[document.getElementById('check').hidden, document.getElementById('node').hidden]") == [True, False]
    assert (
        page.js(
            "[...document.querySelectorAll('button, input, select, textarea')].filter((each) => each.tabIndex < 0 && each.role !== 'tab').length"
        )
        == 0
    )


def test_every_control_has_a_name(page):
    unnamed = page.js(
        "[...document.querySelectorAll('input, select, textarea, button')]"
        ".filter((each) => !each.labels?.length && !each.ariaLabel && !each.textContent.trim()).map((each) => each.outerHTML)"
    )

    assert unnamed == []


def test_a_file_of_5000_lines_is_answered(page):
    pods = "---\n".join(EXAMPLE.read_text().partition("---\n")[2].replace("name: ollama", f"name: ollama-{index}") for index in range(360))
    assert len(pods.splitlines()) > 5000
    page.type(pods)

    assert sum("TG045" in each for each in page.findings) == 360
    assert page.js("document.getElementById('gutter').textContent.trim().split('\\n').length") == len(pods.splitlines()) + 1


def test_an_older_answer_never_replaces_a_newer_one(page):
    page.type("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    page.browser.execute_script("document.getElementById('example').click()")
    page.until("document.getElementById('text').value.includes('ollama')")
    page.click("clear")
    page.js("new Promise((resolve) => setTimeout(resolve, 3000))")

    assert page.findings == []
    assert page.text("summary") == ""


def test_a_browser_without_webassembly_gets_a_sentence(folder):
    with served(folder) as (address, _), chromium() as browser:
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "delete window.WebAssembly"})
        browser.get(f"{address}index.html")

        assert "no WebAssembly" in browser.find_element("id", "state").text
        assert browser.get_log("browser") == []


def test_a_phone_shows_the_page_without_scrolling_sideways(folder):
    with served(folder) as (address, requests), chromium(width=400, height=850) as browser:
        page = Page(browser, address, requests)
        page.open()
        page.click("example")
        page.until("document.querySelectorAll('#findings li').length > 0")

        assert page.js("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        pictured(browser, "phone-playground")


def fill(page, **fields):
    """Fill the form of a node, and make its files."""
    page.click("tab-node")
    page.browser.execute_script(
        "for (const [name, value] of Object.entries(arguments[0])) document.querySelector(`#form [name=${name}]`).value = value;"
        "document.getElementById('state').textContent = ''; document.getElementById('make').click()",
        fields,
    )
    page.until("document.getElementById('state').textContent === 'Ready.'")
    return dict(
        page.js(
            "[...document.querySelectorAll('#files details')].map((each) => [each.querySelector('summary').textContent, each.querySelector('pre').textContent])"
        )
    )


@pytest.mark.parametrize("operator", ["", "true"], ids=["plugin", "operator"])
def test_a_form_becomes_the_files_that_the_command_writes(page, tmp_path, operator):
    files = fill(
        page,
        talos_version="1.14.0",
        product="RTX 5070 Ti",
        gpus_per_node="1",
        replicas="4",
        taint="dedicated=ai:NoSchedule",
        operator=operator,
    )
    pictured(page.browser, f"playground-node-{'operator' if operator else 'plugin'}")
    (tmp_path / "cluster.yaml").write_text(files["cluster.yaml"])
    status = main(["synth", f"{tmp_path / 'cluster.yaml'}", "--output-folder", f"{tmp_path / 'dist'}"])
    written = tmp_path / "dist" / "cluster"

    assert status == 0
    assert page.text("refusal") == ""
    assert {name: text for name, text in files.items() if name != "cluster.yaml"} == {
        f"{path.relative_to(written)}": path.read_text() for path in written.rglob("*.*") if path.name[0] != "."
    }
    assert {"talos/schematic.yaml", "talos/installer-image.txt", "talos/machine-config.yaml", "manifests/gpu.k8s.yaml"} <= files.keys()


def test_a_card_that_can_not_run_is_refused_with_the_reason_and_without_files(page):
    assert fill(page, talos_version="1.13.9", product="GTX 1080", kernel_modules="open") == {}
    assert "'kernel_modules' must be 'proprietary' with product='GTX 1080'" in page.text("refusal")
    assert page.js("document.getElementById('node-save').disabled")
