"""Adding repeats and gold items, unannounced, to assignments, to measure how consistently assessors judge."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext, gettext_lazy

from assess.assignments.models import Assignment, ControlItem
from assess.base.errors import Conflict, Invalid
from assess.base.file_issues import Collector
from assess.base.files import Readable
from assess.base.numbers import grouped
from assess.campaigns.activity import lock_open, record_activity
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign
from assess.campaigns.queries import stage_of
from assess.controls.plan import (
    ControlItemRequest,
    Gold,
    PlannedWork,
    adjudicated_gold,
    control_item_plan,
    known_gold,
)
from assess.items.models import Item
from assess.judging.queries.stage_items import graded_stages
from assess.protocol import Stage
from scoring.file_kinds import COLUMNS, ColumnLayout, HeaderLayout, Kind, TableLayout, of_another_kind, recognise
from scoring.formats.separated import list_separator
from scoring.reading.opening import text_lines, wide_file
from scoring.reading.plain_names import KnownNames
from scoring.records import Issue
from scoring.wording import counted

FILE_LIMIT, LINES_LIMIT = 1_000_000, 50_000  # bytes that a page can hold until they are confirmed; lines
MOST = 1000  # repeats or gold items in one assignment
KEY_KEPT = 150  # characters of an item's key that its copy's key begins with
NO_WORK = gettext_lazy("Nothing can be added: no open work of this stage is without control items. Hand it out first.")


LAYOUT = "topic kind key criterion value"
_NAMES = LAYOUT.split()
_LAYOUT_WORDS = "topic, kind, key, criterion and value, with tabs or commas between"
_GOLD = (
    ColumnLayout(layout=LAYOUT, separator="\t"),
    TableLayout(layout=LAYOUT),
    HeaderLayout(layout=LAYOUT, groups=tuple(frozenset({name}) for name in _NAMES)),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class GoldAnswer:
    """One line of a gold file: the correct value of one item for one criterion."""

    line: int
    topic: str
    kind: str
    key: str
    criterion: str
    value: str


def read_gold(stream: Readable, *, report: Callable[[Issue], None]) -> list[GoldAnswer]:
    """Return the lines ``topic<tab>kind<tab>key<tab>criterion<tab>value`` of a file in UTF-8, or the rows of a CSV of
    these columns; report what is wrong. The first line may name the columns, then in any order.
    """
    content = stream.read(FILE_LIMIT + 1)
    if len(content) > FILE_LIMIT:
        report(Issue(where="", code="too-large", message=f"The file has more than {FILE_LIMIT:,} bytes. Split it."))
        return []
    if not content.removeprefix(b"\xef\xbb\xbf").strip():
        report(Issue(where="", code="empty-file", message="The file is empty. Check that the right file was chosen."))
        return []
    kinds: tuple[Kind, ...] = ("gold answers",)
    recognised = recognise(io.BytesIO(content))
    if (issue := of_another_kind(recognised, kinds, forms=COLUMNS, takes=_GOLD, layout=_LAYOUT_WORDS)) is not None:
        report(issue)
        return []
    if recognised.shape.is_wide:
        report(wide_file(recognised.shape.encoding))
        return []
    found: list[GoldAnswer] = []
    places = [*range(len(_NAMES))]
    separator = list_separator(content.decode("utf-8", "replace"))
    rows, is_named = 0, False
    for each in text_lines(io.BytesIO(content)):
        if isinstance(each, Issue):
            report(each)
            continue
        line, text = each
        if not text.strip():
            continue
        row = text.split("\t") if separator == "\t" else next(csv.reader([text], delimiter=separator))
        cells = [cell.strip() for cell in row]
        rows += 1
        if rows == 1 and sorted(cell.lower() for cell in cells) == sorted(_NAMES):
            is_named = True
            places = [[cell.lower() for cell in cells].index(name) for name in _NAMES]
            continue
        if len(found) >= LINES_LIMIT:
            message = f"The file has more than {LINES_LIMIT:,} lines. Split it."
            report(Issue(where=line, code="too-many", message=message))
            break
        if len(cells) != 5:
            message = (
                f"This line has {counted(len(cells), 'field')}; write topic, kind, key, criterion, value with "
                "tabs or commas between."
            )
            report(Issue(where=line, code="fields", message=message))
            continue
        topic, kind, key, criterion, value = (cells[place] for place in places)
        found.append(GoldAnswer(line=line, topic=topic, kind=kind, key=key, criterion=criterion, value=value))
    if is_named and rows == 1:
        message = "Below the names of the columns there is no answer. Check that the right file was chosen."
        report(Issue(where="", code="empty-file", message=message))
    return found


def check_gold(
    campaign: Campaign, stage: Stage, answers: Sequence[GoldAnswer], *, report: Callable[[Issue], None]
) -> dict[int, dict[int, dict[str, int]]]:
    """Return the answers by topic and item; report every fault with line, field and remedy. Two queries."""
    topics = dict(campaign.topics.values_list("number", "pk"))
    known = KnownNames(topics)
    named = {topics[answer.topic] for answer in answers if answer.topic in topics}
    stored = Item.objects.filter(topic__in=named, kind=stage.item_kind, repeats=None).order_by()
    items = {(topic, key): pk for topic, key, pk in stored.values_list("topic_id", "key", "pk")}
    keys_of = cache(lambda topic: KnownNames(key for each, key in items if each == topic))
    gold: dict[int, dict[int, dict[str, int]]] = {}
    for answer in answers:
        fault = _fault(stage, answer, topics, items, known, keys_of)
        if fault is not None:
            report(Issue(where=answer.line, code=fault[0], message=fault[1]))
            continue
        topic = topics[answer.topic]
        expected = gold.setdefault(topic, {}).setdefault(items[topic, answer.key], {})
        if expected.setdefault(answer.criterion, int(answer.value)) != int(answer.value):
            message = "Another line says something else of this item by this criterion. Leave one of them out."
            report(Issue(where=answer.line, code="twice", message=message))
    return gold


def plan_control_items(
    *,
    campaign: Campaign,
    stage: str,
    wish: ControlItemRequest,
    answers: Sequence[GoldAnswer] = (),
    name: str = "The gold file",
) -> list[PlannedWork]:
    """Return what `make_control_items` would add now; nothing is written.

    Without ``answers``, gold items are those that adjudicators decided. Raises `Invalid` for a stage in which nothing
    is graded, for numbers out of range, and if neither repeats nor gold items are asked for; and `BadFile`, which has
    ``name``, for answers with a fault, by line.
    """
    found = next((each for _, each in graded_stages(campaign) if each.key == stage), None)
    if found is None:
        known = ", ".join(each.key for _, each in graded_stages(campaign)) or "none"
        raise Invalid(
            gettext("Nothing can be added in “%(stage)s”: items are graded in these stages: %(known)s.")
            % {"stage": stage, "known": known}
        )
    if not (0 <= wish.repeats <= MOST and 0 <= wish.gold <= MOST) or wish.gap < 1 or wish.seed < 0:
        raise Invalid(
            gettext("Add at most %(most)s repeats and gold items in an assignment, at least 1 item apart.")
            % {"most": grouped(MOST)}
        )
    if not wish.repeats and not wish.gold:
        raise Invalid(gettext("Say how many repeats or gold items to add."))
    if answers:
        problems = Collector()
        gold: Gold = check_gold(campaign, found, answers, report=problems)
        problems.refuse_errors(name=name)
    else:
        topics = campaign.topics.values_list("pk", flat=True) if wish.gold else []
        gold = adjudicated_gold(found, topics)
    return control_item_plan(campaign, stage=stage, wish=wish, gold=gold)


def make_control_items(
    *, actor: User, campaign: Campaign, stage: str, wish: ControlItemRequest, answers: Sequence[GoldAnswer] = ()
) -> list[ControlItem]:
    """Add what `plan_control_items` plans to all open assignments of the stage without control items.

    An assignment gets fewer if few fit. An added item is a copy that is in no pool: it counts only in the progress of
    that assignment, and is in no export, score or measure of agreement. Raises `Conflict` if none fits at all or the
    campaign is closed, and what `plan_control_items` raises.
    """
    require_changeable(campaign)
    with transaction.atomic():
        _lock_works(campaign, stage)
        works = plan_control_items(campaign=campaign, stage=stage, wish=wish, answers=answers)
        control_items = _add(works, actor=actor, campaign=campaign, stage=stage, wish=wish)
        if not control_items:
            raise Conflict(_reason(works))
    return control_items


def add_usual_control_items(*, actor: User, campaign: Campaign, stages: Iterable[str]) -> list[ControlItem]:
    """Add the control items that the track asks for to open assignments of these stages that have none.

    Nothing is added if the stage asks for none, or if none fits. No query if the stages ask for none. Raises `Conflict`
    if the campaign is closed and a stage asks for some.
    """
    made: list[ControlItem] = []
    for key in sorted(set(stages)):
        _, stage = stage_of(campaign, key)
        checks = stage.checks
        if stage.work.key != "grade" or not (checks.repeats or checks.gold):
            continue
        every = checks.gold_every if checks.gold else 0
        wish = ControlItemRequest(repeat_share=checks.repeats, gold_every=every, gap=checks.gap)
        with transaction.atomic():
            _lock_works(campaign, key)
            works = control_item_plan(campaign, stage=key, wish=wish, gold=known_gold(campaign, stage))
            made += _add(works, actor=actor, campaign=campaign, stage=key, wish=wish)
    return made


def _add(
    works: Sequence[PlannedWork], *, actor: User, campaign: Campaign, stage: str, wish: ControlItemRequest
) -> list[ControlItem]:
    """Add the planned items, as copies that are in no pool, and record it as an activity if any were added."""
    originals = Item.objects.in_bulk({each.item for work in works for each in work.additions})
    control_items = []
    for work in works:
        for number, each in enumerate(work.additions):
            copy = _copy(originals[each.item], work.assignment)
            control_items.append(
                ControlItem(
                    assignment=work.assignment,
                    item=copy,
                    kind=each.kind,
                    expected=dict(each.expected),
                    place=each.slot + number + 1,
                )
            )
    if control_items:
        Item.objects.bulk_create([control_item.item for control_item in control_items], batch_size=500)
        ControlItem.objects.bulk_create(control_items, batch_size=500)
        data = {
            "stage": stage,
            "repeats": sum(each.repeats for each in works) if wish.repeat_share else wish.repeats,
            "gold": sum(each.gold for each in works) if wish.gold_every else wish.gold,
            "gap": wish.gap,
            "seed": wish.seed,
            "planted": len(control_items),
        }
        record_activity(actor=actor, action="plants.make", campaign=campaign, data=data)
    return control_items


def remove_control_items(*, actor: User, campaign: Campaign, stage: str) -> int:
    """Remove the control items of a stage that nobody has judged or asked about; return their number.

    Raises `Conflict` if the campaign is closed.
    """
    require_changeable(campaign)
    with transaction.atomic():
        _lock_works(campaign, stage)
        controls = ControlItem.objects.filter(assignment__campaign=campaign, assignment__stage=stage)
        untouched = controls.filter(item__judgments=None, item__help_requests=None)
        copies = list(untouched.values_list("item_id", flat=True))
        ControlItem.objects.filter(pk__in=list(untouched.values_list("pk", flat=True))).delete()
        Item.objects.filter(pk__in=copies).delete()
        if copies:
            data = {"stage": stage, "removed": len(copies)}
            record_activity(actor=actor, action="plants.remove", campaign=campaign, data=data)
    return len(copies)


def follow_design(*, before: Campaign, now: Campaign, moves: Mapping[tuple[str, int], int]) -> None:
    """Bring the known answers of gold items up to a new version of the campaign's design. Needs a transaction.

    Items with the answers that the version before gave get those of the new one. The answers of all others follow its
    ``moves``: (question, value before) -> new value. Answers that are on no scale any more are left out.
    """
    golds = ControlItem.objects.filter(assignment__campaign=now, kind=ControlItem.Kind.GOLD)
    controls = list(golds.select_related("assignment", "item"))
    stages = {key: stage_of(now, key)[1] for key in {each.assignment.stage for each in controls}}
    old = {key: known_gold(before, stage_of(before, key)[1]) for key in stages}
    new = {key: known_gold(now, stage) for key, stage in stages.items()}
    for each in controls:
        key, topic, item = each.assignment.stage, each.assignment.topic_id, each.item.repeats_id or 0
        given = new[key].get(topic, {}).get(item)
        if given is None or each.expected != old[key].get(topic, {}).get(item):
            given = {name: moves.get((name, value), value) for name, value in each.expected.items()}
        asked = ((stages[key].criterion(name), name, value) for name, value in given.items())
        each.expected = {name: value for known, name, value in asked if known is not None and known.allows(value)}
    ControlItem.objects.bulk_update(controls, ["expected"], batch_size=500)


def _lock_works(campaign: Campaign, stage: str) -> None:
    """Lock the campaign and the stage's assignments, so that nobody judges in them meanwhile. Raises `Conflict` if the
    campaign is closed.
    """
    lock_open(campaign)
    works = campaign.assignments.filter(stage=stage).order_by("pk").select_for_update(no_key=True)
    list(works.values_list("pk", flat=True))


def _copy(item: Item, assignment: Assignment) -> Item:
    return Item(
        topic_id=item.topic_id,
        kind=item.kind,
        key=f"{item.key[:KEY_KEPT]}#{assignment.pk}.{item.pk}",
        text=item.text,
        docno=item.docno,
        document_id=item.document_id,
        fields=item.fields,
        repeats=item,
    )


def _reason(works: Sequence[PlannedWork]) -> str:
    if not works:
        return str(NO_WORK)
    return gettext("Nothing can be added: %(topic)s %(why)s.") % {
        "topic": works[0].assignment.topic.number,
        "why": works[0].why,
    }


def _fault(
    stage: Stage,
    answer: GoldAnswer,
    topics: dict[str, int],
    items: dict[tuple[int, str], int],
    known: KnownNames,
    keys_of: Callable[[int], KnownNames],
) -> tuple[str, str] | None:
    """Return (code, sentence) on what is wrong with a gold answer, or None."""
    criterion = stage.criterion(answer.criterion)
    if answer.topic not in topics:
        return "topic", known.lacks("topic", answer.topic, "Use the campaign's topics.")
    if answer.kind != stage.item_kind:
        return "kind", f"This stage asks for items of the kind “{stage.item_kind}”, not “{answer.kind[:40]}”."
    if criterion is None:
        asked = ", ".join(each.key for each in stage.criteria)
        return "criterion", f"This stage does not ask for “{answer.criterion[:40]}”. It asks for: {asked}."
    digits = answer.value.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 6 and criterion.allows(int(answer.value))):
        scale = ", ".join(str(grade.value) for grade in criterion.grades)
        return "value", f"“{answer.value[:40]}” is not on the scale of {criterion.key}. Allowed are: {scale}."
    if (topics[answer.topic], answer.key) not in items:
        key = keys_of(topics[answer.topic]).listed(answer.key)
        return "key", f"Topic {answer.topic} has no item of this kind with the key {key}."
    return None
