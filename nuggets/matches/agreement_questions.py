"""Compare judges on which nuggets they found in strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from django.db.models import QuerySet
from django.utils.translation import gettext

from assess.campaigns.models import Campaign
from assess.campaigns.track_texts import in_language
from assess.items.models import Item
from assess.judging.queries.judges import counting_of
from assess.judging.snapshots import Snapshot
from assess.kinds.agreement_questions import Question, Shown, Thing, Values, ValueSource
from nuggets.matches.current import finished_reviews, official_marks
from nuggets.matches.models import NuggetMatch
from nuggets.matches.offered import in_list_order
from nuggets.options import Matching
from nuggets.writing.agreement_questions import MATCH, _judge, _nugget_texts, _stages
from nuggets.writing.counting_lists import active_nuggets, counting_lists, numbers_of_lists
from scoring.release.grid_values import GridValues

FULL = NuggetMatch.Value.FULL


ABSENT = NuggetMatch.Value.ABSENT


def match_questions(campaign: Campaign) -> Iterator[Question]:
    """Yield a question for each stage in which all assessors mark the same list."""
    for stage in _stages(campaign, "matches"):
        if not stage.own:
            in_part = stage.options(Matching).partial
            yield Question(
                stage=stage.key,
                criterion=MATCH,
                label=gettext("%(stage)s: does the string contain the nugget?") % {"stage": in_language(stage.label)},
                asked=gettext("Does the string contain the nugget?"),
                level="ordinal" if in_part else "nominal",
                scale=((0.0, "no"), (1.0, "in part"), (2.0, "yes")) if in_part else ((0.0, "no"), (1.0, "yes")),
                relevant=1.0,
                note=gettext(
                    "Every nugget of the list that counts, in each string both finished; a part counts as the nugget."
                ),
            )


def match_values(snapshot: Snapshot, question: Question, judge: str) -> Values:
    """Return (topic, "NUGGET KIND:KEY") -> how far the string with this kind and key contains the nugget.

    The highest value means in full, 1 in part, and 0 not at all. Only strings that ``judge`` marked or finished are
    included. A nugget without a mark in a finished string has the value 0. Return {} for an unknown judge.
    """
    chosen = _judge(snapshot.campaign, judge)
    if chosen is None:
        return {}
    lists = list(counting_lists(snapshot).values())
    numbers, nuggets = numbers_of_lists(lists), active_nuggets(lists)
    names = {pk: f"{kind}:{key}" for pk, kind, key in _items(numbers).values_list("pk", "kind", "key")}
    counting = counting_of(chosen)
    finished: dict[str, set[str]] = {}
    for review in finished_reviews(lists, as_of=snapshot.as_of):
        if counting.admits(review.assessor_id, review.role):
            finished.setdefault(numbers[review.topic_id], set()).add(names[review.item_id])
    full = question.scale[-1][0]
    said: dict[Thing, float] = {}
    for mark in official_marks(lists, at=replace(snapshot, counting=counting), with_absent=True):
        thing = (numbers[mark.topic_id], f"{mark.number} {names[mark.item_id]}")
        value = {FULL: full, ABSENT: 0.0}.get(NuggetMatch.Value(mark.value), 1.0)
        said[thing] = max(said.get(thing, 0.0), value)
    rows = {numbers[each.topic_id]: {str(nugget.number) for nugget in nuggets[each.pk]} for each in lists}
    return GridValues(said=said, rows=rows, columns=finished)


def shown_matches(campaign: Campaign, question: Question, things: Sequence[Thing]) -> dict[Thing, Shown]:
    """Return thing -> the text of its string, and of the nugget that judges looked for in it.

    Things whose string no longer exists are left out.
    """
    del question
    lists = {number: each for number, each in counting_lists(Snapshot(campaign)).items() if number in dict(things)}
    texts = _nugget_texts(lists)
    keys = {thing: thing[1].partition(" ") for thing in things}
    found = {}
    topics = {each.topic_id: number for number, each in lists.items()}
    wanted = {name.partition(":")[2] for _, _, name in keys.values()}
    rows = _items(topics).filter(key__in=wanted).values_list("topic_id", "kind", "key", "text", "docno")
    items = {(topics[topic], f"{kind}:{key}"): (text or key, docno) for topic, kind, key, text, docno in rows}
    for thing, (number, _, name) in keys.items():
        if (thing[0], name) in items:
            text, docno = items[thing[0], name]
            found[thing] = Shown(text=text, docno=docno, about=f"{number} {texts.get((thing[0], number), '')}")
    return found


def _items(topics: Iterable[int]) -> QuerySet[Item]:
    return Item.objects.filter(topic__in=list(topics))


def match_conditions(campaign: Campaign, topics: Sequence[str]) -> dict[str, list[str]]:
    """Return the topics in which the bench shows likely nuggets first, and those in which it keeps the list's order."""
    listed = in_list_order(campaign, topics)
    return {
        gettext("Likely ones first"): [each for each in topics if each not in listed],
        gettext("In the order of the list"): [each for each in topics if each in listed],
    }


MATCHES = ValueSource(
    key=MATCH, questions=match_questions, values=match_values, shown=shown_matches, conditions=match_conditions
)
