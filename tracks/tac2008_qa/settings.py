"""The settings of a TAC 2008 QA campaign."""

from __future__ import annotations

from dataclasses import dataclass, field

from assess.base.track_settings import (
    Change,
    TrackSettings,
    bounds,
    judge_each_field,
    judged_topics_field,
    list_order_share_field,
    search_field,
)
from scoring.formats.tac_runs import LENGTH_LIMIT


@dataclass(frozen=True, kw_only=True, slots=True)
class Tac2008QaSettings(TrackSettings):
    """The settings of a TAC 2008 QA campaign. The defaults are those of the guidelines."""

    beta: float = field(
        default=3.0,
        metadata={
            "change": Change.FREE,
            **bounds(0, 1000),
            "label": "Beta",
            "help": "Weight of recall against precision in the F of squishy lists.",
        },
    )
    allowance: int = field(
        default=100,
        metadata={
            "change": Change.FREE,
            **bounds(1, 1_000_000),
            "label": "Allowance",
            "help": "Non-white-space characters allowed for each nugget returned.",
        },
    )
    length_limit: int = field(
        default=LENGTH_LIMIT,
        metadata={
            "change": Change.FREE,
            **bounds(1, 1_000_000),
            "label": "Length limit",
            "help": "Non-white-space characters a run may use for one question.",
        },
    )
    judged_priorities: tuple[int, ...] = field(
        default=(1, 2),
        metadata={
            "change": Change.FREE,
            "allowed": "one or more of 1, 2 and 3",
            "label": "Judged priorities",
            "help": "Runs of these priorities are pooled and judged: 1,2 or 1,2,3.",
        },
    )
    single_assessor: bool = field(
        default=False,
        metadata={
            "change": Change.FREE,
            "label": "Single assessor",
            "help": "Score squishy lists by the author's vital and okay alone, not by the votes of several assessors.",
        },
    )
    search: bool = search_field()
    show_document_lists: bool = field(
        default=True,
        metadata={
            "change": Change.FREE,
            "label": "Document lists",
            "help": "Assessors see the list of top documents of their target.",
        },
    )
    package_depth: int = field(
        default=50,
        metadata={
            "change": Change.FREE,
            **bounds(1, 1_000_000),
            "label": "Package depth",
            "help": "Documents of each target in the package for participants.",
        },
    )
    remote_resources: bool = field(
        default=True,
        metadata={
            "change": Change.FREE,
            "label": "Remote images and stylesheets",
            "help": "Document pages load images and stylesheets from the web, as NIST's did.",
        },
    )

    judge_each: bool = judge_each_field("an answer-string with its document")
    list_order_share: float = list_order_share_field()
    judged_topics: tuple[str, ...] = judged_topics_field(
        "questions", ", such as 3.1; a target (3) stands for its questions"
    )

    def problems(self) -> dict[str, str]:
        """Return setting's name -> what is wrong with its value."""
        found = self.out_of_bounds()
        priorities = self.judged_priorities
        if not priorities or len(set(priorities)) != len(priorities) or not {1, 2, 3}.issuperset(priorities):
            found["judged_priorities"] = "Give one or more of the priorities 1, 2 and 3, each once."
        return found
