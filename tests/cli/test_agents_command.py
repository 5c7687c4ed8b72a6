"""`talos-gpu agents`: the texts for coding agents, and that they say what this command is."""

import json
import os
import re
import shlex

import pytest
import yaml

from conftest import ROOT
from constructs_lib.cli import agents_command, command

AGENTS, CLAUDE = ".agents/skills/talos-gpu/SKILL.md", ".claude/skills/talos-gpu/SKILL.md"
FILES = (AGENTS, CLAUDE, "AGENTS.md")
SKILL = (ROOT / "constructs_lib" / "cli" / "SKILL.md").read_text()
PARSER = command._parser()
COMMANDS = re.findall(r"`(talos-gpu [^`]+)`", SKILL + agents_command._PART)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def older(path):
    """The file as an older version would have written it."""
    old = "an older text\n"
    begin = f"{agents_command._BEGIN}" if path.name == "AGENTS.md" else ""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{begin}{old}<!-- talos-gpu agents: end {agents_command._digest(old)} -->\n")


def test_a_repository_gets_the_skill_in_both_places_and_a_part_of_agents_md(repository, run):
    assert run("agents") == (0, "".join(f"{name}: written\n" for name in FILES), "")

    assert (repository / AGENTS).read_text() == (repository / CLAUDE).read_text()
    assert (repository / AGENTS).read_text().startswith(SKILL)
    assert sorted(f"{path.relative_to(repository)}" for path in repository.rglob("*") if path.is_file()) == sorted(FILES)
    assert run("agents") == (0, "every text is current\n", "")
    assert run("agents", "--check") == (0, "every text is current\n", "")


def test_another_folder_gets_the_texts(repository, run):
    (repository / "home").mkdir()

    assert run("agents", "home")[0] == 0
    assert (repository / "home" / AGENTS).is_file()
    assert run("agents", "nowhere") == (2, "", "talos-gpu agents: FOLDER must be a folder (got 'nowhere')\n")


def test_the_check_writes_nothing_and_names_what_is_missing(repository, run):
    assert run("agents", "--check") == (1, "".join(f"{name}: missing\n" for name in FILES), "")
    assert list(repository.iterdir()) == []


def test_texts_of_an_older_version_are_updated(repository, run):
    for name in FILES:
        older(repository / name)
    (repository / "AGENTS.md").write_text(f"# Ours\n\n{(repository / 'AGENTS.md').read_text()}\nmore\n")

    assert run("agents", "--check") == (1, "".join(f"{name}: older\n" for name in FILES), "")
    assert run("agents") == (0, "".join(f"{name}: updated\n" for name in FILES), "")
    page = (repository / "AGENTS.md").read_text()
    assert page.startswith("# Ours\n\n<!--")
    assert page.endswith("-->\n\nmore\n")
    assert "an older text" not in page
    assert run("agents", "--check")[0] == 0


@pytest.mark.parametrize("mine", ["# Mine\n", "# Mine", "# Mine\r\n\r\nmore\r\n", "\ufeff# Mine\n", ""])
def test_every_byte_of_an_agents_md_is_kept_and_the_part_has_its_line_ends(repository, run, mine):
    (repository / "AGENTS.md").write_bytes(mine.encode())

    assert run("agents")[0] == 0
    found = (repository / "AGENTS.md").read_bytes().decode()
    assert found.startswith(mine)
    assert found.count(agents_command._BEGIN) == 1
    assert ("\r\n" in mine) == ("\r\n" in found)
    assert re.search(r"(?<!\r)\n", found) is None or "\r\n" not in mine
    assert run("agents", "--check") == (0, "every text is current\n", "")


def test_a_claude_md_is_not_touched(repository, run):
    (repository / "CLAUDE.md").write_text("# Mine\n")

    run("agents")
    assert (repository / "CLAUDE.md").read_text() == "# Mine\n"


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "edit", [lambda text: text.replace("Never", "Always", 1), lambda text: text.partition("<!-- talos-gpu agents: end")[0]]
)
def test_an_edited_text_is_never_lost_and_nothing_is_written(repository, run, name, edit):
    run("agents")
    (repository / FILES[0]).unlink()
    if name == FILES[0]:
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text(edit((repository / CLAUDE).read_text()))
        (repository / CLAUDE).unlink()
    else:
        (repository / name).write_text(edit((repository / name).read_text()))
    before = {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()}

    words = (
        f"{name} has edits in the text of talos-gpu agents, and nothing was written; move the edits to another place, and delete that text"
    )
    assert run("agents") == (2, "", f"talos-gpu agents: {words}\n")
    assert {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()} == before
    status, answer, _ = run("agents", "--check")
    assert status == 1
    assert f"{name}: edited\n" in answer


@pytest.mark.parametrize("more", ["\nmore\n", f"\n{agents_command._BEGIN}\n", f"<!-- talos-gpu agents: end {'0' * 64} -->\n"])
def test_text_after_the_skill_and_a_second_mark_are_edits(repository, run, more):
    run("agents")
    path = repository / (CLAUDE if more == "\nmore\n" else "AGENTS.md")
    path.write_text(path.read_text() + more)

    assert run("agents", "--check")[:2] == (1, f"{path.relative_to(repository)}: edited\n")


def test_a_skill_of_somebody_else_is_an_edit(repository, run):
    (repository / CLAUDE).parent.mkdir(parents=True)
    (repository / CLAUDE).write_text("---\nname: talos-gpu\n---\n")

    assert run("agents")[0] == 2
    assert (repository / CLAUDE).read_text() == "---\nname: talos-gpu\n---\n"


def test_a_formatter_of_markdown_is_no_editor(repository, run):
    run("agents")
    for name in FILES:
        text = (repository / name).read_text()
        (repository / name).write_text(text.replace("|---|", "| ---------- |").replace("\n\n", "\n\n\n"))

    assert run("agents", "--check") == (0, "every text is current\n", "")


def test_a_link_in_the_repository_is_followed_and_one_out_of_it_is_refused(repository, run):
    home = repository / "home"
    home.mkdir()
    (home / "CLAUDE.md").write_text("# Mine\n")
    (home / "AGENTS.md").symlink_to("CLAUDE.md")
    (home / ".claude").mkdir()
    (home / ".claude" / "skills").symlink_to("../.agents/skills")

    assert run("agents", "home")[0] == 0
    assert (home / "AGENTS.md").is_symlink()
    assert "talos-gpu check" in (home / "CLAUDE.md").read_text()
    assert run("agents", "home", "--check")[0] == 0

    (home / "AGENTS.md").unlink()
    (home / "AGENTS.md").symlink_to("../outside.md")
    words = f"home/AGENTS.md leads to {repository / 'outside.md'}; a link must lead to a Markdown file in the same folder, outside of .git"
    assert run("agents", "home") == (2, "", f"talos-gpu agents: {words}\n")
    assert not (repository / "outside.md").exists()


def test_a_dash_is_an_edit_outside_of_the_rule_of_a_table(repository, run):
    run("agents")
    path = repository / CLAUDE
    path.write_text(path.read_text().replace("talos-gpu check . --fix", "talos-gpu check . fix"))

    assert run("agents", "--check")[:2] == (1, f"{CLAUDE}: edited\n")


def test_a_page_that_is_also_a_skill_is_refused(repository, run):
    (repository / "AGENTS.md").write_text("# Mine\n")
    (repository / CLAUDE).parent.mkdir(parents=True)
    (repository / CLAUDE).symlink_to("../../../AGENTS.md")

    words = f"{CLAUDE} and AGENTS.md must be two files (both lead to {repository / 'AGENTS.md'})"
    assert run("agents") == (2, "", f"talos-gpu agents: {words}\n")
    assert (repository / "AGENTS.md").read_text() == "# Mine\n"
    assert not (repository / AGENTS).exists()


def test_a_link_into_the_folder_of_git_is_refused(repository, run):
    (repository / ".git").mkdir()
    (repository / "AGENTS.md").symlink_to(".git/x.md")

    words = f"AGENTS.md leads to {repository / '.git' / 'x.md'}; a link must lead to a Markdown file in the same folder, outside of .git"
    assert run("agents") == (2, "", f"talos-gpu agents: {words}\n")
    assert not (repository / ".git" / "x.md").exists()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_pipe_or_a_folder_in_the_place_of_a_text_is_refused(repository, run, make):
    make(repository / "AGENTS.md")

    words = "AGENTS.md must be a file (a pipe, a device and a folder have no text)"
    assert run("agents") == (2, "", f"talos-gpu agents: {words}\n")


def test_a_link_to_a_file_that_runs_is_refused(repository, run):
    (repository / ".envrc").write_text("")
    (repository / "AGENTS.md").symlink_to(".envrc")

    assert run("agents")[0] == 2
    assert (repository / ".envrc").read_text() == ""


def test_a_file_that_cannot_be_read_or_written_is_one_sentence(repository, run):
    (repository / "AGENTS.md").write_bytes(b"\xff")
    assert run("agents")[2].startswith("talos-gpu agents: AGENTS.md must be a text in UTF-8 that can be read (")

    (repository / "AGENTS.md").unlink()
    (repository / ".agents").write_text("")
    assert run("agents")[2].startswith("talos-gpu agents: .agents/skills/talos-gpu/SKILL.md must be a text in UTF-8 that can be read (")


def test_the_skill_has_the_form_of_agent_skills_and_few_lines():
    """https://agentskills.io/specification: the limits of name, description and compatibility."""
    _, front, body = SKILL.split("---\n", 2)
    fields = yaml.safe_load(front)

    assert set(fields) == {"name", "description", "license", "compatibility"}
    assert fields["name"] == AGENTS.split("/")[-2]
    assert len(fields["description"]) <= 1024
    assert len(fields["compatibility"]) <= 500
    assert len(SKILL.splitlines()) < 150
    assert "```" not in body  # a block of YAML would be checked as a file of the repository


def test_the_skill_and_the_part_have_only_commands_that_the_command_takes():
    refused = []
    for line in COMMANDS:
        words = shlex.split(line)[1:]
        if words[:1] == ["COMMAND"]:
            continue
        try:
            PARSER.parse_args(words)
        except Exception as error:  # noqa: BLE001  # any error is one of the skill
            refused.append(f"{line}: {error}")

    assert len(COMMANDS) > 25
    assert refused == []


def test_the_skill_has_flags_that_the_command_has():
    flags = {flag for verb in PARSER.verbs.values() for flag in verb.flags}

    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", SKILL)) <= flags


@pytest.mark.parametrize("text", [SKILL, agents_command._PART])
def test_each_text_says_that_a_cluster_file_is_read_only_by_name(text):
    assert "A cluster file is read only by name: `talos-gpu check cluster.yaml .`, and `talos-gpu diff HEAD --path cluster.yaml`." in text


def test_the_patch_for_omni_has_the_flag_that_the_skill_names(run):
    line = ("patch", "--talos", "1.14.6", "--product", "RTX 4090", "--for", "omni")

    assert run(*line)[0] == 2
    assert "`--for omni` needs `--cluster NAME`" in SKILL
    assert run(*line, "--cluster", "home")[0] == 0


def test_the_skill_names_every_verb_that_answers_a_question():
    named = {line.split()[1] for line in COMMANDS}

    assert PARSER.verbs.keys() - named == {"page", "krm", "rehearse", "completion"}


def test_the_exit_statuses_of_the_skill_are_those_of_the_help():
    """The help of a verb names its statuses in the sentences about the exit status."""
    rows = re.findall(r"^\| (\w+) \| ([^|]*)\| ([^|]*)\| ([^|]*)\|$", SKILL.partition("## Exit status")[2], re.MULTILINE)
    skill = {verb: {f"{number}" for number, words in enumerate(cells, 1) if words.strip()} for verb, *cells in rows if verb != "command"}
    told = {verb: parser.description.partition("exit status")[2] for verb, parser in PARSER.verbs.items()}

    assert skill == {
        verb: set(re.findall(r"\b[123]\b", words))
        for verb, words in told.items()
        if words and verb in {line.split()[1] for line in COMMANDS}
    }


def test_the_skill_names_the_commands_with_json_and_every_schema():
    text = SKILL.partition("## JSON")[2].partition("## Never")[0]
    with_json = {
        verb
        for verb, parser in PARSER.verbs.items()
        for action in parser.actions
        if action.dest == "format" and "json" in (action.choices or ())
    }

    assert set(re.split(r", | and ", re.search(r"`--format json` of ([\w, ]+)\.", text)[1])) == with_json - {"rehearse"}
    assert set(re.findall(r"[\w]+-schema\.json", text)) == {path.name for path in (ROOT / "docs").glob("*-schema.json")}


def test_the_pages_that_the_skill_names_exist():
    pages = re.findall(r"[\w-]+\.md", SKILL.partition("## Where the facts are")[2])

    assert len(pages) > 5
    assert [name for name in pages if not (ROOT / "docs" / name).is_file()] == []


def test_the_check_of_a_repository_is_the_same_with_the_texts(repository, run):
    (repository / "gpu.yaml").write_text((ROOT / "docs" / "example.yaml").read_text())
    before = json.loads(run("check", ".", "--talos", "1.13", "--format", "json")[1])
    run("agents")

    assert json.loads(run("check", ".", "--talos", "1.13", "--format", "json")[1]) == before
