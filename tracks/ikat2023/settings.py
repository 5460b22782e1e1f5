"""The settings of an iKAT 2023 campaign."""

from __future__ import annotations

from dataclasses import dataclass

from assess.base.track_settings import Change, TrackSettings, judge_each_field, setting
from scoring.formats.ikat_runs import CONVERSIONS
from scoring.reading.sentences import LINE_BREAKS

STORED_RESPONSES = 10
"""How many responses of a turn are stored for judging, whatever the settings are, since these may change later."""

RESPONSE_PASSAGES = ("all", "used")
CHECKS = ("guidelines", "checker")


@dataclass(frozen=True, kw_only=True, slots=True)
class Ikat2023Settings(TrackSettings):
    """The settings of an iKAT campaign. The defaults are those of the guidelines and of the organisers' checker."""

    passage_depth: int = setting(
        10, "Passage depth", "How many passages of each run and turn are judged.", within=(1, 1_000_000)
    )
    response_depth: int = setting(
        1,
        "Response depth",
        "How many responses of each run and turn are judged, 1 to 10.",
        within=(1, STORED_RESPONSES),
    )
    judged_turns: tuple[str, ...] = setting(
        (),
        "Judged turns",
        "Turns that are judged, such as 9-1_3; a dialogue (9-1) or topic (9) stands for its turns. Empty: all.",
        allowed="turns, dialogues or topics",
    )
    binary_threshold: int = setting(
        2,
        "Relevant from",
        "The lowest grade of a passage that counts as relevant for P@k and AP. From 1 is shown beside it.",
        within=(1, 4),
    )
    response_threshold: int = setting(
        1, "Responses from", "A response is judged if one of its passages got at least this grade.", within=(1, 4)
    )
    response_passages: str = setting(
        "all",
        "Passages of a response",
        "The grades of which of its passages decide whether a response is judged: all of them (the guidelines), "
        "or those it used (marked as used, else its first five).",
        words=RESPONSE_PASSAGES,
    )
    conversion: str = setting(
        "script",
        "Conversion",
        "How passages are ranked: script (score / (rank + 1), as the organisers' figures: the rank counts "
        "response by response and need not follow the score, by which trec_eval ranks) or guidelines (response by "
        "response, by rank and score alike).",
        words=CONVERSIONS,
    )
    checks: str = setting(
        "guidelines",
        "Checks",
        "What is refused: what the guidelines ask for, or only what the organisers' checker refuses.",
        words=CHECKS,
    )
    line_breaks: str = setting(
        "blanks",
        "Line breaks",
        "How documents are cut into passages: blanks (line breaks are blanks first, as in the organisers' "
        "tool) or kept.",
        words=LINE_BREAKS,
    )
    completeness: bool = setting(
        False,
        "Completeness",
        "Responses are judged for completeness, too.",
        change=Change.JUDGMENTS,
        criterion="completeness",
    )
    groundedness: bool = setting(
        False,
        "Groundedness",
        "Responses are judged for groundedness, too.",
        change=Change.JUDGMENTS,
        criterion="groundedness",
    )
    naturalness: bool = setting(
        False,
        "Naturalness",
        "Responses are judged for naturalness, too.",
        change=Change.JUDGMENTS,
        criterion="naturalness",
    )
    word_limit: int = setting(
        250, "Word limit", "Words of a response, as spaCy's Tokenizer counts them.", within=(1, 1_000_000)
    )
    response_limit: int = setting(
        1000, "Response limit", "Responses that a run may give to a turn.", within=(1, 1_000_000)
    )
    warning_limit: int = setting(
        0,
        "Warning limit",
        "A run with more warnings than this is refused; 0: none is. The organisers' checker had 2000.",
        within=(0, 1_000_000),
    )
    passage_prefix: str = setting(
        "clueweb22-", "Passage prefix", "How passage ids begin; another beginning is warned of.", allowed="any text"
    )

    judge_each: bool = judge_each_field("a response")
