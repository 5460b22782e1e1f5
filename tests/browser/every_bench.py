"""One small assignment on every bench on which something is stored, for what must hold on all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.kinds.picks.record import record_picks
from assess.models import Activity, Assignment, Campaign, Item, Judgment
from nuggets.classes.record import create_class
from nuggets.models import ClassEdit, ItemReview, NuggetEdit, NuggetList, NuggetMatch, NuggetVote
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.record import add_nugget
from tests import factories
from tests.benches import Benches
from tests.nuggets.conftest import judge

DOCNO = "BLOG06-20060101-000-0000000001"
BENCHES = ("grade", "picks", "nuggets", "matches", "votes", "classes", "adjudication")
ANSWERS = ["blue bicycle", "Blue  bicycle", "green bicycle", "red bicycle", "silver bicycle"]
Row = tuple[Any, ...]


@dataclass(frozen=True, kw_only=True)
class Bench:
    """A bench for somebody: where it is, and what its ledgers hold, as (what, of which thing …) in their order."""

    person: User
    path: str
    rows: Callable[[], list[Row]]

    def open(self, page: Page, site: LiveServer) -> Page:
        """The bench in a window, ready for keys."""
        page.goto(f"{site.url}{self.path}")
        expect(page.locator(".bench-foot [data-key]:not([hidden]), .bench-form [data-key]").first).to_be_visible()
        return page


@dataclass(frozen=True, kw_only=True)
class Makers:
    """Makes the work of a bench anew, each in a topic of its own that nobody worked on."""

    benches: Benches
    campaign: Campaign
    assessor: User
    second: User
    adjudicator: User
    organiser: User

    def make(self, name: str) -> Bench:
        """The bench of this name."""
        make: Callable[[], Bench] = getattr(self, name)
        return make()

    def begin(self, name: str) -> None:
        """Some of the work, where keys would otherwise have little to do: three picks, twelve classes."""
        if name == "picks":
            work = self.benches.work["figures"]
            items = self.benches.items("figure")[:3]
            record_picks(actor=work.assessor, assignment=work, items=items, client_key=uuid4())
        if name == "classes":
            work = self.campaign.assignments.get(stage="classes")
            for item in work.topic.items.order_by("pk")[2:]:
                create_class(actor=self.assessor, assignment=work, items=[item], label=item.text, client_key=uuid4())

    def grade(self) -> Bench:
        factories.pooled(self.campaign.topics.get(number="1.1"), ANSWERS)
        work = factories.assignment(self.campaign.topics.get(number="1.1"), "instances", self.assessor)
        return self._bench(work, lambda: judged(Judgment.objects.filter(assignment=work)))

    def picks(self) -> Bench:
        work = self.benches.work["figures"]
        return self._bench(work, lambda: picked(work))

    def nuggets(self) -> Bench:
        work = self._writing(["cheap wine", "kind staff", "odd snacks"])
        before = NuggetEdit.objects.count()
        return self._bench(work, lambda: edited(before))

    def matches(self) -> Bench:
        self._frozen([f"fact {number}" for number in range(1, 13)])
        work = factories.assignment(self.campaign.topics.get(number="1.2"), "matches", self.assessor)
        return self._bench(work, matched)

    def votes(self) -> Bench:
        self._frozen(["cheap wine", "kind staff", "odd snacks", "late hours"])
        work = factories.assignment(self.campaign.topics.get(number="1.2"), "votes", self.second, role="second")
        return self._bench(work, voted)

    def classes(self) -> Bench:
        topic = self.campaign.topics.get(number="1.1")
        grading = factories.assignment(topic, "instances", self.assessor)
        for text in [*ANSWERS, *(f"{chr(97 + place)} colour" for place in range(9))]:
            judge(factories.item(topic, text), grading, 1)
        Assignment.objects.filter(pk=grading.pk).update(state="done")
        return self._bench(factories.assignment(topic, "classes", self.assessor), grouped)

    def adjudication(self) -> Bench:
        topic = self.campaign.topics.get(number="1.1")
        first = factories.assignment(topic, "instances", self.assessor)
        second = factories.assignment(topic, "instances", self.second, role="second")
        for item in factories.pooled(topic, ANSWERS):
            judge(item, first, 1)
            judge(item, second, -1)
        rows = Judgment.objects.filter(assignment__role="adjudicator")
        path = f"/c/{self.campaign.slug}/adjudication/instances/correctness/"
        return Bench(person=self.adjudicator, path=path, rows=lambda: judged(rows.all()))

    def _bench(self, work: Assignment, rows: Callable[[], list[Row]]) -> Bench:
        return Bench(person=work.assessor, path=f"/c/{work.campaign.slug}/work/{work.pk}/", rows=rows)

    def _writing(self, texts: list[str]) -> Assignment:
        topic = self.campaign.topics.get(number="1.2")
        items = factories.pooled(topic, ["It is cheap and light.", "It broke in a week.", "The staff are kind."])
        factories.response(factories.run(self.campaign, "Harbor1", self.organiser), topic, items)
        work = factories.assignment(topic, "nuggets", self.assessor)
        made = start_list(actor=self.assessor, assignment=work)
        for text in texts:
            add_nugget(actor=self.assessor, nugget_list=made, text=text, importance="vital", client_key=uuid4())
        return work

    def _frozen(self, texts: list[str]) -> None:
        work = self._writing(texts)
        freeze_list(actor=self.assessor, nugget_list=NuggetList.objects.get(assignment=work), client_key=uuid4())
        Assignment.objects.filter(pk=work.pk).update(state="done")


def judged(rows: Any) -> list[Row]:
    found = rows.order_by("id").select_related("item")
    return [(row.item.text, row.criterion, row.value, row.note, row.evidence, row.how) for row in found]


def picked(work: Assignment) -> list[Row]:
    """The places, and what was said of "none of them"."""
    none = Activity.objects.filter(action="picks.none", object_id=str(work.pk)).order_by("id")
    return [*judged(Judgment.objects.filter(assignment=work)), *((row.data["none"],) for row in none)]


def voted() -> list[Row]:
    rows = NuggetVote.objects.order_by("id").select_related("nugget")
    return [(row.nugget.number, row.importance, row.how) for row in rows]


def matched() -> list[Row]:
    marks = NuggetMatch.objects.order_by("id").select_related("item", "nugget")
    found: list[tuple[int, Row]] = [
        (row.pk, (row.item.text, row.nugget.number, row.part, row.value, row.quote, row.how)) for row in marks
    ]
    reviews = ItemReview.objects.order_by("id").select_related("item")
    found += [(row.pk, (row.item.text, row.is_reviewed, row.how)) for row in reviews]
    return [row for _, row in sorted(found)]


def edited(skip: int) -> list[Row]:
    """The edits of the list after those that were there before, each with the nuggets as it left them."""

    def said(states: dict[str, Any]) -> list[Row]:
        return [
            (number, state and (state["text"], state["importance"], state["position"], state["is_retired"]))
            for number, state in sorted(states.items())
        ]

    return [(row.action, said(row.after)) for row in NuggetEdit.objects.order_by("id")[skip:]]


def grouped() -> list[Row]:
    """The edits of the grouping: items by their text, classes by their number."""
    texts = dict(Item.objects.values_list("pk", "text"))
    rows = list(ClassEdit.objects.order_by("id").prefetch_related("labels__answer_class", "members__answer_class"))
    return [
        (
            row.action,
            sorted((each.answer_class.number, each.label) for each in row.labels.all()),
            sorted(
                (texts[each.item_id], each.answer_class.number if each.answer_class else 0)
                for each in row.members.all()
            ),
            row.how,
        )
        for row in rows
    ]
