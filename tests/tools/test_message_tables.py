"""`make pins`: the tables of the messages of programs."""

import json

import pytest

from published import Upstream
from tools.pins import __main__ as pins
from tools.pins.message_tables import renew_messages, says_something
from tools.pins.repositories import local_repository
from tools.pins.spoken_programs import PROGRAMS, Program
from tools.pins.tables import Report, Table

PROGRAM = Program(name="plugin", title="the plugin", speakers=("plugin-pod",), repository="a/plugin", since="1.1", folders=("cmd", "pkg"))


def go(*lines):
    return "package a\nfunc f() {\n" + "".join(f"\tklog.{line}\n" for line in lines) + "}\n"


OLD, NEW, BOTH = 'Error("the old device is gone")', 'Warning("the new device is gone")', 'Errorf("device %v has no memory", d)'


@pytest.fixture
def upstream(tmp_path):
    upstream = Upstream(tmp_path)
    upstream.publish("a/plugin", "v1.0.9", {"cmd/main.go": go('Error("words of long ago")')})
    upstream.publish("a/plugin", "v1.1.0", {"cmd/main.go": go('Error("words of no last patch")')})
    upstream.publish("a/plugin", "v1.1.1", {"cmd/main.go": go(OLD, BOTH)})
    upstream.publish("a/plugin", "v1.2.0", {"cmd/other.go": go(BOTH, NEW), "docs/a.go": go('Error("words of another folder")')})
    return upstream


def renew(upstream, program=PROGRAM, **options):
    path = upstream.tables / "plugin.json"
    table, report = Table(path), Report()
    renew_messages(program, table, local_repository("a/plugin", upstream.copies), report, **options)
    table.read("2026-01-03")
    table.write()
    return json.loads(path.read_text()), report


def test_a_table_has_each_message_with_the_minors_that_say_it_and_its_place_in_the_newest(upstream):
    table, report = renew(upstream)

    assert table == {
        "read_on": "2026-01-03",
        "source": "https://github.com/a/plugin",
        "program": "the plugin",
        "speakers": ["plugin-pod"],
        "minors": {"1.1": "v1.1.1", "1.2": "v1.2.0"},
        "messages": {
            "cmd/main.go": {"the old device is gone": " -1.1"},
            "cmd/other.go": {"device %v has no memory": "", "the new device is gone": "warning 1.2-"},
        },
    }
    assert report.changes == ["plugin 1.1: its 2 messages are those of v1.1.1", "plugin 1.2: its 2 messages are those of v1.2.0"]


def test_a_second_run_reads_nothing_and_changes_nothing(upstream):
    first, _ = renew(upstream)
    second, report = renew(upstream)

    assert (second, report.changes) == (first, [])
    assert renew(upstream, every_tag=True)[0] == first


def test_a_newer_patch_replaces_what_its_minor_says(upstream):
    renew(upstream)
    upstream.publish("a/plugin", "v1.2.1", {"cmd/other.go": go(NEW, 'Error("a third device is gone")')})

    assert renew(upstream)[0]["messages"] == {
        "cmd/other.go": {
            "a third device is gone": " 1.2-",
            "device %v has no memory": " -1.1",
            "the new device is gone": "warning 1.2-",
        },
        "cmd/main.go": {"the old device is gone": " -1.1"},
    }


def test_a_newer_patch_of_an_older_minor_moves_no_place(upstream):
    before = renew(upstream)[0]["messages"]
    upstream.publish("a/plugin", "v1.1.2", {"cmd/main.go": go(OLD, BOTH)})

    assert renew(upstream)[0]["messages"] == before


def test_a_newer_minor_leaves_the_rows_of_what_is_still_said_as_they_are(upstream):
    before = renew(upstream)[0]["messages"]["cmd/other.go"]
    upstream.publish("a/plugin", "v1.3.0", {"cmd/other.go": go(BOTH, NEW)})

    assert renew(upstream)[0]["messages"]["cmd/other.go"] == before


def test_a_tag_without_the_folders_is_unread_and_the_rest_stays(upstream):
    before, _ = renew(upstream)
    upstream.publish("a/plugin", "v1.3.0", {"README.md": ""})
    after, report = renew(upstream)

    assert after == before
    assert report.unread == ["a/plugin: v1.3.0 has no source in cmd, pkg; what plugin says in 1.3 stays as it is"]


def test_no_table_comes_of_a_repository_without_a_readable_tag(tmp_path, upstream):
    upstream.publish("a/plugin", "v2.0.0", {"README.md": ""})
    program = Program(name="plugin", title="a", speakers=(), repository="a/plugin", since="2.0", folders=("cmd",))
    table = Table(tmp_path / "none.json")
    renew_messages(program, table, local_repository("a/plugin", upstream.copies), Report())
    table.read("2026-01-03")
    table.write()

    assert not (tmp_path / "none.json").exists()


def test_the_severest_of_several_calls_counts_and_every_file_is_a_place(upstream):
    upstream.publish("a/plugin", "v1.3.0", {"cmd/a.go": go('Info("no device is free")'), "pkg/b.go": go('Error("no device is free")')})

    messages = renew(upstream)[0]["messages"]
    assert messages["cmd/a.go"] == messages["pkg/b.go"] == {"no device is free": " 1.3-"}


@pytest.mark.parametrize(
    "path", ["cmd/a_test.go", "cmd/mocks/a.go", "cmd/a_windows.go", "cmd/zz_generated.deepcopy.go", "pkg/a.pb.go", "pkg/testing/a.go"]
)
def test_tests_mocks_generated_files_and_those_of_other_systems_are_not_read(upstream, path):
    upstream.publish("a/plugin", "v1.3.0", {path: go('Error("words of a test")'), "cmd/b.go": go(NEW)})

    assert "words of a test" not in str(renew(upstream)[0])


def test_of_the_level_info_only_trouble_and_waits_are_kept(upstream):
    upstream.publish(
        "a/plugin", "v1.3.0", {"cmd/a.go": go('Info("no device is free")', 'Info("all devices are free")', 'Info("waiting for devices")')}
    )

    assert list(renew(upstream)[0]["messages"]["cmd/a.go"]) == ["no device is free", "waiting for devices"]


def test_of_a_message_of_several_lines_the_first_with_words_is_kept(upstream):
    upstream.publish("a/plugin", "v1.3.0", {"cmd/a.go": go('Error("\\n  the first line\\nthe second line")')})

    assert list(renew(upstream)[0]["messages"]["cmd/a.go"]) == ["the first line"]


@pytest.mark.parametrize("text", ["nvml init failed: %v", "invalid strategy: %v", "UnexpectedAdmissionError", "device is gone"])
def test_two_words_or_the_camel_case_of_a_reason_say_something(text):
    assert says_something(text)


@pytest.mark.parametrize("text", ["%w", "error: %v", "failed to get %s: %w", "%s: %s", "timeout", "Failed", "unable to: %v", "a " * 200])
def test_wrappers_and_single_words_say_nothing(text):
    assert not says_something(text)


def test_a_minor_without_a_release_is_read_at_its_pre_release_where_the_program_has_them():
    program = Program(
        name="a", title="a", speakers=(), repository="a/a", since="1.9", folders=(), tag=r"v(\d+\.\d+\.\d+(?:-(?:beta|rc)\.\d+)?)"
    )
    tags = [
        "v1.8.0",
        "v1.10.0-rc.1",
        "v1.10.0-beta.2",
        "v1.9.0",
        "v1.9.1",
        "v1.9.1-beta.0",
        "v1.9.0-rc.0",
        "v1.11.0-alpha.0",
        "other/v1.9.9",
    ]

    assert program.minors(tags) == {"1.9": "v1.9.1", "1.10": "v1.10.0-rc.1"}


def test_the_releases_of_zero_come_after_those_of_years_where_the_numbers_began_anew():
    program = Program(name="a", title="a", speakers=(), repository="a/a", since="25.3", folders=(), restarts=True)

    assert program.minors(["v0.4.1", "v25.12.0", "v25.3.2", "v24.1.0"]) == {"25.3": "v25.3.2", "25.12": "v25.12.0", "0.4": "v0.4.1"}


def test_a_repository_without_a_copy_is_read_as_a_go_module(upstream, tmp_path):
    facts = tmp_path / "mod/cache/download/k8s.io/kubernetes/@v"
    facts.mkdir(parents=True)
    for version in ("v1.35.9", "v1.36.3"):
        (facts / f"{version}.info").write_text(json.dumps({"Version": version, "Time": "2026-08-07T01:02:03Z"}))
        folder = tmp_path / f"mod/k8s.io/kubernetes@{version}/pkg/kubelet/images"
        folder.mkdir(parents=True)
        (folder / "a.go").write_text(go('Error("no image is here")'))

    assert upstream.run("--modules", tmp_path / "mod") == 0
    table = upstream.facts("messages/kubelet")
    assert (table["read_on"], table["minors"]) == ("2026-08-07", {"1.35": "v1.35.9", "1.36": "v1.36.3"})
    assert table["messages"] == {"pkg/kubelet/images/a.go": {"no image is here": ""}}
    assert upstream.run("--modules", tmp_path / "mod", "--check") == 0


def test_the_newest_release_of_a_branch_is_read_where_the_first_number_is_the_branch():
    program = Program(
        name="a",
        title="a",
        speakers=(),
        repository="a/a",
        since="550.0",
        folders=(),
        tag=r"((?:535|550|580)\.\d+(?:\.\d+)?)",
        by_major=True,
    )

    assert program.minors(["535.288.01", "550.9", "550.163.01", "565.77", "580.65.06", "580.126.20"]) == {
        "550": "550.163.01",
        "580": "580.126.20",
    }


def test_the_sources_of_each_language_of_a_program_are_read(tmp_path):
    upstream = Upstream(tmp_path)
    files = {
        "src/a.c": 'error_setx(err, "device is gone in C");',
        "src/b.go": go('Error("device is gone in Go")'),
        "src/a_test.c": 'log_err("words of a test in C");',
    }
    upstream.publish("a/plugin", "v1.1.0", files)
    program = Program(name="plugin", title="a", speakers=(), repository="a/plugin", since="1.1", folders=("src",), endings=(".c", ".go"))

    assert renew(upstream, program)[0]["messages"] == {"src/a.c": {"device is gone in C": ""}, "src/b.go": {"device is gone in Go": ""}}


def test_every_program_has_its_own_table():
    assert len({program.name for program in PROGRAMS}) == len(PROGRAMS)
    assert pins.PROGRAMS is PROGRAMS
