"""A release of a campaign as files: a folder or a zip that describes its own content. It is read without trusting it.

    manifest.json        a description of the release, with sha256 and size of every other file
                         a corrected release names the one it replaces in ``supersedes``, and the reason
    README.md            a description of each file
    topics.jsonl         one topic a line: number, task, text, parent, ordinal, fields
    topic_changes.jsonl  which topics were amended, dropped or removed, and why; only if there are any
    exports/             the track's own files: qrels, nugget files, judgments.jsonl, …
    runs/                the run files under the names RUN-A, RUN-B, …; forms.json describes each
    scores/RUN-A.tsv     topic measure value topics, of every run; scores/means.tsv: run measure value topics
    agreement.tsv        criterion roles measure value items, from exports/judgments.jsonl
    judgments.parquet    exports/judgments.jsonl as a table (`judgment_table`); releases of older versions have none
    items.jsonl, pools.jsonl, work.jsonl, anchors.jsonl   what was pooled, who judged what, and the places
                         of snippets in documents: needed to load the release again
    left_items.jsonl     what was judged and then left the pools, as items.jsonl says it; only if there is any
    guidelines/1.md, …   every version of the guidelines
    design.toml          the evaluation itself, if it is the organiser's own design
    designs/1.toml, …    every version of it, if it was changed while the campaign ran; the last is design.toml
    croissant.json, ro-crate-metadata.json   the release described for catalogues of data sets (`release_descriptions`)
    drafts.jsonl         how assessors developed topics, act by act, if they did: drafts, findings, estimates
    translations.jsonl   which documents were shown with a translation, and what made it; only if any were
    agreements.jsonl     the versions of the user agreement, if there is one; acceptances.jsonl: which team accepted it

Names in a zip, sizes and counts are not trusted. A file is refused before it is written if it would be written outside
of the folder, is a link, occurs twice, is not in the manifest, or is larger than the manifest says; so is a zip that
would unpack to very many times its size.

Checksums are in the same folder as the files, so whoever changes a file can change its checksum as well. Only the
sha256 of the manifest shows that a release is the published one, if it is compared with what the campaign published
elsewhere.
"""

from __future__ import annotations

import hashlib
import lzma
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from scoring.formats.json_members import LIST, OBJECT, TEXT, WHOLE, Member, Shape
from scoring.formats.member_reports import Report
from scoring.reading.bounded_files import directory_flaw, zip_flaw
from scoring.reading.json_reading import Flaw, parse_json
from scoring.reading.scratch import scratch_folder

LAYOUT = 1
MANIFEST = "manifest.json"
README = "README.md"
TOPICS = "topics.jsonl"
DESIGN = "design.toml"
ITEMS, POOLS, WORK, ANCHORS = "items.jsonl", "pools.jsonl", "work.jsonl", "anchors.jsonl"
LEFT_ITEMS = "left_items.jsonl"
TOPIC_CHANGES = "topic_changes.jsonl"
TRANSLATIONS = "translations.jsonl"
DRAFTS, AGREEMENTS, ACCEPTANCES = "drafts.jsonl", "agreements.jsonl", "acceptances.jsonl"
EXPORTS, RUNS, SCORES, GUIDELINES, DESIGNS = "exports", "runs", "scores", "guidelines", "designs"
MEANS = f"{SCORES}/means.tsv"
AGREEMENT = "agreement.tsv"
JUDGMENTS = f"{EXPORTS}/judgments.jsonl"
JUDGMENT_TABLE = "judgments.parquet"

CHUNK = 1 << 20
MANIFEST_LIMIT = 16 << 20
SIZE_LIMIT = 16 << 30
"""The most bytes that all files of a release may have together, unpacked."""

FILES_LIMIT = 100_000
_NAME = re.compile(r"(?!\.)[\w.@+ -]{1,200}(/(?!\.)[\w.@+ -]{1,200}){0,3}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_DAMAGED = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
)


class BadRelease(Exception):
    """Raised when the input is not a readable release. The message says what is wrong with it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One file of a release as the manifest describes it."""

    sha256: str
    size: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Release:
    """An opened release: its folder, the manifest's content and sha256, and the files that the manifest lists.

    ``asked`` holds the names of the files that were read, that is, whose path was asked for.
    """

    folder: Path
    manifest: Mapping[str, Any]
    files: Mapping[str, Entry]
    sha256: str
    asked: set[str] = field(default_factory=set)

    def path(self, name: str) -> Path:
        """Return the path of one of the release's files, and record that it was asked for."""
        self.asked.add(name)
        return self.folder / name


@contextmanager
def open_release(path: Path) -> Iterator[Release]:
    """Open a release in a folder or zip. A zip is unpacked into a temporary folder, which is removed afterwards.

    Raises BadRelease if there is no readable manifest, if `read_manifest` refuses it, or if the zip is damaged or
    contains other files than the manifest lists. A folder's files are not compared with its manifest here.
    """
    if path.is_dir():
        with _opened(path / MANIFEST) as file:
            content = file.read(MANIFEST_LIMIT + 1)
        manifest, files = read_manifest(content)
        yield Release(folder=path, manifest=manifest, files=files, sha256=hashlib.sha256(content).hexdigest())
        return
    if not path.is_file():
        raise BadRelease(f"there is no file or folder {path}")
    with scratch_folder(prefix="assay-release-") as folder:
        try:
            for name, pieces in _packed_files(path):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                with (folder / name).open("xb") as file:
                    file.writelines(pieces)
        except OSError as error:
            raise BadRelease(f"{path.name} can't be unpacked: {error}") from error
        manifest, files = read_manifest((folder / MANIFEST).read_bytes())
        yield Release(folder=folder, manifest=manifest, files=files, sha256=digest_of(folder / MANIFEST))


def require_packed(path: Path, folder: Path) -> None:
    """Refuse a zip unless it is a readable release with exactly the files of this folder, byte for byte.

    Raises BadRelease. The whole zip is read, and nothing is written.
    """
    held = {each.relative_to(folder).as_posix() for each in folder.rglob("*") if not each.is_dir()}
    for name, pieces in _packed_files(path):
        if name not in held:
            raise BadRelease(f"“{name[:100]}” is in the zip, and not in {folder}")
        with (folder / name).open("rb") as file:
            if not all(file.read(len(piece)) == piece for piece in pieces) or file.read(1):
                raise BadRelease(f"“{name[:100]}” is another file in the zip than it is in {folder}")
        held.discard(name)
    if held:
        raise BadRelease(f"“{min(held)}” is not in the zip")


def _packed_files(path: Path) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Yield (name, content) of each file in a zip, the manifest first. Raises `BadRelease` for a zip that
    `open_release` would refuse.
    """
    with _reading(path):
        with path.open("rb") as file:
            if (flaw := directory_flaw(file, members=FILES_LIMIT + 1)) is not None:
                raise BadRelease(flaw)
        with zipfile.ZipFile(path) as archive:
            for name, pieces in _members(archive, packed=path.stat().st_size):
                yield name, _watched(pieces, path)


def _watched(pieces: Iterable[bytes], path: Path) -> Iterator[bytes]:
    """Yield the pieces of a file in a zip. Raises BadRelease if they are damaged. The pieces are only read when the
    caller uses them, so a `_reading` block around the call would not notice the damage.
    """
    with _reading(path):
        yield from pieces


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn an error about a damaged zip that occurs in this block into `BadRelease`."""
    try:
        yield
    except _DAMAGED as error:
        raise BadRelease(f"{path.name} is no zip that can be read: {error}") from error


def read_manifest(content: bytes) -> tuple[Mapping[str, Any], dict[str, Entry]]:
    """Return the content of a manifest and the files that it lists. Raises BadRelease if the manifest can't be read,
    has a wrong or missing member, or names too many or too large files.
    """
    if len(content) > MANIFEST_LIMIT:
        raise BadRelease(f"{MANIFEST} is larger than {MANIFEST_LIMIT:,} bytes")
    try:
        manifest = parse_json(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadRelease(f"{MANIFEST}: byte {error.start + 1:,} is not UTF-8") from error
    if isinstance(manifest, Flaw):
        place = "" if manifest.line else f"{manifest.path}: "
        raise BadRelease(f"{MANIFEST}: {place}{manifest.message.rstrip('.')}")
    if not isinstance(manifest, dict) or manifest.get("layout") != LAYOUT:
        raise BadRelease(f"{MANIFEST} is not that of a release of layout {LAYOUT}")
    report = Report()
    _MANIFEST.take(manifest, report)
    if "supersedes" in manifest:
        _SUPERSEDES.take(manifest["supersedes"], report)
    if report.issues:
        raise BadRelease(f"{MANIFEST}: {report.issues[0].message}")
    files = {name: _entry(name, value) for name, value in manifest["files"].items()}
    if len(files) > FILES_LIMIT or sum(entry.size for entry in files.values()) > SIZE_LIMIT:
        raise BadRelease(f"{MANIFEST} names more than {FILES_LIMIT:,} files, or more than {SIZE_LIMIT:,} bytes")
    return manifest, files


def _entry(name: str, value: Any) -> Entry:
    if not _NAME.fullmatch(name) or name == MANIFEST:
        raise BadRelease(f"{MANIFEST} names “{name[:100]}”, which is no name of a file of a release")
    report = Report()
    taken = _ENTRY.take(value, report)
    if report.issues:
        raise BadRelease(f"{MANIFEST}: “{name}” has no sha256 and size")
    return Entry(sha256=taken["sha256"], size=taken["size"])


def _digest(value: str) -> str:
    if not _DIGEST.fullmatch(value):
        raise ValueError
    return value


def _size(value: int) -> int:
    if value < 0:
        raise ValueError
    return value


_MEMBERS = {"campaign": OBJECT, "track": TEXT, "settings": OBJECT, "as_of": WHOLE, "files": OBJECT}
_MEMBERS |= {"runs": LIST, "exports": LIST, "pools": LIST}
_SUPERSEDES = Shape(
    members=tuple(
        Member(name, replace(kind, sentence=f"“supersedes” has no “{name}”, or one of another kind"))
        for name, kind in (("archive", TEXT), ("manifest_sha256", TEXT), ("as_of", WHOLE), ("reason", TEXT))
    )
)
_MANIFEST = Shape(
    members=tuple(
        Member(name, replace(kind, sentence=f"“{name}” is missing, or of another kind"))
        for name, kind in _MEMBERS.items()
    )
)
_ENTRY = Shape(members=(Member("sha256", replace(TEXT, make=_digest)), Member("size", replace(WHOLE, make=_size))))


def check_files(release: Release) -> Iterator[tuple[str, str, str]]:
    """Yield (file, status, what is wrong) for every file, those in the manifest first. The status is "ok", "missing",
    "changed" or "unknown".
    """
    for name in sorted(release.files):
        yield name, *check_file(release, name)
    for path in sorted(release.folder.rglob("*")):
        name = path.relative_to(release.folder).as_posix()
        if not path.is_dir() and name != MANIFEST and name not in release.files:
            yield name, "unknown", "the manifest does not name it"


def check_file(release: Release, name: str) -> tuple[str, str]:
    """Return (status, what is wrong) of a file that the manifest names: "ok" and "", "missing" or "changed"."""
    path, entry = release.folder / name, release.files[name]
    if path.is_symlink() or not path.is_file():
        return "missing", "the manifest names it, and it is not there"
    if path.stat().st_size != entry.size:
        return "changed", f"it has {path.stat().st_size:,} bytes; the manifest says {entry.size:,}"
    if digest_of(path) != entry.sha256:
        return "changed", "its sha256 is not that of the manifest"
    return "ok", ""


def digest_of(path: Path) -> str:
    """Return the sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _members(archive: zipfile.ZipFile, *, packed: int) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Yield the zip's files, the manifest first. Raises BadRelease if there is no manifest, or for a file that is not
    in it, has another size there, occurs twice, is a link, or is encrypted. Entries of folders are passed over.
    """
    if flaw := zip_flaw(archive, packed=packed, members=FILES_LIMIT + 1):
        raise BadRelease(flaw[1])
    members = archive.infolist()
    by_name: dict[str, zipfile.ZipInfo] = {}
    for member in members:
        if member.is_dir() and not member.file_size:  # which “zip -r” writes for each folder
            continue
        if member.filename in by_name:
            raise BadRelease(f"the zip holds “{member.filename[:100]}” twice")
        by_name[member.filename] = member
    if MANIFEST not in by_name:
        below = next((name for name in by_name if name.endswith(f"/{MANIFEST}")), "")
        hint = f": it is below, “{below[:100]}”. Unpack the zip, and name that folder" if below else ""
        raise BadRelease(f"there is no {MANIFEST} in the zip{hint}")
    with archive.open(by_name[MANIFEST]) as file:
        content = file.read(MANIFEST_LIMIT + 1)
    _, files = read_manifest(content)
    yield MANIFEST, [content]
    for name, member in by_name.items():
        if name == MANIFEST:
            continue
        if name not in files:
            raise BadRelease(f"the zip holds “{name[:100]}”, which the manifest does not name")
        if stat.S_ISLNK(member.external_attr >> 16) or member.flag_bits & 1:
            raise BadRelease(f"“{name}” is a link, or encrypted; a release holds plain files")
        if member.file_size != files[name].size:
            raise BadRelease(f"“{name}” has {member.file_size:,} bytes; the manifest says {files[name].size:,}")
        yield name, _pieces(archive, member, files[name].size)


def _pieces(archive: zipfile.ZipFile, member: zipfile.ZipInfo, size: int) -> Iterator[bytes]:
    left = size
    with archive.open(member) as source:
        while chunk := source.read(CHUNK):
            left -= len(chunk)
            if left < 0:
                raise BadRelease(f"“{member.filename}” is larger than it says")
            yield chunk


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as file:
            yield file
    except FileNotFoundError as error:
        raise BadRelease(f"there is no {MANIFEST} in {path.parent}") from error


def dropped_by(changes: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return (number, reason) of every topic that is dropped after all of these changes.

    ``changes`` are a release's rows about topics, in order. Of several reasons the last one is returned.
    """
    dropped: dict[str, str] = {}
    for change in changes:
        if change["do"] == "drop":
            dropped.update(dict.fromkeys(change["topics"], change["reason"]))
        elif change["do"] == "restore":
            for number in change["topics"]:
                dropped.pop(number, None)
    return list(dropped.items())
