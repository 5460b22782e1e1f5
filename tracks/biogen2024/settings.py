"""The settings of a BioGen campaign."""

from __future__ import annotations

from dataclasses import dataclass

from assess.base.track_settings import (
    Change,
    TrackSettings,
    judge_each_field,
    judged_topics_field,
    search_field,
    setting,
)
from scoring.reading.sentences import WAYS

CHECKERS = ("any", "biogen-2025")


@dataclass(frozen=True, kw_only=True, slots=True)
class BioGenSettings(TrackSettings):
    """The settings of a BioGen campaign. The defaults are those of the specification of 2024 or, if it says nothing, of
    the guidelines of 2025.
    """

    run_rules: str = setting(
        "any",
        "Rules of runs",
        "What the form of 2025 is checked by besides: biogen-2025, the checker of its task B, or any.",
        words=CHECKERS,
    )
    sentences: str = setting(
        "parser",
        "Sentences",
        "How answers are cut into sentences: parser (spaCy's small English model) or rules (. ! ? alone).",
        change=Change.RUNS,
        words=WAYS,
    )
    citations_limit: int = setting(
        3,
        "Citations a list",
        "Entries of one citation list that count; the rest is dropped.",
        change=Change.RUNS,
        within=(1, 100),
    )
    word_limit: int = setting(
        250, "Word limit", "Words of an answer in the form of 2025 before it is too long.", within=(1, 10_000)
    )
    word_advice: int = setting(
        150, "Word advice", "Words of an answer in the form of 2024 before it is called long.", within=(1, 10_000)
    )
    word_limit_is_fatal: bool = setting(
        False, "Refuse long answers", "Refuse runs with answers over the word limit, instead of warning."
    )
    search: bool = search_field("abstracts")

    judge_each: bool = judge_each_field("a sentence, a citation, a whole answer")
    judged_topics: tuple[str, ...] = judged_topics_field()
