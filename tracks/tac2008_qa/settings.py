"""The settings of a TAC 2008 QA campaign."""

from __future__ import annotations

from dataclasses import dataclass

from assess.base.track_settings import (
    TrackSettings,
    judge_each_field,
    judged_topics_field,
    list_order_share_field,
    search_field,
    setting,
)
from scoring.formats.tac_runs import LENGTH_LIMIT


@dataclass(frozen=True, kw_only=True, slots=True)
class Tac2008QaSettings(TrackSettings):
    """The settings of a TAC 2008 QA campaign. The defaults are those of the guidelines."""

    beta: float = setting(
        3.0, "Beta", "Weight of recall against precision in the F of squishy lists.", within=(0, 1000)
    )
    allowance: int = setting(
        100, "Allowance", "Non-white-space characters allowed for each nugget returned.", within=(1, 1_000_000)
    )
    length_limit: int = setting(
        LENGTH_LIMIT,
        "Length limit",
        "Non-white-space characters a run may use for one question.",
        within=(1, 1_000_000),
    )
    judged_priorities: tuple[int, ...] = setting(
        (1, 2), "Judged priorities", "Runs of these priorities are pooled and judged: 1,2 or 1,2,3.", some_of=(1, 2, 3)
    )
    single_assessor: bool = setting(
        False,
        "Single assessor",
        "Score squishy lists by the author's vital and okay alone, not by the votes of several assessors.",
    )
    search: bool = search_field()
    show_document_lists: bool = setting(
        True, "Document lists", "Assessors see the list of top documents of their target."
    )
    package_depth: int = setting(
        50, "Package depth", "Documents of each target in the package for participants.", within=(1, 1_000_000)
    )
    remote_resources: bool = setting(
        True, "Remote images and stylesheets", "Document pages load images and stylesheets from the web, as NIST's did."
    )

    judge_each: bool = judge_each_field("an answer-string with its document")
    list_order_share: float = list_order_share_field()
    judged_topics: tuple[str, ...] = judged_topics_field(
        "questions", ", such as 3.1; a target (3) stands for its questions"
    )
