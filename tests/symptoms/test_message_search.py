"""Which programs say a line, by the format strings of their sources."""

from string import ascii_lowercase

import pytest

from constructs_lib.symptoms.message_search import MessageSearch
from constructs_lib.symptoms.message_text import origins, said_text
from constructs_lib.upstream.message_catalogue import Message, Speaker, messages
from counting import calls

PLUGIN = Speaker(title="the plugin", repository="https://example.org/plugin", names=("plugin-pod",), minors=("1.0", "1.1", "1.2"))
TOOLKIT = Speaker(title="the toolkit", repository="https://example.org/toolkit", names=("toolkit-pod",), minors=("1.1", "1.2"))


def message(text, path="cmd/main.go", speaker=PLUGIN, severity="error"):
    return Message(speaker, text, severity, "1.1", "1.2", path)


REST = tuple(message(f"words number{a}{b} of some other{a}{b} message{a}{b}") for a in ascii_lowercase for b in ascii_lowercase)
"""Messages beside which the words of a test are rare."""
START = message("error starting plugins: %w")
NVML = message("nvml init failed: %v", "internal/factory.go")
GONE = message("device %q vanished from node %s at once", "internal/health.go")
SEARCH = MessageSearch((START, NVML, GONE, *REST))


def said(line, *given, source=""):
    found = (MessageSearch((*given, *REST)) if given else SEARCH).said(line, source)
    return found and [(saying.messages, saying.values) for saying in found.sayings]


def test_a_line_is_said_by_its_messages_from_the_outermost_to_the_innermost_with_the_values():
    line = "E1122 10:00:00.000000       1 main.go:198] error starting plugins: nvml init failed: ERROR_UNKNOWN"

    assert said(line) == [((START,), ()), ((NVML,), ("ERROR_UNKNOWN",))]


def test_each_gap_gives_its_value():
    assert said('level=error msg="device \\"GPU-1\\" vanished from node worker-1 at once"') == [((GONE,), ("GPU-1", "worker-1"))]


def test_case_marks_and_escapes_do_not_matter():
    assert said("Device 'a'  VANISHED from node b, at once!") == [((GONE,), ("a", "b"))]


@pytest.mark.parametrize(
    "line", ["", "device", "a plugin starts", "vanished from node", "at once: nothing of it, and many other words stand beside"]
)
def test_a_line_that_no_message_makes_is_said_by_nobody(line):
    assert said(line) is None


@pytest.mark.parametrize("line", ["already exists", "timeout"])
def test_short_and_generic_messages_tell_nothing_alone(line):
    assert said(line, message("already exists"), message("timeout")) is None


def test_a_short_message_tells_something_where_the_line_names_its_file():
    exists = message("already exists", "internal/store.go")

    assert said("E1122 10:00:00.000000       1 store.go:12] already exists", exists) == [((exists,), ())]
    assert said("E1122 10:00:00.000000       1 other.go:12] already exists", exists) is None
    assert said("E1122 10:00:00.000000       1 store.go:12] something unknown: already exists", exists) is None


def test_a_message_that_holds_too_few_words_of_a_line_does_not_explain_it():
    line = "an unknown program cannot reach some remote peer and complains about its certificate, as nvml init failed"

    assert said(line) is None


def test_values_are_no_words_that_a_message_has_to_hold():
    assert said("nvml init failed: /a/b/c.so /d/e/f.so 10.0.0.1:8080 nvidia.com/gpu=all") is not None


def test_the_fields_of_a_structured_log_are_no_words_that_a_message_has_to_hold():
    line = 'E1122 10:00:00.0 1 a.go:7] "Unhandled" err="nvml init failed: 999" pod="some-namespace/some-long-name" node="worker"'

    assert said(line) is not None


def test_what_stands_in_the_gap_of_a_message_is_no_word_that_a_message_has_to_hold():
    unexpected = message("allocate failed due to %v, which is unexpected")
    line = "allocate failed due to rpc error: desc = error reading from some remote server: its stream has ended, which is unexpected"

    assert said(line, unexpected) is not None


def test_words_of_one_message_are_not_taken_for_another_one():
    short = message("init failed: %v")

    assert said("nvml init failed: a", NVML, short) == [((NVML,), ("a",))]


def test_the_parts_of_a_message_stand_close():
    assert said(f"device {'word ' * 100} vanished from node a at once") is None


MINE, THEIRS = message("failed to load the nvml library"), message("failed to load the nvml library", "pkg/nvml.go", TOOLKIT)


def test_the_same_words_of_several_programs_are_of_all_of_them():
    assert said("failed to load the nvml library", MINE, THEIRS) == [((MINE, THEIRS), ())]


def test_marks_in_the_format_do_not_part_the_same_words():
    other = message("Failed to load the NVML library.", "pkg/nvml.go", TOOLKIT)

    assert said("failed to load the nvml library", MINE, other) == [((MINE, other), ())]


@pytest.mark.parametrize(
    ("line", "source"),
    [
        ("E1122 10:00:00.000000       1 nvml.go:198] failed to load the nvml library", ""),
        ("[pod/toolkit-pod-x2f/ctr] failed to load the nvml library", ""),
        ("failed to load the nvml library", "logs/toolkit-pod.log"),
        ("the toolkit cannot be prepared here: failed to load the nvml library", ""),
    ],
)
def test_the_file_the_pod_the_log_or_the_rest_of_the_line_tell_which_program_speaks(line, source):
    outer = message("the toolkit cannot be prepared here: %w", "pkg/other.go", TOOLKIT)

    assert said(line, MINE, THEIRS, outer, source=source)[-1] == ((THEIRS,), ())


def test_the_lines_of_a_log_go_through_and_what_they_say_is_kept_once():
    search = MessageSearch((START, NVML, GONE, *REST))
    lines = [(1, "something else"), (2, "nvml init failed: a"), (3, "nvml init failed: b"), (3, "nvml init failed: b")]

    assert list(search.noting(lines)) == lines
    (noted,) = search.noted()
    assert (noted.line, noted.text, noted.lines) == (2, "nvml init failed: a", 2)


def test_a_log_is_read_line_by_line():
    read = []

    def stream():
        for number in range(1, 4):
            read.append(number)
            yield number, "nvml init failed: a"

    assert next(SEARCH.noting(stream())) == (1, "nvml init failed: a")
    assert read == [1]


def test_trouble_comes_before_information_and_rare_words_before_others():
    info = message("no devices were found in this whole machine", severity="info")
    search = MessageSearch((NVML, GONE, info, *REST))
    lines = ["no devices were found in this whole machine", "nvml init failed: a", "device a vanished from node b at once"]
    list(search.noting(enumerate(lines, 1)))

    assert [noted.line for noted in search.noted()] == [3, 2, 1]


def test_the_text_names_program_releases_files_words_and_values():
    search = MessageSearch((message("nvml init failed: %v", "b.go"), message("nvml init failed: %v", "c.go"), NVML, *REST))
    list(search.noting([(4, "nvml init failed: 999"), (5, "nvml init failed: 1")]))

    assert said_text(search.noted(), 5) == (
        "1. Said by the plugin; not yet explained here\n"
        "   line 4 and 1 more: nvml init failed: 999\n"
        "   words: nvml init failed: %v with 999\n"
        "   source: the plugin 1.1 to 1.2, https://example.org/plugin b.go, c.go and 1 more\n"
    )


def test_the_text_says_how_many_more_there_are_and_each_program_has_its_row():
    search = MessageSearch((MINE, THEIRS, NVML, *REST))
    list(search.noting([(1, "nvml init failed: 9"), (2, "failed to load the nvml library")]))

    text = said_text(search.noted(), 1)
    assert text.startswith("1. Said by the plugin or the toolkit; not yet explained here\n   line 2: failed to load")
    assert text.endswith("   source: the toolkit 1.1 to 1.2, https://example.org/toolkit pkg/nvml.go\n\n1 more with --limit 2\n")


def test_the_origin_of_a_line_is_that_of_its_innermost_message():
    found = SEARCH.said("error starting plugins: nvml init failed: a")

    assert found is not None
    assert origins(found) == ["the plugin 1.1 to 1.2, https://example.org/plugin internal/factory.go"]


def test_the_releases_go_from_the_first_to_the_last_that_has_one_of_the_messages():
    old, new = (Message(PLUGIN, "a", "error", release, release, "a.go") for release in ("1.0", "1.2"))

    assert PLUGIN.releases([old]) == "1.0"
    assert PLUGIN.releases([new, old]) == "1.0 to 1.2"


def test_a_line_of_any_length_is_read_as_far_as_a_program_prints():
    assert SEARCH.said("device a vanished from node " * 50_000) is None
    assert SEARCH.said("nvml init failed: a" + " 1" * 500_000) is not None
    assert SEARCH.said("1 " * 500_000 + "nvml init failed: a") is None


@pytest.fixture(scope="module")
def catalogue():
    return MessageSearch(messages())


@pytest.mark.parametrize(
    ("line", "title", "path"),
    [
        (
            "E1122 10:00:00.000000       1 main.go:198] error starting plugins: failed to construct resource managers: nvml init failed: 999",
            "NVIDIA's device plugin or GPU feature discovery",
            "internal/plugin/factory.go",
        ),
        (
            "E1122 10:00:00.000000       1 factory.go:99] Failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND.",
            "NVIDIA's device plugin or GPU feature discovery",
            "internal/plugin/factory.go",
        ),
        (
            "failed to create containerd container: CDI device injection failed: unresolvable CDI devices k8s.device-plugin.nvidia.com/gpu=GPU-1",
            "the CDI library (in containerd, the toolkit, the DRA driver)",
            "pkg/cdi/cache.go",
        ),
        (
            "Allocate failed due to no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu, which is unexpected",
            "the kubelet",
            "pkg/kubelet/cm/devicemanager/manager.go",
        ),
        (
            "nvidia-persistenced-wrapper: error starting nvidia-persistenced: fork/exec /usr/local/bin/nvidia-persistenced: no such file or directory",
            "Sidero's NVIDIA extensions",
            "nvidia-gpu/nvidia-container-toolkit/nvidia-persistenced-wrapper/main.go",
        ),
        (
            "[   18.120451] NVRM: _kgspProcessRpcEvent: Attempted to process RPC event from GPU0: 0x1022 (RECOVERY_ACTION) during bootup without API lock",
            "NVIDIA's kernel modules",
            "src/nvidia/src/kernel/gpu/gsp/kernel_gsp.c",
        ),
        (
            "runc create failed: unable to start container process: nvidia-container-cli: container error: cgroup subsystem devices not found: unknown",
            "NVIDIA's container library (nvidia-container-cli)",
            "src/cgroup_legacy.c",
        ),
    ],
)
def test_a_line_of_a_real_node_has_its_program_and_file(catalogue, line, title, path):
    found = catalogue.said(line)

    assert (found.sayings[-1].messages[0].speaker.title, found.sayings[-1].messages[0].path) == (title, path)


@pytest.mark.parametrize(
    "line",
    [
        "already exists",
        "timeout",
        "invalid argument",
        "initialization error",
        "no such file or directory",
        "not found",
        "file already exists",
        "failed to read device a",
    ],
)
def test_words_that_everybody_says_are_of_nobody(catalogue, line):
    assert catalogue.said(line) is None


def test_lines_that_nobody_says_cost_few_calls(catalogue):
    lines = [f'I1122 10:00:00.000000 1 kubelet.go:{number}] "SyncLoop" pod="a/b-{number}"' for number in range(100)]
    dictated = [(1, "nvml init failed: a\n")] * 100

    assert calls(lambda: list(catalogue.noting(enumerate(lines)))) < 100 * 60
    assert calls(lambda: list(catalogue.noting(dictated))) < 100 * 400
    assert calls(lambda: catalogue.said("device plugin failed to start " * 1000)) == calls(
        lambda: catalogue.said("device plugin failed to start " * 99_000)
    )
