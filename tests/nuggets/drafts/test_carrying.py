"""What authors found while they made a topic stands in its judging as their own, and opens it before there are runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.assignments.domain.assignments import create_assignment, finish_assignment, open_assignment
from assess.base.errors import Conflict
from assess.campaigns.queries import ledger_point
from assess.judging.snapshots import Snapshot
from assess.kinds.trace import find_trace
from assess.models import Assignment, Campaign, Item, Judgment, Topic, TopicDraft
from assess.organising.domain import change_state
from assess.protocol import DraftPart
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from assess.topic_drafts.domain.deciding import accept_draft
from assess.topic_drafts.domain.finding import add_find
from assess.topic_drafts.domain.writing import send_draft
from assess.work.domain import hand_over
from assess.work.queries.balance import balance_plan
from nuggets.classes.current import current_labels, members_of
from nuggets.models import ClassAssignment, Nugget, NuggetList
from nuggets.writing.lists import freeze_list
from scoring.release.explained import About
from tests import factories
from tests.assess import judged_campaign as judging
from tests.assess.topic_drafts.made_drafts import SERIES, drafted
from tests.pages import page_of
from tests.remembered import remembered
from tests.unpacked import unpack_release

pytestmark = pytest.mark.django_db
TEXT = "The harbor shop sells kites with a long string. So does Ann’s."


@pytest.fixture
@remembered
def made(campaign: Campaign, assessor: User, organiser: User) -> TopicDraft:
    """An accepted topic, 2, with two answers, one of them in two documents, and a nugget, of its author."""
    for docno in ("D1", "D2"):
        factories.document(campaign, docno, TEXT)
    third = DraftPart(key=3, task="rigid", text="Who flies them?")
    draft = drafted(campaign, assessor, replace(SERIES, parts=(third, *SERIES.parts)))
    for text, docno in (("harbor shop", "D1"), ("Harbor shop", "D2"), ("Ann’s", "D1")):
        add_find(actor=assessor, draft=draft, kind="answer", text=text, docno=docno, part=1, client_key=uuid4())
    add_find(
        actor=assessor, draft=draft, kind="nugget", text="Their strings are long", docno="D1", part=2,
        quote="a long string", span={"start": 33, "end": 46}, client_key=uuid4(),
    )  # fmt: skip
    send_draft(actor=assessor, draft=draft, client_key=uuid4())
    accept_draft(actor=organiser, draft=draft, client_key=uuid4())
    return TopicDraft.objects.select_related("topic").get(pk=draft.pk)


def begin(campaign: Campaign, number: str, stage: str, organiser: User, assessor: User, role: str = "primary"):
    topic = Topic.objects.get(campaign=campaign, number=number)
    work = create_assignment(actor=organiser, campaign=campaign, topic=topic, stage=stage, assessor=assessor, role=role)
    return open_assignment(actor=assessor, assignment=work)


def classes(work: Assignment) -> dict[str, set[tuple[str, str]]]:
    """The members of each class by its label."""
    rows = members_of(work).select_related("item")
    labels = current_labels({row.answer_class_id for row in rows})
    found: dict[str, set[tuple[str, str]]] = {}
    for row in rows:
        found.setdefault(labels[row.answer_class_id], set()).add((row.item.text, row.item.docno))
    return found


@pytest.mark.usefixtures("made")
def test_answers_found_are_classes_of_the_author_before_there_are_runs(
    campaign: Campaign, organiser: User, assessor: User
) -> None:
    """TAC, IV: the final set has the answers “found by the assessor during question development”."""
    work = begin(campaign, "2.2", "classes", organiser, assessor)
    expected = {"harbor shop": {("harbor shop", "D1"), ("Harbor shop", "D2")}, "Ann’s": {("Ann’s", "D1")}}
    assert classes(work) == expected
    assert set(Judgment.objects.values_list("value", "assessor__username")) == {(1, "assessor")}
    assert set(ClassAssignment.objects.values_list("is_found", flat=True)) == {True}
    carried = campaign.activities.get(action="draft.carry").data
    places = {"1": 1, "2": 1, "3": 2}  # find -> answer class
    assert carried == {
        "topic": "2.2", "stage": "classes", "carried": 3, "left": [], "draft": 1, "finds": places,
    }  # fmt: skip
    open_assignment(actor=assessor, assignment=work)  # taken up again: nothing comes in twice
    assert classes(work) == expected


@pytest.mark.usefixtures("made")
def test_nuggets_found_begin_the_authors_list_with_their_place(
    campaign: Campaign, organiser: User, assessor: User
) -> None:
    """TAC, V: nuggets come “from all responses” and from what was found “during question development”."""
    begin(campaign, "2.3", "nuggets", organiser, assessor)
    nugget = Nugget.objects.get(nugget_list__owner=assessor)
    source = nugget.sources.get()
    assert (nugget.number, nugget.text, nugget.importance) == (1, "Their strings are long", "okay")
    assert (source.docno, source.quote, source.span["start"]) == ("D1", "a long string", 33)


@pytest.mark.usefixtures("made")
def test_other_questions_and_lists_that_never_count_get_nothing_of_it(
    campaign: Campaign, organiser: User, assessor: User, second_assessor: User
) -> None:
    assert classes(begin(campaign, "2.1", "classes", organiser, assessor)) == {}
    begin(campaign, "2.3", "nuggets", organiser, second_assessor, role="second")
    assert not NuggetList.objects.exists()
    assert not campaign.activities.filter(action="draft.carry").exists()


@pytest.mark.usefixtures("made")
def test_what_was_found_belongs_to_the_topic_whoever_judges(
    campaign: Campaign, organiser: User, second_assessor: User, client: Client
) -> None:
    """Not the author judges: the answers and the nugget are there all the same, shown as the author's."""
    topic = campaign.topics.get(number="2.2")
    factories.pooled(topic, ["a kite shop"])
    grading = factories.assignment(topic, "instances", second_assessor)
    judging.judge(grading, "a kite shop", -1)
    Assignment.objects.filter(pk=grading.pk).update(state="done")
    work = begin(campaign, "2.2", "classes", organiser, second_assessor)
    expected = {"harbor shop": {("harbor shop", "D1"), ("Harbor shop", "D2")}, "Ann’s": {("Ann’s", "D1")}}
    assert classes(work) == expected
    writing = begin(campaign, "2.3", "nuggets", organiser, second_assessor)
    assert Nugget.objects.get(nugget_list__owner=second_assessor).text == "Their strings are long"
    client.force_login(second_assessor)
    page = page_of(client.get(reverse("workbench", args=["opinions", work.pk])))
    assert "Found by the topic’s author: 3" in page
    assert page.count("✎ found by the topic’s author") == 3
    assert "Found by the topic’s author: 1" in page_of(client.get(reverse("workbench", args=["opinions", writing.pk])))


@pytest.mark.usefixtures("made")
def test_a_release_holds_what_another_judge_began_with(
    campaign: Campaign, organiser: User, second_assessor: User, settings, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    begin(campaign, "2.3", "nuggets", organiser, second_assessor)
    freeze_list(actor=second_assessor, nugget_list=NuggetList.objects.get(), client_key=uuid4(), without_vital=True)
    change_state(actor=organiser, campaign=campaign, state="frozen")
    unpack_release(make_release(actor=organiser, campaign=campaign), tmp_path / "release")
    organiser.is_superuser = True
    copy = import_release(actor=organiser, path=tmp_path / "release", slug="copy")
    assert copy.activities.filter(action="draft.carry").count() == 1
    assert Nugget.objects.get(nugget_list__topic__campaign=copy).text == "Their strings are long"


@pytest.mark.usefixtures("made")
def test_work_handed_over_before_anybody_began_it_begins_with_what_was_found(
    campaign: Campaign, organiser: User, assessor: User, second_assessor: User
) -> None:
    topic = campaign.topics.get(number="2.3")
    work = create_assignment(actor=organiser, campaign=campaign, topic=topic, stage="nuggets", assessor=assessor)
    made = hand_over(actor=organiser, assignment=work, to=second_assessor)
    open_assignment(actor=second_assessor, assignment=made)
    assert Nugget.objects.get(nugget_list__owner=second_assessor).text == "Their strings are long"


@pytest.mark.usefixtures("made")
def test_only_the_author_begins_before_there_are_runs_and_nobody_ends(
    campaign: Campaign, organiser: User, assessor: User, second_assessor: User
) -> None:
    work = begin(campaign, "2.2", "classes", organiser, assessor)
    with pytest.raises(Conflict, match="It can be finished when “Judge instances” of this topic is done"):
        finish_assignment(actor=assessor, assignment=work)
    with pytest.raises(Conflict, match="Opens when “Judge instances” of this topic is done"):
        begin(campaign, "2.2", "classes", organiser, second_assessor, role="second")


@pytest.mark.usefixtures("made")
def test_with_runs_the_stage_before_comes_first_and_what_was_judged_otherwise_is_left(
    campaign: Campaign, organiser: User, assessor: User
) -> None:
    topic = campaign.topics.get(number="2.2")
    factories.pooled(topic, ["a kite shop"])
    same = factories.item(topic, "harbor shop", "D1")
    same.pool_items.create(pool=campaign.pools.get())
    with pytest.raises(Conflict, match="Opens when"):
        begin(campaign, "2.2", "classes", organiser, assessor)
    grading = factories.assignment(topic, "instances", assessor)
    for item in topic.items.all():
        judging.judge(grading, item.text, -1)
    Assignment.objects.filter(pk=grading.pk).update(state="done")
    work = begin(campaign, "2.2", "classes", organiser, assessor)
    assert classes(work) == {"Harbor shop": {("Harbor shop", "D2")}, "Ann’s": {("Ann’s", "D1")}}
    assert campaign.activities.get(action="draft.carry").data["left"] == [1]


@pytest.mark.usefixtures("made")
def test_a_release_carries_what_was_found_and_its_copy_has_the_same(
    campaign: Campaign, organiser: User, assessor: User, settings, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    begin(campaign, "2.2", "classes", organiser, assessor)
    begin(campaign, "2.3", "nuggets", organiser, assessor)
    freeze_list(actor=assessor, nugget_list=NuggetList.objects.get(), client_key=uuid4(), without_vital=True)
    change_state(actor=organiser, campaign=campaign, state="frozen")
    unpack_release(make_release(actor=organiser, campaign=campaign), tmp_path / "release")
    organiser.is_superuser = True
    copy = import_release(actor=organiser, path=tmp_path / "release", slug="copy")
    grouped = classes(copy.assignments.get(stage="classes"))
    assert grouped == {"harbor shop": {("harbor shop", "D1"), ("Harbor shop", "D2")}, "Ann’s": {("Ann’s", "D1")}}
    source = Nugget.objects.get(nugget_list__topic__campaign=copy).sources.get()
    assert (source.docno, source.quote) == ("D1", "a long string")


@pytest.mark.usefixtures("made")
def test_who_made_a_topic_gets_its_judging(campaign: Campaign, assessor: User, second_assessor: User) -> None:
    plan = balance_plan(campaign)
    own = {each.assessor.username for each in plan.handouts if each.role == "primary" and each.topic.number[0] == "2"}
    assert own == {"assessor"}


@pytest.mark.usefixtures("made")
def test_the_bench_shows_what_was_found_and_no_draft(
    client: Client, campaign: Campaign, organiser: User, assessor: User
) -> None:
    work = begin(campaign, "2.2", "classes", organiser, assessor)
    client.force_login(assessor)
    page = page_of(client.get(reverse("workbench", args=["opinions", work.pk])))
    assert "harbor shop" in page
    assert "Ann’s" in page


@pytest.mark.usefixtures("made")
def test_what_stands_behind_a_score_leads_to_where_it_was_found(
    campaign: Campaign, organiser: User, assessor: User, settings, tmp_path: Path
) -> None:
    """In the campaign and in a copy of its release alike."""
    settings.DATA_DIR = tmp_path / "data"
    begin(campaign, "2.2", "classes", organiser, assessor)
    begin(campaign, "2.3", "nuggets", organiser, assessor)
    freeze_list(actor=assessor, nugget_list=NuggetList.objects.get(), client_key=uuid4(), without_vital=True)
    point = ledger_point(campaign)
    change_state(actor=organiser, campaign=campaign, state="frozen")
    unpack_release(make_release(actor=organiser, campaign=campaign), tmp_path / "release")
    organiser.is_superuser = True
    for each in (campaign, import_release(actor=organiser, path=tmp_path / "release", slug="copy")):
        assert found_of(each, About(kind="nugget", topic="2.3", key="1")) == [
            (
                "Their strings are long",
                "Their strings are long: taken into the judging as nugget 1",
                "a long string",
                "D1",
            )
        ]
        item = Item.objects.get(topic__campaign=each, text="Ann’s")
        named = [("Ann’s", "Ann’s: taken into the judging as answer 2", "Ann’s", "D1")]
        assert found_of(each, About(kind="item", topic="2.2", name=item.kind, key=item.key)) == named
        assert found_of(each, About(kind="class", topic="2.2", key="2")) == named
        assert [row[0] for row in found_of(each, About(kind="class", topic="2.2", key="1"))] == [
            "harbor shop",
            "Harbor shop",
        ]
    first = campaign.activities.get(action="draft.carry", data__topic="2.3")
    assert found_of(campaign, About(kind="nugget", topic="2.3", key="1"), as_of=point) != []
    assert found_of(campaign, About(kind="nugget", topic="2.3", key="1"), as_of=first.pk - 1) == []


def found_of(campaign: Campaign, about: About, as_of: int | None = None) -> list[tuple[str, str, str, str]]:
    """What was found, as what it came in, and where it stands."""
    thing = find_trace(Snapshot(campaign, as_of), about, run=None)
    rows = [
        said for said in (thing.said if thing is not None else ()) if said.question == "Found while the topic was made"
    ]
    return [
        (said.acts[0].value, said.last.value, said.last.quotes[0].quote, said.last.quotes[0].docno) for said in rows
    ]
