import gzip
import io

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from scoring.reading.opening import CannotOpen, byte_lines, excerpt_of, open_input, records_of, text_lines
from scoring.reading.unpacking import uncompressed
from scoring.records import Issue


def read(content: bytes, **limits: int) -> list:
    return list(text_lines(uncompressed(io.BytesIO(content)), **limits))


def codes(lines: list) -> list:
    return [(line.where, line.code) if isinstance(line, Issue) else line for line in lines]


def test_lines_are_numbered_and_lose_their_ends():
    assert read(b"a\nb\r\n\nc") == [(1, "a"), (2, "b"), (3, ""), (4, "c")]


def test_empty_input_has_no_lines():
    assert read(b"") == []


@pytest.mark.parametrize(
    "packed",
    [
        gzip.compress(b"a\nb\n", mtime=0),
        gzip.compress(b"a\n", mtime=0) + gzip.compress(b"b\n", mtime=0),
        zstandard.compress(b"a\nb\n"),
        zstandard.compress(b"a\n") + zstandard.compress(b"b\n"),
    ],
)
def test_compressed_input_reads_like_plain(packed):
    assert read(packed) == [(1, "a"), (2, "b")]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_cut_off_archive_is_an_issue_not_an_end(pack):
    whole = "".join(f"line {number} of many\n" for number in range(50_000)).encode()
    lines = read(pack(whole)[:-8])
    assert isinstance(lines[-1], Issue)
    assert lines[-1].code == "damaged-file"
    assert sum(isinstance(line, Issue) for line in lines) == 1


def test_garbage_in_an_archive_is_an_issue():
    assert codes(read(gzip.compress(b"a\n" * 9, mtime=0)[:15] + b"garbage garbage")) == [(1, "damaged-file")]
    (issue,) = read(gzip.compress(b"a\n" * 9, mtime=0)[:15] + b"garbage garbage")
    assert isinstance(issue, Issue) and issue.message.startswith("The file cannot be read: it is ")


def test_byte_order_marks_are_taken_off_where_files_were_put_together():
    mark = b"\xef\xbb\xbf"
    assert read(mark + mark + b"a\n" + mark + b"b\nc" + mark) == [(1, "a"), (2, "b"), (3, "c\ufeff")]


def test_bad_bytes_name_line_and_byte_and_reading_goes_on():
    lines = read(b"ok\nab\xffc\nx\0y\nok")
    assert codes(lines) == [(1, "ok"), (2, "not-utf8"), (3, "nul-byte"), (4, "ok")]
    assert "Byte 3 " in lines[1].message
    assert "Byte 2 " in lines[2].message


def test_long_line_is_one_issue_and_never_held_whole():
    class Endless(io.RawIOBase):
        left = 300

        def readable(self):
            return True

        def readinto(self, target):
            self.left -= 1
            if self.left < 0:
                return 0
            target[:] = b"x" * len(target)
            return len(target)

    lines = list(byte_lines(io.BufferedReader(Endless(), 1 << 17), limit=1000))
    assert codes(lines) == [(1, "line-too-long")]
    assert len(lines[0].excerpt) <= 80


@pytest.mark.parametrize("size", [9, 10])
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_line_of_exactly_the_limit_is_kept(size, end):
    assert read(b"x" * size + end + b"", limit=10) == [(1, "x" * size)]


def test_line_one_over_the_limit_is_refused_and_the_next_is_read():
    assert codes(read(b"x" * 11 + b"\nok", limit=10)) == [(1, "line-too-long"), (2, "ok")]


def test_missing_file_is_said_in_words(tmp_path):
    with pytest.raises(CannotOpen, match="No such file"), open_input(tmp_path / "absent"):
        pass


def test_file_is_opened_and_unpacked(tmp_path):
    path = tmp_path / "any.name"
    path.write_bytes(gzip.compress(b"hello\n", mtime=0))
    with open_input(path) as stream:
        assert list(text_lines(stream)) == [(1, "hello")]


def test_blank_lines_are_no_records():
    assert list(records_of(io.BytesIO(b"\n  \na\n\t\n"), lambda number, text: (number, text))) == [(3, "a")]


def test_excerpt_shows_no_control_characters():
    assert excerpt_of("a\x1b[31mb") == "a\ufffd[31mb"
    assert excerpt_of("1\tQ0\xa0doc\rx") == "1→Q0 doc\ufffdx"
    assert excerpt_of("می\u200cخواهم 👩\u200d🔬\nx\u2028y") == "می\u200cخواهم 👩\u200d🔬 x y"
    assert excerpt_of("x" * 100) == "x" * 79 + "…"


@given(st.binary(max_size=400))
def test_reading_never_raises(content):
    for line in text_lines(uncompressed(io.BytesIO(content)), limit=50):
        assert isinstance(line, Issue | tuple)


@given(st.lists(st.text(st.characters(exclude_characters="\n\r\0\ufeff", codec="utf-8"), max_size=20), max_size=8))
def test_text_comes_back_as_written(texts):
    content = "".join(text + "\n" for text in texts).encode()
    assert read(content) == list(enumerate(texts, 1))
