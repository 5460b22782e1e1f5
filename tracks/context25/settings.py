"""The settings of a Context25 campaign."""

from __future__ import annotations

from dataclasses import dataclass

from assess.base.track_settings import (
    TrackSettings,
    choice_of,
    judge_each_field,
    judged_topics_field,
    search_field,
    setting,
)

OFFICIAL, STRICT, BOTH = "official", "strict", "both"
MODES = (BOTH, OFFICIAL, STRICT)
TWICE = ("last", "first", "all")
PRIORITIES = (1, 2, 3)


@dataclass(frozen=True, kw_only=True, slots=True)
class Context25Settings(TrackSettings):
    """The settings of a Context25 campaign. By default both forms of NDCG are shown: the official script's, and the
    strict one.
    """

    mode: str = setting(
        BOTH,
        "Form of NDCG",
        "official: as the task's script has it, oddities included. strict: by the grammar of labels. both.",
        words=MODES,
    )
    judged_priorities: tuple[int, ...] = setting(
        (1, 2, 3),
        "Judged priorities",
        "Assessors who pick figures see the labels that runs of these priorities ranked first: 1,2 or 1.",
        some_of=PRIORITIES,
    )
    figure_depth: int = setting(
        5, "Depth of figures", "How many labels of each such run are among those to pick from.", within=(1, 100)
    )
    rated_priorities: tuple[int, ...] = setting(
        (1,),
        "Rated priorities",
        "Descriptions and snippets of runs of these priorities are rated where the best are not.",
        some_of=PRIORITIES,
    )
    rated_runs: int = setting(
        2,
        "Best runs rated",
        "So many runs, the best by their automated score when the pool is built, are rated. 0: runs of the "
        "rated priorities. The pool keeps the scores.",
        within=(0, 1_000),
    )
    rated_by: str = setting(
        "descriptions_ROUGE-L",
        "Best by",
        "The measure by which these runs are the best, such as snippets_ROUGE-L or descriptions_BERTScore.",
        allowed="a measure of the grounding task",
    )
    claims_twice: str = setting(
        "last",
        "Claims given twice",
        "Which findings count where a claim was given twice with others: those of the last (as the task's "
        "script has it), of the first, or all of them.",
        words=TWICE,
    )
    claims_chosen: tuple[str, ...] = setting(
        (),
        "Chosen for single claims",
        "Claims given twice for which something else counts, each with what.",
        allowed="claims with last, first or all, such as bread-3Xc8=first",
        own_page=True,
    )
    search: bool = search_field("papers")

    judge_each: bool = judge_each_field("a description, a snippet")

    @property
    def choices(self) -> dict[str, str]:
        """Return claim -> the choice of the findings that count, for the claims for which a choice was made."""
        return dict(choice_of(each) for each in self.claims_chosen)

    judged_topics: tuple[str, ...] = judged_topics_field("claims")

    def problems(self) -> dict[str, str]:
        """Return setting's name -> what is wrong with its value."""
        found = self.not_allowed()
        if wrong := [each for each in self.claims_chosen if not _is_choice(each)]:
            found["claims_chosen"] = f"“{wrong[0][:60]}” is no choice. Write claim={', claim='.join(TWICE)}."
        elif len(self.choices) != len(self.claims_chosen):
            found["claims_chosen"] = "A claim stands here twice. Write each once."
        return found


def _is_choice(word: str) -> bool:
    claim, which = choice_of(word)
    return bool(claim) and which in TWICE
