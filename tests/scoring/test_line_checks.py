from __future__ import annotations

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.reading.line_checks import MAX_LINE_BYTES, Line, excerpt, read_lines
from scoring.reading.unpacking import uncompressed
from scoring.records import Issue


def read(data: bytes, *, limit: int = 1000) -> tuple[list[str], list[tuple[int | str, str, str]]]:
    """The lines' texts, and each issue's place, severity and code."""
    items = list(read_lines(io.BytesIO(data), limit=limit))
    lines = [item.text for item in items if isinstance(item, Line)]
    return lines, [(item.where, item.severity, item.code) for item in items if isinstance(item, Issue)]


CASES: dict[str, tuple[bytes, list[str], list[tuple[int | str, str, str]]]] = {
    "plain": (b"a\nb\n", ["a", "b"], []),
    "blank lines come out": (b"a\n\nb\n", ["a", "", "b"], []),
    "empty": (b"", [], [("", "error", "empty-file")]),
    "no final line break": (b"a\nb", ["a", "b"], [(2, "warning", "no-final-line-break")]),
    "CR LF once": (b"a\r\nb\r\nc\n", ["a", "b", "c"], [(1, "warning", "carriage-returns")]),
    "lone CR": (b"a\rb\n", ["a\rb"], [(1, "error", "line-break")]),
    "old Mac": (b"a\rb\r", [], [(1, "error", "line-ends")]),
    "U+2028": ("a\u2028b\n".encode(), ["a\u2028b"], [(1, "error", "line-break")]),
    "U+2029": ("a\u2029b\n".encode(), ["a\u2029b"], [(1, "error", "line-break")]),
    "NEL": ("a\x85b\n".encode(), ["a\x85b"], [(1, "error", "line-break")]),
    "VT and FF": (b"a\x0bb\x0cc\n", ["a\x0bb\x0cc"], [(1, "note", "white-space"), (1, "note", "white-space")]),
    "NUL": (b"a\0b\n", ["a\0b"], [(1, "error", "nul")]),
    "control": (
        b"a\x07b\x7f\n",
        ["a\x07b\x7f"],
        [(1, "error", "control-character"), (1, "error", "control-character")],
    ),
    "C1 control": ("a\x9bb\n".encode(), ["a\x9bb"], [(1, "error", "control-character")]),
    "tab is fine": (b"a\tb\n", ["a\tb"], []),
    "byte order mark": (b"\xef\xbb\xbfa\n", ["a"], [(1, "warning", "byte-order-mark")]),
    "mark of a file put behind": ("a\n\ufeffb\n".encode(), ["a", "b"], [(2, "warning", "byte-order-mark")]),
    "mark inside is text": ("a\nb\ufeff\n".encode(), ["a", "b\ufeff"], []),
    "bad UTF-8": (b"a\nb\xff\n", ["a", "b\ufffd"], [(2, "error", "encoding")]),
    "Latin-1": ("é\n".encode("latin-1"), ["\ufffd"], [(1, "error", "encoding")]),
    "surrogate": (b"\xed\xa0\x80\n", ["\ufffd\ufffd\ufffd"], [(1, "error", "encoding")]),
    "UTF-16": ("a\n".encode("utf-16"), [], [(1, "error", "encoding-utf16")]),
    "gzip": (gzip.compress(b"a\n"), [], [(1, "error", "compressed-file")]),
    "zip": (b"PK\x03\x04rest\n", [], [(1, "error", "compressed-file")]),
}


@pytest.mark.parametrize("name", CASES)
def test_read_lines_names_each_flaw(name: str) -> None:
    data, lines, issues = CASES[name]
    assert read(data) == (lines, issues)


def test_encoding_issue_tells_the_byte_in_file_and_line() -> None:
    (issue,) = [
        item
        for item in read_lines(io.BytesIO(b"\xef\xbb\xbfab\r\nc\xe9d\n"))
        if getattr(item, "code", "") == "encoding"
    ]
    assert isinstance(issue, Issue)
    assert issue.message == "Byte 8 of the file (0xe9, byte 2 of the line) is not UTF-8. Save the file as UTF-8."


def test_overlong_line_is_cut_and_the_rest_passed_over() -> None:
    lines, issues = read(b"x" * 5000 + b"\nnext\n", limit=10)
    assert lines == ["x" * 10, "next"]
    assert issues == [(1, "error", "line-too-long")]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b""])
def test_line_of_exactly_the_limit_passes(ending: bytes) -> None:
    lines, issues = read(b"x" * 10 + ending, limit=10)
    assert lines == ["x" * 10]
    assert "line-too-long" not in {code for _, _, code in issues}


@pytest.mark.parametrize("more", [1, 2, 3])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b""])
def test_no_byte_beyond_the_limit_is_lost_in_silence(more: int, ending: bytes) -> None:
    _, issues = read(b"x" * (10 + more) + ending, limit=10)
    assert (1, "error", "line-too-long") in issues


def test_character_cut_at_the_limit_is_no_encoding_error() -> None:
    assert read("ééééé\n".encode(), limit=5) == (["éé\ufffd"], [(1, "error", "line-too-long")])


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b""])
@pytest.mark.parametrize("gap", [b" ", b"\t", b"\x0b\x0c "])
def test_white_space_never_counts_against_a_line(gap: bytes, ending: bytes) -> None:
    """TAC 2008 QA, III: "Any amount of white space may be used to separate columns"."""
    lines, issues = read(b"a" + gap * 300_000 + b"b" + ending + b"next\n", limit=10)
    assert lines[0].split()[0] == "a"
    assert lines[0].split()[-1] == ("b" if ending else "bnext")
    assert "line-too-long" not in {code for _, _, code in issues}


def test_a_line_of_16_mb_passes() -> None:
    lines, issues = read(b"x" * (1 << 24) + b"\n" + b"x" * ((1 << 24) + 1) + b"\n", limit=MAX_LINE_BYTES)
    assert ([len(line) for line in lines], issues) == ([1 << 24, 65_536], [(2, "error", "line-too-long")])


def test_memory_is_bounded_on_a_line_without_end() -> None:
    class Endless(io.RawIOBase):
        left = 50_000_000
        largest = 0

        def readline(self, size: int | None = -1) -> bytes:
            assert size is not None and 0 < size <= 100_000 + (1 << 24)
            taken = min(self.left, size)
            self.left -= taken
            return b"x" * taken

    items = list(read_lines(Endless()))  # type: ignore[arg-type]
    assert [item.code for item in items if isinstance(item, Issue)] == ["line-too-long", "no-final-line-break"]


def test_archive_that_is_cut_off_is_an_issue() -> None:
    data = gzip.compress(b"".join(b"line %d\n" % number for number in range(100_000)))
    items = list(read_lines(uncompressed(io.BufferedReader(io.BytesIO(data[: len(data) // 2])))))  # type: ignore[arg-type]
    assert isinstance(items[-1], Issue)
    assert items[-1].code == "damaged-file"


def test_excerpt_writes_control_characters_out() -> None:
    assert excerpt("a\0b\u2028c") == "a\\x00b\\u2028c"
    assert len(excerpt("x" * 500)) == 80


@given(st.binary(max_size=300), st.integers(min_value=1, max_value=20))
def test_read_lines_never_raises_and_numbers_every_line(data: bytes, limit: int) -> None:
    items = list(read_lines(io.BytesIO(data), limit=limit))
    numbers = [item.number for item in items if isinstance(item, Line)]
    assert numbers == list(range(1, len(numbers) + 1))
    if not any(
        isinstance(item, Issue) and item.code in ("compressed-file", "encoding-utf16", "line-ends") for item in items
    ):
        assert len(numbers) == data.count(b"\n") + bool(data and not data.endswith(b"\n"))


SAFE = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), max_size=30)


@given(st.lists(SAFE, min_size=1))
def test_clean_text_comes_back_as_it_was(lines: list[str]) -> None:
    data = "".join(line + "\n" for line in lines)
    if not data.startswith("\ufeff"):
        assert read(data.encode(), limit=1000) == (lines, [])
