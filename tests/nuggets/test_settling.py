"""Settling marks of nuggets and votes on them: what is disputed, what a decision makes official, and taking it back."""

from __future__ import annotations

import io
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.adjudication.domain import decide
from assess.adjudication.queries.disagreements import disputed_questions, open_disagreements
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.campaigns.queries import stage_of
from assess.exports.writing import collect_records, export_lines, find_export
from assess.judging.snapshots import Snapshot
from assess.kinds.base import Tally
from assess.kinds.opinions import Decision
from assess.models import Assignment, Campaign, Item, Membership, Topic
from assess.organising.queries.freezing import freeze_state
from assess.replay.replaying import import_judgments
from nuggets.matches.current import official_marks
from nuggets.matches.record import MatchInput, record_match, review_items
from nuggets.matches.tally import missing_matches, tally_matches
from nuggets.models import NuggetList, NuggetMatch
from tests import factories
from tests.assess import judged_campaign as judging
from tests.nuggets.settled import export_of, importances, rows_of, settle
from tests.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def marked(
    frozen: NuggetList, squishy: Topic, squishy_items: list[Item], assessor: User, second_assessor: User
) -> dict[str, Assignment]:
    """The author found nugget 1 in the first string, the other nugget 2 in the second; both finished both."""
    works = {
        "author": factories.assignment(squishy, "matches", assessor),
        "other": factories.assignment(squishy, "matches", second_assessor, role="second"),
    }
    mark(works["author"], frozen, 1, squishy_items[0], quote="cheap")
    mark(works["other"], frozen, 2, squishy_items[1], quote="broke")
    for number, work in enumerate(works.values()):
        review_items(actor=work.assessor, assignment=work, items=squishy_items[:2], client_key=UUID(int=900 + number))
    return works


def mark(work: Assignment, nuggets: NuggetList, number: int, item: Item, value: str = "full", quote: str = "") -> None:
    match = MatchInput(
        nugget=nuggets.nuggets.get(number=number), item=item, value=value, quote=quote, client_key=uuid4()
    )
    record_match(actor=work.assessor, assignment=work, match=match)


def official(frozen: NuggetList, as_of: int | None = None) -> set[tuple[int, str, str]]:
    texts = dict(Item.objects.values_list("pk", "text"))
    return {
        (each.number, texts[each.item_id], each.quote)
        for each in official_marks([frozen], at=Snapshot(frozen.topic.campaign, as_of))
    }


CHEAP, WEEK = "It is cheap and light.", "It broke in a week."
AUTHORS = {(1, CHEAP, "cheap")}


def test_a_nugget_that_one_found_and_the_other_finished_without_is_disputed(
    campaign: Campaign, marked: dict[str, Assignment], squishy_items: list[Item]
) -> None:
    rows = rows_of(campaign, "matches")
    assert [(row.thing.number, row.thing.item_id, sorted(row.values), row.size) for row in rows] == [
        (1, squishy_items[0].pk, [0, 1], 1),
        (2, squishy_items[1].pk, [0, 1], 1),
    ]
    assert [(each.stage.key, each.left) for each in disputed_questions(campaign)] == [("matches", 2)]
    assert open_disagreements(campaign) == 2
    assert "disagreements" in {issue.code for issue in freeze_state(campaign).issues}


def test_what_one_has_not_finished_is_not_disputed_yet(
    campaign: Campaign, frozen: NuggetList, marked: dict[str, Assignment], squishy_items: list[Item]
) -> None:
    mark(marked["author"], frozen, 3, squishy_items[2])
    assert len(rows_of(campaign, "matches")) == 2
    mark(marked["other"], frozen, 3, squishy_items[2], value="absent")
    assert len(rows_of(campaign, "matches")) == 3


def test_a_decided_mark_counts_and_keeps_what_was_selected(
    campaign: Campaign, frozen: NuggetList, marked: dict[str, Assignment], adjudicator: User
) -> None:
    before = NuggetMatch.objects.latest("id").pk
    cheap, week = rows_of(campaign, "matches")
    settle(adjudicator, campaign, "matches", week, 1)
    assert official(frozen) == {(1, CHEAP, "cheap"), (2, WEEK, "broke")}
    settle(adjudicator, campaign, "matches", cheap, 0)
    assert official(frozen) == {(2, WEEK, "broke")}
    assert official(frozen, as_of=before) == AUTHORS
    export = find_export(campaign, "matches.tsv")
    assert export is not None
    (found,) = [each for each in collect_records(Snapshot(campaign), export) if each.marks]
    assert [(number, found.items[item][1]) for item, number, _ in found.marks] == [(2, WEEK)]
    assert {row.decided for row in rows_of(campaign, "matches")} == {0, 1}
    work = campaign.assignments.get(role="adjudicator")
    assert (work.stage, work.state, work.assessor) == ("matches", "done", adjudicator)


@pytest.mark.parametrize("way", [(1, None), (0, None), (1, 0, None), (0, 1, None), (0, 1, 0, 1, None), (1, 1, None)])
def test_taking_a_decision_back_lets_the_authors_mark_count_again(
    campaign: Campaign, frozen: NuggetList, marked: dict[str, Assignment], adjudicator: User, way: tuple[int | None]
) -> None:
    for value in way:
        for row in rows_of(campaign, "matches"):
            before = NuggetMatch.objects.count()
            settle(adjudicator, campaign, "matches", row, value)
            assert NuggetMatch.objects.count() == before + 1
            said = {None: None, 0: "absent", 1: "full"}[value]
            assert NuggetMatch.objects.latest("id").value == said
            (now,) = (each for each in rows_of(campaign, "matches") if each.name == row.name)
            assert now.decided == value
    assert official(frozen) == AUTHORS
    assert tally_matches([campaign.assignments.get(role="adjudicator")]).popitem()[1] == Tally(
        done=0, total=2, unit="disagreements"
    )


def test_the_same_key_marks_once(campaign: Campaign, marked: dict[str, Assignment], adjudicator: User) -> None:
    row, key = rows_of(campaign, "matches")[0], uuid4()
    assert settle(adjudicator, campaign, "matches", row, 0, key=key) == settle(
        adjudicator, campaign, "matches", row, 0, key=key
    )
    with pytest.raises(Conflict, match="said something else then"):
        settle(adjudicator, campaign, "matches", row, 1, key=key)
    assert NuggetMatch.objects.filter(assessor=adjudicator).count() == 1


def test_the_same_key_is_the_first_row_though_a_side_selected_something_since(
    campaign: Campaign, frozen: NuggetList, marked: dict[str, Assignment], adjudicator: User, squishy_items: list[Item]
) -> None:
    mark(marked["author"], frozen, 1, squishy_items[0])
    row, key = rows_of(campaign, "matches")[0], uuid4()
    first = settle(adjudicator, campaign, "matches", row, 1, key=key)
    mark(marked["author"], frozen, 1, squishy_items[0], quote="light")
    assert settle(adjudicator, campaign, "matches", row, 1, key=key) == first


@pytest.mark.parametrize(("value", "counts"), [(None, AUTHORS), (0, set())])
def test_a_decision_stands_instead_of_parts_that_the_adjudicator_marked(
    campaign: Campaign,
    frozen: NuggetList,
    marked: dict[str, Assignment],
    adjudicator: User,
    squishy_items: list[Item],
    value: int | None,
    counts: set[tuple[int, str, str]],
) -> None:
    row = rows_of(campaign, "matches")[0]
    settle(adjudicator, campaign, "matches", row, 1)
    part = MatchInput(nugget=frozen.nuggets.get(number=1), item=squishy_items[0], part=1, client_key=uuid4())
    record_match(actor=adjudicator, assignment=campaign.assignments.get(role="adjudicator"), match=part)
    settle(adjudicator, campaign, "matches", row, value)
    assert official(frozen) == counts
    assert rows_of(campaign, "matches")[0].decided == value


def test_nobody_settles_their_own_marks_or_their_own_teams_strings(
    campaign: Campaign,
    marked: dict[str, Assignment],
    assessor: User,
    second_assessor: User,
    adjudicator: User,
    organiser: User,
    squishy: Topic,
    squishy_items: list[Item],
) -> None:
    row = rows_of(campaign, "matches")[0]
    for person in (assessor, second_assessor):
        assert rows_of(campaign, "matches", person) == []
        with pytest.raises(NotAllowed, match="You judged this item yourself"):
            settle(person, campaign, "matches", row, 1)
    factories.response(factories.run(campaign, "Harbor1", organiser), squishy, squishy_items[:1])
    Membership.objects.create(campaign=campaign, user=adjudicator, role="participant", team="Harbor")
    with pytest.raises(Conflict, match="You take part for the team Harbor"):
        settle(adjudicator, campaign, "matches", row, 1)


def test_a_frozen_campaign_and_what_is_not_on_the_scale_are_refused(
    campaign: Campaign, marked: dict[str, Assignment], adjudicator: User, organiser: User
) -> None:
    row = rows_of(campaign, "matches")[0]
    with pytest.raises(Invalid, match=r"2 is not on the scale. Allowed are: 1 \(yes\), 0 \(no\)"):
        settle(adjudicator, campaign, "matches", row, 2)
    found = stage_of(campaign, "matches")[1]
    noted = Decision(thing=row.name, criterion="match", value=1, client_key=uuid4(), note="I see it.")
    with pytest.raises(Invalid, match="No note is kept"):
        decide(actor=adjudicator, campaign=campaign, stage=found, decision=noted)
    Campaign.objects.update(state="frozen")
    with pytest.raises(Conflict, match="nothing can be judged now"):
        settle(adjudicator, campaign, "matches", row, 1)
    assert not campaign.assignments.filter(role="adjudicator").exists()


def test_a_string_that_an_adjudicator_finished_holds_what_they_marked_and_no_more(
    campaign: Campaign, frozen: NuggetList, marked: dict[str, Assignment], adjudicator: User, squishy_items: list[Item]
) -> None:
    whole = factories.assignment(marked["author"].topic, "matches", adjudicator, role="adjudicator")
    mark(whole, frozen, 3, squishy_items[0])
    assert official(frozen) == {*AUTHORS, (3, CHEAP, "")}
    review_items(actor=adjudicator, assignment=whole, items=squishy_items[:1], client_key=uuid4())
    assert official(frozen) == {(3, CHEAP, "")}
    decided = {(row.thing.number, row.decided) for row in rows_of(campaign, "matches")}
    assert decided == {(1, 0), (2, None), (3, 1)}
    assert missing_matches(whole) == "1 of 3 disagreements are not decided."


def test_what_was_decided_is_the_same_where_the_judgments_are_replayed(
    campaign: Campaign,
    frozen: NuggetList,
    marked: dict[str, Assignment],
    voted: Assignment,
    adjudicator: User,
    organiser: User,
) -> None:
    for stage in ("matches", "votes"):
        for row, value in zip(rows_of(campaign, stage), (0, 1), strict=True):
            settle(adjudicator, campaign, stage, row, value)
    Assignment.objects.exclude(stage="nuggets").update(state="done")
    lines = "\n".join(export_lines(Snapshot(campaign), export_of(campaign, "judgments.jsonl")))
    elsewhere = factories.campaign(organiser=organiser, slug="elsewhere")
    factories.pooled(elsewhere.topics.get(number="1.2"), [CHEAP, WEEK, "The staff are kind."])
    people = {name: User.objects.get(pk=pk) for pk, name in pseudonyms(campaign).items()}
    for person in people.values():
        role = "adjudicator" if person == adjudicator else "assessor"
        Membership.objects.create(campaign=elsewhere, user=person, role=role)
    import_judgments(actor=organiser, campaign=elsewhere, stream=io.BytesIO(lines.encode()), people=people)
    for name in ("matches.tsv", "nuggets.tsv", "votes.tsv"):
        there, here = (sorted(export_lines(Snapshot(each), export_of(each, name))) for each in (elsewhere, campaign))
        assert [line.split("\t")[0:2] for line in there] == [line.split("\t")[0:2] for line in here]
    assert importances(elsewhere) == importances(campaign) == {1: "okay", 2: "vital", 3: "okay"}


# ---------------------------------------------------------------- pages


@pytest.mark.parametrize(("stage", "criterion"), [("matches", "match"), ("votes", "importance")])
def test_the_bench_shows_the_nugget_and_both_sides_without_names(
    client: Client,
    campaign: Campaign,
    marked: dict[str, Assignment],
    voted: Assignment,
    adjudicator: User,
    stage: str,
    criterion: str,
    votes_settled: None,
) -> None:
    client.force_login(adjudicator)
    row = judging.shown(rows_of(campaign, stage)[0], campaign, adjudicator, stage)
    bench = reverse("adjudicate", args=[campaign.slug, stage, criterion])
    for address in (bench, reverse("adjudicate-item", args=[campaign.slug, stage, criterion, row])):
        page = page_of(client.get(address, {"item": row}))
        assert "NUGGET 1" in page and ">cheap</p>" in page
        assert (CHEAP in page) == (stage == "matches")
        assert '<q dir="auto" lang="en">cheap</q>' in page or stage == "votes"
        assert 'id="note"' not in page
        said = page.replace('<button class="primary">', "")  # that of the log-in
        assert {name for name in ("assessor-", "second_assessor", "author", "primary") if name in said} == set()
    form = {"item": row, "value": "1", "client_key": str(uuid4())}
    answer = client.post(reverse("adjudicate-decide", args=[campaign.slug, stage, criterion]), form)
    assert answer.status_code == 302
    assert "1 of 2 decided" in page_of(client.get(bench))
    work = campaign.assignments.get(role="adjudicator")
    opened = client.get(reverse("workbench", args=[campaign.slug, work.pk]))
    assert opened.headers["Location"] == f"{bench}?topic=1.2"


@pytest.mark.parametrize(("stage", "criterion"), [("matches", "match"), ("votes", "importance")])
def test_a_program_reads_the_nugget_and_decides_on_no_other_words(
    client: Client,
    campaign: Campaign,
    frozen: NuggetList,
    marked: dict[str, Assignment],
    voted: Assignment,
    adjudicator: User,
    stage: str,
    criterion: str,
    votes_settled: None,
) -> None:
    client.force_login(adjudicator)
    calls = f"/api/v1/campaigns/{campaign.slug}/disagreements/"
    (found, *_) = client.get(calls, {"stage": stage}).json()["results"]
    text = frozen.nuggets.get(number=1).text
    said = {"matches": (f"nugget 1 · {CHEAP}", text), "votes": (f"1 {text}", text)}[stage]
    assert (found["label"], found["nugget"]) == said
    decision = {"stage": stage, "criterion": criterion, "thing": found["thing"], "value": 1}
    for nugget, status in (("other words", 409), (text, 201), (None, 201)):
        sent = {**decision, "nugget": nugget, "client_key": str(uuid4())}
        assert client.post(calls, sent, "application/json").status_code == status
