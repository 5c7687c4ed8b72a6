"""The site of `make site` in a real Chromium: on a phone, in both schemes, and its search."""

import time
from urllib.parse import urlencode, urlsplit

import pytest

from browser import chromium, pictured, served
from constructs_lib.checks.rules import RULES
from constructs_lib.symptoms.log_search import LogSearch
from constructs_lib.symptoms.symptom_table import all_symptoms
from tools.site.pages import ROOT, sources

SITE, SOURCES = ROOT / "build" / "site", ROOT / "build" / "site-sources"
PATIENCE = 60  # seconds for a state that a page should reach
ON_A_PHONE = (
    "index",
    "rules",
    "rules-tg045",
    "symptoms-gsp-firmware",
    "api-GpuNodes",
    "matrix",
    "example-today",
    "doctor",
    "cluster-file",
    "changelog",
)


@pytest.fixture(scope="module")
def address():
    if not (SITE / "index.html").is_file():
        pytest.skip("the site is not built: make site")
    changed = [
        name
        for name, content in sources().items()
        if (SOURCES / name).read_bytes() != (content.encode() if isinstance(content, str) else content)
    ]
    assert changed == [], "the site is older than its pages: make site"
    with served(SITE) as (address, _):
        yield address


@pytest.fixture(scope="module")
def desk():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def phone():
    """A phone: Chromium's window is never narrower than 500 pixels, its emulated screen is."""
    with chromium() as browser:
        screen = {"width": 400, "height": 850, "deviceScaleFactor": 1, "mobile": True}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        yield browser


def until(browser, script):
    deadline = time.monotonic() + PATIENCE
    while not (value := browser.execute_script(f"return {script}")):
        assert time.monotonic() < deadline, script
        time.sleep(0.05)
    return value


def loaded(browser, address, name):
    """Load a page with its diagrams."""
    browser.get(f"{address}{name}.html")
    until(browser, "!document.querySelector('.mermaid') || document.body.dataset.diagrams")


@pytest.mark.parametrize("name", ON_A_PHONE)
def test_no_page_is_wider_than_a_phone(name, address, phone):
    loaded(phone, address, name)
    pictured(phone, f"phone-{name}")

    assert phone.execute_script("return [innerWidth, document.documentElement.clientWidth]") == [400, 400]
    frames = "[document.documentElement, ...document.querySelectorAll('.page, .main, .content')]"
    assert (
        phone.execute_script(f"return {frames}.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.className)") == []
    )


def test_the_letters_of_a_diagram_are_legible_on_a_phone_and_on_a_desk(address, phone, desk):
    for browser, least in ((phone, 1), (desk, 0.75)):
        loaded(browser, address, "example-today")
        width, height, natural = browser.execute_script(
            "const svg = document.querySelector('.mermaid svg'); const {width, height} = svg.getBoundingClientRect();"
            "const view = svg.viewBox.baseVal; return [width, height, [view.width, view.height]]"
        )
        assert width / natural[0] >= least
        assert width / natural[0] == pytest.approx(height / natural[1], abs=0.01)


def test_every_example_cluster_has_a_page_with_a_drawn_diagram_in_the_sidebar(address, desk):
    names = sorted(path.parent.name for path in (ROOT / "dist").glob("*/README.md"))
    loaded(desk, address, "working")
    links = desk.execute_script(
        "return [...document.querySelectorAll('.sidebar-tree a[href^=example-]')].map((each) => each.getAttribute('href'))"
    )

    assert links == [f"example-{name}.html" for name in names]
    for name in names:
        loaded(desk, address, f"example-{name}")
        assert desk.execute_script("return document.querySelectorAll('.mermaid svg g.node').length") > 2


def test_the_sidebar_of_a_page_has_the_branch_of_this_page_alone(address, desk):
    links = {}
    for name in ("tutorial", "rules", "rules-tg045"):
        loaded(desk, address, name)
        links[name] = desk.execute_script("return document.querySelectorAll('.sidebar-tree a[href^=rules-tg]').length")

    assert links == {"tutorial": 0, "rules": len(RULES), "rules-tg045": len(RULES) - 1}
    assert desk.execute_script("return document.querySelector('.sidebar-tree .current-page').textContent.trim()") == "TG045"


def test_a_diagram_follows_the_scheme_that_the_reader_chooses(address, desk):
    loaded(desk, address, "example-today")
    colors = {}
    for scheme in ("light", "dark"):
        desk.execute_script("document.body.dataset.theme = arguments[0]", scheme)
        until(desk, f"document.body.dataset.diagrams === '{scheme}'")
        colors[scheme] = desk.execute_script("return getComputedStyle(document.querySelector('.mermaid .nodeLabel')).color")
        pictured(desk, f"site-cluster-{scheme}")

    assert colors["light"] != colors["dark"]


def test_a_page_loads_nothing_from_another_server(address, desk):
    loaded(desk, address, "example-today")
    loads = desk.execute_script("return performance.getEntriesByType('resource').map((each) => each.name)")

    assert [each for each in loads if "mermaid.tiny.js" in each]
    assert {urlsplit(each).netloc for each in loads} == {urlsplit(address).netloc}


@pytest.mark.parametrize(
    ("words", "page", "heading"),
    [
        ("TG045", "rules-tg045.html", "TG045: spec.containers[0].resources.limits[nvidia.com/gpu]"),
        (
            "CUDA error 803",
            "symptoms-cuda-803.html",
            "libcuda in the container and the kernel modules have different versions (CUDA error 803)",
        ),
        ("DESIRED 0", "rules-tg007.html", "TG007: DESIRED 0 of a DaemonSet"),
        ("No NVIDIA GPU found", "symptoms-no-card.html", "The driver finds no card in this machine"),
        ("Xid 79", "symptoms-fallen-off-the-bus.html", "The card has fallen off the PCI bus"),
        ('RuntimeClass "nvidia" not found', "rules-tg041.html", 'TG041: pod rejected: RuntimeClass "nvidia" not found'),
        ("Init:0/1", "rules-tg001.html", "TG001: Init:0/1 of nvidia-device-plugin-daemonset"),
        ("time-slicing", "sharing.html", "One card for several pods"),
        ("GpuNodes", "api-GpuNodes.html", "GpuNodes"),
        ("install", "install.html", "Install"),
        ("pip install", "install.html", "Install"),
        ("proxmox", "proxmox.html", "Proxmox: a card in a virtual machine with Talos"),
        ("gpu passthrough", "proxmox.html", "Proxmox: a card in a virtual machine with Talos"),
        ("time slicing", "sharing.html", "One card for several pods"),
        ("MIG", "sharing.html", "One card for several pods"),
        ("argo cd", "fleet.html", ""),
        ("offline", "air-gap.html", ""),
        ("grafana", "monitoring.html", ""),
    ],
)
def test_the_first_result_of_a_search_is_the_rule_the_symptom_or_the_name(words, page, heading, address, desk):
    links = searched(words, address, desk)
    pictured(desk, f"site-search-{page.removesuffix('.html')}")
    desk.get(f"{address}{links[0]}")

    assert links[0].split("#")[0] == page, links[:5]
    assert desk.find_element("css selector", "article h1").text.startswith(heading)


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("[   88.582894] NVRM: GPU6 RmInitAdapter: Cannot initialize GSP firmware RM", ["symptoms-gsp-firmware.html"]),
        (
            'Warning FailedCreatePodSandBox Failed to create pod sandbox: no runtime for "nvidia" is configured',
            ["symptoms-runtime-not-configured.html"],
        ),
        ("CrashLoopBackOff", []),
        ("where do I find the manual", []),
    ],
    ids=["a line of the kernel", "an event of a pod", "a state", "no line"],
)
def test_a_line_of_a_log_is_answered_above_the_results(line, first, address, desk):
    desk.get(f"{address}search.html?{urlencode({'q': line})}")
    until(desk, "document.body.dataset.answer")
    links = desk.find_elements("css selector", "#answer li a")
    pictured(desk, "site-answer")

    assert [each.text for each in links] == [match.symptom.title for match in LogSearch(all_symptoms()).search([(1, line)])[:5]]
    assert [each.get_attribute("href") for each in links[:1]] == [f"{address}{page}" for page in first]


def test_pasted_lines_stay_lines_in_the_field_of_the_search(address, desk):
    desk.get(f"{address}index.html")
    value = desk.execute_script(
        """
        const field = document.getElementById('entrance');
        const data = new DataTransfer();
        data.setData('text', 'a CUDA\\nerror 803\\r\\nNVRM: No NVIDIA GPU found\\n');
        field.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, cancelable: true}));
        return field.value;
        """
    )

    assert value.splitlines() == ["a CUDA", "error 803", "NVRM: No NVIDIA GPU found"]


def test_a_rule_has_facts_headings_copies_of_its_examples_and_opens_them_in_the_playground(address, desk, phone):
    loaded(phone, address, "rules-tg045")
    pictured(phone, "phone-rule")
    loaded(desk, address, "rules-tg045")
    until(desk, "document.querySelector('.copy')")
    pictured(desk, "site-rule")

    assert [each.text.rstrip("#¶") for each in desk.find_elements("css selector", "article h2")] == ["Fix", "Fails", "Passes", "Source"]
    assert [each.text for each in desk.find_elements("css selector", "article td:first-child")] == [
        "severity", "Talos", "fix", "reproduced", "in a terminal",
    ]  # fmt: skip
    assert desk.execute_script("return document.querySelectorAll('article .copy').length") == 2
    desk.find_element("css selector", "a.open").click()
    until(desk, "document.querySelector('#findings li')")
    assert desk.find_element("css selector", "#findings li").text.startswith("error TG045 example.yaml:")


def test_a_symptom_opens_its_line_in_the_playground(address, desk):
    loaded(desk, address, "symptoms-no-card")
    desk.find_element("css selector", "a.open").click()
    until(desk, "document.querySelector('#causes li')")

    assert desk.find_element("css selector", "#causes strong").text == "The driver finds no card in this machine"


def test_the_markdown_copies_stand_beside_the_pages(address):
    assert (SITE / "llms.txt").read_text().startswith("# cdk8s-nvidia-talos\n\n> ")
    assert {path.stem for path in SITE.glob("*.html")} - {path.stem for path in SITE.glob("*.md")} == {"genindex", "search"}


def test_each_page_is_one_result_of_a_search_by_a_phrase(address, desk):
    links = searched("Cannot initialize GSP firmware RM", address, desk)

    assert links[0] == "symptoms-gsp-firmware.html"
    assert len(links) == len({each.split("#")[0] for each in links})


def test_the_first_page_searches_within_its_first_screen(address, desk, phone):
    for browser in (desk, phone):
        browser.get(f"{address}index.html")
        box = browser.find_element("id", "entrance")
        assert box.rect["y"] < browser.execute_script("return innerHeight") / 2
        box.send_keys("TG045")
        browser.find_element("css selector", ".entrance button").click()
        until(browser, "document.querySelector('#search-results ul.search li a')")
        assert browser.find_element("css selector", "#search-results ul.search li a").get_attribute("href") == f"{address}rules-tg045.html"


def test_the_old_address_of_a_rule_leads_to_its_page(address, desk):
    desk.get(f"{address}rules.html#tg045")

    assert (
        desk.execute_script("return document.querySelector(':target').parentElement.querySelector('a[href]').getAttribute('href')")
        == "rules-tg045.html"
    )


def test_a_button_copies_the_code_that_it_stands_on(address, desk):
    desk.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    loaded(desk, address, "matrix")
    desk.execute_script("document.querySelector('.copy').click()")
    until(desk, "document.querySelector('.copy').textContent === 'Copied'")

    assert (
        desk.execute_async_script("navigator.clipboard.readText().then(arguments[0], (error) => arguments[0](String(error)))")
        == "talos-gpu matrix"
    )


def searched(words, address, browser):
    """The links of the results."""
    from selenium.webdriver.common.keys import Keys

    browser.get(f"{address}index.html")
    browser.find_element("css selector", ".sidebar-search").send_keys(words, Keys.ENTER)
    until(browser, "document.querySelector('#search-results .search-summary')?.textContent.includes('found')")
    return browser.execute_script(
        "return [...document.querySelectorAll('#search-results ul.search li a')].map((each) => each.getAttribute('href'))"
    )


def test_every_picture_of_a_page_is_shown(address, desk):
    for name in ("index", "rules", "doctor", "monitoring"):
        loaded(desk, address, name)
        pictured(desk, f"site-{name}")
        assert desk.execute_script("return [...document.images].filter((each) => !each.naturalWidth).map((each) => each.src)") == []
