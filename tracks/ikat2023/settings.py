"""The settings of an iKAT 2023 campaign."""

from __future__ import annotations

from dataclasses import dataclass, field

from assess.base.track_settings import Change, TrackSettings, bounds, judge_each_field
from scoring.formats.ikat_runs import CONVERSIONS
from scoring.reading.sentences import LINE_BREAKS

STORED_RESPONSES = 10
"""How many responses of a turn are stored for judging, whatever the settings are, since these may change later."""

RESPONSE_PASSAGES = ("all", "used")
CHECKS = ("guidelines", "checker")


@dataclass(frozen=True, kw_only=True, slots=True)
class Ikat2023Settings(TrackSettings):
    """The settings of an iKAT campaign. The defaults are those of the guidelines and of the organisers' checker."""

    passage_depth: int = field(
        default=10,
        metadata={
            "change": Change.FREE,
            **bounds(1, 1_000_000),
            "label": "Passage depth",
            "help": "How many passages of each run and turn are judged.",
        },
    )
    response_depth: int = field(
        default=1,
        metadata={
            "change": Change.FREE,
            **bounds(1, STORED_RESPONSES),
            "label": "Response depth",
            "help": "How many responses of each run and turn are judged, 1 to 10.",
        },
    )
    judged_turns: tuple[str, ...] = field(
        default=(),
        metadata={
            "change": Change.FREE,
            "allowed": "turns, dialogues or topics",
            "label": "Judged turns",
            "help": "Turns that are judged, such as 9-1_3; a dialogue (9-1) or topic (9) stands for its turns. "
            "Empty: all.",
        },
    )
    binary_threshold: int = field(
        default=2,
        metadata={
            "change": Change.FREE,
            "allowed": "1 to 4",
            "label": "Relevant from",
            "help": "The lowest grade of a passage that counts as relevant for P@k and AP. From 1 is shown beside it.",
        },
    )
    response_threshold: int = field(
        default=1,
        metadata={
            "change": Change.FREE,
            "allowed": "1 to 4",
            "label": "Responses from",
            "help": "A response is judged if one of its passages got at least this grade.",
        },
    )
    response_passages: str = field(
        default="all",
        metadata={
            "change": Change.FREE,
            "allowed": " or ".join(RESPONSE_PASSAGES),
            "label": "Passages of a response",
            "help": "Which of its passages make a response be judged: all (the guidelines), or used (those marked as "
            "used, else its first five).",
        },
    )
    conversion: str = field(
        default="script",
        metadata={
            "change": Change.FREE,
            "allowed": " or ".join(CONVERSIONS),
            "label": "Conversion",
            "help": "How passages are ranked: script (score / (rank + 1), as the organisers' figures: the rank counts "
            "response by response and need not follow the score, by which trec_eval ranks) or guidelines (response by "
            "response, by rank and score alike).",
        },
    )
    checks: str = field(
        default="guidelines",
        metadata={
            "change": Change.FREE,
            "allowed": " or ".join(CHECKS),
            "label": "Checks",
            "help": "What is refused: what the guidelines ask for, or only what the organisers' checker refuses.",
        },
    )
    line_breaks: str = field(
        default="blanks",
        metadata={
            "change": Change.FREE,
            "allowed": " or ".join(LINE_BREAKS),
            "label": "Line breaks",
            "help": "How documents are cut into passages: blanks (line breaks are blanks first, as in the organisers' "
            "tool) or kept.",
        },
    )
    completeness: bool = field(
        default=False,
        metadata={
            "change": Change.JUDGMENTS,
            "criterion": "completeness",
            "label": "Completeness",
            "help": "Responses are judged for completeness, too.",
        },
    )
    groundedness: bool = field(
        default=False,
        metadata={
            "change": Change.JUDGMENTS,
            "criterion": "groundedness",
            "label": "Groundedness",
            "help": "Responses are judged for groundedness, too.",
        },
    )
    naturalness: bool = field(
        default=False,
        metadata={
            "change": Change.JUDGMENTS,
            "criterion": "naturalness",
            "label": "Naturalness",
            "help": "Responses are judged for naturalness, too.",
        },
    )
    word_limit: int = field(
        default=250,
        metadata={
            "change": Change.FREE,
            **bounds(1, 1_000_000),
            "label": "Word limit",
            "help": "Words of a response, as spaCy's Tokenizer counts them.",
        },
    )
    response_limit: int = field(
        default=1000,
        metadata={
            "change": Change.FREE,
            **bounds(1, 1_000_000),
            "label": "Response limit",
            "help": "Responses that a run may give to a turn.",
        },
    )
    warning_limit: int = field(
        default=0,
        metadata={
            "change": Change.FREE,
            **bounds(0, 1_000_000),
            "label": "Warning limit",
            "help": "A run with more warnings than this is refused; 0: none is. The organisers' checker had 2000.",
        },
    )
    passage_prefix: str = field(
        default="clueweb22-",
        metadata={
            "change": Change.FREE,
            "allowed": "any text",
            "label": "Passage prefix",
            "help": "How passage ids begin; another beginning is warned of.",
        },
    )

    judge_each: bool = judge_each_field("a response")

    def problems(self) -> dict[str, str]:
        """Return setting's name -> what is wrong with its value."""
        found = self.out_of_bounds()
        allowed = {"response_passages": RESPONSE_PASSAGES, "conversion": CONVERSIONS, "checks": CHECKS}
        for name, words in (*allowed.items(), ("line_breaks", LINE_BREAKS)):
            if getattr(self, name) not in words:
                found[name] = f"Write {' or '.join(words)}."
        for name in ("binary_threshold", "response_threshold"):
            if not 1 <= getattr(self, name) <= 4:
                found[name] = "This must be one of the grades 1, 2, 3 and 4."
        return found
