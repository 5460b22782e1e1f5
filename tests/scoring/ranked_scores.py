"""The scores of one ranked run."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.measures.ranked import Grades, Rankings
from scoring.measures.ranked_values import RankedEvaluator
from scoring.measures.spec import ChosenMeasure
from scoring.records import Qrel, Score


def rank_scores(
    grades: Grades,
    rankings: Rankings,
    measures: Sequence[ChosenMeasure],
    *,
    run: str,
    complete: bool = False,
    subtopics: Sequence[Qrel] = (),
) -> list[Score]:
    """Return the scores of a single run as `RankedEvaluator.score` computes them. Only the grades of its topics are
    read, unless ``complete``.
    """
    wanted = grades if complete else {topic: grades[topic] for topic in grades if topic in rankings}
    evaluator = RankedEvaluator(wanted, measures, subtopics=subtopics)
    return list(evaluator.score(rankings, run=run, complete=complete).scores())
