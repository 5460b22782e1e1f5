"""Columns split by numpy: the words, numbers and hashes that Python has."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.formats.spec import real, whole
from scoring.reading.word_columns import PAD, Words, hash_of, split_columns

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\x85\xa0", exclude_categories=["Z", "Cc"]), min_size=1)
NUMBERS = st.one_of(
    st.from_regex(r"\A[+-]?[0-9]{0,10}\.?[0-9]{0,10}\Z"),
    st.floats(allow_nan=False).map(repr),
    st.sampled_from(["nan", "inf", "1_0", "1e999", "1e-3", ".", "-", "1.2.3", "1-2", "--1", "0x1", "٣"]),
).filter(bool)


def columns_of(content: bytes, columns: int) -> list[Words] | None:
    return split_columns(content + PAD, len(content), columns)


def column(words: list[str]) -> Words:
    (found,) = columns_of("".join(f"{word}\n" for word in words).encode(), 1) or ()
    return found


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1), st.sampled_from(["{} {} {}\n", " {}\t{}  {} \r\n"]))
def test_words_come_back_as_they_were_written(rows, form):
    found = columns_of("".join(form.format(*row) for row in rows).encode(), 3)
    assert found is not None
    assert list(zip(*found, strict=True)) == rows
    assert [column[0] for column in found] == list(rows[0])


@pytest.mark.parametrize(
    "content",
    [b"a b\nc\n", b"a b c\nd\n", b"a b\n\nc d\n", b"a \0 b\n", b"a\rb\n", b"a b\xff\n",
     "a b\u2028\n".encode(), b"a b\xe3\x80\x80\n"],
)  # fmt: skip
def test_what_is_not_two_words_a_line_is_not_split(content):
    assert columns_of(content, 2) is None


@given(st.lists(NUMBERS, min_size=1, max_size=20))
@example(["9007199254740993", "90071992.54740993", "-0", "+.5", "5.", "12345678.12345678", "123456789.5"])
def test_numbers_are_those_that_python_reads(words):
    exact = [real(word) for word in words]
    found = column(words).numbers(real)
    assert (None if found is None else list(map(repr, found.tolist()))) == (
        None if None in exact else list(map(repr, exact))
    )
    exact_whole, found_whole = [whole(word) for word in words], column(words).wholes(whole)
    assert (None if found_whole is None else found_whole.tolist()) == (None if None in exact_whole else exact_whole)


@given(st.lists(WORDS, min_size=1, max_size=20))
def test_hashes_and_changes_are_those_of_the_words(words):
    assert column(words).hashes().tolist() == [hash_of(word) for word in words]
    assert column(words).changes().tolist() == [
        place for place in range(1, len(words)) if words[place] != words[place - 1]
    ]


def test_words_that_differ_only_past_eight_bytes_or_by_zeros_have_other_hashes():
    names = ["doc-0000", "doc-00000", "doc-000000000001", "doc-000000000002", "a", "a\x01", "12345678", "12345678\x7f"]
    assert len({hash_of(name) for name in names}) == len(names)
