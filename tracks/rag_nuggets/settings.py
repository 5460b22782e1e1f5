"""The settings of a campaign of answers and nuggets."""

from __future__ import annotations

from dataclasses import dataclass

from assess.base.track_settings import (
    Change,
    TrackSettings,
    judge_each_field,
    judged_topics_field,
    list_order_share_field,
    setting,
)
from scoring.formats.answer_rules import RULES


@dataclass(frozen=True, kw_only=True, slots=True)
class RagNuggetsSettings(TrackSettings):
    """The settings of a campaign of answers and nuggets. The defaults are those of TREC RAG 2024."""

    run_rules: str = setting(
        "any",
        "Rules of runs",
        "The checker whose verdicts count: that of one evaluation, or any, what all of them let through.",
        words=RULES,
    )
    word_limit: int = setting(
        400,
        "Words",
        "Word limit of an answer, unless its topic sets one; sentences beyond it are not judged.",
        change=Change.RUNS,
        within=(1, 100_000),
    )
    word_limit_is_fatal: bool = setting(
        False,
        "Refuse long answers",
        "Refuse runs with answers over the limit (of words, or the topic's own), instead of warning.",
    )
    reference_limit: int = setting(
        20, "References", "Documents an answer may name: 20 in 2024, 100 in 2025.", within=(1, 100_000)
    )
    judged_citations: int = setting(
        1,
        "Judged citations",
        "How many citations of each sentence are judged, from the first.",
        change=Change.RUNS,
        within=(0, 100),
    )
    vital_from: int = setting(
        3,
        "Vital from grade",
        "Nuggets that come with grades from 1 to 4 count as vital from this grade on, as okay below.",
        change=Change.JUDGMENTS,
        allowed="1 to 5",
    )

    judge_each: bool = judge_each_field("an answer, a sentence with a document it cites")
    list_order_share: float = list_order_share_field()
    judged_topics: tuple[str, ...] = judged_topics_field(
        example=", such as 9-1_3; a dialogue (9-1) stands for its turns"
    )

    def problems(self) -> dict[str, str]:
        """Return setting's name -> what is wrong with its value."""
        found = self.not_allowed()
        if not 1 <= self.vital_from <= 5:
            found["vital_from"] = "This must be a grade from 1 to 4, or 5 for none."
        return found
