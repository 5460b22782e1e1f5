from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.folding import answer_key, answer_keys, count_characters, fold_answer, suggest_key


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("  cheap \t wine ", "cheap wine"),
        ("cheap\u00a0wine", "cheap wine"),
        ("cheap\u3000wine", "cheap wine"),
        ("cafe\u0301", "café"),
        ("Cheap Wine!", "Cheap Wine!"),
        ("che\u200bap", "che\u200bap"),
        ("ﬁne", "ﬁne"),
    ],
)
def test_fold_answer_folds_white_space_and_composition_only(text: str, folded: str) -> None:
    assert fold_answer(text) == folded


def test_answer_key_is_the_stated_digest() -> None:
    # sha256 of b"cheap wine\0D1", first 32 hexadecimal digits
    assert answer_key(" cheap\u00a0 wine", "D1") == "9bf4134bceb0a07cf1ae819514ba3ca2"


def test_answer_key_keeps_text_and_docno_apart() -> None:
    assert answer_key("a", "b c") != answer_key("a b", "c")


@given(st.lists(st.text("ab \0\t\x1c\x7fé\u00a0\ud800", max_size=4) | st.text("ab \0", max_size=4), max_size=4))
def test_the_keys_of_many_answers_are_those_of_each(texts: list[str]) -> None:
    assert answer_keys(texts, texts[::-1]) == list(map(answer_key, texts, texts[::-1]))
    with pytest.raises(ValueError, match="shorter"):
        answer_keys([*texts, "é"], texts)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("The Two-Dollar Wine!", "two dollar wine"),
        ("  two   dollar wine", "two dollar wine"),
        ("Trader Joe's", "trader joes"),
        ("Trader Joe’s", "trader joes"),
        ("an apple", "apple"),
        ("ﬁne ① wine", "fine 1 wine"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("che\u200bap", "cheap"),
        ("The", "the"),
        ("???", "???"),
        ("C++", "c++"),
        ("", ""),
    ],
)
def test_suggest_key_is_rough(text: str, key: str) -> None:
    assert suggest_key(text) == key


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        (" \t\n", 0),
        ("cheap wine", 9),
        ("a\u00a0b", 2),
        ("a\u200bb", 3),
        ("\ufeff", 1),
        ("😀 é", 2),
        ("e\u0301", 2),
    ],
)
def test_count_characters_counts_what_is_not_white_space(text: str, count: int) -> None:
    assert count_characters(text) == count


@given(st.text())
def test_count_characters_agrees_with_isspace(text: str) -> None:
    assert count_characters(text) == sum(not character.isspace() for character in text)


@given(st.text() | st.text("ab \t\x1f\x7fe\u0301", max_size=6))
def test_texts_that_are_folded_already_are_folded_like_all_others(text: str) -> None:
    assert fold_answer(text) == " ".join(unicodedata.normalize("NFC", text).split())


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold_answer(fold_answer(text)) == fold_answer(text)


@given(st.text(min_size=1))
def test_equal_answers_have_equal_suggestions(text: str) -> None:
    assert suggest_key(fold_answer(text)) == suggest_key(text)


@given(st.text(min_size=1).filter(lambda text: text.strip()))
def test_suggest_key_is_never_empty_for_a_visible_answer(text: str) -> None:
    assert suggest_key(text)
