"""The settings of a campaign of definition questions."""

from __future__ import annotations

from dataclasses import dataclass

from assess.base.track_settings import (
    Change,
    TrackSettings,
    judged_topics_field,
    list_order_share_field,
    search_field,
    setting,
)
from scoring.formats.definition_judgments import COMMENTS, is_score_line

COMMENTS_LIMIT = 100_000  # characters


@dataclass(frozen=True, kw_only=True, slots=True)
class AquaintDefinitionSettings(TrackSettings):
    """The settings of a campaign of definition questions. The defaults are those of the pilot."""

    beta: float = setting(
        5.0, "Beta", "Weight of recall against precision in F, the official measure.", within=(0, 1000)
    )
    beta_secondary: float = setting(
        2.0, "Second beta", "The same in a second F, to see what another weight would change.", within=(0, 1000)
    )
    allowance: int = setting(
        100, "Allowance", "Non-white-space characters allowed for each nugget returned.", within=(1, 1_000_000)
    )
    judge_each: bool = setting(
        True,
        "Judge each response by itself",
        "What several runs returned alike, a string or a whole response, is judged for each of "
        "them; otherwise once for all.",
        change=Change.RUNS,
        before=False,
    )
    two_rounds: bool = setting(
        True,
        "Two rounds",
        "An assessor begins the nugget list of a question once their holistic scores of it are in; these "
        "are closed from then on.",
        change=Change.JUDGMENTS,
        before=False,
    )
    own_parts: bool = setting(
        True,
        "Parts by response",
        "A nugget in parts counts where a response has parts 1 to k of it, two or more, with no gap; "
        "otherwise it must have all parts that the nugget was split into in any response.",
        before=False,
    )
    holistic_comments: str = setting(
        COMMENTS,
        "Comments of holistic",
        "The lines that stand before the scores in the exported file holistic. They come from the file "
        "where one is loaded.",
        allowed="lines of text, none of which reads as a line of scores",
        before=COMMENTS,
        lines=True,
    )
    search: bool = search_field()
    list_order_share: float = list_order_share_field()
    judged_topics: tuple[str, ...] = judged_topics_field("questions")

    def problems(self) -> dict[str, str]:
        """Return setting's name -> what is wrong with its value."""
        found = self.not_allowed()
        lines = self.holistic_comments.split("\n")
        if scores := next((line for line in lines if is_score_line(line)), ""):
            found["holistic_comments"] = f"“{scores[:60]}” would be read as a line of scores. Write it in other words."
        elif "\0" in self.holistic_comments or "\r" in self.holistic_comments:
            found["holistic_comments"] = "This must be lines of text: without NUL, each ended by a line feed alone."
        elif len(self.holistic_comments) > COMMENTS_LIMIT:
            found["holistic_comments"] = f"This must be {COMMENTS_LIMIT:,} characters or fewer."
        return found
