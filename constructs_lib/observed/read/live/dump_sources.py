"""Files, folders, archives and standard input as texts. Nothing is extracted to a disk, and every size is bounded."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_LARGEST = 512 * 1024 * 1024
"""The bytes of all files together. A dump of 5,000 pods has 60 MB."""
_MOST = 20_000
"""The number of files."""
_MOST_TIMES, _ALWAYS = 200, 2**20
"""The bytes that an archive may have for each of its own, and those that it may have in any case. Logs and YAML shrink
to a twentieth.
"""
_LONGEST_NAME = 1024
_DIRECTORY_ENTRY = b"PK\x01\x02"
_BOMB = f"an archive that grows to more than {_MOST_TIMES} times its size; unpack it first"
_BINARY_SEEN_IN = 8192
_AGE = b"age-encryption.org/"
_LINKS = "a link, which is not followed"


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A text, and the place that it came from."""

    name: str
    text: str


@dataclass(kw_only=True, slots=True)
class DumpSources:
    """The texts of places. What is no text, or too large, goes to `unread`."""

    unread: Callable[[str, str], None]
    _bytes: int = 0
    _files: int = 0

    def of_paths(self, paths: Iterable[str | Path]) -> Iterator[Source]:
        """The texts of files, folders and archives."""
        for given in paths:
            path = Path(given)
            try:
                if path.is_dir():
                    for file in self._files_of(path):
                        yield from self._of_file(file, str(file.relative_to(path.parent)))
                else:
                    yield from self._of_file(path, str(given))
            except (OSError, ValueError) as error:
                self.unread(str(given), _words(error))

    def of_bytes(self, name: str, content: bytes) -> Iterator[Source]:
        """The texts in the bytes of a file: of an archive each member, else the text itself."""
        if content.startswith(b"\x1f\x8b"):
            yield from self._of_gzip(name, content)
        elif content.startswith(b"PK\x03\x04"):
            yield from self._of_zip(name, content)
        elif content[257:262] == b"ustar":
            yield from self._of_tar(name, content)
        elif content.startswith(_AGE):
            self.unread(name, "encrypted with age, as Talos 1.14 does; write it anew with: talosctl support --no-encryption")
        else:
            yield from self._of_text(name, content)

    def _files_of(self, folder: Path) -> Iterator[Path]:
        for parent, folders, names in os.walk(folder, onerror=lambda error: self.unread(str(error.filename), _words(error))):
            folders.sort()
            for name in sorted(names):
                file = Path(parent, name)
                if file.is_symlink() and not file.resolve().is_relative_to(folder.resolve()):
                    self.unread(str(file), _LINKS)
                else:
                    yield file

    def _of_file(self, path: Path, name: str) -> Iterator[Source]:
        try:
            if not path.is_file():
                self.unread(name, "no file" if not path.exists() else "no regular file")
            elif not self._is_full() and self._has_room(name, path.stat().st_size):
                yield from self.of_bytes(name, path.read_bytes())
        except OSError as error:
            self.unread(name, _words(error))

    def _is_full(self) -> bool:
        """Whether no other file is read. Entries of archives that are no files count, too."""
        self._files += 1
        if self._files > _MOST:
            self.unread("other files", _too_many())
        return self._files > _MOST

    def _has_room(self, name: str, size: int) -> bool:
        """Whether a file of this size may be read."""
        if len(name) > _LONGEST_NAME:
            self.unread(f"{name[:_LONGEST_NAME]}…", "a name that is too long")
            return False
        if self._bytes + size > _LARGEST:
            self.unread(name, f"larger than {_LARGEST // 2**20} MiB, with the files before")
            return False
        self._bytes += size
        return True

    def _of_gzip(self, name: str, content: bytes) -> Iterator[Source]:
        most = min(_LARGEST - self._bytes, _expanded(content))
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
                inner = stream.read(most + 1)
        except (OSError, EOFError, zlib.error) as error:
            self.unread(name, f"a broken archive: {_words(error)}")
            return
        if len(inner) > _expanded(content):
            self.unread(name, _BOMB)
            return
        if not self._has_room(name, len(inner)):
            return
        if inner[257:262] == b"ustar":
            yield from self._of_tar(name, inner)
        else:
            yield from self._of_text(name.removesuffix(".gz"), inner)

    def _of_zip(self, name: str, content: bytes) -> Iterator[Source]:
        if content.count(_DIRECTORY_ENTRY) > 10 * _MOST:  # Python reads the whole directory before the first file
            self.unread(name, _too_many())
            return
        try:
            archive = zipfile.ZipFile(io.BytesIO(content))
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            self.unread(name, f"a broken archive: {_words(error)}")
            return
        if sum(each.file_size for each in archive.infolist()) > _expanded(content):
            self.unread(name, _BOMB)
            return
        for member in archive.infolist():
            if self._is_full():
                return
            place = f"{name}/{member.filename}"
            if member.is_dir() or not self._has_room(place, member.file_size):
                continue
            try:
                with archive.open(member) as stream:
                    inner = stream.read(member.file_size + 1)
            except (zipfile.BadZipFile, OSError, EOFError, ValueError, RuntimeError, NotImplementedError, zlib.error) as error:
                self.unread(place, _words(error))
            else:
                yield from self._of_member(place, inner)

    def _of_tar(self, name: str, content: bytes) -> Iterator[Source]:
        try:
            with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
                for member in archive:
                    if self._is_full():
                        return
                    place = f"{name}/{member.name}"
                    if member.issparse():
                        self.unread(place, "a sparse file, whose size says nothing of its content")
                        continue
                    stream = archive.extractfile(member) if member.isreg() and self._has_room(place, member.size) else None
                    if stream is not None:
                        yield from self._of_member(place, stream.read())
        except (tarfile.TarError, OSError, ValueError, EOFError, RecursionError, KeyError) as error:
            self.unread(name, f"a broken archive: {_words(error)}")

    def _of_member(self, place: str, content: bytes) -> Iterator[Source]:
        if content.startswith((b"\x1f\x8b", b"PK\x03\x04")):
            self.unread(place, "an archive in an archive; unpack it first")
        else:
            yield from self._of_text(place, content)

    def _of_text(self, name: str, content: bytes) -> Iterator[Source]:
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):  # a shell of Windows writes UTF-16
            text = content.decode("utf-16", errors="replace")
        elif encoding := _unmarked(content[:_BINARY_SEEN_IN]):
            text = content.decode(encoding, errors="replace")
        elif b"\0" in content[:_BINARY_SEEN_IN]:
            self.unread(name, "no text")
            return
        else:
            text = content.decode("utf-8-sig", errors="replace")
        yield Source(name=name, text=text.replace("\r\n", "\n") if "\r" in text else text)


def _unmarked(start: bytes) -> str:
    """The encoding of a text in UTF-16 without its mark: nearly every second byte of a Latin text is 0."""
    most = len(start) * 0.45
    for encoding, offset in (("utf-16-le", 1), ("utf-16-be", 0)):
        if start[offset::2].count(0) > most and not start[1 - offset :: 2].count(0):
            return encoding
    return ""


def _too_many() -> str:
    return f"more than {_MOST} files"


def _expanded(content: bytes) -> int:
    """The most bytes that an archive may have."""
    return _ALWAYS + _MOST_TIMES * len(content)


def _words(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) and error.strerror else str(error)) or type(error).__name__
