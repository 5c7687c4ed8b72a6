"""The diagrams of the clusters' pages, drawn by Mermaid in a real Chromium on the backgrounds of a light and of a dark page."""

import html
import json
import re
import time
from pathlib import Path

import pytest

from browser import chromium, pictured, served
from constructs_lib import GpuNodes, Taint, cluster_page
from tools.site.static_files import MERMAID, write_static_files

DIST = Path(__file__).resolve().parents[2] / "dist"
CLUSTERS = sorted(path.parent.name for path in DIST.glob("*/README.md"))
BACKGROUNDS = {"light": "#ffffff", "dark": "#0d1117"}  # of pages on GitHub
HOSTILE = ("<img src=x onerror=alert(1)>", '"]; click a', "`a` **b** _c_ #quot; $$d$$", "1. end")
NOTHING = "\u200b"  # between two dollar signs, which start a formula
PATIENCE = 60  # seconds for a state that a page should reach
GEOMETRY = """
const box = (element) => { const {left, top, right, bottom} = element.getBoundingClientRect(); return [left, top, right, bottom]; };
const words = (element) => { const range = document.createRange(); range.selectNodeContents(element); return box(range); };
const shape = (element) => element.querySelector(':scope > rect, :scope > .label-container, :scope > .basic');
const described = (element) => ({
  id: element.id, box: box(shape(element)), fill: getComputedStyle(shape(element)).fill, opacity: getComputedStyle(shape(element)).fillOpacity,
  words: words(element.querySelector('.nodeLabel')), text: element.querySelector('.nodeLabel').innerText,
  color: getComputedStyle(element.querySelector('.nodeLabel')).color,
});
const svg = document.querySelector(`[data-name="${arguments[0]}"] svg`);
const points = (path) => {
  const matrix = path.getScreenCTM();
  return Array.from({length: 41}, (_, part) => {
    const {x, y} = path.getPointAtLength(path.getTotalLength() * part / 40).matrixTransform(matrix);
    return [x, y];
  });
};
return {
  width: svg.getBoundingClientRect().width,
  nodes: [...svg.querySelectorAll('g.node')].map(described),
  groups: [...svg.querySelectorAll('g.cluster')].map(described),
  links: [...svg.querySelectorAll('path.flowchart-link')].filter((path) => !path.classList.contains('edge-thickness-invisible')).map(points),
};
"""


def diagram(page):
    return re.search(r"```mermaid\n(.*?)```", page, re.DOTALL)[1]


def pod(name, gpus, **labels):
    limits = {"resources": {"limits": {"nvidia.com/gpu": gpus}}}
    spec = {"containers": [{"name": "a", "image": "a:1", **limits}], "nodeSelector": labels, "tolerations": [{"operator": "Exists"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "ai"}, "spec": spec}


@pytest.fixture(scope="module")
def diagrams(tmp_path_factory):
    """The text of each diagram: those of dist/, one with hostile names, and one of a crowded cluster."""
    folder = tmp_path_factory.mktemp("trees")
    texts = {name: diagram((DIST / name / "README.md").read_text()) for name in CLUSTERS}
    (folder / "hostile.yaml").write_text("\n---\n".join(json.dumps(pod(name, 1)) for name in HOSTILE))
    texts["hostile"] = diagram(cluster_page(folder / "hostile.yaml", nodes=GpuNodes(talos_version="1.14.0", name="rtx")))
    classes = [
        GpuNodes(talos_version="1.14.0", name=f"class-{each}", taints=[Taint("gpu", each)], count=3, gpus_per_node=8) for each in "abc"
    ]
    pods = [pod(f"work-{number}", 1, **classes[number % 3].node_labels) for number in range(24)]
    (folder / "crowd.yaml").write_text("\n---\n".join(map(json.dumps, pods)))
    return {**texts, "crowd": diagram(cluster_page(folder / "crowd.yaml", nodes=classes))}


@pytest.fixture(scope="module")
def browser(diagrams, tmp_path_factory):
    """A page with all diagrams."""
    if not MERMAID.is_file():
        pytest.skip("Mermaid is not installed: make site")
    folder = tmp_path_factory.mktemp("diagrams") / "site"
    write_static_files(folder)
    blocks = "".join(
        f'<h3>{name}</h3><div class="mermaid" data-name="{name}"><pre>{html.escape(text)}</pre></div>' for name, text in diagrams.items()
    )
    style = "".join(f"body[data-theme={scheme}] {{ background: {color}; color: #808080 }}" for scheme, color in BACKGROUNDS.items())
    (folder / "index.html").write_text(
        f'<!doctype html><meta charset="utf-8"><title>Diagrams</title><link rel="icon" href="data:,"><style>{style}</style><link rel="stylesheet" href="site.css">'
        f'<body data-theme="light" class="content">{blocks}<script type="module" src="diagrams.js"></script>'
    )
    with served(folder) as (address, _), chromium(width=1100) as browser:
        browser.get(address)
        yield browser


@pytest.fixture(params=BACKGROUNDS)
def scheme(request, browser):
    """The page in a scheme."""
    browser.execute_script("document.body.dataset.theme = arguments[0]", request.param)
    deadline = time.monotonic() + PATIENCE
    while browser.execute_script("return document.body.dataset.diagrams") != request.param:
        assert time.monotonic() < deadline, browser.get_log("browser")
        time.sleep(0.05)
    return request.param


@pytest.fixture
def drawn(scheme, browser):
    return lambda name: browser.execute_script(GEOMETRY, name)


def color_of(css, opacity="1"):
    """Red, green, blue and alpha of a colour as Chromium computes it."""
    numbers = [float(each) for each in re.findall(r"[\d.]+", css)]
    return *numbers[:3], (numbers[3] if len(numbers) > 3 else 1) * float(opacity)


def over(front, back):
    *channels, alpha = front
    return [alpha * channel + (1 - alpha) * below for channel, below in zip(channels, back, strict=True)]


def luminance(channels):
    """The relative luminance: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance"""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (each / 255 for each in channels)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def inside(inner, outer, slack=1):
    return all((inner[side] >= outer[side] - slack) if side < 2 else (inner[side] <= outer[side] + slack) for side in range(4))


def overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def test_mermaid_draws_every_diagram_without_an_error(scheme, browser, diagrams):
    texts = browser.execute_script("return [...document.querySelectorAll('.mermaid')].map((each) => each.innerText)")

    assert len(texts) == len(diagrams)
    assert [text for text in texts if "Syntax error" in text or "flowchart" in text] == []
    assert [each for each in browser.get_log("browser") if each["level"] == "SEVERE"] == []
    pictured(browser, f"diagrams-{scheme}")


@pytest.mark.parametrize("name", [*CLUSTERS, "hostile", "crowd"])
def test_no_box_lies_on_another_or_on_the_title_of_its_column(name, drawn):
    picture = drawn(name)
    boxes = [(each["id"], each["box"]) for each in picture["nodes"]] + [(each["text"], each["words"]) for each in picture["groups"]]

    assert len(picture["nodes"]) > 1
    assert [(one, other) for at, (one, box) in enumerate(boxes) for other, second in boxes[at + 1 :] if overlap(box, second)] == []


@pytest.mark.parametrize("name", [*CLUSTERS, "hostile", "crowd"])
def test_every_text_lies_in_its_box(name, drawn):
    picture = drawn(name)

    assert [each["text"] for each in picture["nodes"] + picture["groups"] if not inside(each["words"], each["box"])] == []


@pytest.mark.parametrize("name", CLUSTERS)
def test_every_text_stands_out_from_what_is_behind_it(name, drawn, scheme):
    picture, page = drawn(name), [int(BACKGROUNDS[scheme][at : at + 2], 16) for at in (1, 3, 5)]
    behind = {each["text"]: over(color_of(each["fill"], each["opacity"]), page) for each in picture["groups"]}
    behind_node = next(iter(behind.values()))
    shown = [(each, behind[each["text"]]) for each in picture["groups"]]
    shown += [(each, over(color_of(each["fill"], each["opacity"]), behind_node)) for each in picture["nodes"]]

    assert {
        each["text"]: contrast(over(color_of(each["color"]), back), back)
        for each, back in shown
        if contrast(over(color_of(each["color"]), back), back) < 4.5
    } == {}


@pytest.mark.parametrize("name", CLUSTERS)
def test_no_link_goes_through_a_box(name, drawn):
    picture = drawn(name)
    crossed = [
        each["id"]
        for points in picture["links"]
        for x, y in points
        for each in picture["nodes"]
        if inside((x, y, x, y), each["box"], slack=-3)
    ]

    assert picture["links"]
    assert crossed == []


@pytest.mark.parametrize("name", CLUSTERS)
def test_a_diagram_is_as_wide_as_a_window_of_1000_pixels_or_narrower(name, drawn):
    assert drawn(name)["width"] <= 1000


def test_hostile_names_are_text_in_the_picture(drawn, browser):
    titles = [each["text"].split("\n")[0].replace(NOTHING, "") for each in drawn("hostile")["nodes"]]

    assert sorted(titles) == sorted([*(f"Pod ai/{name}" for name in HOSTILE), "rtx"])
    assert browser.execute_script("return document.querySelectorAll('.mermaid img, .mermaid a, .mermaid code, .mermaid em').length") == 0
