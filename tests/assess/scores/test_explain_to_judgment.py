"""From a mean to the click: each value leads to those that it is made of, and they to what people said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from assess.base.errors import NotFound
from assess.campaigns.queries import ledger_point
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.kinds.trace import JudgmentTrace, find_trace
from assess.machines.domain import machine_account
from assess.models import Campaign, Document, Item, Judgment
from assess.scores.trace import judgments_behind, path_to
from nuggets.models import NuggetList
from scoring.release.explained import About, Explanation, Step
from tests import factories
from tests.assess.judged_campaign import judge, key, work
from tests.assess.scored_campaign import voted
from tests.pages import page_of
from tests.remembered import remembered

pytestmark = pytest.mark.usefixtures("frozen")


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module: `frozen` takes back what a test writes."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def campaign(frozen: NuggetList) -> Campaign:
    return Campaign.objects.get(slug="opinions")


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return User.objects.get(username="organiser")


@pytest.fixture
def assessor(campaign: Campaign) -> User:
    return User.objects.get(username="assessor")


@pytest.fixture
@remembered
def judged(campaign: Campaign) -> Campaign:
    return campaign


def behind(campaign: Campaign, about: About, *, tag: str = "Amber1", as_of: int | None = None) -> JudgmentTrace:
    found = find_trace(Snapshot(campaign, as_of), about, run=campaign.runs.get(tag=tag))
    assert found is not None
    return found


def item_named(campaign: Campaign, text: str) -> Item:
    return Item.objects.get(topic__campaign=campaign, text=text)


def about(item: Item) -> About:
    return About(kind="item", topic=item.topic.number, name=item.kind, key=item.key)


def get(client: Client, campaign: Campaign, name: str, **query: str) -> str:
    answer = client.get(reverse(name, args=[campaign.slug]), query)
    assert answer.status_code == 200
    return page_of(answer)


# ---------------------------------------------------------------- what is found


def test_an_item_shows_all_that_was_said_of_it_and_what_that_changed(judged: Campaign) -> None:
    found = behind(judged, about(item_named(judged, "blue")))
    judgment, grouped = found.said
    assert (judgment.role, judgment.assessor, judgment.counts) == ("primary assessor", "assessor", True)
    assert [(act.value, act.was, act.note) for act in judgment.acts] == [
        ("unsupported (2)", "", "First I thought so."),
        ("correct (1)", "unsupported (2)", ""),
    ]
    assert [act.value for act in judgment.earlier] == ["unsupported (2)"]
    assert [act.number for act in judgment.acts] == list(
        Judgment.objects.filter(item__text="blue").order_by("id").values_list("pk", flat=True)
    )
    assert grouped.question == "Which answer is “blue”?" and grouped.last.value == "answer 1"


@pytest.mark.parametrize(
    ("highest", "name"), [(2, "highly relevant (2)"), (3, "highly relevant (2)"), (4, "relevant (2)")]
)
def test_a_grade_is_named_by_the_scale_of_the_campaign(
    organiser: User, assessor: User, highest: int, name: str
) -> None:
    campaign = factories.campaign(organiser=organiser, slug="ranked", track="adhoc")
    Campaign.objects.filter(pk=campaign.pk).update(settings={"highest_grade": highest}, state=Campaign.State.JUDGING)
    campaign.refresh_from_db()
    topic = factories.topic(campaign, "9", "bees", task="ranking")
    document = Item.objects.create(topic=topic, kind="document", key="D1", docno="D1")
    given = JudgmentInput(item=document, criterion="relevance", value=2, client_key=key("D1", highest))
    record_judgment(actor=assessor, assignment=factories.assignment(topic, "documents", assessor), judgment=given)
    found = find_trace(Snapshot(campaign), about(document), run=None)
    assert found is not None and [said.last.value for said in found.said] == [name]


def test_a_ledger_point_shows_what_was_said_until_then(judged: Campaign, assessor: User) -> None:
    point = ledger_point(judged)
    judge(judged.assignments.get(stage="instances"), "blue", -1, again=1)
    later = behind(judged, about(item_named(judged, "blue")))
    before = behind(judged, about(item_named(judged, "blue")), as_of=point)
    assert [len(each.said[0].acts) for each in (before, later)] == [2, 3]


def test_another_assessors_judgment_is_kept_and_does_not_count(judged: Campaign, second_assessor: User) -> None:
    judge(work(judged, "1.1", "instances", second_assessor, role="second"), "blue", -1)
    found = behind(judged, about(item_named(judged, "blue"))).said
    assert [(each.role, each.counts) for each in found[:2]] == [("primary assessor", True), ("second assessor", False)]


def test_evidence_stands_in_its_document(judged: Campaign, assessor: User) -> None:
    item = item_named(judged, "green")
    text = "Before it. " + "x" * 300 + " The words. After it."
    document: Document = factories.document(judged, item.docno, text)
    Item.objects.filter(pk=item.pk).update(document=document)
    start = text.index("The words.")
    snippet = {"quote": "The words.", "start": start, "end": start + 10, "prefix": "", "suffix": "", "value": None}
    row = Judgment.objects.get(item=item)
    row.pk, row.id, row.client_key = 0, 0, key("evidence")
    row.evidence = [{**snippet, "digest": document.text_sha256}]
    row.save()
    (quote,) = behind(judged, about(item)).said[0].last.quotes
    assert (quote.quote, quote.after, quote.docno) == ("The words.", " After it.", item.docno)
    assert quote.before.endswith("xxx ") and len(quote.before) == 240


def test_a_nugget_shows_who_wrote_it_voted_on_it_and_found_it(
    judged: Campaign, frozen: NuggetList, second_assessor: User
) -> None:
    voted(judged, frozen, second_assessor)
    found = behind(judged, About(kind="nugget", topic="1.2", name="primary", key="1"))
    written, vote, mark = found.said
    assert (found.title, found.text) == ("nugget 1", "cheap")
    assert (written.question, written.role, written.last.value) == (
        "Written on the list",
        "primary assessor",
        "vital: cheap",
    )
    assert [(act.value, act.was) for act in vote.acts] == [("okay", ""), ("vital", "okay")]
    assert vote.role == "second assessor"
    assert (mark.question, mark.last.value) == ("Is it in “It is cheap and light.”?", "contains the nugget")


def test_only_the_strings_of_the_run_are_shown(judged: Campaign) -> None:
    wanted = About(kind="nugget", topic="1.2", name="primary", key="2")
    assert any("Is it in" in said.question for said in behind(judged, wanted).said)
    assert not any("Is it in" in said.question for said in behind(judged, wanted, tag="Coral1").said)


def test_an_answer_class_shows_its_name_and_members(judged: Campaign) -> None:
    found = behind(judged, About(kind="class", topic="1.1", key="1"))
    assert (found.title, found.text) == ("answer 1", "blue")
    assert [said.question for said in found.said] == ["Its name", "Which answer is “blue”?"]
    of_others = behind(judged, About(kind="class", topic="1.1", key="1"), tag="Coral1")
    assert [said.question for said in of_others.said] == ["Its name"]


@pytest.mark.parametrize(
    "unknown",
    [
        About(kind="item", topic="1.1", name="instance", key="none such"),
        About(kind="item", topic="9.9", name="instance", key="blue"),
        About(kind="nugget", topic="1.2", name="primary", key="99"),
        About(kind="nugget", topic="1.2", name="second", key="1"),
        About(kind="nugget", topic="1.2", name="primary", key="x"),
        About(kind="wording", topic="1.2", key="no such words"),
        About(kind="class", topic="1.1", key="99"),
        About(kind="class", topic="1.2", key="1"),
    ],
)
def test_what_nobody_knows_is_nothing(judged: Campaign, unknown: About) -> None:
    assert find_trace(Snapshot(judged), unknown, run=None) is None


@pytest.mark.parametrize(
    "row", ["", "2", "2.", ".1", "0.1", "2.0", "9.1", "2.99", "-1.1", "²", "1.1.1", "9" * 30 + ".1"]
)
def test_a_row_that_is_not_there_is_not_found(judged: Campaign, row: str) -> None:
    with pytest.raises(NotFound):
        judgments_behind(Snapshot(judged), run="Amber1", topic="1.1", measure="F", row=row)


# ---------------------------------------------------------------- pages


def test_the_links_lead_from_the_mean_to_the_judgment(judged: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    address = reverse("score-explain", args=[judged.slug]) + "?run=Amber1&topic=all&measure=combined"
    for wanted in ("topic=1&measure=combined", "topic=1&measure=rigid", "topic=1.1&measure=F", "row=2.1"):
        text = page_of(client.get(address))
        assert "With exact figures" in text
        links = [unescape(link) for link in re.findall(r'href="([^"]*/scores/explain/[^"]*)"', text)]
        address = next(link for link in links if wanted in link)
    text = page_of(client.get(address))
    assert "correct (1)" in text and "changed from unsupported (2)" in text and "(assessor)" in text
    crumbs = re.search(r'<nav class="crumb".*?</nav>', text, re.DOTALL)
    assert crumbs is not None
    way = re.findall(r">([^<>]+)</a>", crumbs.group())
    assert way == ["Scores", "Amber1", "Combined over all topics", "Combined on 1", "Rigid on 1", "F on 1.1"]
    for link in re.findall(r'href="([^"]+)"', crumbs.group()):
        assert client.get(unescape(link)).status_code == 200, link


@pytest.mark.parametrize(("between", "is_found"), [(["b", "c"], True), (["b", "c", "d"], False)])
def test_a_way_has_three_values_at_most(judged: Campaign, between: list[str], is_found: bool) -> None:
    below = dict(zip(["combined", *between], [*between, "sought"], strict=True))

    def explain(topic: str, measure: str) -> Explanation:
        names = [below[measure]] if measure in below else []
        about = tuple(About(kind="score", topic="1", name=name) for name in names)
        step = Step(label="made of", value="", rows=tuple((name,) for name in names), about=about)
        return Explanation(run="Amber1", topic=topic, measure=measure, value=1.0, formula="", steps=(step,))

    way = path_to(Snapshot(judged), run="Amber1", topic="1", measure="sought", explain=explain)
    assert way == ([("all", "combined"), *(("1", name) for name in between)] if is_found else [])


def test_participants_see_roles_and_neither_names_nor_notes(judged: Campaign, organiser: User, client: Client) -> None:
    Judgment.objects.filter(item__text="red").get()
    judge(judged.assignments.get(stage="instances"), "red", 1, again=1, note="Said by the assessor in private.")
    Campaign.objects.filter(pk=judged.pk).update(state=Campaign.State.RELEASED)
    client.force_login(User.objects.get(username="amber"))
    query = {"run": "Amber1", "topic": "1.1", "measure": "F", "row": "2.2"}
    text = get(client, judged, "score-judgments", **query)
    assert "said by the primary assessor" in text and "correct (1)" in text
    assert "(assessor)" not in text and "in private" not in text
    api = client.get(f"/api/v1/campaigns/{judged.slug}/scores/explain/judgments/", query).json()
    assert {(said["role"], said["assessor"]) for said in api["said"]} == {("primary assessor", "")}
    assert "in private" not in str(api)
    client.force_login(organiser)
    assert "in private" in get(client, judged, "score-judgments", **query)
    api = client.get(f"/api/v1/campaigns/{judged.slug}/scores/explain/judgments/", query).json()
    assert {said["assessor"] for said in api["said"]} == {"assessor"}


def test_what_machines_said_is_shown_to_organisers_alone(judged: Campaign, organiser: User, client: Client) -> None:
    red = item_named(judged, "red")
    machine = machine_account(actor=organiser, campaign=judged, name="Oracle")
    judge(factories.assignment(red.topic, "instances", machine, role="machine"), "red", 2)
    Campaign.objects.filter(pk=judged.pk).update(state=Campaign.State.RELEASED)
    query = {"run": "Amber1", "topic": "1.1", "measure": "F", "row": "2.2"}
    for name, roles in (("amber", {"primary assessor"}), (organiser.username, {"primary assessor", "machine judge"})):
        client.force_login(User.objects.get(username=name))
        text = get(client, judged, "score-judgments", **query)
        assert {role for role in ("primary assessor", "machine judge") if f"said by the {role}" in text} == roles
        api = client.get(f"/api/v1/campaigns/{judged.slug}/scores/explain/judgments/", query).json()
        assert {said["role"] for said in api["said"]} == roles


def test_texts_of_runs_are_shown_as_text(judged: Campaign, organiser: User, client: Client) -> None:
    Item.objects.filter(text="blue").update(text="<script>alert(1)</script>")
    client.force_login(organiser)
    text = get(client, judged, "score-judgments", run="Amber1", topic="1.1", measure="F", row="2.1")
    assert "<script>alert" not in text and "&lt;script&gt;alert" in text


def test_what_was_not_judged_says_so(judged: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    text = get(client, judged, "score-judgments", run="Coral1", topic="1.1", measure="F", row="2.1")
    assert "Nobody said anything of this" in text
