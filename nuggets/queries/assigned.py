"""Nuggets found in responses, as files of other projects have them: nuggetizer's assignments, labels of single nuggets.

A nugget that was looked for and not found is "not_support"; one that nobody spoke of in a response that is not finished
has no assignment.
"""

from __future__ import annotations

from collections.abc import Iterator

from assess.models import Campaign
from assess.queries.exports.grades import returned
from nuggets.queries.owned import matches_of, nuggets_of, reviews_of
from scoring.formats.graded_nuggets import LABELS, MatchLabel
from scoring.records import AssignedNugget, NuggetizerLine, OwnedMatch, OwnedNugget

ASSIGNMENTS = {"full": "support", "partial": "partial_support", "none": "not_support"}
_BEST_FIRST = ("full", "partial", "none")


def assigned(campaign: Campaign, as_of: int | None = None, *, kind: str) -> Iterator[NuggetizerLine]:
    """What each accepted run's responses of this kind hold of the list that counts; only those that were judged.

    A response is one segment. Holds all marks of the campaign in memory.
    """
    lists: dict[str, list[OwnedNugget]] = {}
    for nugget in nuggets_of(campaign, as_of):
        lists.setdefault(nugget.topic, []).append(nugget)
    marks: dict[tuple[str, str], dict[int, str]] = {}
    for match in matches_of(campaign, as_of):
        of_item = marks.setdefault((match.topic, match.key), {})
        of_item[match.number] = min(of_item.get(match.number, "none"), match.value, key=_BEST_FIRST.index)
    finished = {(review.topic, review.key) for review in reviews_of(campaign, as_of)}
    titles = dict(campaign.topics.values_list("number", "text"))
    for response in returned(campaign, as_of, kind=kind):
        place = (response.topic, response.key)
        if response.topic not in lists or (place not in marks and place not in finished):
            continue
        said = {number: ASSIGNMENTS[value] for number, value in marks.get(place, {}).items()}
        unsaid = "not_support" if place in finished else ""
        yield NuggetizerLine(
            topic=response.topic,
            query=titles[response.topic],
            run=response.run,
            answer=response.text,
            nuggets=tuple(
                AssignedNugget(
                    text=nugget.text,
                    importance=nugget.importance,
                    assignment=said.get(nugget.number, unsaid),
                )
                for nugget in sorted(lists[response.topic], key=lambda nugget: nugget.number)
            ),
        )


def match_labels(campaign: Campaign, as_of: int | None = None) -> Iterator[MatchLabel]:
    """What was said of the nuggets that were labelled elsewhere, under the batch and the run of the label."""
    labels = {
        (nugget.topic, nugget.number, key): label
        for nugget in nuggets_of(campaign, as_of)
        for key, label in nugget.fields.get(LABELS, {}).items()
    }
    for match in matches_of(campaign, as_of):
        if (label := labels.get(_place(match))) is not None:
            batch, run = label
            is_match = match.value == "full"
            yield MatchLabel(batch=batch, topic=match.topic, number=match.number, run=run, is_match=is_match)


def _place(match: OwnedMatch) -> tuple[str, int, str]:
    return match.topic, match.number, match.key
