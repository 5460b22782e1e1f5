"""The settings of a BioGen campaign."""

from __future__ import annotations

from dataclasses import dataclass, field

from assess.base.track_settings import (
    Change,
    TrackSettings,
    bounds,
    judge_each_field,
    judged_topics_field,
    search_field,
)
from scoring.reading.sentences import WAYS

CHECKERS = ("any", "biogen-2025")


@dataclass(frozen=True, kw_only=True, slots=True)
class BioGenSettings(TrackSettings):
    """The settings of a BioGen campaign. The defaults are those of the specification of 2024 or, if it says nothing, of
    the guidelines of 2025.
    """

    run_rules: str = field(
        default="any",
        metadata={
            "change": Change.FREE,
            "allowed": " or ".join(CHECKERS),
            "label": "Rules of runs",
            "help": "What the form of 2025 is checked by besides: biogen-2025, the checker of its task B, or any.",
        },
    )
    sentences: str = field(
        default="parser",
        metadata={
            "change": Change.RUNS,
            "allowed": "parser or rules",
            "label": "Sentences",
            "help": "How answers are cut into sentences: parser (spaCy's small English model) or rules (. ! ? alone).",
        },
    )
    citations_limit: int = field(
        default=3,
        metadata={
            "change": Change.RUNS,
            **bounds(1, 100),
            "label": "Citations a list",
            "help": "Entries of one citation list that count; the rest is dropped.",
        },
    )
    word_limit: int = field(
        default=250,
        metadata={
            "change": Change.FREE,
            **bounds(1, 10_000),
            "label": "Word limit",
            "help": "Words of an answer in the form of 2025 before it is too long.",
        },
    )
    word_advice: int = field(
        default=150,
        metadata={
            "change": Change.FREE,
            **bounds(1, 10_000),
            "label": "Word advice",
            "help": "Words of an answer in the form of 2024 before it is called long.",
        },
    )
    word_limit_is_fatal: bool = field(
        default=False,
        metadata={
            "change": Change.FREE,
            "label": "Refuse long answers",
            "help": "Refuse runs with answers over the word limit, instead of warning.",
        },
    )
    search: bool = search_field("abstracts")

    judge_each: bool = judge_each_field("a sentence, a citation, a whole answer")
    judged_topics: tuple[str, ...] = judged_topics_field()

    def problems(self) -> dict[str, str]:
        """Return setting's name -> what is wrong with its value."""
        found = self.out_of_bounds()
        if self.run_rules not in CHECKERS:
            found["run_rules"] = f"Write {' or '.join(CHECKERS)}."
        if self.sentences not in WAYS:
            found["sentences"] = f"Write {' or '.join(WAYS)}."
        return found
