"""Computes list F: the share of a list question's distinct answers that a response holds, against all that it returns.

    IR = number of distinct correct answers returned / size of the final answer set
    IP = number of distinct correct answers returned / number of instances returned
    F  = 2 IP IR / (IP + IR)

An instance is a distinct [answer-string, docid] pair. Only instances judged correct count as an answer; incorrect,
unsupported, non-exact and unjudged ones count only in the denominator. The final answer set is the union of the answers
of all judged runs and those that assessors found (TREC QA 2003-2007; TAC 2008).

Edge cases: with an empty final answer set, IR and F are undefined (None). If nothing was returned, IP, IR and F are 0.
Values are exact fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from scoring.folding import answer_key
from scoring.measures.nuggets import f_measure
from scoring.measures.spec import Measure
from scoring.quick_records import quick_record
from scoring.records import InstanceJudgment
from scoring.release.explained import About, Account, Node, Step
from scoring.release.formulas import show
from scoring.release.phrases import Phrase, yes_or_no

_TAC = "TAC 2008 QA guidelines"
MEASURES = (
    Measure(name="listR", family="lists", label="IR, distinct correct items / final answer set", source=_TAC),
    Measure(name="listP", family="lists", label="IP, distinct correct items / instances returned", source=_TAC),
    Measure(name="listF", family="lists", label="F of IR and IP, balanced", source=_TAC),
)

GRADE_NAMES = {
    -1: Phrase("incorrect"),
    1: Phrase("correct"),
    2: Phrase("unsupported"),
    3: Phrase("non-exact"),
}


@quick_record(frozen=True, kw_only=True, slots=True)
class ListScore:
    """IR, IP and F of one response to one list question. ``recall`` and ``f`` are None if the final answer set is
    empty.
    """

    recall: Fraction | None
    precision: Fraction
    f: Fraction | None
    distinct: int
    final: int
    instances: int


def list_score(*, distinct: int, final: int, instances: int) -> ListScore:
    """Return IR, IP and F. ``distinct`` is the number of distinct correct answers returned, ``final`` the number of
    answers in the final set, and ``instances`` the number of instances returned. IR and F are None if ``final`` is 0,
    and IP is 0 if ``instances`` is 0.

    >>> score = list_score(distinct=2, final=8, instances=4)
    >>> score.recall, score.precision, score.f
    (Fraction(1, 4), Fraction(1, 2), Fraction(1, 3))
    """
    recall = Fraction(distinct, final) if final else None
    precision = Fraction(distinct, instances) if instances else Fraction(0)
    return ListScore(
        recall=recall,
        precision=precision,
        f=None if recall is None else f_measure(precision, recall, beta=1),
        distinct=distinct,
        final=final,
        instances=instances,
    )


def list_node(
    score: ListScore,
    *,
    topic: str,
    measure: str,
    strings: Callable[[], Sequence[tuple[str, str, InstanceJudgment | None]]],
    labels: Mapping[str, str],
    item_kind: str = "",
) -> Node:
    """Return a node for IR, IP or F, with the answers and instances from which the value was computed. The beginning of
    ``measure`` says which of the three it is.

    ``strings`` returns the response's (docno, answer string, judgment or None) in the order submitted; it is called
    only when the value is explained. The strings are items of ``item_kind``. ``labels`` maps the key of each answer of
    the final set to its label.
    """

    def account() -> Account:
        steps = _steps(score, topic=topic, strings=strings(), labels=labels, item_kind=item_kind)
        return Account(formula=_formula(score, measure), steps=steps, arithmetic=_arithmetic(score, measure))

    return Node(value=_value(score, measure), account=account)


def _steps(
    score: ListScore,
    *,
    topic: str,
    strings: Sequence[tuple[str, str, InstanceJudgment | None]],
    labels: Mapping[str, str],
    item_kind: str,
) -> tuple[Step, ...]:
    returned: dict[str, list[str]] = {}
    rows = []
    for number, (docno, text, judgment) in enumerate(strings, start=1):
        grade = Phrase("unjudged") if judgment is None else GRADE_NAMES[judgment.correctness]
        key = judgment.answer_class if judgment is not None and judgment.correctness == 1 else ""
        if key in labels:
            returned.setdefault(key, []).append(str(number))
        rows.append((str(number), docno, grade, labels.get(key, ""), text))
    ordered = sorted(labels.items(), key=lambda pair: (pair[1], pair[0]))
    answers = tuple((label, yes_or_no(key in returned), ", ".join(returned.get(key, []))) for key, label in ordered)
    return (
        Step(
            label=Phrase("Distinct correct answers returned"),
            value=Phrase("{count} of {all}", count=score.distinct, all=score.final),
            header=(Phrase("answer"), Phrase("returned"), Phrase("in instance")),
            rows=answers,
            about=tuple(About(kind="class", topic=topic, key=key) for key, _ in ordered),
        ),
        Step(
            label=Phrase("Instances returned"),
            value=str(score.instances),
            header=(
                Phrase("instance"),
                Phrase("document"),
                Phrase("judgment"),
                Phrase("answer"),
                Phrase("answer-string"),
            ),
            rows=tuple(rows),
            about=tuple(
                About(kind="item", topic=topic, name=item_kind, key=answer_key(text, docno))
                for docno, text, _ in strings
            ),
        ),
    )


def _arithmetic(score: ListScore, measure: str) -> str:
    """Return the formula with exact numbers, or "" if the value is undefined."""
    precision = f"{score.distinct} / {score.instances}" if score.instances else "0"
    if measure.startswith("IP"):
        return precision
    if score.recall is None:
        return ""
    recall = f"{score.distinct} / {score.final}"
    if measure.startswith("IR"):
        return recall
    return f"2 × ({precision}) × ({recall}) / ({precision} + {recall})" if score.f else "0"


def _value(score: ListScore, measure: str) -> Fraction | None:
    if measure.startswith("IP"):
        return score.precision
    return score.recall if measure.startswith("IR") else score.f


def _formula(score: ListScore, measure: str) -> str:
    if measure.startswith("IP"):
        if not score.instances:
            return Phrase("the response is empty, so IP = 0")
        return f"IP = {score.distinct} / {score.instances} = {show(score.precision)}"
    if score.recall is None or score.f is None:
        return Phrase("undefined: the final answer set is empty")
    if measure.startswith("IR"):
        return f"IR = {score.distinct} / {score.final} = {show(score.recall)}"
    precision, recall = show(score.precision), show(score.recall)
    if not score.f:
        return Phrase("F = 0, since IP = {precision} and IR = {recall}", precision=precision, recall=recall)
    return f"F = 2 × {precision} × {recall} / ({precision} + {recall}) = {show(score.f)}"
