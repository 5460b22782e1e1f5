"""Claims that were given twice with other findings: what counts is chosen for all, and for single claims."""

from __future__ import annotations

import io
import json
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from assess.assignments.domain.assignments import open_assignment
from assess.base.errors import Conflict, Invalid
from assess.campaigns.queries import settings_of
from assess.kinds.picks.record import record_picks
from assess.models import Activity, Campaign, Item, PoolItem
from assess.organising.domain import change_settings, change_state, choose_given
from assess.organising.queries.topics import list_given_twice
from assess.pools.domain.building import build_pool
from tests import factories
from tests.pages import page_of
from tests.tracks import track_folder
from tracks.__main__ import main
from tracks.context25.gold import load_gold

pytestmark = pytest.mark.django_db

API = "/api/v1/campaigns/claims/given-twice/"
RUN = "id,figure_labels\nc1,['FIG 1']\nc2,['FIG 1']\n"


def claims(*numbers: str, once: tuple[str, ...] = ()) -> list[dict[str, object]]:
    """Claims as they are released, each given twice: FIG 1 at first, FIG 2 at last; but for those given ``once``."""
    given = [*((number, "FIG 1") for number in numbers), *((number, "FIG 2") for number in (*numbers, *once))]
    pages = ["p1.png", "p2.png", "p3.png"]
    asked = {"necessary_pages": pages, "figures_tables": ["FIG 1", "FIG 2", "TAB 1"]}
    return [{"id": each, "claim": f"Claim {each}.", "findings": [label], **asked} for each, label in given]


@pytest.fixture
def campaign(settings, tmp_path: Path, organiser: User) -> Campaign:
    """Two claims that were given twice, of which one has a choice of its own, and one that was given once."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "task1-claims.json").write_text(json.dumps(claims("c1", "c2", once=("c3",))))
    command = ["load_campaign", str(tmp_path / "claims"), "--set", "claims_chosen=c1=first"]
    arguments = {"track": "context25", "slug": "claims", "organiser": organiser.username}
    call_command(*command, **arguments, stdout=io.StringIO(), stderr=io.StringIO())
    return Campaign.objects.get(slug="claims")


def chosen(campaign: Campaign) -> dict[str, str]:
    campaign.refresh_from_db()
    return dict(settings_of(campaign).choices)


def gold(campaign: Campaign, tmp_path: Path, organiser: User) -> dict[str, list[str]]:
    """The findings of each claim in the exported gold, as it is scored by the campaign's settings."""
    content = track_folder.exported(campaign, organiser=organiser)["task1-gold.json"]
    (tmp_path / "gold.json").write_bytes(content)
    found = load_gold({"task1-gold.json": tmp_path / "gold.json"}, settings_of(campaign), lambda issue: None)
    return {number: list(claim.findings or ()) for number, claim in found.evidence.items()}


def pooled(campaign: Campaign) -> list[tuple[str, str]]:
    """Claim and label of all that the newest pool holds."""
    rows = PoolItem.objects.filter(pool=campaign.pools.latest("id"))
    return sorted(rows.values_list("item__topic__number", "item__key"))


def test_a_choice_for_one_claim_leaves_the_others(campaign: Campaign, tmp_path: Path, organiser: User) -> None:
    """ "claims given twice with other findings are shown to the organiser to choose" """
    assert settings_of(campaign).claims_chosen == ("c1=first",)
    assert gold(campaign, tmp_path, organiser) == {"c1": ["FIG 1"], "c2": ["FIG 2"], "c3": ["FIG 2"]}


def test_a_choice_is_recorded_as_a_change_of_settings(campaign: Campaign, organiser: User) -> None:
    choose_given(actor=organiser, campaign=campaign, choices={"c1": "", "c2": "all"})
    assert chosen(campaign) == {"c2": "all"}
    activity = Activity.objects.filter(campaign=campaign, action="campaign.settings").latest("id")
    assert (activity.actor, activity.data) == (organiser, {"claims_chosen": [["c1=first"], ["c2=all"]]})
    choose_given(actor=organiser, campaign=campaign, choices={"c2": "all"})
    assert Activity.objects.filter(campaign=campaign, action="campaign.settings").latest("id") == activity


def test_the_page_shows_both_findings_and_keeps_what_is_chosen(
    campaign: Campaign, organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    address = reverse("given-twice", args=["claims"])
    page = client.get(address)
    shown = [(topic.number, topic.findings, choice, topic.counts) for topic, choice, _ in page.context["rows"]]
    both = (("FIG 1",), ("FIG 2",))
    assert shown == [("c1", both, "first", ("FIG 1",)), ("c2", both, "", ("FIG 2",))]
    text = " ".join(page_of(page).split())
    assert '<input type="radio" name="topic c1" value="first" checked> The first' in text
    assert '<input type="radio" name="topic c2" value="" checked> As the setting says (last)' in text
    assert client.post(address, {"topic c1": "", "topic c2": "first"}).status_code == 302
    assert chosen(campaign) == {"c2": "first"}
    for wrong in ({"topic c2": "none"}, {"topic c3": "first"}, {"topic c9": ""}):
        assert (client.post(address, wrong).status_code, chosen(campaign)) == (422, {"c2": "first"})


def test_the_form_of_settings_leaves_the_choices_alone(campaign: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    address = reverse("settings", args=["claims"])
    page = client.get(address)
    assert reverse("given-twice", args=["claims"]) in page_of(page)
    form = page.context["form"]
    assert "claims_chosen" not in form.fields
    shown = {name: form[name].value() for name in form.fields}
    values = {name: value for name, value in shown.items() if value is not False}
    assert client.post(address, {**values, "claims_twice": "all"}).status_code == 302
    assert (chosen(campaign), settings_of(campaign).claims_twice) == ({"c1": "first"}, "all")


def test_the_api_lists_and_keeps_choices(campaign: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    (first, second) = client.get(API).json()["results"]
    assert first == {
        "number": "c1",
        "text": "Claim c1.",
        "findings": [["FIG 1"], ["FIG 2"]],
        "chosen": "first",
        "which": "first",
        "counts": ["FIG 1"],
        "judged": False,
    }
    assert (second["number"], second["chosen"], second["which"]) == ("c2", "", "last")
    kept = client.patch(API, {"choices": {"c2": "all"}}, "application/json")
    assert (kept.status_code, kept.json()["settings"]["claims_chosen"]) == (200, ["c1=first", "c2=all"])
    kept = client.patch("/api/v1/campaigns/claims/settings/", {"settings": {"claims_chosen": []}}, "application/json")
    assert (kept.status_code, kept.json()["settings"]["claims_chosen"]) == (200, [])


@pytest.mark.parametrize(
    ("number", "choice", "words"),
    [("c2", "some", "“some” is no choice"), ("c3", "first", "c3 is no claim that was given twice")],
)
def test_page_api_and_command_refuse_alike(
    campaign: Campaign, organiser: User, client: Client, number: str, choice: str, words: str
) -> None:
    client.force_login(organiser)
    page = client.post(reverse("given-twice", args=["claims"]), {f"topic {number}": choice})
    assert (page.status_code, words in page.content.decode()) == (422, True)
    answer = client.patch(API, {"choices": {number: choice}}, "application/json")
    assert (answer.status_code, words in answer.json()["detail"]) == (422, True)
    with pytest.raises(CommandError, match=words):
        call_command("call", "given_twice_partial_update", "claims", f"choices.{number}={choice}")
    with pytest.raises(Invalid, match="is no c"):
        change_settings(actor=organiser, campaign=campaign, values={"claims_chosen": [f"{number}={choice}"]})
    assert chosen(campaign) == {"c1": "first"}


def test_a_choice_changes_nothing_that_is_judged(campaign: Campaign, organiser: User) -> None:
    build_pool(actor=organiser, campaign=campaign, task="evidence")
    before = pooled(campaign)
    assert ("c1", "FIG 1") in before
    choose_given(actor=organiser, campaign=campaign, choices={"c1": "last"})
    build_pool(actor=organiser, campaign=campaign, task="evidence")
    assert pooled(campaign) == before


def test_a_claim_that_was_judged_keeps_its_choice(
    campaign: Campaign, organiser: User, tmp_path: Path, client: Client
) -> None:
    """What was picked here counts whatever is chosen, so a choice would only seem to count."""
    build_pool(actor=organiser, campaign=campaign, task="evidence")
    assessor = factories.member(campaign, "assessor", "assessor")
    change_state(actor=organiser, campaign=campaign, state="judging")
    work = factories.assignment(campaign.topics.get(number="c1"), "figures", assessor)
    open_assignment(actor=assessor, assignment=work)
    picked = Item.objects.get(topic=work.topic, key="TAB 1")
    record_picks(actor=assessor, assignment=work, items=[picked], client_key=uuid4())
    client.force_login(organiser)
    page = page_of(client.get(reverse("given-twice", args=["claims"])))
    assert page.count("It was judged here") == 1
    for choice in ("last", ""):
        with pytest.raises(Conflict, match="c1 was judged here"):
            choose_given(actor=organiser, campaign=campaign, choices={"c1": choice})
    with pytest.raises(Conflict, match="c1 was judged here"):
        change_settings(actor=organiser, campaign=campaign, values={"claims_chosen": []})
    choose_given(actor=organiser, campaign=campaign, choices={"c1": "first", "c2": "first"})
    assert gold(campaign, tmp_path, organiser) == {"c1": ["TAB 1"], "c2": ["FIG 1"], "c3": ["FIG 2"]}
    record_picks(actor=assessor, assignment=work, items=[], client_key=uuid4())
    choose_given(actor=organiser, campaign=campaign, choices={"c1": ""})
    assert chosen(campaign) == {"c2": "first"}


def test_a_choice_whose_claim_is_given_once_by_now_can_be_taken_back(campaign: Campaign, organiser: User) -> None:
    topic = campaign.topics.get(number="c1")
    del topic.fields["gold"]["others"]
    topic.save()
    assert [each.number for each in list_given_twice(campaign)] == ["c2"]
    with pytest.raises(Invalid, match="c1 is no claim"):
        choose_given(actor=organiser, campaign=campaign, choices={"c1": "all"})
    choose_given(actor=organiser, campaign=campaign, choices={"c1": ""})
    assert chosen(campaign) == {}


def test_a_frozen_campaign_shows_choices_and_keeps_them(campaign: Campaign, organiser: User, client: Client) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(state="frozen")
    client.force_login(organiser)
    address = reverse("given-twice", args=["claims"])
    page = page_of(client.get(address))
    assert (page.count("<fieldset"), page.count(" disabled "), "Save the choices" in page) == (2, 2, False)
    assert client.post(address, {"topic c1": "last"}).status_code == 409
    assert chosen(campaign) == {"c1": "first"}


def test_the_list_costs_the_same_queries_with_more_claims(campaign: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    client.get(reverse("home"))  # after which the person is read with the session
    topics = {each.number: each for each in campaign.topics.all()}
    costs = {}
    for rows in (1, 3):
        fields = {"c1": topics["c1"].fields, "c2": topics["c1" if rows == 3 else "c3"].fields}
        for number, kept in fields.items():
            campaign.topics.filter(number=number).update(fields=kept)
        campaign.topics.filter(number="c3").update(fields=fields["c2"])
        for address in (reverse("given-twice", args=["claims"]), API):
            with CaptureQueriesContext(
                connection,
            ) as seen:
                client.get(address)
            costs.setdefault(address, []).append(len(seen))
        assert len(list_given_twice(campaign)) == rows
    assert all(first == last for first, last in costs.values())


def test_files_are_scored_by_the_same_choice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given, run = tmp_path / "task1-gold.json", tmp_path / "Kite.csv"
    given.write_text(json.dumps(claims("c1", "c2")))
    run.write_text(RUN)
    command = ["score", "context25", "--gold", str(given), "--run", str(run), "--set", "mode=official"]
    found = {}
    for choice in ((), ("--set", "claims_chosen=c1=first"), ("--set", "claims_chosen=c1=first c2=first")):
        assert main([*command, *choice]) == 0
        rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
        found[choice] = {row[1]: float(row[3]) for row in rows if row[2].endswith("5") and row[0] == "Kite"}
    (neither, one, both) = found.values()
    assert neither["c1"] < one["c1"] == both["c1"]
    assert neither["c2"] == one["c2"] < both["c2"]
