"""Documents cut into passages, passages given as text, and words counted as spaCy's Tokenizer does."""

from __future__ import annotations

import io
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.document_files import read_documents, sniff_document_format
from scoring.formats.ikat_passages import read_ikat_passages, read_whole_documents
from scoring.reading.sentences import CHARACTERS, STRIDE, WINDOW, count_tokens, passages, windows
from scoring.records import DocumentRecord, Issue


@given(count=st.integers(0, 60))
def test_windows_cover_every_sentence_and_share_five(count: int) -> None:
    sentences = [str(number) for number in range(count)]
    cut = list(windows(sentences))
    assert {sentence for window in cut for sentence in window} == set(sentences)
    for before, after in pairwise(cut):
        assert before[STRIDE:] == after[: WINDOW - STRIDE]
        assert len(before) == WINDOW
    assert all(len(window) <= WINDOW for window in cut)
    assert len(cut) == (0 if not count else 1 if count <= WINDOW else 1 + -(-(count - WINDOW) // STRIDE))


@pytest.mark.parametrize(("count", "lengths"), [(1, [1]), (10, [10]), (11, [10, 6]), (15, [10, 10]), (16, [10, 10, 6])])
def test_the_first_window_that_reaches_the_end_is_the_last(count: int, lengths: list[int]) -> None:
    assert [len(window) for window in windows(["s"] * count)] == lengths


def test_a_document_is_cut_at_its_sentences() -> None:
    text = " ".join(f"The {number}th boat came home in the evening with many fish." for number in range(4, 16))
    first, second = passages(f"\n {text}  ")
    assert first.startswith("The 4th boat") and first.endswith("The 13th boat came home in the evening with many fish.")
    assert second.startswith("The 9th boat") and second.endswith(
        "The 15th boat came home in the evening with many fish."
    )


def test_only_the_first_ten_thousand_characters_count() -> None:
    text = "The boats came home in the evening. " * 400
    last = passages(text)[-1]
    assert text[:CHARACTERS].endswith(last[-20:])
    assert passages("x" * 20_000) == ["x" * CHARACTERS]


@pytest.mark.parametrize("text", ["", "  \n "])
def test_no_text_is_no_passage(text: str) -> None:
    assert passages(text) == []


def test_passages_given_as_text_are_documents(tmp_path: Path) -> None:
    path = tmp_path / "passages.jsonl"
    lines = [
        {"doc_id": "D1", "passage_id": "4", "passage_text": "\nOne.\n"},
        {"doc_id": "D2", "passage_id": 0, "passage_text": "Two."},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    assert sniff_document_format(path) == "ikat-passages"
    found = [each for each in read_documents(path, "ikat-passages") if isinstance(each, DocumentRecord)]
    assert [(each.docno, each.raw, each.line) for each in found] == [("D1:4", b"\nOne.\n", 1), ("D2:0", b"Two.", 2)]
    assert [
        each.docno for each in read_documents(path, "ikat-passages", start=2) if isinstance(each, DocumentRecord)
    ] == ["D2:0"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"[]", "type"),
        (b'{"doc_id": "D1", "passage_text": "x"}', "missing"),
        (b'{"doc_id": "D1", "passage_id": 1.5, "passage_text": "x"}', "type"),
        (b'{"doc_id": "D1", "passage_id": true, "passage_text": "x"}', "type"),
        (b'{"doc_id": "D1", "passage_id": "1", "passage_text": null}', "type"),
        (b'{"doc_id": "D 1", "passage_id": "1", "passage_text": "x"}', "bad-docno"),
        (b'{"doc_id": "D1", "passage_id": "1", "passage_text": "\\ud800"}', "character"),
        (b'{"doc_id": "D1", "passage_id": "1", "passage_te', "not-json"),
        (b'{"doc_id": "\xff"}', "not-utf8"),
        (b"[" * 100_000, "nesting"),
    ],
)
def test_a_line_that_is_no_passage_is_named_and_reading_goes_on(line: bytes, code: str) -> None:
    good = b'{"doc_id": "D1", "passage_id": "1", "passage_text": "x"}'
    found = list(read_ikat_passages(io.BytesIO(line + b"\n" + good + b"\n")))
    assert [(each.where, each.code) for each in found if isinstance(each, Issue)] == [(1, code)]
    assert [each.docno for each in found if isinstance(each, DocumentRecord)] == ["D1:1"]


def test_whole_documents_are_found_under_any_of_their_names() -> None:
    lines = [{"id": "D1", "contents": "a"}, {"ClueWeb22-ID": "D2", "Clean-Text": "b"}, {"docid": 3, "text": "c"}]
    content = "".join(json.dumps(line) + "\n" for line in [*lines, {"id": "D4"}])
    *found, last = read_whole_documents(io.BytesIO(content.encode()))
    assert found == [("D1", "a"), ("D2", "b"), ("3", "c")]
    assert isinstance(last, Issue)
    assert (last.where, last.code) == (4, "missing")


def test_words_are_counted_as_spacy_cuts_them() -> None:
    assert count_tokens("Don't go there!") == 5
    assert count_tokens("") == 0
    assert count_tokens("e.g. U.K. (2023)") == 5
    assert count_tokens("a " * 400, limit=250) == 400
    assert count_tokens("x" * 25_001, limit=250) == 251


@pytest.mark.shared
def test_released_passages_overlap_as_the_rule_says(shared_data: Path) -> None:
    """Each passage but two ends with what the next one begins with, white space apart: half of it on the average."""
    path = shared_data / "ikat2023" / "2023_test_topics_psg_text.jsonl"
    texts = {}
    for each in read_documents(path, sniff_document_format(path)):
        assert isinstance(each, DocumentRecord)
        docno, _, number = each.docno.partition(":")
        texts[docno, int(number)] = re.sub(r"\s+", "", each.raw.decode())
    pairs = [
        (text, texts[docno, number + 1]) for (docno, number), text in texts.items() if (docno, number + 1) in texts
    ]
    shared = [
        next((n for n in range(min(map(len, pair)), 0, -1) if pair[0].endswith(pair[1][:n])), 0) for pair in pairs
    ]
    share = [size / len(first) for size, (first, _) in zip(shared, pairs, strict=True)]
    assert (len(texts), len(pairs), sum(size >= 50 for size in shared)) == (700, 228, 226)
    assert round(sum(share) / len(share), 3) == 0.493
