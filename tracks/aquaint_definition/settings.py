"""The settings of a campaign of definition questions."""

from __future__ import annotations

from dataclasses import dataclass, field

from assess.base.track_settings import (
    Change,
    TrackSettings,
    bounds,
    judged_topics_field,
    list_order_share_field,
    search_field,
)
from scoring.formats.definition_judgments import COMMENTS, is_score_line

COMMENTS_LIMIT = 100_000  # characters


@dataclass(frozen=True, kw_only=True, slots=True)
class AquaintDefinitionSettings(TrackSettings):
    """The settings of a campaign of definition questions. The defaults are those of the pilot."""

    beta: float = field(
        default=5.0,
        metadata={
            "change": Change.FREE,
            **bounds(0, 1000),
            "label": "Beta",
            "help": "Weight of recall against precision in F, the official measure.",
        },
    )
    beta_secondary: float = field(
        default=2.0,
        metadata={
            "change": Change.FREE,
            **bounds(0, 1000),
            "label": "Second beta",
            "help": "The same in a second F, to see what another weight would change.",
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
    judge_each: bool = field(
        default=True,
        metadata={
            "change": Change.RUNS,
            "label": "Judge each response by itself",
            "help": "What several runs returned alike, a string or a whole response, is judged for each of "
            "them; otherwise once for all.",
            "before": False,
        },
    )
    two_rounds: bool = field(
        default=True,
        metadata={
            "change": Change.JUDGMENTS,
            "label": "Two rounds",
            "help": "An assessor begins the nugget list of a question once their holistic scores of it are in; these "
            "are closed from then on.",
            "before": False,
        },
    )
    own_parts: bool = field(
        default=True,
        metadata={
            "change": Change.FREE,
            "label": "Parts by response",
            "help": "A nugget in parts counts where a response has parts 1 to k of it, two or more, with no gap; "
            "otherwise it must have all parts that the nugget was split into in any response.",
            "before": False,
        },
    )
    holistic_comments: str = field(
        default=COMMENTS,
        metadata={
            "change": Change.FREE,
            "label": "Comments of holistic",
            "help": "The lines that stand before the scores in the exported file holistic. They come from the file "
            "where one is loaded.",
            "allowed": "lines of text, none of which reads as a line of scores",
            "before": COMMENTS,
            "lines": True,
        },
    )
    search: bool = search_field()
    list_order_share: float = list_order_share_field()
    judged_topics: tuple[str, ...] = judged_topics_field("questions")

    def problems(self) -> dict[str, str]:
        """Return setting's name -> what is wrong with its value."""
        found = self.out_of_bounds()
        lines = self.holistic_comments.split("\n")
        if scores := next((line for line in lines if is_score_line(line)), ""):
            found["holistic_comments"] = f"“{scores[:60]}” would be read as a line of scores. Write it in other words."
        elif "\0" in self.holistic_comments or "\r" in self.holistic_comments:
            found["holistic_comments"] = "This must be lines of text: without NUL, each ended by a line feed alone."
        elif len(self.holistic_comments) > COMMENTS_LIMIT:
            found["holistic_comments"] = f"This must be {COMMENTS_LIMIT:,} characters or fewer."
        return found
