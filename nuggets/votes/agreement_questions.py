"""Compare judges on their votes on nuggets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from django.utils.translation import gettext

from assess.campaigns.models import Campaign
from assess.campaigns.track_texts import in_language
from assess.judging.queries.judges import OFFICIAL, JudgeSet
from assess.judging.snapshots import CountingRule, Snapshot
from assess.kinds.agreement_questions import Question, Shown, Thing, Values, ValueSource
from nuggets.votes.current import adjudicators_votes, counting_votes
from nuggets.writing.agreement_questions import ADJUDICATED, IMPORTANCE, VITAL, _judge, _nugget_texts, _stages
from nuggets.writing.counting_lists import counting_lists, numbers_of_lists


def vote_questions(campaign: Campaign) -> Iterator[Question]:
    """Yield a question for each stage in which assessors vote."""
    for stage in _stages(campaign, "votes"):
        yield Question(
            stage=stage.key,
            criterion=IMPORTANCE,
            label=gettext("%(stage)s: vital or okay?") % {"stage": in_language(stage.label)},
            asked=gettext("Vital or okay?"),
            level="nominal",
            scale=((0.0, "okay"), (VITAL, "vital")),
            relevant=VITAL,
            note=gettext(
                "A list's author votes by the importance they wrote; official is the adjudicator's vote, else theirs."
            ),
        )


def vote_values(snapshot: Snapshot, question: Question, judge: str) -> Values:
    """Return (topic, nugget number) -> value for the judge's votes: 1 for vital, 0 for okay. For an unknown judge there
    are none.
    """
    del question
    chosen = _judge(snapshot.campaign, judge)
    if chosen is None:
        return {}
    lists = list(counting_lists(snapshot).values())
    numbers = numbers_of_lists(lists)
    authors = {each.topic_id: each.owner_id for each in lists}
    deciding = adjudicators_votes(lists, as_of=snapshot.as_of)
    decided = {(numbers[vote.topic_id], str(vote.number)): float(vote.importance == "vital") for vote in deciding}
    if chosen.key == ADJUDICATED:
        return decided
    votes = counting_votes(lists, at=replace(snapshot, counting=CountingRule(assessor=chosen.user_id)))
    left_out = {(vote.topic_id, vote.number, vote.assessor_id) for vote in deciding if chosen.user_id is None}
    said = {
        (numbers[vote.topic_id], str(vote.number)): float(vote.importance == "vital")
        for vote in votes
        if (vote.topic_id, vote.number, vote.assessor_id) not in left_out
        and _votes_as(chosen, vote.assessor_id, is_author=authors[vote.topic_id] == vote.assessor_id)
    }
    return said | decided if chosen.key == OFFICIAL else said


def shown_nuggets(campaign: Campaign, question: Question, things: Sequence[Thing]) -> dict[Thing, Shown]:
    """Return (topic, number) -> the nugget as it is shown, for those of these things that still exist."""
    del question
    lists = {number: each for number, each in counting_lists(Snapshot(campaign)).items() if number in dict(things)}
    texts = _nugget_texts(lists)
    return {thing: Shown(text=texts[thing], about=thing[1]) for thing in things if thing in texts}


def _votes_as(judge: JudgeSet, assessor: int, *, is_author: bool) -> bool:
    """Return whether a judge set includes the votes of this assessor. The author of the list counts as a primary
    assessor.
    """
    if judge.user_id is not None:
        return assessor == judge.user_id
    return is_author if judge.key in (OFFICIAL, "primary") else judge.key == "second" and not is_author


VOTES = ValueSource(key=IMPORTANCE, questions=vote_questions, values=vote_values, shown=shown_nuggets)
