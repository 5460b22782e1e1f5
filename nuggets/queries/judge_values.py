"""Votes on nuggets and nuggets found in strings as questions that judges are compared on.

Both speak of the lists that count. Where everybody marks the nuggets of their own list nothing can be compared nugget
by nugget, so there is no question. The importance that the author of a list wrote is their vote, unless they cast
another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from django.db.models import QuerySet

from assess.judge_values import Question, Shown, Thing, Values, ValueSource
from assess.models import Assignment, Campaign, Item
from assess.protocol import Stage
from assess.queries.analysis.counting import Counting, counting_as
from assess.queries.analysis.judges import INDEPENDENT, OFFICIAL, ROLES, JudgeSet, judges_of
from assess.queries.tracks import track_of
from nuggets.models import NuggetList, NuggetMatch
from nuggets.queries.counting import counting_lists, numbers_of_lists
from nuggets.queries.lists import OFFICIAL_ROLES, active_nuggets
from nuggets.queries.matches import Mark, all_marks, finished_reviews, official_marks
from nuggets.queries.votes import adjudicators_votes, counting_votes

MATCH, IMPORTANCE = "match", "importance"
ADJUDICATED = "adjudicated"
VITAL = 1.0
FULL = NuggetMatch.Value.FULL
ABSENT = NuggetMatch.Value.ABSENT


def match_questions(campaign: Campaign) -> Iterator[Question]:
    """One question for each stage in which all mark the same list."""
    for stage in _stages(campaign, "matches"):
        if not stage.own:
            yield Question(
                stage=stage.key,
                criterion=MATCH,
                label=f"{stage.label}: does the string contain the nugget?",
                asked="Does the string contain the nugget?",
                level="ordinal" if stage.partial else "nominal",
                scale=((0.0, "no"), (1.0, "in part"), (2.0, "yes")) if stage.partial else ((0.0, "no"), (1.0, "yes")),
                relevant=1.0,
                note="Every nugget of the list that counts, in each string both finished; a part counts as the nugget.",
            )


def match_values(campaign: Campaign, question: Question, judge: str, as_of: int | None) -> Values:
    """(topic, "nugget kind:key" of the item) -> how far the string holds it, of what one judge set marked or finished.

    A nugget that nobody marked in a string that was finished is not in it.
    """
    chosen = _judge(campaign, judge)
    if chosen is None:
        return {}
    lists = list(counting_lists(campaign, as_of).values())
    numbers, nuggets = numbers_of_lists(lists), active_nuggets(lists)
    names = {pk: f"{kind}:{key}" for pk, kind, key in _items(numbers).values_list("pk", "kind", "key")}
    values: dict[Thing, float] = {}
    by_topic = {each.topic_id: [nugget.number for nugget in nuggets[each.pk]] for each in lists}
    for review in finished_reviews(lists, as_of=as_of):
        if _is_of(chosen, review.assessor_id, review.assignment.role):
            topic = review.item.topic_id
            for number in by_topic[topic]:
                values[numbers[topic], f"{number} {names[review.item_id]}"] = 0.0
    full = question.scale[-1][0]
    said: dict[Thing, float] = {}
    for mark in _marks(chosen, lists, as_of):
        thing = (numbers[mark.topic_id], f"{mark.number} {names[mark.item_id]}")
        value = {FULL: full, ABSENT: 0.0}.get(NuggetMatch.Value(mark.value), 1.0)
        said[thing] = max(said.get(thing, 0.0), value)
    return values | said


def shown_matches(campaign: Campaign, question: Question, things: Sequence[Thing]) -> dict[Thing, Shown]:
    """The strings, each with the nugget that is or is not in it."""
    del question
    lists = {number: each for number, each in counting_lists(campaign, None).items() if number in dict(things)}
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


def vote_questions(campaign: Campaign) -> Iterator[Question]:
    """One question for each stage of voting."""
    for stage in _stages(campaign, "votes"):
        yield Question(
            stage=stage.key,
            criterion=IMPORTANCE,
            label=f"{stage.label}: vital or okay?",
            asked="Vital or okay?",
            level="nominal",
            scale=((0.0, "okay"), (VITAL, "vital")),
            relevant=VITAL,
            note="A list's author votes by the importance they wrote; official is the adjudicator's vote, else theirs.",
        )


def vote_values(campaign: Campaign, question: Question, judge: str, as_of: int | None) -> Values:
    """(topic, number of the nugget) -> 1 for vital, 0 for okay."""
    del question
    chosen = _judge(campaign, judge)
    if chosen is None:
        return {}
    lists = list(counting_lists(campaign, as_of).values())
    numbers = numbers_of_lists(lists)
    authors = {each.topic_id: each.owner_id for each in lists}
    deciding = adjudicators_votes(lists, as_of=as_of)
    decided = {(numbers[vote.topic_id], str(vote.number)): float(vote.importance == "vital") for vote in deciding}
    if chosen.key == ADJUDICATED:
        return decided
    with counting_as(Counting(assessor=chosen.user_id)):
        votes = counting_votes(lists, as_of=as_of)
    left_out = {(vote.topic_id, vote.number, vote.assessor_id) for vote in deciding if chosen.user_id is None}
    said = {
        (numbers[vote.topic_id], str(vote.number)): float(vote.importance == "vital")
        for vote in votes
        if (vote.topic_id, vote.number, vote.assessor_id) not in left_out
        and _votes_as(chosen, vote.assessor_id, is_author=authors[vote.topic_id] == vote.assessor_id)
    }
    return said | decided if chosen.key == OFFICIAL else said


def shown_nuggets(campaign: Campaign, question: Question, things: Sequence[Thing]) -> dict[Thing, Shown]:
    """The nuggets by (topic, number)."""
    del question
    lists = {number: each for number, each in counting_lists(campaign, None).items() if number in dict(things)}
    texts = _nugget_texts(lists)
    return {thing: Shown(text=texts[thing], about=thing[1]) for thing in things if thing in texts}


def _stages(campaign: Campaign, work: str) -> list[Stage]:
    return [stage for task in track_of(campaign).tasks for stage in task.stages if stage.work == work]


def _judge(campaign: Campaign, key: str) -> JudgeSet | None:
    return next((each for each in judges_of(campaign) if each.key == key), None)


def _is_of(judge: JudgeSet, assessor: int, role: str) -> bool:
    """Whether what somebody did in a role belongs to this judge set."""
    if judge.key == OFFICIAL:
        return role in OFFICIAL_ROLES
    if judge.key in ROLES:
        return role == ROLES[judge.key][0]
    roles = (Assignment.Role.MACHINE,) if judge.kind == "machine" else INDEPENDENT
    return assessor == judge.user_id and role in roles


def _votes_as(judge: JudgeSet, assessor: int, *, is_author: bool) -> bool:
    """Whether a vote belongs to this judge set; roles in voting are author and others."""
    if judge.user_id is not None:
        return assessor == judge.user_id
    return is_author if judge.key in (OFFICIAL, "primary") else judge.key == "second" and not is_author


def _marks(judge: JudgeSet, lists: Sequence[NuggetList], as_of: int | None) -> list[Mark]:
    if judge.key == OFFICIAL:
        return official_marks(lists, as_of=as_of, with_absent=True)
    return [mark for mark in all_marks(lists, as_of=as_of) if _is_of(judge, mark.assessor_id, mark.role)]


def _items(topics: Iterable[int]) -> QuerySet[Item]:
    return Item.objects.filter(topic__in=list(topics))


def _nugget_texts(lists: dict[str, NuggetList]) -> dict[Thing, str]:
    """(topic, number) -> text."""
    nuggets = active_nuggets(lists.values())
    return {(topic, str(nugget.number)): nugget.text for topic, each in lists.items() for nugget in nuggets[each.pk]}


MATCHES = ValueSource(key=MATCH, questions=match_questions, values=match_values, shown=shown_matches)
VOTES = ValueSource(key=IMPORTANCE, questions=vote_questions, values=vote_values, shown=shown_nuggets)
