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


def test_the_button_of_all_safe_fixes_mends_and_says_what_is_left(example):
    example.click("fix")
    example.until("document.getElementById('told').textContent")

    assert "resources: {limits: {nvidia.com/gpu: 1}}" in example.js("document.getElementById('text').value")
    assert example.text("told") == "1 fixed, 2 left:"
    assert example.js("[...document.querySelectorAll('#told-lines li')].map((each) => each.textContent)") == [
        "1 with a fix that may change more than the finding: the button of the finding applies it",
        "1 to fix by hand: the fix is more than one value, one line or one manifest",
    ]
    example.until("!document.getElementById('findings').innerText.includes('TG045')")
    example.type("")
    assert example.text("told") == ""


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
    assert pages.text("told") == "The link is damaged: a part of it is missing or changed. Ask for the link again; the page starts empty."
    assert pages.errors == []


def test_a_link_with_one_changed_or_missing_character_is_damaged(page):
    damaged = page.browser.execute_async_script(
        """
        const done = arguments[0];
        import('./share.js').then(async ({packed, unpacked}) => {
          const link = await packed({files: [['a.yaml', 'kind: Pod # '.repeat(40)]], talos: '1.13'});
          const others = [link.slice(0, -4), ...Array.from(link, (each, at) => link.slice(0, at) + (each === 'A' ? 'B' : 'A') + link.slice(at + 1))];
          const kept = [];
          for (const each of others) {
            const shared = await unpacked(each);
            if (shared && JSON.stringify(shared) !== JSON.stringify(await unpacked(link))) kept.push(each);
          }
          done([others.length > 50, kept]);
        });
        """
    )

    assert damaged == [True, []]


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


def workloads(number):
    """Many Deployments, each with an error and a warning."""
    body = EXAMPLE.read_text().partition("---\n")[2]
    return "---\n".join(body.replace("name: ollama", f"name: ollama-{index}") for index in range(number))


def test_a_file_of_5000_lines_is_answered_and_its_findings_are_shown_in_parts(page):
    pods = workloads(360)
    assert len(pods.splitlines()) > 5000
    page.type(pods)

    assert page.js("document.getElementById('gutter').textContent.trim().split('\\n').length") == len(pods.splitlines()) + 1
    assert page.js("document.querySelectorAll('#gutter .error').length") == 360
    shown = [len(page.findings)]
    while not page.js("document.getElementById('more').hidden"):
        page.js("document.getElementById('more').click()")
        shown.append(len(page.findings))
    assert shown[:2] == [100, 200]
    assert sum("TG045" in each for each in page.findings) == 360


@pytest.mark.thorough
def test_a_file_of_2_megabytes_is_answered_and_fixed(page, monkeypatch):
    monkeypatch.setattr("test_playground.PATIENCE", 900)
    page.type(workloads(5000))

    assert len(page.findings) == 100
    assert page.text("notes").endswith(
        "The files are large: the fixes of single findings were not tried. Apply all safe fixes fixes what is safe."
    )


def test_the_next_change_ends_a_long_check(page):
    assert page.js("document.body.dataset.workers") == "1"
    page.paste(workloads(5000))
    page.until("document.getElementById('state').textContent.startsWith('Checking 2.')")
    page.type("a: [1\nb: 2\n")

    assert len(page.findings) == 1
    assert page.js("document.body.dataset.workers") == "2"
    assert page.js("document.querySelectorAll('#gutter .error').length") == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("apiVersion: v1\nkind: Pod\n\tmetadata: {}\n", "found character '\\t' that cannot start any token"),
        ("driver:\n  enabled: true\n enabled: false\n", "expected <block end>, but found '<block mapping start>'"),
    ],
    ids=["a manifest", "values"],
)
def test_a_text_that_is_no_yaml_is_an_error_at_its_line(text, problem, page):
    page.type(text)

    assert page.js("[...document.querySelectorAll('#gutter span')].map((each) => [each.className, each.textContent.trim()])") == [
        ["error", "● 3"]
    ]
    assert [each.split("\n\n") for each in page.findings] == [
        ["error pasted.yaml:3", f"not YAML: {problem}. This document was not checked"]
    ]


def test_the_keyboard_opens_files(page, tmp_path):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    (tmp_path / "pod.yaml").write_text("kind: Pod\n")
    page.js("document.getElementById('file').focus()")
    focused = []
    for _ in range(2):
        ActionChains(page.browser).send_keys(Keys.TAB).perform()
        focused.append(page.js("document.activeElement.id"))
    page.browser.find_element("id", "open").send_keys(f"{tmp_path / 'pod.yaml'}")
    page.until("document.getElementById('text').value === 'kind: Pod\\n'")

    assert focused == ["open", "folder"]


PALE = """
const channels = (css) => { const [r, g, b, a = 1] = css.match(/[\\d.]+/g).map(Number); return [r, g, b, a]; };
const over = ([r, g, b, a], back) => [r, g, b].map((each, at) => a * each + (1 - a) * back[at]);
const light = (each) => each.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
const behind = (node) => {
  const layers = [];
  for (let each = node; each; each = each.parentElement) layers.unshift(channels(getComputedStyle(each).backgroundColor));
  return layers.reduce((back, layer) => over(layer, back), arguments[0]);
};
const faint = (node) => { let sum = 1; for (let each = node; each; each = each.parentElement) sum *= getComputedStyle(each).opacity; return sum; };
const ratio = (one, other) => { const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b); return (bright + 0.05) / (dark + 0.05); };
const hasText = (node) => [...node.childNodes].some((each) => each.nodeType === 3 && each.data.trim());
return [...document.querySelectorAll('body *')]
  .filter((node) => node.checkVisibility() && !node.disabled && (hasText(node) || ['INPUT', 'TEXTAREA', 'SELECT'].includes(node.tagName)) && node.type !== 'file')
  .flatMap((node) => [[node, ''], ...(node.placeholder ? [[node, '::placeholder']] : [])])
  .map(([node, part]) => {
    const back = behind(node);
    const [r, g, b, a] = channels(getComputedStyle(node, part || undefined).color);
    return [`${node.tagName}#${node.id}.${node.className}${part} ${node.textContent.slice(0, 20)}`, ratio(over([r, g, b, a * faint(node)], back), back)];
  })
  .filter(([, value]) => value < 4.5);
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_the_contrast_of_wcag_aa(scheme, example):
    """https://www.w3.org/TR/WCAG22/#contrast-minimum"""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    example.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        example.until("document.body.dataset.offered")
        pale = {}
        for tab in ("check", "node", "why"):
            example.click(f"tab-{tab}")
            pale[tab] = example.browser.execute_script(PALE, [255, 255, 255] if scheme == "light" else [18, 18, 18])
        pictured(example.browser, f"playground-{scheme}")
    finally:
        example.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    assert pale == {"check": [], "node": [], "why": []}


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


def test_a_phone_shows_the_findings_first_and_does_not_scroll_sideways(folder):
    with served(folder) as (address, requests), chromium(width=400, height=850) as browser:
        page = Page(browser, address, requests)
        page.open()
        page.click("example")
        page.until("document.querySelectorAll('#findings li').length > 0")

        assert page.js("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert page.js(
            "document.getElementById('summary').getBoundingClientRect().bottom < document.getElementById('editor').getBoundingClientRect().top"
        )
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
    assert "'nodes.gpu.kernel_modules' must be 'proprietary' with card: 'GTX 1080'" in page.text("refusal")
    assert page.js("document.getElementById('node-save').disabled")
