from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from scoring.measures.citations import (
    JudgedCitation,
    JudgedSentence,
    aspect_recall,
    citation_coverage,
    citation_rate,
    document_precision,
    document_recall,
    necessity_share,
    relevant_documents,
)


def citation(docno: str, *relations: str) -> JudgedCitation:
    return JudgedCitation(docno=docno, relations=frozenset(relations))  # type: ignore[arg-type]


ANSWER = (
    JudgedSentence(
        necessity="required",
        citations=(citation("1", "supporting"), citation("2", "supporting", "contradicting"), citation("3")),
    ),
    JudgedSentence(necessity="unnecessary", citations=(citation("1", "not relevant"), citation("4", "neutral"))),
    JudgedSentence(necessity=None, citations=()),
    JudgedSentence(necessity="inappropriate", citations=(citation("5", "invalid citation"),)),
)


def test_necessity_is_shared_over_all_sentences_judged_or_not() -> None:
    shares = [necessity_share(ANSWER, each) for each in ("required", "borderline", "unnecessary", "inappropriate")]
    assert shares == [Fraction(1, 4), 0, Fraction(1, 4), Fraction(1, 4)]


def test_a_citation_that_supports_and_contradicts_counts_in_both_rates() -> None:
    assert citation_rate(ANSWER, "supporting") == Fraction(2, 6)
    assert citation_rate(ANSWER, "contradicting") == Fraction(1, 6)
    assert citation_coverage(ANSWER) == Fraction(1, 4)


def test_documents_are_relevant_where_they_support_contradict_or_are_neutral() -> None:
    assert relevant_documents(ANSWER) == {"1", "2", "4"}
    assert document_precision(ANSWER) == Fraction(3, 5)
    assert document_recall(ANSWER, {"1", "2", "4", "6"}) == Fraction(3, 4)


def test_nothing_answered_is_0_and_nothing_to_find_is_undefined() -> None:
    assert necessity_share((), "required") == citation_coverage(()) == citation_rate((), "supporting") == 0
    assert document_precision(()) == 0
    assert (document_recall((), set()), aspect_recall({"1"}, set())) == (None, None)
    assert (document_recall((), {"1"}), aspect_recall(set(), {"1"})) == (0, 0)


def test_aspects_of_other_questions_do_not_count() -> None:
    assert aspect_recall({"1", "9"}, {"1", "2"}) == Fraction(1, 2)


RELATIONS = ["supporting", "contradicting", "neutral", "not relevant", "invalid citation"]
SENTENCES = st.lists(
    st.builds(
        JudgedSentence,
        necessity=st.sampled_from(["required", "borderline", "unnecessary", "inappropriate", None]),
        citations=st.lists(
            st.builds(
                JudgedCitation, docno=st.sampled_from("123"), relations=st.frozensets(st.sampled_from(RELATIONS))
            ),
            unique_by=lambda each: each.docno,
        ).map(tuple),
    )
)


@given(SENTENCES)
def test_shares_lie_between_0_and_1_and_order_does_not_matter(sentences: list[JudgedSentence]) -> None:
    def values(given_sentences: list[JudgedSentence]) -> list[Fraction | None]:
        return [
            necessity_share(given_sentences, "required"),
            citation_coverage(given_sentences),
            citation_rate(given_sentences, "supporting"),
            document_recall(given_sentences, {"1", "2"}),
            document_precision(given_sentences),
        ]

    assert all(value is not None and 0 <= value <= 1 for value in values(sentences))
    assert values(sentences) == values(sentences[::-1])


@given(SENTENCES)
def test_a_further_required_sentence_with_support_lowers_neither_coverage_nor_precision(
    sentences: list[JudgedSentence],
) -> None:
    more = [*sentences, JudgedSentence(necessity="required", citations=(citation("9", "supporting"),))]
    assert necessity_share(more, "required") >= necessity_share(sentences, "required")
    assert citation_coverage(more) >= citation_coverage(sentences)
