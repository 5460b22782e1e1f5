"""Explains the nugget F of a topic: the nuggets that a response contains, its length, the votes, and the formula."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from scoring.folding import answer_key, count_characters
from scoring.measures.nuggets import Mark, NuggetScore, Weights
from scoring.records import Nugget, NuggetVote
from scoring.release.explained import About, Account, Node, Step
from scoring.release.formulas import exact, show
from scoring.release.phrases import Phrase, yes_or_no

AUTHOR = Phrase("author")


def nugget_node(
    score: NuggetScore,
    *,
    topic: str,
    measure: str,
    nuggets: Sequence[Nugget],
    votes: Sequence[NuggetVote],
    weights: Weights,
    strings: Callable[[], Sequence[tuple[str, str, Sequence[Mark]]]],
    beta: float,
    allowance: int,
    owner: str = AUTHOR,
    role: str = "primary",
    item_kind: str = "",
    item_keys: Callable[[], Sequence[str]] = tuple,
    is_voted: bool = True,
) -> Node:
    """Return a node for NR, NP or F, with the nuggets, votes, matches and lengths from which the value was computed.
    The beginning of ``measure`` says which of the three it is.

    ``strings`` returns the response's (docno, answer string, marks) in the order submitted; it is called only when the
    value is explained. The strings are items of ``item_kind``; ``item_keys`` are needed only if keys do not follow from
    docno and string. ``owner`` is the person whose list it is, and ``role`` their role. If nobody votes on the list,
    ``is_voted`` is False and no votes are shown.
    """

    def account() -> Account:
        ordered = sorted(nuggets, key=lambda nugget: nugget.number)
        given = strings()
        keys = item_keys() or [answer_key(text, docno) for docno, text, _ in given]
        on_list = tuple(About(kind="nugget", topic=topic, name=role, key=str(nugget.number)) for nugget in ordered)
        shown_votes = votes if is_voted else None
        return Account(
            formula=_formula(score, measure, beta=beta, allowance=allowance),
            arithmetic=_arithmetic(score, measure, beta=beta),
            steps=(
                replace(_nugget_step(score, ordered, shown_votes, weights, given, owner), about=on_list),
                *(replace(step, about=on_list) for step in _vote_steps(ordered, votes)),
                replace(
                    _length_step(score, given),
                    about=tuple(About(kind="item", topic=topic, name=item_kind, key=key) for key in keys),
                ),
            ),
        )

    return Node(value=nugget_value(score, measure), account=account)


def _length_step(score: NuggetScore, strings: Sequence[tuple[str, str, Sequence[Mark]]]) -> Step:
    return Step(
        label=Phrase("Length"),
        value=Phrase(
            "{length} non-white-space characters, allowance {allowance}", length=score.length, allowance=score.allowance
        ),
        header=(
            Phrase("string"),
            Phrase("document"),
            Phrase("characters"),
            Phrase("nuggets"),
            Phrase("answer-string"),
        ),
        rows=tuple(
            (str(number), docno, str(count_characters(text)), " ".join(map(_mark_name, marks)), text)
            for number, (docno, text, marks) in enumerate(strings, start=1)
        ),
    )


def _nugget_step(
    score: NuggetScore,
    nuggets: Sequence[Nugget],
    votes: Sequence[NuggetVote] | None,
    weights: Weights,
    strings: Sequence[tuple[str, str, Sequence[Mark]]],
    owner: str,
) -> Step:
    total = Counter(vote.number for vote in votes or ())
    vital = Counter(vote.number for vote in votes or () if vote.importance == "vital")
    where: dict[int, list[str]] = {}
    for place, (_, _, marks) in enumerate(strings, start=1):
        for number, part in sorted(set(marks)):
            where.setdefault(number, []).append(str(place) + (f" (part {part})" if part else ""))
    rows = tuple(
        (
            str(nugget.number),
            nugget.importance,
            *((_votes_for(vital[nugget.number], total[nugget.number]),) if votes is not None else ()),
            show(weights[nugget.number]),
            yes_or_no(nugget.number in score.returned),
            ", ".join(where.get(nugget.number, [])),
            nugget.text,
        )
        for nugget in nuggets
    )
    value = Phrase(
        "{count} of {all}, weight {returned} of {weight}",
        count=len(score.returned),
        all=len(nuggets),
        returned=show(score.weight_returned),
        weight=show(score.weight_all),
    )
    voted = (Phrase("vital votes"),) if votes is not None else ()
    header = (
        Phrase("nugget"),
        Phrase("{owner} says", owner=owner),
        *voted,
        Phrase("weight"),
        Phrase("returned"),
        Phrase("in string"),
        Phrase("text"),
    )
    return Step(label=Phrase("Nuggets returned"), value=value, header=header, rows=rows)


def _votes_for(vital: int, total: int) -> str:
    return Phrase("{count} of {all}", count=vital, all=total) if total else Phrase("none")


def _vote_steps(nuggets: Sequence[Nugget], votes: Sequence[NuggetVote]) -> tuple[Step, ...]:
    """Return the votes as a table with a row for each nugget and a column for each assessor. Return no step if nobody
    voted.
    """
    assessors = sorted({vote.assessor for vote in votes})
    if not assessors:
        return ()
    given = {(vote.number, vote.assessor): vote.importance for vote in votes}
    rows = tuple(
        (str(nugget.number), *(given.get((nugget.number, assessor), "") for assessor in assessors))
        for nugget in nuggets
    )
    value = Phrase("{votes} by {assessors} assessors", votes=len(votes), assessors=len(assessors))
    return (Step(label=Phrase("Votes"), value=value, header=(Phrase("nugget"), *assessors), rows=rows),)


def nugget_value(score: NuggetScore, measure: str) -> Fraction | None:
    """Return the recall if the measure's name starts with NR, the precision if it starts with NP, otherwise F. None if
    it is undefined.
    """
    if measure.startswith("NP"):
        return score.precision
    return score.recall if measure.startswith("NR") else score.f


def _formula(score: NuggetScore, measure: str, *, beta: float, allowance: int) -> str:
    """Return the measure's formula with the numbers of this response."""
    if measure.startswith("NP"):
        allowed = Phrase(
            "allowance = {each} × {count} = {allowance}",
            each=allowance,
            count=len(score.returned),
            allowance=score.allowance,
        )
        if score.length < score.allowance:
            return Phrase(
                "{allowed}; length {length} < {allowance}, so NP = 1",
                allowed=allowed,
                length=score.length,
                allowance=score.allowance,
            )
        if not score.length:
            return Phrase("{allowed}; the response is empty, so NP = 0", allowed=allowed)
        return Phrase(
            "{allowed}; NP = 1 - ({length} - {allowance}) / {length} = {value}",
            allowed=allowed,
            length=score.length,
            allowance=score.allowance,
            value=show(score.precision),
        )
    if score.recall is None or score.f is None:
        return Phrase("undefined: no nugget of the list weighs anything (none is vital)")
    if measure.startswith("NR"):
        return f"NR = {show(score.weight_returned)} / {show(score.weight_all)} = {show(score.recall)}"
    square = show(Fraction(beta) ** 2)
    precision, recall = show(score.precision), show(score.recall)
    if not score.f:
        return Phrase("F = 0, since NP = {precision} and NR = {recall}", precision=precision, recall=recall)
    return f"F = ({square} + 1) × {precision} × {recall} / ({square} × {precision} + {recall}) = {show(score.f)}"


def _arithmetic(score: NuggetScore, measure: str, *, beta: float) -> str:
    """Return the formula with exact numbers, or "" if the value is undefined."""
    if measure.startswith("NP"):
        if score.length < score.allowance or not score.length:
            return exact(score.precision)
        return f"1 - ({score.length} - {score.allowance}) / {score.length}"
    if score.recall is None:
        return ""
    recall = f"{exact(score.weight_returned)} / {exact(score.weight_all)}"
    if measure.startswith("NR"):
        return recall
    if not score.f:
        return "0"
    square, precision = exact(Fraction(beta) ** 2), exact(score.precision)
    return f"({square} + 1) × {precision} × ({recall}) / ({square} × {precision} + {recall})"


def _mark_name(mark: Mark) -> str:
    number, part = mark
    return f"{number}.{part}" if part else str(number)
