"""The settings of a campaign of answers and nuggets."""

from __future__ import annotations

from dataclasses import dataclass, field

from assess.base.track_settings import (
    Change,
    TrackSettings,
    bounds,
    judge_each_field,
    judged_topics_field,
    list_order_share_field,
)
from scoring.formats.answer_rules import RULES


@dataclass(frozen=True, kw_only=True, slots=True)
class RagNuggetsSettings(TrackSettings):
    """The settings of a campaign of answers and nuggets. The defaults are those of TREC RAG 2024."""

    run_rules: str = field(
        default="any",
        metadata={
            "change": Change.FREE,
            "allowed": ", ".join(RULES),
            "label": "Rules of runs",
            "help": "The checker whose verdicts count: that of one evaluation, or any, what all of them let through.",
        },
    )
    word_limit: int = field(
        default=400,
        metadata={
            "change": Change.RUNS,
            **bounds(1, 100_000),
            "label": "Words",
            "help": "Words an answer may have, unless its topic names a limit; the sentences beyond are not judged.",
        },
    )
    word_limit_is_fatal: bool = field(
        default=False,
        metadata={
            "change": Change.FREE,
            "label": "Refuse long answers",
            "help": "Refuse runs with answers over the limit (of words, or the topic's own), instead of warning.",
        },
    )
    reference_limit: int = field(
        default=20,
        metadata={
            "change": Change.FREE,
            **bounds(1, 100_000),
            "label": "References",
            "help": "Documents an answer may name: 20 in 2024, 100 in 2025.",
        },
    )
    judged_citations: int = field(
        default=1,
        metadata={
            "change": Change.RUNS,
            **bounds(0, 100),
            "label": "Judged citations",
            "help": "How many citations of each sentence are judged, from the first.",
        },
    )
    vital_from: int = field(
        default=3,
        metadata={
            "change": Change.JUDGMENTS,
            "allowed": "1 to 5",
            "label": "Vital from grade",
            "help": "Nuggets that come with grades from 1 to 4 count as vital from this grade on, as okay below.",
        },
    )

    judge_each: bool = judge_each_field("an answer, a sentence with a document it cites")
    list_order_share: float = list_order_share_field()
    judged_topics: tuple[str, ...] = judged_topics_field(
        example=", such as 9-1_3; a dialogue (9-1) stands for its turns"
    )

    def problems(self) -> dict[str, str]:
        """Return setting's name -> what is wrong with its value."""
        found = self.out_of_bounds()
        if self.run_rules not in RULES:
            found["run_rules"] = f"Write one of {', '.join(RULES)}."
        if not 1 <= self.vital_from <= 5:
            found["vital_from"] = "This must be a grade from 1 to 4, or 5 for none."
        return found
