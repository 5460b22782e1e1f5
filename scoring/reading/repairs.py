"""Repairs run files where that is safe: the topics, documents, scores and texts stay the same, in better order.

Each function yields the lines of the repaired file as bytes, each with its LF, and after them one `Repair` for each
kind of repair. Nothing is guessed: a line that can't be read is left unchanged, and a text, docno or score is never
changed. What is repaired, by code:

    byte-order-mark      the mark at the start of the file is taken off
    line-ends            lines that ended with CR LF end with LF
    final-line-break     the last line gets its line break
    blank-lines          lines of white space alone are left out
    white-space          columns are separated by one blank, without white space around the line
    outer-white-space    white space around the line is removed; white space inside it stays
    repeated-lines       a line that says the same as an earlier one is left out
    repeated-documents   a document that is repeated in a topic keeps its best score
    topics-together      the lines of each topic are put together, topics in the order in which they begin
    score-order          the lines of a topic are sorted by descending score; equal scores stay in order
    ranks                ranks that do not go up in the order of scores are numbered from 1

Repairing a repaired file changes nothing. As in the checkers, a line may have `MAX_LINE_BYTES`. Memory needed: a few
copies of the longest line; for a ranked run also 8 bytes a line and the columns of one topic's lines; for answer lines
about 80 bytes a line.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import BinaryIO

from scoring.formats.spec import real, whole
from scoring.reading.line_checks import MAX_LINE_BYTES
from scoring.reading.opening import without_marks

MESSAGES = {
    "byte-order-mark": "byte order mark taken off the start",
    "line-ends": "lines now end with LF instead of CR LF",
    "final-line-break": "line break put after the last line",
    "blank-lines": "blank lines left out",
    "white-space": "lines whose columns now stand one blank apart",
    "outer-white-space": "lines whose white space at the start or the end was left out",
    "repeated-lines": "lines left out that say the same as an earlier one",
    "repeated-documents": "documents left out that stand with a better score in the same topic",
    "topics-together": "topics whose lines were brought together",
    "score-order": "topics put in the order of their scores",
    "ranks": "topics whose ranks were numbered anew, by score",
}
"""Code of a repair -> the phrase that follows its count."""

COLUMNS_LIMIT = 1 << 16
"""The most bytes in the columns of a line of a ranked run. A longer line is unreadable, since no docno or tag is so
long.
"""

_MARK = b"\xef\xbb\xbf"
_READ = MAX_LINE_BYTES + len(_MARK) + 2
"""The most bytes that are read of a line: the longest valid one with byte order mark and line end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Repair:
    """One kind of repair: a code of `MESSAGES`, and how often it was made."""

    code: str
    count: int

    @property
    def message(self) -> str:
        """The words that describe the repair, for a sentence that begins with its count."""
        return MESSAGES[self.code]


class NotRepairable(Exception):
    """Raised when a line of the file is longer than any valid line can be. Nothing in the file is repaired then."""


def write_repaired(lines: Iterable[bytes | Repair], target: BinaryIO) -> list[Repair]:
    """Write the lines of a repaired file and return the repairs that were made."""
    repairs = []
    for line in lines:
        if isinstance(line, Repair):
            repairs.append(line)
        else:
            target.write(line)
    target.flush()
    return repairs


def repair_lines(file: BinaryIO) -> Iterator[bytes | Repair]:
    r"""Repair only line ends, blank lines and the byte order mark, for formats such as JSON lines. Raises NotRepairable
    as all repairs do.

    >>> import io
    >>> list(repair_lines(io.BytesIO(b'{"a": 1}\r\n\n{"a": 2}\n')))  # doctest: +NORMALIZE_WHITESPACE
    [b'{"a": 1}\n', b'{"a": 2}\n', Repair(code='line-ends', count=1), Repair(code='blank-lines', count=1)]
    """
    done: Counter[str] = Counter()
    for _, body in _bodies(file, done):
        yield body + b"\n"
    yield from _repairs_made(done)


def repair_answer_lines(file: BinaryIO, *, columns: int = 4) -> Iterator[bytes | Repair]:
    """Repair lines of columns, the last of which is a text (TAC 2008 QA: qid, run tag, docid, answer-string).

    White space around a line is removed; white space inside it stays, since it may belong to the text. Of several lines
    with the same columns only the first is kept. The order of lines is not changed, since it has a meaning. A line that
    is not UTF-8 is left as it is. Raises NotRepairable as all repairs do.
    """
    done: Counter[str] = Counter()
    seen: set[bytes] = set()
    for _, body in _bodies(file, done):
        text = _text(body)
        if text is None:
            yield body + b"\n"
            continue
        stripped = text.strip()
        done["outer-white-space"] += stripped != text
        key = blake2b("\0".join(stripped.split(None, columns - 1)).encode(), digest_size=16).digest()
        if key in seen:
            done["repeated-lines"] += 1
            continue
        seen.add(key)
        yield stripped.encode() + b"\n"
    yield from _repairs_made(done)


def repair_ranked_run(file: BinaryIO) -> Iterator[bytes | Repair]:
    """Repair lines of `topic Q0 docno rank score run-tag`. The file must be seekable, since it is read twice.

    A line is unreadable if it does not have six columns with a whole rank and a finite score, or has more than
    `COLUMNS_LIMIT` bytes in them. Such a line belongs to the topic of the line before it and is left unchanged. If that
    topic is sorted, the line is put after the topic's other lines. Raises NotRepairable as all repairs do.
    """
    done: Counter[str] = Counter()
    places: dict[str, array[int]] = {}
    torn: set[str] = set()
    topic, first = "", -1
    for offset, body in _bodies(file, done):
        first = offset if first < 0 else first
        line = _ranked(body)
        if line is not None and line.topic != topic:
            topic = line.topic
            if topic in places:
                torn.add(topic)
        places.setdefault(topic, array("q")).append(offset)
    done["topics-together"] = len(torn)
    for offsets in places.values():
        yield from _repaired(file, offsets, first, done)
    yield from _repairs_made(done)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A line of a ranked run: its columns, and whether they are separated by single blanks."""

    columns: tuple[str, ...]
    is_tidy: bool
    rank: int
    score: float

    @property
    def topic(self) -> str:
        return self.columns[0]

    @property
    def document(self) -> tuple[str, str]:
        """The docno and the run tag. A file may hold several runs, and a docno in two of them is not a repetition."""
        return self.columns[2], self.columns[5]


def _repaired(file: BinaryIO, offsets: array[int], first: int, done: Counter[str]) -> Iterator[bytes]:
    """Yield the lines of one topic in their new order, without repeated documents, and with new ranks unless the ranks
    rise already. Lines that can't be read keep their places, unless the other lines are sorted; then they come last.

    Of an unreadable line only the offset is held in memory, however long the line is; it is read again.
    """
    places = zip(_at(file, offsets, first), offsets, strict=True)
    lines = _without_repeated([_ranked(body) or offset for body, offset in places], done)
    ranked = [line for line in lines if isinstance(line, _Ranked)]
    if any(later.score > earlier.score for earlier, later in pairwise(ranked)):
        done["score-order"] += 1
        ranked.sort(key=lambda line: -line.score)
        lines = [*ranked, *(line for line in lines if not isinstance(line, _Ranked))]
    is_numbered = all(later.rank > earlier.rank for earlier, later in pairwise(ranked))
    done["ranks"] += not is_numbered
    rank = 0
    for line in lines:
        if not isinstance(line, _Ranked):
            yield from (body + b"\n" for body in _at(file, [line], first))
            continue
        rank += 1
        done["white-space"] += not line.is_tidy
        columns = line.columns if is_numbered else (*line.columns[:3], str(rank), *line.columns[4:])
        yield " ".join(columns).encode() + b"\n"


def _without_repeated(lines: list[_Ranked | int], done: Counter[str]) -> list[_Ranked | int]:
    """Return the lines without those that repeat an earlier line. If a document has several lines, only the best one is
    kept.
    """
    seen: set[tuple[str, ...]] = set()
    best: dict[tuple[str, str], _Ranked] = {}
    once: list[_Ranked | int] = []
    for line in lines:
        if isinstance(line, _Ranked):
            if line.columns in seen:
                done["repeated-lines"] += 1
                continue
            seen.add(line.columns)
            if line.score > best.setdefault(line.document, line).score:
                best[line.document] = line
        once.append(line)
    kept = [line for line in once if not isinstance(line, _Ranked) or best[line.document] is line]
    done["repeated-documents"] += len(once) - len(kept)
    return kept


def _ranked(body: bytes) -> _Ranked | None:
    text = _text(body)
    columns = tuple(text.split()) if text is not None else ()
    if len(columns) != 6:
        return None
    rank, score = whole(columns[3]), real(columns[4])
    tidy = " ".join(columns).encode()
    if rank is None or score is None or len(tidy) > COLUMNS_LIMIT:
        return None
    return _Ranked(columns, body == tidy, rank, score)


def _text(body: bytes) -> str | None:
    """Return the line as text, or None if it is not UTF-8 or contains a NUL."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _bodies(file: BinaryIO, done: Counter[str]) -> Iterator[tuple[int, bytes]]:
    """Yield the offset of each line and its bytes without byte order mark and line end. Blank lines are left out.
    Raises NotRepairable for a line of more than `MAX_LINE_BYTES`.
    """
    offset = file.tell() if file.seekable() else 0
    is_first = True
    while raw := file.readline(_READ):
        body = _body(raw, is_first=is_first)
        if len(body) > MAX_LINE_BYTES:
            raise NotRepairable
        done["line-ends"] += raw.endswith((b"\r\n", b"\r"))
        done["final-line-break"] += not raw.endswith(b"\n")
        done["byte-order-mark"] += is_first and raw.startswith(_MARK)
        if (text := _text(body)) is not None and not text.strip():
            done["blank-lines"] += 1
        else:
            yield offset, body
            is_first = False
        offset += len(raw)


def _body(raw: bytes, *, is_first: bool) -> bytes:
    body = raw.rstrip(b"\r\n")
    return without_marks(body) if is_first else body


def _at(file: BinaryIO, offsets: Iterable[int], first: int) -> Iterator[bytes]:
    """Yield the lines that begin at these offsets. Adjacent lines are read without seeking."""
    place = -1
    for offset in offsets:
        if offset != place:
            file.seek(offset)
        raw = file.readline(_READ)
        place = offset + len(raw)
        yield _body(raw, is_first=offset == first)


def _repairs_made(done: Counter[str]) -> Iterator[Repair]:
    return (Repair(code=code, count=done[code]) for code in MESSAGES if done[code])
