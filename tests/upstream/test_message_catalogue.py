"""The catalogue of the messages of programs."""

from pathlib import Path

from constructs_lib.upstream import message_catalogue
from constructs_lib.upstream.message_catalogue import PROGRAMS, messages

FOLDER = Path(message_catalogue.__file__).parent / "messages"


def test_every_table_is_of_a_program_and_is_read():
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == list(PROGRAMS)
    assert len({message.speaker for message in messages()}) == len(PROGRAMS)


def test_the_catalogue_has_thousands_of_messages_in_less_than_half_a_megabyte():
    assert len({(message.speaker.title, message.format) for message in messages()}) >= 6000
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 500_000


def test_a_message_has_program_releases_severity_and_place():
    (found,) = (message for message in messages() if message.format == "unable to create plugins: %w")

    assert found.speaker.title == "NVIDIA's device plugin or GPU feature discovery"
    assert (found.first, found.last, found.severity, found.path) == ("0.17", "0.20", "error", "cmd/nvidia-device-plugin/plugin-manager.go")


def test_a_message_that_is_gone_ends_with_the_last_release_that_says_it():
    (found,) = (message for message in messages() if message.format == "device %v has an invalid MIG configuration")

    assert (found.first, found.last) == ("0.15", "0.15")
