"""The doctor's report as Markdown: GitHub shows what stands in it, and no name of a dump becomes a mark, a mention or the end of a block."""

import dataclasses
import re

import pytest
from doctor_cases import MODULES, broken_cluster, broken_report, dump, node

from constructs_lib.arguments.commands import command
from constructs_lib.doctor.doctor_report import doctor_report
from constructs_lib.doctor.fault import Advice
from constructs_lib.doctor.formats.doctor_markdown import block, code, doctor_markdown, plain, source_link
from constructs_lib.observed.model.dump import Unread
from constructs_lib.observed.model.evidence import Evidence


def markdown(report):
    return "".join(doctor_markdown(report))


def test_the_summary_comes_first_and_has_a_line_for_each_cause():
    assert markdown(broken_report()).startswith(
        "# GPU report\n\ngpu\\-1, gpu\\-2: the kernel modules are not loaded\\\n".replace("\\-", "-")
        + "pod gpu/b: the pod does not tolerate the taint dedicated=ai:NoSchedule\\\n"
        "4 links healthy, 1 unknown; 1 pod without a GPU because of these causes\\\n"
        "versions: Talos 1.13.2, Kubernetes 1.35.1 on gpu-1, gpu-2, gpu-3\n\n## 1. the kernel modules are not loaded\n"
    )


def test_a_fix_is_a_block_to_be_pasted_with_the_names_below_it():
    printed = markdown(broken_report())

    assert "Fix:\n\nSet in the machine configuration:\n\n```yaml\nmachine:\n  kernel:\n    modules:\n      - name: nvidia\n```\n" in printed
    assert "Verify:\n\n```\ntalosctl --nodes ADDRESS read /proc/modules\n```\n\n`ADDRESS: 10.0.0.1, 10.0.0.2`\n" in printed


def test_the_chains_are_tables_with_a_row_for_each_shape():
    printed = markdown(broken_report())

    assert "| nodes | image | modules | driver | runtime | plugin | allocatable |\n|---|:-:|:-:|:-:|:-:|:-:|:-:|\n" in printed
    assert "| gpu-1, gpu-2 | ✔ | ✘ | ↳ | ↳ | ↳ | ↳ |\n" in printed
    assert "| pods | admitted | scheduled | started | seen |\n" in printed


def test_sources_are_links():
    assert source_link("siderolabs/extensions nvidia-gpu/README.md") == (
        "[siderolabs/extensions nvidia-gpu/README.md](https://github.com/siderolabs/extensions/blob/HEAD/nvidia-gpu/README.md)"
    )
    assert (
        source_link("NVIDIA/k8s-device-plugin#1213")
        == "[NVIDIA/k8s-device-plugin#1213](https://github.com/NVIDIA/k8s-device-plugin/issues/1213)"
    )
    assert source_link("https://kubernetes.io/docs/") == "<https://kubernetes.io/docs/>"
    assert source_link("https://a.example/> <script>") == "https://a.example/\\> \\<script\\>"


EVIL = "```\n</details> | @octocat ![x](https://evil.example/p.png) <script> `a` ## b"


def evil_report():
    fault = dataclasses.replace(
        MODULES,
        cause=EVIL,
        evidence=(Evidence(text=EVIL, source=EVIL),),
        consequence=EVIL,
        fix=Advice(EVIL, EVIL),
        verify=command("a {name}", name=EVIL),
        source=EVIL,
    )
    read = dump(node(EVIL))
    read.unread.append(Unread(source=EVIL, reason=EVIL))
    cluster = broken_cluster(modules=fault, read=read)
    for names in (cluster.causes[0].subjects, cluster.causes[0].followers, cluster.unseen[0].subjects):
        names.insert(0, EVIL)
    shown = dataclasses.replace(cluster.chains[0], subject=EVIL)
    return doctor_report(dataclasses.replace(cluster, chains=(shown, *cluster.chains)))


def outside_code(text):
    """The Markdown without its blocks and spans of code, as CommonMark finds them."""
    text = re.sub(r"^ *(`{3,})\w*\n.*?^ *\1\n", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"(?<!\\)(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", text)


def test_no_name_of_a_dump_is_a_mark_a_mention_or_the_end_of_a_block():
    rest = outside_code(markdown(evil_report()))

    assert not re.search(r"@\w", rest)
    assert not re.search(r"(?<!\\)!\[|(?<!\\)<script|(?<!\\)</details", rest)
    assert len(re.findall("^## ", rest, re.MULTILINE)) == len(re.findall("^## ", markdown(broken_report()), re.MULTILINE)) + 1  # not read


def test_no_name_of_a_dump_adds_a_cell_or_a_row_to_a_table():
    rows = [line for line in markdown(evil_report()).splitlines() if line.startswith("| ")]
    cells = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}

    assert cells == {8, 6}


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("a`b", "``a`b``"),
        ("`", "`` ` ``"),
        ("a", "`a`"),
    ],
)
def test_code_has_a_fence_that_it_does_not_contain(words, shown):
    assert code(words) == shown


def test_a_block_has_a_fence_that_it_does_not_contain():
    assert block(["a", "````"]) == "`````\na\n````\n`````"


@pytest.mark.parametrize(
    ("words", "shown"), [("- a", "\\- a"), ("1. a", "1\\. a"), ("a - b", "a - b"), ("@a", "@<!-- -->a"), ("a|b", "a\\|b")]
)
def test_words_are_text(words, shown):
    assert plain(words) == shown
