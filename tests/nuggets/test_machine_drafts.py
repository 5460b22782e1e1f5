"""A machine's nuggets and marks as drafts: accepted, edited, refused, undone; what is kept of each, and what counts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from assess.assignments.domain.notices import acknowledge_notices
from assess.assignments.queries.notices import notices_of
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.assignments.queries.work_items import handle_of
from assess.base.errors import Conflict, Invalid
from assess.campaigns.activity import record_activity
from assess.campaigns.queries import is_without_drafts
from assess.jobs.models import Job
from assess.judging.snapshots import Snapshot
from assess.machines import kept_drafts
from assess.machines.domain import change_drafts
from assess.machines.queries import DraftLine, draft_lines, draft_summaries
from assess.models import Activity, Assignment, Campaign, Item, Pool, Topic
from assess.organising.domain import change_state
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from nuggets.matches.current import official_marks
from nuggets.matches.models import NuggetMatch
from nuggets.matches.record import MatchInput, record_match, review_items
from nuggets.models import Nugget, NuggetList
from nuggets.writing.answered_drafts import accept_draft, refuse_draft
from nuggets.writing.counting_lists import official_lists
from nuggets.writing.drafts import offered_drafts
from nuggets.writing.edits import redo_edit, undo_edit
from nuggets.writing.export import written_acts
from nuggets.writing.lists import freeze_list, revise_list, start_list
from nuggets.writing.recent import recent_edits
from nuggets.writing.record import edit_nugget, merge_nuggets, split_nugget
from scoring.commands.verify import CLEAN, verify_release
from scoring.release.recorded_acts import ListFrozen
from scoring.release.releases import open_release
from tests import factories
from tests.assess.worker import run_worker
from tests.nuggets.keys import key
from tests.nuggets.machines_drafts import ROBOT, machine_list, machine_marks, show
from tests.pages import page_of
from tests.remembered import remembered
from tests.unpacked import unpack_release
from tracks.rescore import rescore

pytestmark = pytest.mark.django_db
JSON = {"accept": "application/json"}
JUDGMENTS = "exports/judgments.jsonl"


@pytest.fixture
@remembered
def offered(campaign: Campaign, squishy: Topic, squishy_items: list[Item]) -> NuggetList:
    """What a machine wrote, in a campaign that shows it at once."""
    found = machine_list(campaign, squishy, source=squishy_items[0])
    show(campaign)
    return found


@pytest.fixture
@remembered
def own(campaign: Campaign, offered: NuggetList, squishy: Topic, assessor: User) -> NuggetList:
    """The author's list, begun and empty."""
    campaign.refresh_from_db()
    work = factories.assignment(squishy, "nuggets", assessor)
    return start_list(actor=assessor, assignment=work)


def keys_of(own: NuggetList) -> tuple[list[str], list[str]]:
    found = offered_drafts(fresh(own))
    return [each.key for each in found.open], [each.key for each in found.refused]


def fresh(own: NuggetList) -> NuggetList:
    return NuggetList.objects.select_related("assignment__campaign", "assignment__topic").get(pk=own.pk)


def became(nugget: Nugget) -> Any:
    nugget.refresh_from_db()
    return nugget.fields["machine_draft"]


def test_an_accepted_draft_keeps_what_was_offered_and_its_source(own: NuggetList, assessor: User) -> None:
    own = fresh(own)
    made = accept_draft(actor=assessor, nugget_list=own, draft="A1", client_key=key("a"))
    assert (made.number, made.text, made.importance) == (1, "costs little", "vital")
    assert became(made) == {"by": "machine-A", "number": 1, "text": "costs little", "became": "original"}
    assert list(made.sources.values_list("quote", flat=True)) == [made.sources.get().item.text]
    assert keys_of(own) == (["A2", "A3"], [])
    again = accept_draft(actor=assessor, nugget_list=own, draft="A1", client_key=key("a"))
    assert (again.pk, own.nuggets.count()) == (made.pk, 1)
    with pytest.raises(Conflict, match="Draft A1 is on the list already"):
        accept_draft(actor=assessor, nugget_list=own, draft="A1", client_key=key("b"))
    with pytest.raises(Invalid, match="There is no draft A9"):
        accept_draft(actor=assessor, nugget_list=own, draft="A9", client_key=key("c"))


def test_what_became_of_it_follows_its_text_and_undo(own: NuggetList, assessor: User) -> None:
    own = fresh(own)
    made = accept_draft(actor=assessor, nugget_list=own, draft="A1", text="  costs\nnothing", client_key=key("a"))
    assert (made.text, became(made)["became"]) == ("costs nothing", "post-edited")
    edit_nugget(actor=assessor, nugget_list=own, number=1, text="costs little", client_key=key("b"))
    assert became(made)["became"] == "original"
    undo_edit(actor=assessor, nugget_list=own, client_key=key("c"))
    assert became(made)["became"] == "post-edited"
    undo_edit(actor=assessor, nugget_list=own, client_key=key("d"))
    assert (keys_of(own)[0], own.nuggets.count()) == (["A1", "A2", "A3"], 0)
    redo_edit(actor=assessor, nugget_list=own, client_key=key("e"))
    assert keys_of(own)[0] == ["A2", "A3"]


def test_pieces_and_merged_ones_are_edited(own: NuggetList, assessor: User) -> None:
    own = fresh(own)
    for number in (1, 2):
        accept_draft(actor=assessor, nugget_list=own, draft=f"A{number}", client_key=key(f"a{number}"))
    split_nugget(actor=assessor, nugget_list=own, number=1, texts=["costs", "little"], client_key=key("s"))
    assert [became(each)["became"] for each in own.nuggets.order_by("number")] == [
        "original", "original", "post-edited", "post-edited",
    ]  # fmt: skip
    merge_nuggets(actor=assessor, nugget_list=own, into=2, others=[3], text="light, cheap", client_key=key("m"))
    assert became(own.nuggets.get(number=2))["became"] == "post-edited"
    assert keys_of(own) == (["A3"], [])


def test_a_refused_draft_is_offered_again_by_undo_and_may_be_accepted_after_all(
    own: NuggetList, assessor: User
) -> None:
    own = fresh(own)
    refuse_draft(actor=assessor, nugget_list=own, draft="A3", client_key=key("r"))
    refuse_draft(actor=assessor, nugget_list=own, draft="A3", client_key=key("r"))
    assert keys_of(own) == (["A1", "A2"], ["A3"])
    with pytest.raises(Conflict, match="refused already"):
        refuse_draft(actor=assessor, nugget_list=own, draft="A3", client_key=key("s"))
    undo_edit(actor=assessor, nugget_list=own, client_key=key("u"))
    assert keys_of(own) == (["A1", "A2", "A3"], [])
    redo_edit(actor=assessor, nugget_list=own, client_key=key("v"))
    assert keys_of(own) == (["A1", "A2"], ["A3"])
    (seen,) = recent_edits({own.assignment_id: own.assignment}, 9)
    assert (seen.label, seen.said) == ("is a robot’s fancy", "draft refused")
    accept_draft(actor=assessor, nugget_list=own, draft="A3", client_key=key("a"))
    assert keys_of(own) == (["A1", "A2"], [])
    with pytest.raises(Conflict, match="Retire the nugget instead"):
        refuse_draft(actor=assessor, nugget_list=own, draft="A3", client_key=key("w"))


def test_a_new_version_remembers_what_was_refused(own: NuggetList, assessor: User) -> None:
    own = fresh(own)
    accept_draft(actor=assessor, nugget_list=own, draft="A1", client_key=key("a"))
    refuse_draft(actor=assessor, nugget_list=own, draft="A2", client_key=key("r"))
    frozen = freeze_list(actor=assessor, nugget_list=own, client_key=key("f"))
    with pytest.raises(Conflict, match="frozen"):
        accept_draft(actor=assessor, nugget_list=frozen, draft="A3", client_key=key("x"))
    second = revise_list(actor=assessor, nugget_list=frozen)
    assert keys_of(second) == (["A3"], ["A2"])


def test_what_nobody_accepted_is_no_nugget_of_anybody(own: NuggetList, squishy: Topic, assessor: User) -> None:
    own = fresh(own)
    assert own.nuggets.count() == 0
    assert official_lists([squishy.pk]) == {}
    with pytest.raises(Conflict, match="empty"):
        freeze_list(actor=assessor, nugget_list=own, client_key=key("f"))


@pytest.mark.parametrize(("drafts", "share"), [("sealed", 0.0), ("after", 0.0), ("open", 1.0)])
def test_nothing_is_offered_unless_it_is_shown_at_once_and_in_no_sealed_topic(
    campaign: Campaign, own: NuggetList, assessor: User, client: Client, drafts: str, share: float
) -> None:
    show(campaign, drafts, share=share)
    own = fresh(own)
    assert keys_of(own) == ([], [])
    with pytest.raises(Invalid, match="There is no draft A1"):
        accept_draft(actor=assessor, nugget_list=own, draft="A1", client_key=key("a"))
    client.force_login(assessor)
    page = page_of(client.get(reverse("workbench", args=["opinions", own.assignment_id])))
    assert ("data-draft=" in page, "costs little" in page, "draft A" in page) == (False, False, False)


def test_an_adjudicator_is_offered_none(
    campaign: Campaign, offered: NuggetList, squishy: Topic, assessor: User
) -> None:
    campaign.refresh_from_db()
    work = factories.assignment(squishy, "nuggets", assessor, role="adjudicator")
    made = start_list(actor=assessor, assignment=work)
    assert keys_of(made) == ([], [])


def do(client: Client, work: Assignment, verb: str, **fields: object) -> HttpResponse:
    fields = {"do": verb, "client_key": str(uuid4()), **fields}
    return client.post(reverse("nuggets-edit", args=["opinions", work.pk]), fields, headers=JSON)


def test_the_bench_offers_them_in_a_line_each_and_names_no_machine(
    client: Client, own: NuggetList, assessor: User
) -> None:
    client.force_login(assessor)
    work = own.assignment
    page = page_of(client.get(reverse("workbench", args=["opinions", work.pk])))
    assert re.findall(r'data-draft="(\w+)"', page) == ["A1", "A2", "A3"]
    assert (ROBOT in page, "3 drafts by a machine" in page) == (False, True)
    answer = do(client, work, "accept", draft="A1").json()
    assert (answer["said"], answer["number"]) == ("Draft A1 accepted: nugget 1.", 1)
    assert "machine_draft" not in answer["html"]
    answer = do(client, work, "accept-edited", draft="A2", text="is light").json()
    assert answer["said"] == "Draft A2 accepted in your words: nugget 2."
    answer = do(client, work, "refuse", draft="A3").json()
    assert (answer["said"], "accept after all" in answer["html"]) == ("Draft A3 refused.", True)
    assert do(client, work, "undo").json()["said"] == "Undone: draft A3 is open again."
    assert do(client, work, "undo").json()["said"] == "Undone: draft A2 is open again."
    assert do(client, work, "refuse", draft="B7").status_code == 422


def test_a_plain_form_accepts_and_comes_back_to_the_bench(client: Client, own: NuggetList, assessor: User) -> None:
    client.force_login(assessor)
    form = {"do": "accept", "draft": "A2", "client_key": str(uuid4())}
    answer = client.post(reverse("nuggets-edit", args=["opinions", own.assignment_id]), form)
    assert (answer.status_code, answer["Location"].endswith("?nugget=1")) == (302, True)


def test_the_api_lists_accepts_and_refuses(client: Client, own: NuggetList, assessor: User) -> None:
    client.force_login(assessor)
    base = f"/api/v1/campaigns/opinions/assignments/{own.assignment_id}/nugget-list/"
    found = client.get(f"{base}drafts/").json()
    assert [each["key"] for each in found["open"]] == ["A1", "A2", "A3"]
    assert found["open"][0] == {"key": "A1", "text": "costs little", "importance": "vital", "group": ""}
    made = client.post(f"{base}accept/", {"draft": "A1", "client_key": str(key("a"))}, "application/json")
    assert (made.status_code, made.json()["number"], made.json()["besides"]) == (201, 1, [])
    gone = client.post(f"{base}refuse/", {"draft": "A2", "client_key": str(key("r"))}, "application/json")
    assert (gone.status_code, gone.json()["action"]) == (200, "refuse")
    missing = client.post(f"{base}refuse/", {"draft": "A9", "client_key": str(key("m"))}, "application/json")
    assert missing.status_code == 422
    found = client.get(f"{base}drafts/").json()
    assert ([each["key"] for each in found["open"]], [each["key"] for each in found["refused"]]) == (["A3"], ["A2"])


def test_an_export_says_what_was_offered_and_refused(campaign: Campaign, own: NuggetList, assessor: User) -> None:
    own = fresh(own)
    accept_draft(actor=assessor, nugget_list=own, draft="A1", client_key=key("a"))
    refuse_draft(actor=assessor, nugget_list=own, draft="A2", client_key=key("r"))
    refuse_draft(actor=assessor, nugget_list=own, draft="A3", client_key=key("s"))
    accept_draft(actor=assessor, nugget_list=own, draft="A3", text="mine", client_key=key("b"))
    freeze_list(actor=assessor, nugget_list=own, client_key=key("f"))
    lines = draft_lines(campaign)
    assert [(line.topic, line.by, line.offered, line.original, line.edited, line.refused, line.left, line.new)
            for line in lines] == [("1.2", "assessor-1", 3, 1, 1, 1, 0, 0)]  # fmt: skip


# Marks.


@pytest.fixture
def marked(campaign: Campaign, matching: Assignment, cheap: Nugget, squishy: Topic) -> Assignment:
    """A machine found the nugget “cheap” in the first item."""
    item = squishy.items.order_by("pk").first()
    assert item is not None
    machine_marks(campaign, squishy, [(cheap, item, "full")], stage="matches")
    show(campaign)
    return Assignment.objects.select_related("campaign", "topic").get(pk=matching.pk)


def mark(client: Client, work: Assignment, nugget: Nugget, item: Item, value: str, *, on_page: str = "") -> NuggetMatch:
    form = {"nugget": nugget.pk, "part": 0, "item": handle_of(work, item.pk), "value": value, "client_key": uuid4()}
    form |= {"offered": on_page}
    answer = client.post(reverse("matches-mark", args=["opinions", work.pk]), form, headers=JSON)
    assert answer.status_code == 200, answer.content
    return NuggetMatch.objects.get(pk=answer.json()["id"])


def test_a_mark_keeps_what_a_draft_said_of_it(client: Client, marked: Assignment, cheap: Nugget) -> None:
    client.force_login(marked.assessor)
    item, other = marked.topic.items.order_by("pk")[:2]
    page = page_of(client.get(reverse("workbench", args=["opinions", marked.pk])))
    assert (f'data-drafts="{cheap.number}:full"' in page, ROBOT in page) == (True, False)
    assert official_marks([cheap.nugget_list]) == []
    assert mark(client, marked, cheap, item, "full").offered == "full"
    assert mark(client, marked, cheap, other, "full").offered is None
    line = draft_lines(marked.campaign)[-1]
    assert (line.offered, line.original, line.refused, line.left, line.new) == (1, 1, 0, 0, 1)
    assert mark(client, marked, cheap, item, "absent").offered == "full"
    assert mark(client, marked, cheap, other, "").offered is None
    line = draft_lines(marked.campaign)[-1]
    assert (line.offered, line.original, line.refused, line.left, line.new) == (1, 0, 1, 0, 0)


def test_marks_are_asked_for_only_where_something_was_offered(
    client: Client, campaign: Campaign, matching: Assignment, cheap: Nugget, squishy: Topic
) -> None:
    """Rows of marks and of finished items are never joined: of 3,000 and 2,000 a topic that took a minute."""
    item = squishy.items.order_by("pk").first()
    assert item is not None
    client.force_login(matching.assessor)
    mark(client, matching, cheap, item, "full")
    with CaptureQueriesContext(connection) as sent:
        assert draft_lines(campaign) == []
    assert [each["sql"] for each in sent if "nuggets_nuggetmatch" in each["sql"] and "LIMIT 1" not in each["sql"]] == []
    machine_marks(campaign, squishy, [(cheap, item, "full")], stage="matches")
    with CaptureQueriesContext(connection) as sent:
        assert draft_lines(campaign) == []  # not shown, so not offered
    joined = [each["sql"] for each in sent if "nuggetmatch" in each["sql"] and "itemreview" in each["sql"]]
    assert joined
    assert [sql for sql in joined if 'JOIN "nuggets_' in sql] == []


def test_of_two_machines_one_that_sees_nothing_hides_no_draft_of_the_other(
    client: Client, campaign: Campaign, matching: Assignment, cheap: Nugget, squishy: Topic
) -> None:
    item = squishy.items.order_by("pk").first()
    assert item is not None
    machine_marks(campaign, squishy, [(cheap, item, "absent")], stage="matches")
    machine_marks(campaign, squishy, [(cheap, item, "full")], stage="matches", name="second-robot")
    show(campaign)
    client.force_login(matching.assessor)
    page = page_of(client.get(reverse("workbench", args=["opinions", matching.pk])))
    assert f'data-drafts="{cheap.number}:full"' in page
    assert mark(client, matching, cheap, item, "full").offered == "full"
    line = draft_lines(campaign)[-1]
    assert (line.offered, line.original, line.left, line.new) == (1, 1, 0, 0)


def test_a_part_of_what_was_offered_is_an_edited_draft(marked: Assignment, cheap: Nugget) -> None:
    item = marked.topic.items.order_by("pk").first()
    assert item is not None
    Nugget.objects.filter(pk=cheap.pk).update(fields={"parts": ["costs", "little"]})
    work = Assignment.objects.select_related("campaign", "topic").get(pk=marked.pk)
    part = MatchInput(nugget=Nugget.objects.get(pk=cheap.pk), part=1, item=item, value="full", client_key=uuid4())
    assert record_match(actor=work.assessor, assignment=work, match=part).offered is None
    line = draft_lines(marked.campaign)[-1]
    assert (line.offered, line.original, line.edited, line.left, line.new) == (1, 0, 1, 0, 0)


def test_a_sealed_topic_offers_no_mark_and_records_none(client: Client, marked: Assignment, cheap: Nugget) -> None:
    show(marked.campaign, share=1.0)
    client.force_login(marked.assessor)
    page = page_of(client.get(reverse("workbench", args=["opinions", marked.pk])))
    assert set(re.findall(r'data-drafts="([^"]*)"', page)) == {""}
    assert "all drafts" not in page
    item = marked.topic.items.order_by("pk").first()
    assert item is not None
    assert mark(client, marked, cheap, item, "full").offered is None


def test_drafts_of_marks_that_were_seen_stay_seen_after_they_are_sealed(
    client: Client, organiser: User, marked: Assignment, cheap: Nugget
) -> None:
    client.force_login(marked.assessor)
    item, other = marked.topic.items.order_by("pk")[:2]
    change_drafts(actor=organiser, campaign=Campaign.objects.get(pk=marked.campaign_id), drafts="sealed")
    assert mark(client, marked, cheap, other, "full", on_page="full").offered is None  # no machine said so
    assert mark(client, marked, cheap, item, "full", on_page="absent").offered is None
    assert mark(client, marked, cheap, item, "full", on_page="full").offered == "full"
    assert mark(client, marked, cheap, item, "absent").offered == "full"
    line = draft_lines(marked.campaign)[-1]
    assert (line.offered, line.original, line.refused, line.new) == (1, 0, 1, 1)


# Files.


@pytest.fixture
def released(
    campaign: Campaign, own: NuggetList, squishy: Topic, assessor: User, organiser: User, settings: Any, tmp_path: Path
) -> Path:
    """The release of a campaign with drafts accepted, edited, refused and left alone, of nuggets and of marks."""
    settings.DATA_DIR = tmp_path / "data"
    own = fresh(own)
    accept_draft(actor=assessor, nugget_list=own, draft="A1", client_key=key("a"))
    accept_draft(actor=assessor, nugget_list=own, draft="A2", text="is light", client_key=key("b"))
    refuse_draft(actor=assessor, nugget_list=own, draft="A3", client_key=key("r"))
    frozen = freeze_list(actor=assessor, nugget_list=own, client_key=key("f"))
    Assignment.objects.filter(pk=own.assignment_id).update(state="done")
    one, two = frozen.nuggets.order_by("number")
    first, second, third = squishy.items.order_by("pk")
    machine_marks(
        campaign, squishy, [(one, first, "full"), (two, first, "full"), (one, third, "full")], stage="matches"
    )
    work = factories.assignment(squishy, "matches", assessor)
    for nugget, item, value in ((one, first, "full"), (two, first, "absent"), (two, second, "full")):
        match = MatchInput(nugget=nugget, item=item, value=value, client_key=key(f"{nugget.number} {item.pk}"))
        record_match(actor=assessor, assignment=work, match=match)
    review_items(actor=assessor, assignment=work, items=[first, second, third], client_key=key("all"))
    Assignment.objects.filter(pk=work.pk).update(state="done")
    Pool.objects.update(recipe={"strategy": "all", "kind": "nugget", "runs": []})
    change_state(actor=organiser, campaign=campaign, state="frozen")
    unpack_release(make_release(actor=organiser, campaign=campaign), tmp_path / "release")
    return tmp_path / "release"


def fates(campaign: Campaign) -> list[tuple[object, ...]]:
    lines = draft_lines(campaign)
    return [(each.stage, each.by, each.original, each.edited, each.refused, each.new) for each in lines]


def test_a_release_says_what_became_of_drafts_and_its_copy_has_it(
    released: Path, campaign: Campaign, organiser: User, tmp_path: Path
) -> None:
    lines = [json.loads(line) for line in (released / JUDGMENTS).read_text().splitlines()]
    own = [line for line in lines if line["by"] == "assessor-1"]
    said = {line["number"]: line["fields"]["machine_draft"] for line in own if line["do"] == "nugget"}
    assert said == {
        1: {"by": "machine-A", "number": 1, "text": "costs little", "became": "original"},
        2: {"by": "machine-A", "number": 2, "text": "weighs little", "became": "post-edited"},
    }
    refused = [{"by": "machine-A", "number": 3, "text": "is a robot’s fancy"}]
    assert [line["refused"] for line in own if line["do"] == "freeze"] == [refused]
    marks = [(line["nugget"], line.get("value"), line.get("draft")) for line in own if line["do"] == "match"]
    assert sorted(marks, key=str) == sorted([("1", None, "full"), ("2", "none", "full"), ("2", None, None)], key=str)
    assert not any("draft" in line or "refused" in line for line in lines if line["by"] == "machine-A")
    assert ROBOT not in (released / JUDGMENTS).read_text()
    with open_release(released) as opened:
        verdict = verify_release(opened, rescore)
    assert {status for status, _ in verdict.rows.values()} <= set(CLEAN)
    organiser.is_superuser = True
    copy = import_release(actor=organiser, path=released, slug="copy")
    expected = [("nuggets", "assessor-1", 1, 1, 1, 0), ("matches", "assessor-1", 1, 0, 1, 1)]
    assert (fates(campaign), fates(copy)) == (expected, expected)
    unpack_release(make_release(actor=organiser, campaign=copy), tmp_path / "again")
    assert (tmp_path / "again" / JUDGMENTS).read_bytes() == (released / JUDGMENTS).read_bytes()


# The organiser's side.


def test_the_share_is_drawn_by_seed_and_number_alone_and_grows(campaign: Campaign) -> None:
    numbers = [str(number) for number in range(200)]
    campaign.draftless_seed, campaign.draftless_share = 7, 0.2
    few = {number for number in numbers if is_without_drafts(campaign, number)}
    campaign.draftless_share = 0.5
    many = {number for number in numbers if is_without_drafts(campaign, number)}
    assert few < many
    assert (25 < len(few) < 55, 80 < len(many) < 120) == (True, True)
    campaign.slug = "another"
    assert {number for number in numbers if is_without_drafts(campaign, number)} == many


def test_the_organiser_sets_share_and_seed_by_page_and_api(client: Client, campaign: Campaign, organiser: User) -> None:
    client.force_login(organiser)
    form = {"drafts": "open", "share": "0.25", "seed": "", "back": "machines"}
    assert client.post(reverse("drafts", args=["opinions"]), form).status_code == 302
    campaign.refresh_from_db()
    assert (campaign.drafts, campaign.draftless_share, campaign.draftless_seed > 0) == ("open", 0.25, True)
    said = {"drafts": "open", "share": 0.5, "seed": 11}
    answer = client.post("/api/v1/campaigns/opinions/machines/drafts/", said, "application/json")
    assert (answer.status_code, answer.json()) == (200, said)
    for share in (2, -0.1, "nan"):
        bad = client.post(reverse("drafts", args=["opinions"]), {"drafts": "open", "share": share})
        assert bad.status_code == 422, share
    activity = Activity.objects.filter(action="campaign.drafts").latest("id")
    assert activity.data["share"] == {"from": 0.25, "to": 0.5}
    Campaign.objects.filter(pk=campaign.pk).update(state="frozen")
    with pytest.raises(Conflict):
        change_drafts(actor=organiser, campaign=campaign, drafts="open", share=0.1)


def test_the_organisers_table_compares_with_and_without(
    client: Client,
    campaign: Campaign,
    own: NuggetList,
    assessor: User,
    organiser: User,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    accept_draft(actor=assessor, nugget_list=fresh(own), draft="A1", client_key=key("a"))
    client.force_login(organiser)
    page = page_of(client.get(reverse("machines-offered", args=["opinions"])))
    assert ("With drafts and without" in page, "<caption>" in page) == (True, True)
    table = client.get(reverse("machines-offered", args=["opinions"]) + "?format=csv")
    csv = b"".join(table.streaming_content).decode()  # type: ignore[attr-defined]
    assert csv.splitlines()[1].split(",")[:9] == ["1.2", "nuggets", "assessor-1", "", "3", "1", "0", "0", "2"]
    rows = client.get("/api/v1/campaigns/opinions/machines/offered/").json()["results"]
    assert rows == [
        {
            "stage": "nuggets", "topic": "1.2", "by": "assessor-1", "is_draftless": False, "offered": 3, "original": 1,
            "edited": 0, "refused": 0, "left": 2, "new": 0, "minutes": 0.0,
        }
    ]  # fmt: skip
    with django_assert_max_num_queries(30):  # and no more where there is more work
        lines = draft_lines(campaign)
    assert isinstance(lines[0], DraftLine)
    assert [(each.with_drafts, each.works, each.said) for each in draft_summaries(campaign, lines)] == [(True, 1, 1.0)]


def test_in_a_large_campaign_drafts_are_counted_by_the_worker_once_for_all_who_ask(
    client: Client,
    campaign: Campaign,
    own: NuggetList,
    assessor: User,
    organiser: User,
    settings: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.DATA_DIR = tmp_path
    page, call = reverse("machines-offered", args=["opinions"]), "/api/v1/campaigns/opinions/machines/offered/"
    accept_draft(actor=assessor, nugget_list=fresh(own), draft="A1", client_key=key("a"))
    client.force_login(organiser)
    at_once = client.get(call).json()
    monkeypatch.setattr(kept_drafts, "AT_ONCE", 0)
    with monkeypatch.context() as watched:
        watched.setattr(kept_drafts, "draft_lines", None)
        assert [client.get(page).status_code for _ in range(2)] == [202, 202]
        refused = client.get(call)
    assert (refused.status_code, refused.json()["code"]) == (409, "still-counting-drafts")
    run_worker()
    job = Job.objects.get()
    assert (job.kind, job.state, job.message) == ("draft-uses", "done", "The drafts of 1 assignment are counted.")
    record_activity(actor=organiser, action="export.write", campaign=campaign, data={})
    monkeypatch.setattr(kept_drafts, "draft_lines", None)  # read from the file from now on
    assert client.get(call).json() == at_once
    assert "newer judgments" not in page_of(client.get(page))
    accept_draft(actor=assessor, nugget_list=fresh(own), draft="A2", client_key=key("b"))
    answer = client.get(page)
    assert (answer.status_code, answer.context["uses"].summaries[0].original) == (200, 1)
    assert "There are newer judgments" in page_of(answer)
    assert client.get(call).json() == at_once  # it was the newest within ten minutes
    monkeypatch.undo()
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(kept_drafts, "AT_ONCE", 0)
    run_worker()
    answer = client.get(page)
    assert (Job.objects.count(), answer.context["uses"].summaries[0].original) == (1, 2)
    assert "newer judgments" not in page_of(answer)
    for each in (tmp_path / "draft-uses").rglob("*.json"):
        each.write_text("{")
    assert client.get(page).status_code == 202  # a damaged file is counted again


def test_a_large_campaign_where_nothing_was_offered_needs_no_worker(
    client: Client, campaign: Campaign, matching: Assignment, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_drafts, "AT_ONCE", 0)
    client.force_login(organiser)
    assert "Nothing was offered yet" in page_of(client.get(reverse("machines-offered", args=["opinions"])))
    assert not Job.objects.exists()


def test_who_has_begun_is_told_of_drafts_and_the_list_stays(
    campaign: Campaign, own: NuggetList, assessor: User, organiser: User
) -> None:
    campaign.refresh_from_db()
    acknowledge_notices(actor=assessor, campaign=campaign, point=0)
    assert notices_of(campaign, assessor) == []
    change_drafts(actor=organiser, campaign=campaign, drafts="sealed")
    assert notices_of(campaign, assessor) == []
    change_drafts(actor=organiser, campaign=campaign, drafts="open")
    told = notices_of(campaign, assessor)
    assert [notice.text for notice in told] == [
        "A machine’s drafts are offered for 1.2. What you said stays as it is until you accept one."
    ]
    assert own.nuggets.count() == 0
    show(campaign, share=1.0)
    campaign.refresh_from_db()
    assert notices_of(campaign, assessor) == []


def test_what_is_refused_later_stands_in_no_earlier_freeze(campaign: Campaign, own: NuggetList, assessor: User) -> None:
    own = fresh(own)
    accept_draft(actor=assessor, nugget_list=own, draft="A1", client_key=key("a"))
    frozen = freeze_list(actor=assessor, nugget_list=own, client_key=key("f"))
    second = revise_list(actor=assessor, nugget_list=fresh(frozen))
    refuse_draft(actor=assessor, nugget_list=fresh(second), draft="A3", client_key=key("r"))
    acts = written_acts(Snapshot(campaign), pseudonyms(campaign))
    assert [list(act.refused) for act in acts if isinstance(act, ListFrozen)][:1] == [[]]


@pytest.mark.parametrize(("stage", "role"), [("nuggets", "adjudicator"), ("votes", "primary")])
def test_who_is_offered_no_drafts_is_told_of_none(
    stage: str, role: str, campaign: Campaign, offered: NuggetList, squishy: Topic, assessor: User, organiser: User
) -> None:
    campaign.refresh_from_db()
    factories.assignment(squishy, stage, assessor, role=role)
    acknowledge_notices(actor=assessor, campaign=campaign, point=0)
    change_drafts(actor=organiser, campaign=campaign, drafts="sealed")
    change_drafts(actor=organiser, campaign=campaign, drafts="open")
    assert notices_of(campaign, assessor) == []
