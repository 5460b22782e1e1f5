"""What was written, voted, marked and grouped: the ledgers behind rows of an explained score."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from assess.behind import Deed, Quote, Said, Thing, in_turn, register
from assess.models import Assignment, Campaign, DraftFind, How, Item, Run, Topic
from assess.queries.drafts.carried import Carried, carried_finds
from assess.queries.judging.behind_items import item_about
from nuggets.models import ClassAssignment, ClassLabel, Nugget, NuggetEdit, NuggetList, NuggetMatch, NuggetVote
from nuggets.queries.classes import class_stages, official_classes
from nuggets.queries.lists import frozen_lists, lineages, official_list
from nuggets.queries.matches import official_marks
from scoring.folding import answer_key
from scoring.records import About

PLAIN_ROLES = dict(Assignment.Role.choices)
HOWS = dict(How.choices)
PRIMARY = "primary"


def register_nuggets() -> None:
    """Make known who finds what was said of nuggets, of answer classes, and of items beside their judgments."""
    register("nugget", find_nugget)
    register("wording", find_wording)
    register("class", find_class)
    register("item", find_marked_item)


def find_nugget(campaign: Campaign, about: About, run: Run | None, as_of: int | None) -> Thing | None:
    """A nugget by its number: how it was written, the votes on it, and where it was found in the run's answer."""
    found = _list_of(campaign, about, as_of)
    if found is None or not about.key.isdecimal():
        return None
    nugget = found.nuggets.filter(number=int(about.key)).first()
    return None if nugget is None else _nugget(nugget, found, run, as_of)


def find_wording(campaign: Campaign, about: About, run: Run | None, as_of: int | None) -> Thing | None:
    """The nugget of the list that counts with this text, or that has it as a source."""
    found = _list_of(campaign, about, as_of)
    if found is None:
        return None
    active = found.nuggets.filter(is_retired=False, merged_into=None)
    nugget = active.filter(text=about.key).first() or active.filter(sources__quote=about.key).first()
    return None if nugget is None else _nugget(nugget, found, run, as_of)


def find_class(campaign: Campaign, about: About, run: Run | None, as_of: int | None) -> Thing | None:
    """An answer class: how it was named, and who put which of the run's answers into it (all, without a run)."""
    topic = campaign.topics.filter(number=about.topic).first()
    for task, _, grade in class_stages(campaign):
        if topic is None or topic.task != task.key:
            continue
        views = official_classes(campaign, topics=[topic.pk], grade=grade, as_of=as_of)
        view = next((each for each in views if str(each.number) == about.key), None)
        if view is not None:
            members = [member.item for member in view.members]
            returned = _returned(run, topic)
            shown = members if run is None else [item for item in members if item.pk in returned]
            labels = ClassLabel.objects.filter(answer_class=view.id).select_related("edit", "edit__actor")
            put = ClassAssignment.objects.filter(item__in=shown, assignment__in=_groupers(view.id))
            return Thing(
                title=f"answer {view.number}",
                text=view.label,
                said=(
                    *_named(_until(labels, as_of)),
                    *_put(_until(put, as_of), counting=view.id),
                    *_found_answers(topic, {item.key for item in members}, as_of),
                ),
            )
    return None


def find_marked_item(campaign: Campaign, about: About, run: Run | None, as_of: int | None) -> Thing | None:
    """An item: which nuggets it was said to contain, and in which answer class it was put."""
    item = item_about(campaign, about, run)
    if item is None:
        return None
    marks = _until(NuggetMatch.objects.filter(item=item), as_of)
    put = _until(ClassAssignment.objects.filter(item=item), as_of)
    counting: set[int] = set()
    if official := official_list(item.topic_id, as_of=as_of):
        marked = official_marks([official], as_of=as_of, with_absent=True)
        counting = {mark.row for mark in marked if mark.item_id == item.pk}
    found = _found_answers(item.topic, {item.key}, as_of)
    said = (*_marks(marks, counting, by_item=True), *_put(put, counting=None), *found)
    return Thing(title=item.kind, text=item.text, docno=item.docno, said=said)


# ---------------------------------------------------------------- nuggets


def _list_of(campaign: Campaign, about: About, as_of: int | None) -> NuggetList | None:
    """The list of the row's role: the one that counts, or a second assessor's newest."""
    topic = campaign.topics.filter(number=about.topic).first()
    if topic is None:
        return None
    if about.name in ("", PRIMARY):
        return official_list(topic.pk, as_of=as_of)
    second = [each for each in frozen_lists([topic.pk], as_of=as_of) if each.assignment.role == Assignment.Role.SECOND]
    return second[0] if second else None


def _nugget(nugget: Nugget, nuggets: NuggetList, run: Run | None, as_of: int | None) -> Thing:
    same = [pk for pk, number in lineages([nuggets])[nuggets.pk].numbers.items() if number == nugget.number]
    votes = _until(NuggetVote.objects.filter(nugget__in=same), as_of)
    marks = _until(NuggetMatch.objects.filter(nugget__in=same), as_of)
    if run is not None:
        marks = marks.filter(item__in=_returned(run, nuggets.topic))
    counting = {mark.row for mark in official_marks([nuggets], as_of=as_of, with_absent=True)}
    return Thing(
        title=f"nugget {nugget.number}",
        text=nugget.text,
        said=(
            *_written(nugget, nuggets, as_of),
            *_voted(votes),
            *_marks(marks, counting, by_item=False),
            *_found_nugget(nugget, nuggets, as_of),
        ),
    )


def _written(nugget: Nugget, nuggets: NuggetList, as_of: int | None) -> Iterable[Said]:
    """The edits of the nugget, over all versions of its owner's list."""
    edits = NuggetEdit.objects.filter(
        nugget_list__topic=nuggets.topic_id, nugget_list__owner=nuggets.owner_id, after__has_key=str(nugget.number)
    )
    rows = list(_until(edits, as_of).select_related("actor").order_by("id"))
    if not rows:
        return
    deeds = [
        Deed(number=row.pk, value=_state(row.after[str(nugget.number)]), at=row.created_at, how=row.action)
        for row in rows
    ]
    quotes = tuple(Quote(quote=source.quote, docno=source.docno) for source in nugget.sources.all() if source.quote)
    deeds[-1] = Deed(
        number=rows[-1].pk, value=deeds[-1].value, at=rows[-1].created_at, how=rows[-1].action, quotes=quotes
    )
    yield Said(
        question="Written on the list",
        role=PLAIN_ROLES[nuggets.assignment.role],
        assessor=rows[-1].actor.username,
        counts=True,
        deeds=in_turn(deeds),
    )


def _state(state: dict[str, Any] | None) -> str:
    if state is None:
        return "taken off the list"
    ended = ", merged into another" if state["merged_into"] else ", retired" if state["is_retired"] else ""
    return f"{state['importance']}: {state['text']}{ended}"


def _voted(votes: QuerySet[NuggetVote]) -> Iterable[Said]:
    for rows in _by(votes.select_related("assessor", "assignment"), lambda row: row.assessor_id):
        deeds = [_deed(row, row.importance or "taken back") for row in rows]
        yield _said("Vote on its importance", rows[-1], deeds, counts=rows[-1].importance is not None)


def _marks(marks: QuerySet[NuggetMatch], counting: set[int], *, by_item: bool) -> Iterable[Said]:
    """What was said of nuggets in items, by nugget and part or by item."""
    rows = marks.select_related("nugget", "item", "assessor", "assignment")
    for same in _by(rows, lambda row: (row.nugget.number, row.part, row.item_id, row.assessor_id)):
        newest = same[-1]
        part = f", part {newest.part}" if newest.part else ""
        place = (
            f"nugget {newest.nugget.number}{part}: {newest.nugget.text}" if by_item else f"“{newest.item.text}”{part}"
        )
        question = f"Does it contain {place}?" if by_item else f"Is it in {place}?"
        deeds = [
            _deed(
                row,
                "taken back" if row.value is None else row.get_value_display(),
                quotes=(Quote(quote=row.quote, docno=row.item.docno),) if row.quote else (),
            )
            for row in same
        ]
        yield _said(question, newest, deeds, counts=newest.pk in counting)


# ---------------------------------------------------------------- answer classes


def _groupers(answer_class: int) -> QuerySet[ClassAssignment, Any]:
    """The work in which anything was put into this class."""
    return ClassAssignment.objects.filter(answer_class=answer_class).values_list("assignment_id", flat=True)


def _named(labels: QuerySet[ClassLabel]) -> Iterable[Said]:
    rows = list(labels.select_related("edit__assignment").order_by("id"))
    if rows:
        deeds = [Deed(number=row.pk, value=row.label, at=row.created_at, how=HOWS[row.edit.how]) for row in rows]
        newest = rows[-1].edit
        yield Said(
            question="Its name",
            role=PLAIN_ROLES[newest.assignment.role],
            assessor=newest.actor.username,
            counts=True,
            deeds=in_turn(deeds),
        )


def _put(rows: QuerySet[ClassAssignment], *, counting: int | None) -> Iterable[Said]:
    """Who put which item into which class; ``counting``: the class whose members count."""
    known = rows.select_related("item", "answer_class", "edit", "edit__actor", "assignment")
    for same in _by(known, lambda row: (row.item_id, row.assignment_id)):
        newest = same[-1]
        deeds = [Deed(number=row.pk, value=_class(row), at=row.created_at, how=HOWS[row.edit.how]) for row in same]
        yield Said(
            question=f"Which answer is “{newest.item.text}”?",
            role=PLAIN_ROLES[newest.assignment.role],
            assessor=newest.edit.actor.username,
            counts=counting is not None and newest.answer_class_id == counting,
            deeds=in_turn(deeds),
        )


def _class(row: ClassAssignment) -> str:
    return "none" if row.answer_class is None else f"answer {row.answer_class.number}"


# ---------------------------------------------------------------- found while the topic was made


def _found_answers(topic: Topic, keys: Collection[str], as_of: int | None) -> Iterable[Said]:
    """What the topic's author had found of these answers before anybody judged them."""
    for each in carried_finds(topic, DraftFind.Kind.ANSWER, as_of=as_of):
        if answer_key(each.find.text, each.find.docno) in keys:
            yield _found(each, f"answer {each.place}")


def _found_nugget(nugget: Nugget, nuggets: NuggetList, as_of: int | None) -> Iterable[Said]:
    """Of what the topic's author had found, what became this nugget of their own list, whoever went on with it."""
    for each in carried_finds(nuggets.topic, DraftFind.Kind.NUGGET, as_of=as_of):
        if each.place == nugget.number and each.find.actor_id in _owners(nuggets):
            yield _found(each, f"nugget {each.place}")


def _owners(nuggets: NuggetList) -> set[int]:
    """Who wrote the list and the versions before it."""
    owners = {nuggets.owner_id}
    while nuggets.previous is not None:
        nuggets = nuggets.previous
        owners.add(nuggets.owner_id)
    return owners


def _found(each: Carried, place: str) -> Said:
    find = each.find
    how = f"draft {each.activity.data['draft']}"
    quotes = (Quote(quote=find.quote or find.text, docno=find.docno),)
    return Said(
        question="Found while the topic was made",
        role="author of the topic",
        assessor=find.actor.username,
        deeds=in_turn(
            [
                Deed(number=find.pk, value=find.text, at=find.created_at, how=how),
                Deed(
                    number=each.activity.pk,
                    value=f"{find.text}: taken into the judging as {place}",
                    at=each.activity.created_at,
                    how=how,
                    quotes=quotes,
                ),
            ]
        ),
    )


# ---------------------------------------------------------------- all


def _returned(run: Run | None, topic: Topic) -> set[int]:
    """The items of the run's response to a topic."""
    if run is None:
        return set()
    segments = Item.objects.filter(segments__response__run=run, segments__response__topic=topic)
    return set(segments.values_list("pk", flat=True))


def _until(rows: QuerySet[Any], as_of: int | None) -> QuerySet[Any]:
    return rows if as_of is None else rows.filter(id__lte=as_of)


def _by(rows: QuerySet[Any], key: Callable[[Any], object]) -> list[list[Any]]:
    """The rows of a ledger, in order, those with one key together."""
    found: dict[object, list[Any]] = {}
    for row in rows.order_by("id"):
        found.setdefault(key(row), []).append(row)
    return list(found.values())


def _deed(row: NuggetVote | NuggetMatch, value: str, quotes: tuple[Quote, ...] = ()) -> Deed:
    return Deed(number=row.pk, value=value, at=row.created_at, how=HOWS[row.how], quotes=quotes)


def _said(question: str, newest: NuggetVote | NuggetMatch, deeds: list[Deed], *, counts: bool) -> Said:
    assessor: User = newest.assessor
    return Said(
        question=question,
        role=PLAIN_ROLES[newest.assignment.role],
        assessor=assessor.username,
        counts=counts,
        deeds=in_turn(deeds),
    )
