"""The settings of a Context25 campaign."""

from __future__ import annotations

from dataclasses import dataclass, field

from assess.base.track_settings import (
    Change,
    TrackSettings,
    bounds,
    choice_of,
    judge_each_field,
    judged_topics_field,
    search_field,
)

OFFICIAL, STRICT, BOTH = "official", "strict", "both"
MODES = (BOTH, OFFICIAL, STRICT)
TWICE = ("last", "first", "all")
PRIORITIES = frozenset({1, 2, 3})


@dataclass(frozen=True, kw_only=True, slots=True)
class Context25Settings(TrackSettings):
    """The settings of a Context25 campaign. By default both forms of NDCG are shown: the official script's, and the
    strict one.
    """

    mode: str = field(
        default=BOTH,
        metadata={
            "change": Change.FREE,
            "allowed": "both, official or strict",
            "label": "Form of NDCG",
            "help": "official: as the task's script has it, oddities included. strict: by the grammar of labels. both.",
        },
    )
    judged_priorities: tuple[int, ...] = field(
        default=(1, 2, 3),
        metadata={
            "change": Change.FREE,
            "allowed": "one or more of 1, 2 and 3",
            "label": "Judged priorities",
            "help": "Assessors who pick figures see the labels that runs of these priorities ranked first: 1,2 or 1.",
        },
    )
    figure_depth: int = field(
        default=5,
        metadata={
            "change": Change.FREE,
            **bounds(1, 100),
            "label": "Depth of figures",
            "help": "How many labels of each such run are among those to pick from.",
        },
    )
    rated_priorities: tuple[int, ...] = field(
        default=(1,),
        metadata={
            "change": Change.FREE,
            "allowed": "one or more of 1, 2 and 3",
            "label": "Rated priorities",
            "help": "Descriptions and snippets of runs of these priorities are rated where the best are not.",
        },
    )
    rated_runs: int = field(
        default=2,
        metadata={
            "change": Change.FREE,
            **bounds(0, 1_000),
            "label": "Best runs rated",
            "help": "So many runs, the best by their automated score when the pool is built, are rated. 0: runs of the "
            "rated priorities. The pool keeps the scores.",
        },
    )
    rated_by: str = field(
        default="descriptions_ROUGE-L",
        metadata={
            "change": Change.FREE,
            "allowed": "a measure of the grounding task",
            "label": "Best by",
            "help": "The measure by which these runs are the best, such as snippets_ROUGE-L or descriptions_BERTScore.",
        },
    )
    claims_twice: str = field(
        default="last",
        metadata={
            "change": Change.FREE,
            "allowed": "last, first or all",
            "label": "Claims given twice",
            "help": "Which findings count where a claim was given twice with others: those of the last (as the task's "
            "script has it), of the first, or all of them.",
        },
    )
    claims_chosen: tuple[str, ...] = field(
        default=(),
        metadata={
            "change": Change.FREE,
            "allowed": "claims with last, first or all, such as bread-3Xc8=first",
            "label": "Chosen for single claims",
            "help": "Claims given twice for which something else counts, each with what.",
            "own_page": True,
        },
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
        found = self.out_of_bounds()
        if self.claims_twice not in TWICE:
            found["claims_twice"] = f"Write {', '.join(TWICE[:-1])} or {TWICE[-1]}."
        if wrong := [each for each in self.claims_chosen if not _is_choice(each)]:
            found["claims_chosen"] = f"“{wrong[0][:60]}” is no choice. Write claim={', claim='.join(TWICE)}."
        elif len(self.choices) != len(self.claims_chosen):
            found["claims_chosen"] = "A claim stands here twice. Write each once."
        if self.mode not in MODES:
            found["mode"] = f"Write one of: {', '.join(MODES)}."
        for name in ("judged_priorities", "rated_priorities"):
            priorities = getattr(self, name)
            if not priorities or len(set(priorities)) != len(priorities) or not PRIORITIES.issuperset(priorities):
                found[name] = "Give one or more of the priorities 1, 2 and 3, each once."
        return found


def _is_choice(word: str) -> bool:
    claim, which = choice_of(word)
    return bool(claim) and which in TWICE
