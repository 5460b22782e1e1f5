"""An answer is found where a regular expression of its words finds it, in time that grows with the text alone."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.rendering import answers
from assess.rendering.answers import find_answers

LETTERS = st.text("ab ’'\n\t_ßÄä.", max_size=30)
_FOLDED = {"'": "['’‘]", "’": "['’‘]"}


def by_expression(text: str, answer: str) -> list[tuple[int, int]]:
    """The places by an expression that tries the answer anew at each place of the text."""
    words = answer.split()
    if not words:
        return []
    written = r"\s+".join("".join(_FOLDED.get(one) or re.escape(one) for one in word) for word in words)
    before = r"(?<!\w)" if re.match(r"\w", words[0]) else ""
    after = r"(?!\w)" if re.search(r"\w\Z", words[-1]) else ""
    return [match.span() for match in re.finditer(before + written + after, text, re.IGNORECASE)]


@given(LETTERS, st.text("ab ’'\nßÄ.", max_size=6))
def test_the_places_are_those_of_a_regular_expression(text: str, answer: str) -> None:
    assert list(find_answers(text, answer)) == by_expression(text, answer)


@pytest.mark.parametrize(
    ("text", "answer"),
    [("a " * 200_000, "a " * 5_000 + "b"), ("a" * 200_000, "a" * 5_000), ("a \n" * 100_000, "a " * 5_000 + "a")],
    ids=["the last word differs", "one word alone", "every place"],
)
def test_a_repetitive_text_and_a_long_answer(text: str, answer: str) -> None:
    """The expression takes 25 ms a thousand characters here, and nothing is tried at every place any more."""
    found = list(find_answers(text, answer))
    assert found == [place for place in found if text[place[0] : place[1]].split() == answer.split()]


def test_places_that_almost_fit_are_tried_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_EFFORT", 1)
    text = "a" * 100 + " aaa"
    assert list(find_answers(text, "aaa")) == []
    monkeypatch.setattr(answers, "_EFFORT", 20)
    assert list(find_answers(text, "aaa")) == [(101, 104)]
