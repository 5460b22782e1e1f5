"""The values of one ranked run against graded documents, topic by topic, and how each came about.

The measures are those of `scoring.measures.ranked`, and ``Judged@k``: how many of the first k documents returned have a
grade of 0 or more. Only topics with such a grade are judged and count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from scoring.arithmetic import mean_formula
from scoring.measures import parse
from scoring.measures.ranked import Grades, rank_scores, rankings_of, with_binary_level
from scoring.measures.ranked_arithmetic import ranked_arithmetic
from scoring.records import About, Explanation, RankedDoc, Score, Step

ALL = "all"
SHOWN = 100
"""Documents in an explanation."""
BEST = 20
"""Documents of the ideal ranking in an explanation."""
_JUDGED = "Judged@"


def score_ranking(
    grades: Grades, ranked: Sequence[RankedDoc], measures: Sequence[str], *, run: str, level: int, complete: bool
) -> list[Score]:
    """Every measure of every topic, then the means as topic "all", under the measures' names as given.

    ``ranked`` is in the order of `by_rank`; ``level`` is the lowest relevant grade; with ``complete`` judged topics
    that the run leaves out count 0, without they do not count.

    >>> ranked = [RankedDoc(topic="1", docno=docno, rank=place, score=-place) for place, docno in ((1, "a"), (2, "b"))]
    >>> scores = score_ranking({"1": {"b": 1}}, ranked, ["RR", "Judged@10"], run="r", level=1, complete=True)
    >>> [(score.topic, score.measure, score.value) for score in scores][:2]
    [('1', 'RR', 0.5), ('1', 'Judged@10', 0.5)]
    """
    judged = {topic: found for topic, found in grades.items() if any(grade >= 0 for grade in found.values())}
    names = {str(with_binary_level(parse(name), level)): name for name in measures if not name.startswith(_JUDGED)}
    found = rank_scores(
        judged, rankings_of(ranked), [with_binary_level(parse(name), level) for name in names.values()],
        run=run, complete=complete,
    )  # fmt: skip
    values = {(score.topic, names[score.measure]): score.value or 0.0 for score in found if score.topic != ALL}
    topics = list(dict.fromkeys(topic for topic, _ in values))
    first = _first_documents(ranked)
    for name in (name for name in measures if name.startswith(_JUDGED)):
        for topic in topics:
            seen = first.get(topic, [])[: int(name.removeprefix(_JUDGED))]
            values[topic, name] = sum(judged[topic].get(docno, -1) >= 0 for docno in seen) / len(seen) if seen else 0.0
    scores = [
        Score(run=run, topic=topic, measure=name, value=values[topic, name]) for topic in topics for name in measures
    ]
    for name in measures:
        mean = fmean(values[topic, name] for topic in topics) if topics else None
        scores.append(Score(run=run, topic=ALL, measure=name, value=mean, topics=len(topics)))
    return scores


def explain_ranking(
    grades: Grades,
    ranked: Iterable[RankedDoc],
    scores: Iterable[Score],
    *,
    topic: str,
    measure: str,
    level: int,
    kind: str,
    name: str = "",
) -> Explanation | None:
    """The ranked documents of a topic with their grades, or the topics of a mean; None where there is no such value.

    ``kind`` is the documents' kind of item. ``name`` is the measure's own where it is shown under another one.
    """
    of_measure = {score.topic: score for score in scores if score.measure == measure}
    score = of_measure.get(topic)
    if score is None:
        return None
    if topic == ALL:
        rows = tuple((each, _shown(of.value)) for each, of in of_measure.items() if each != ALL)
        about = tuple(About(kind="score", topic=each, name=measure) for each, _ in rows)
        step = Step(label="Topics", value=f"{len(rows)}", header=("topic", measure), rows=rows, about=about)
        steps: tuple[Step, ...] = (step,)
        arithmetic = mean_formula(of.value for each, of in of_measure.items() if each != ALL)
        formula = f"{measure} = mean over {score.topics} topics = {_shown(score.value)}"
    else:
        of_topic = [line for line in ranked if line.topic == topic]
        steps = _documents(grades[topic], of_topic, level, topic=topic, kind=kind)
        arithmetic = ranked_arithmetic(name or measure, grades[topic], of_topic, level)
        formula = f"{measure} = {_shown(score.value)}, relevant from grade {level}"
    return Explanation(
        run=score.run,
        topic=topic,
        measure=measure,
        value=score.value,
        formula=formula,
        steps=steps,
        arithmetic="" if score.value is None else arithmetic,
    )


def _documents(
    grades: Mapping[str, int], ranked: Sequence[RankedDoc], level: int, *, topic: str, kind: str
) -> tuple[Step, ...]:
    relevant = sum(grade >= level for grade in grades.values())
    judged = sum(grade >= 0 for grade in grades.values())
    rows = tuple(
        (f"{line.rank}", line.docno, f"{line.score!r}", _grade(grades.get(line.docno))) for line in ranked[:SHOWN]
    )
    best = sorted((docno for docno, grade in grades.items() if grade > 0), key=lambda docno: (-grades[docno], docno))
    return (
        Step(label="Documents judged", value=f"{judged}, of which {relevant} are relevant"),
        Step(
            label="Documents ranked" + (f", the first {SHOWN}" if len(ranked) > SHOWN else ""),
            value=f"{len(ranked)}",
            header=("rank", "document", "score", "grade"),
            rows=rows,
            about=tuple(_judged_item(topic, kind, line.docno, grades) for line in ranked[:SHOWN]),
        ),
        Step(
            label="Best documents judged" + (f", the first {BEST}" if len(best) > BEST else ""),
            value=f"{len(best)}",
            header=("document", "grade"),
            rows=tuple((docno, str(grades[docno])) for docno in best[:BEST]),
            about=tuple(_judged_item(topic, kind, docno, grades) for docno in best[:BEST]),
        ),
    )


def _judged_item(topic: str, kind: str, docno: str, grades: Mapping[str, int]) -> About | None:
    """The item that was judged; None where nobody did."""
    return About(kind="item", topic=topic, name=kind, key=docno) if grades.get(docno, -1) >= 0 else None


def _first_documents(ranked: Iterable[RankedDoc]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in ranked:
        found.setdefault(line.topic, []).append(line.docno)
    return found


def _grade(grade: int | None) -> str:
    return "unjudged" if grade is None or grade < 0 else str(grade)


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
