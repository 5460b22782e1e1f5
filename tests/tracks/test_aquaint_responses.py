"""Marks and scores belong to a response: what two runs returned alike is judged, kept and given back for each."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse
from lxml import html
from pytest_django import DjangoDbBlocker

from assess.assignments.queries.work_items import handle_of
from assess.base.errors import BadFile, Conflict, Invalid
from assess.campaigns.grown_work import recheck_done_work
from assess.campaigns.queries import settings_of, stage_of
from assess.controls.domain import make_control_items
from assess.controls.plan import ControlItemRequest
from assess.judging.queries.stage_items import item_about
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Campaign, Item, PoolItem
from assess.organising.domain import change_settings, change_state
from assess.pools.domain.building import build_pool
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from assess.scores.domain import explain_score, score_campaign
from scoring.formats.definition_judgments import COMMENTS
from scoring.own_items import own_key, run_of_key, shared_key
from scoring.release.releases import EXPORTS
from tests import factories
from tests.pages import page_of
from tests.tracks import track_folder
from tests.unpacked import unpack_release
from tracks.__main__ import main
from tracks.aquaint_definition import TRACK
from tracks.aquaint_definition.files import response_key
from tracks.aquaint_definition.settings import AquaintDefinitionSettings

PUBLISHED = track_folder.folder_of(TRACK) / "published"
LAID_OUT = ("questions", "author_summaries", "holistic", "Q.*", "author.*", "other.*", "sys.*")
each_or_once = pytest.mark.parametrize("pilot", [True, False], ids=["each", "once"], indirect=True)


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module, since `pilot` takes seconds; it takes its rows back itself."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture(scope="module")
def pilot(request: pytest.FixtureRequest, db: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Campaign]:
    """The pilot as it was published, loaded by the command, with what is identical judged each by itself or once."""
    is_each = request.param
    with override_settings(DATA_DIR=tmp_path_factory.mktemp("pilot")), transaction.atomic():
        olga = factories.user("olga")
        command = ["load_campaign", str(PUBLISHED), "--set", f"judge_each={'yes' if is_each else 'no'}"]
        call_command(*command, track=TRACK.key, slug="pilot", organiser="olga", stdout=io.StringIO())
        made = Campaign.objects.get(slug="pilot")
        change_state(actor=olga, campaign=made, state=Campaign.State.JUDGING)
        yield made
        transaction.set_rollback(True)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that does not say which pilot it wants has that of *each*, and stands beside the others that have it."""
    said = {mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")}
    if "pilot" in metafunc.fixturenames and "pilot" not in said:
        metafunc.parametrize("pilot", [True], ids=["each"], indirect=True)


@pytest.fixture
def scratch(pilot: Campaign) -> Iterator[None]:
    """Takes back what one test writes."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    pilot.refresh_from_db()


@pytest.fixture
def organiser(pilot: Campaign) -> User:
    return User.objects.get(username="olga")


@each_or_once
def test_the_published_layout_comes_back_byte_for_byte(pilot: Campaign, organiser: User) -> None:
    """ "The system responses are given in the files called Q.<n>"; "The first file, named <assessor>.<n> …, contains a
    numbered list of information nuggets"; "The second file, named sys.<assessor>.<n>, is derived from the system
    response files" (AQUAINT definition pilot, 1 and 2.2).
    """
    files = track_folder.exported(pilot, organiser=organiser)
    published = {path.name: path for name in LAID_OUT for path in PUBLISHED.glob(name)}
    assert len(published) == 3 + 5 * 5
    for name, path in sorted(published.items()):
        assert files[name].decode().splitlines() == path.read_text("utf-8").splitlines(), name
        assert files[name] == path.read_bytes(), name


@each_or_once
def test_files_and_site_give_the_same_figures_where_alike_responses_were_judged_otherwise(
    pilot: Campaign, organiser: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """ "The assessor went through each of the system responses and marked where each nugget appeared in the response"
    (AQUAINT definition pilot, 2.2).
    """
    scores = track_folder.scored(pilot).decode().splitlines()
    found = {tuple(line.split("\t")[:3]): line.split("\t")[3] for line in scores if line.count("\t") == 3}
    assert (found["Alder", "5", "NR_author"], found["Dogwood", "5", "NR_author"]) == ("1.000000", "0.000000")
    assert (found["Cedar", "5", "holistic_author"], found["Elm", "5", "holistic_author"]) == ("22.500000", "14.000000")
    assert found["Elm", "4", "holistic_author"] == "6.000000"  # it returned nothing, and was scored
    for folder in (PUBLISHED, tmp_path):
        if folder is tmp_path:
            for name, content in track_folder.exported(pilot, organiser=organiser).items():
                (folder / name).write_bytes(content)
        runs = [word for path in sorted(folder_runs(tmp_path / "runs")) for word in ("--run", str(path))]
        assert main(["score", TRACK.key, "--gold", str(folder), *runs]) == 0
        assert sorted(capsys.readouterr().out.splitlines()) == sorted(scores)


def folder_runs(folder: Path) -> Iterator[Path]:
    """The runs of the published responses, one file a run."""
    folder.mkdir(exist_ok=True)
    for run in TRACK.bundles[0].split(sorted(PUBLISHED.glob("Q.*"))):
        path = folder / run.file_name  # type: ignore[union-attr]
        path.write_bytes(run.content)  # type: ignore[union-attr]
        yield path


def test_what_is_alike_is_an_item_for_each_response(pilot: Campaign) -> None:
    alike = Item.objects.filter(topic__campaign=pilot, topic__number="5", text="Children carry them to the harbour.")
    assert sorted(run_of_key(item.key) for item in alike) == ["Alder", "Dogwood"]
    assert len({shared_key(item.key) for item in alike}) == 1


@pytest.mark.parametrize("pilot", [False], ids=["once"], indirect=True)
def test_once_is_one_item_but_for_what_was_published_otherwise(pilot: Campaign) -> None:
    items = Item.objects.filter(topic__campaign=pilot, topic__number="5")
    alike = items.filter(text="Children carry them to the harbour.")
    assert [run_of_key(item.key) for item in alike] == [""]
    apart = items.filter(text="A lanternfold is a paper lamp folded from one sheet, without glue.")
    assert sorted(run_of_key(item.key) for item in apart) == ["", "Alder", "Dogwood"]
    responses = items.filter(kind="response", text="a paper lamp")
    assert sorted(run_of_key(item.key) for item in responses) == ["", "Cedar", "Elm"]


@each_or_once
def test_an_explained_score_leads_to_the_item_of_its_own_run(pilot: Campaign) -> None:
    for run in ("Alder", "Dogwood"):
        explained = explain_score(Snapshot(pilot), run, "5", "F_author")
        (about,) = (
            each
            for step in explained.steps
            for row, each in zip(step.rows, step.about, strict=True)
            if each is not None and each.kind == "item" and "from one sheet, without glue." in row[-1]
        )
        found = item_about(pilot, about, pilot.runs.get(tag=run))
        assert found is not None and run_of_key(found.key) == run


@pytest.mark.usefixtures("scratch")
@each_or_once
def test_a_release_tells_nobodys_runs_and_gives_the_same_again(
    pilot: Campaign, organiser: User, tmp_path: Path
) -> None:
    scores = {(each.run, each.topic, each.measure): each.value for each in score_campaign(Snapshot(pilot)).scores}
    change_state(actor=organiser, campaign=pilot, state=Campaign.State.FROZEN)
    release = make_release(actor=organiser, campaign=pilot)
    folder = tmp_path / "release"
    unpack_release(release, folder)
    tags = list(pilot.runs.values_list("tag", flat=True))
    for path in (path for path in folder.rglob("*") if path.is_file()):
        assert [tag for tag in tags if tag.encode() in path.read_bytes()] == [], path
    copy = import_release(actor=organiser, path=folder, slug="copy")
    for name, content in track_folder.exported(copy, organiser=organiser).items():
        assert content == (folder / EXPORTS / name).read_bytes(), name
    again = score_campaign(Snapshot(copy)).scores
    assert sorted(map(repr, scores.values())) == sorted(repr(each.value) for each in again)
    assert settings_of(copy) == settings_of(pilot)
    assert (folder / EXPORTS / "holistic").read_bytes().startswith(b"Holistic scores of the responses, as the assess")


@pytest.mark.usefixtures("scratch")
def test_comments_that_name_a_run_are_in_no_release(pilot: Campaign, organiser: User, tmp_path: Path) -> None:
    said = "Scores of ALDER and the others\n"
    change_settings(actor=organiser, campaign=pilot, values={"holistic_comments": said})
    assert track_folder.exported(pilot, organiser=organiser)["holistic"].decode().startswith(said)
    change_state(actor=organiser, campaign=pilot, state=Campaign.State.FROZEN)
    folder = tmp_path / "release"
    unpack_release(make_release(actor=organiser, campaign=pilot), folder)
    assert not [path for path in folder.rglob("*") if path.is_file() and b"ALDER" in path.read_bytes()]
    copy = import_release(actor=organiser, path=folder, slug="copy")
    assert settings_of(copy).holistic_comments == COMMENTS
    assert (folder / EXPORTS / "holistic").read_text("utf-8").startswith(COMMENTS)


@pytest.mark.usefixtures("scratch")
@pytest.mark.parametrize(
    "comments", ["", "\n", "\n\n  two\tcolumns  \n\n", "no end"], ids=["none", "blank", "odd", "open"]
)
def test_comments_are_written_as_they_are_set(pilot: Campaign, organiser: User, comments: str) -> None:
    change_settings(actor=organiser, campaign=pilot, values={"holistic_comments": comments})
    written = track_folder.exported(pilot, organiser=organiser)["holistic"].decode()
    before, scores, _ = written.partition("1 Alder 8 5 8 6 9 5\n")
    assert (before.removesuffix("\n"), bool(scores)) == (comments.removesuffix("\n"), True)
    assert before.endswith("\n") == bool(comments)


@pytest.mark.usefixtures("scratch")
@pytest.mark.parametrize(
    "comments", ["Scores:\n1 Alder 8 5\n", "a\rb", "x" * 100_001], ids=["scores", "return", "long"]
)
def test_comments_that_could_not_be_read_back_are_refused(pilot: Campaign, organiser: User, comments: str) -> None:
    with pytest.raises(Invalid, match="holistic_comments"):
        change_settings(actor=organiser, campaign=pilot, values={"holistic_comments": comments})


@pytest.mark.usefixtures("scratch")
def test_an_organiser_changes_the_comments_on_the_page(pilot: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    address = reverse("settings", args=(pilot.slug,))
    page = html.fromstring(client.get(address).content)
    (box,) = page.xpath("//textarea[@name='holistic_comments']")
    assert box.text.removeprefix("\n") == settings_of(pilot).holistic_comments
    (own,) = box.iterancestors("form")
    form = dict(own.form_values()) | {"holistic_comments": " One line\r\n\r\n# another \r\n"}
    assert client.post(address, form).status_code == 302
    pilot.refresh_from_db()
    assert settings_of(pilot).holistic_comments == " One line\n\n# another \n"


@pytest.mark.usefixtures("scratch")
def test_comments_that_were_set_are_not_replaced_by_those_of_a_file(
    pilot: Campaign, organiser: User, capsys: pytest.CaptureFixture[str]
) -> None:
    change_settings(actor=organiser, campaign=pilot, values={"holistic_comments": "Ours\n"})
    call_command("load_campaign", str(PUBLISHED), track=TRACK.key, slug="pilot", organiser="olga", stdout=sys.stdout)
    assert "holistic_comments stays as it was set; the file has other text" in capsys.readouterr().out
    pilot.refresh_from_db()
    assert settings_of(pilot).holistic_comments == "Ours\n"


@pytest.mark.usefixtures("scratch")
@each_or_once
def test_a_recording_of_the_other_way_is_refused_with_the_setting_to_change(pilot: Campaign, organiser: User) -> None:
    shared, is_each = response_key(["a paper lamp folded from one sheet, without glue"]), settings_of(pilot).judge_each
    said = {"do": "judge", "by": "assessor-1", "topic": "5", "docno": "", "criterion": "content", "value": 5}
    said |= {"role": "second", "answer": "a paper lamp", "key": shared if is_each else own_key(shared, "Birch")}
    with pytest.raises(BadFile) as refused:
        track_folder.replay(pilot, organiser=organiser, content=json.dumps(said).encode() + b"\n")
    (issue,) = refused.value.issues
    assert (issue.where, "the same setting judge_each" in issue.message) == (1, True)


@pytest.mark.usefixtures("scratch")
def test_what_came_before_there_was_the_setting_is_read_as_it_was(pilot: Campaign, organiser: User) -> None:
    kept = {"beta": 5.0, "beta_secondary": 2.0, "allowance": 100, "search": True}
    pilot.settings = kept
    found = settings_of(pilot)
    assert (found.judge_each, found.two_rounds, found.own_parts) == (False, False, False)
    assert AquaintDefinitionSettings.from_stored({}) == AquaintDefinitionSettings()


@pytest.mark.usefixtures("scratch")
def test_how_alike_things_are_judged_is_settled_once_runs_are_in(pilot: Campaign, organiser: User) -> None:
    with pytest.raises(Conflict, match="judge_each can't be changed any more: runs are in"):
        change_settings(actor=organiser, campaign=pilot, values={"judge_each": False})
    change_settings(actor=organiser, campaign=pilot, values={"own_parts": False})
    assert (settings_of(pilot).judge_each, settings_of(pilot).own_parts) == (True, False)


@pytest.mark.usefixtures("scratch")
def test_page_and_api_say_beside_the_setting_that_it_is_settled(
    pilot: Campaign, organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    values = {
        "beta": "5",
        "beta_secondary": "2",
        "allowance": "100",
        "list_order_share": "0.1",
        "search": "on",
    }  # a box not ticked is not sent
    page = client.post(reverse("settings", args=["pilot"]), values)
    said = " ".join(page.context["form"].errors["judge_each"])
    assert (page.status_code, "judge_each can&#x27;t be changed any more" in page_of(page)) == (422, True), said
    answer = client.patch("/api/v1/campaigns/pilot/settings/", {"settings": {"judge_each": False}}, "application/json")
    assert (answer.status_code, answer.json()["detail"]) == (409, said)
    pilot.refresh_from_db()
    assert settings_of(pilot).judge_each


@pytest.mark.usefixtures("scratch")
def test_a_repeat_of_one_response_counts_nowhere(pilot: Campaign, organiser: User) -> None:
    before = track_folder.exported(pilot, organiser=organiser)
    topic = pilot.topics.get(number="5")
    newcomer = factories.member(pilot, "newcomer", "assessor")
    factories.assignment(topic, "holistic", newcomer, role="second", state="open")
    planted = make_control_items(
        actor=organiser, campaign=pilot, stage="holistic", wish=ControlItemRequest(repeats=1, gold=0, gap=1, seed=3)
    )
    assert [plant.item.repeats_id is not None for plant in planted] == [True]
    assert track_folder.exported(pilot, organiser=organiser) == before
    assert build_pool(actor=organiser, campaign=pilot, task="definition") == pilot.pools.first()


def test_a_file_of_one_question_is_got_by_its_name(pilot: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    page = page_of(client.get(reverse("exports", args=[pilot.slug])))
    assert "sys.author.&lt;n&gt;" in page
    for name in ("Q.5", "author.5", "sys.other.2"):
        expected = (PUBLISHED / name).read_bytes()
        answer = client.get(reverse("export-file", args=[pilot.slug, name]))
        assert b"".join(answer) == expected  # type: ignore[arg-type]
        assert name in answer["Content-Disposition"]
        assert b"".join(client.get(f"/api/v1/campaigns/pilot/exports/{name}/")) == expected  # type: ignore[arg-type]
    listed = client.get("/api/v1/campaigns/pilot/exports/").json()["results"]
    assert {row["name"]: row["singles"] for row in listed}["author.all"] == "author.<n>"
    assert client.get(reverse("export-file", args=[pilot.slug, "author.77"])).status_code == 404


def test_who_judges_an_empty_response_is_not_told_whose_it_is(
    pilot: Campaign, rounds: tuple[Assignment, Assignment], client: Client
) -> None:
    first, _ = rounds
    tags = list(pilot.runs.values_list("tag", flat=True))
    client.force_login(first.assessor)
    page = client.get(reverse("workbench", args=["pilot", first.pk])).content.decode()
    assert "nothing returned" in page
    items = client.get(f"/api/v1/campaigns/pilot/assignments/{first.pk}/items/")
    things = [
        client.get(reverse("work-item", args=["pilot", first.pk, item["id"]])) for item in items.json()["results"]
    ]
    assert len(things) == 5
    assert ["nothing returned" in page_of(thing) for thing in things].count(True) == 1
    for text in (page, items.content.decode(), *(thing.content.decode() for thing in things)):
        assert [tag for tag in tags if tag in text] == []


# ---------------------------------------------------------------- two rounds


@pytest.fixture
def rounds(pilot: Campaign, scratch: None) -> tuple[Assignment, Assignment]:
    """An assessor's two rounds of a question, handed out and not begun."""
    topic = pilot.topics.get(number="4")
    newcomer = factories.member(pilot, "newcomer", "assessor")
    first, second = (
        factories.assignment(topic, stage, newcomer, role="second", state="open") for stage in ("holistic", "nuggets")
    )
    return first, second


def post(client: Client, work: Assignment, action: str, **values: object) -> tuple[int, str]:
    answer = client.post(f"/api/v1/campaigns/pilot/assignments/{work.pk}/{action}", values, "application/json")
    return answer.status_code, answer.content.decode()


def test_the_list_is_not_begun_before_the_holistic_scores_are_in(
    pilot: Campaign, rounds: tuple[Assignment, Assignment], client: Client
) -> None:
    """ "Each assessor performed two rounds of assessing per question"; the first assigns scores to the responses, and
    the list is made "in this round of assessing", the second (AQUAINT definition pilot, 2.1 and 2.2).
    """
    first, second = rounds
    client.force_login(first.assessor)
    status, said = post(client, second, "open/")
    assert (status, "Opens when you are done with “Judge responses” of this topic." in said) == (409, True)
    page = page_of(client.get(reverse("workbench", args=["pilot", second.pk]), follow=True))
    assert "Opens when you are done with “Judge responses” of this topic." in page
    judge_all(client, first)
    assert post(client, first, "finish/")[0] == 200
    assert post(client, second, "open/")[0] == 200


def test_the_holistic_scores_close_when_the_list_is_begun(
    pilot: Campaign, rounds: tuple[Assignment, Assignment], client: Client
) -> None:
    """ "The first round of assessing was called the holistic evaluation … go with their gut reaction" (AQUAINT
    definition pilot, 2.1): who has written nuggets scores by another light.
    """
    first, second = rounds
    client.force_login(first.assessor)
    judge_all(client, first)
    post(client, first, "finish/")
    assert post(client, first, "reopen/")[0] == 200  # while the list is not begun
    post(client, first, "finish/")
    post(client, second, "open/")
    status, said = post(client, first, "reopen/")
    assert (status, "You have begun “Write nuggets” of this topic, so “Judge responses” is closed" in said) == (
        409,
        True,
    )
    answer = client.post(reverse("work-reopen", args=["pilot", first.pk]), follow=True)
    assert "is closed: it was to be done before" in page_of(answer)
    Assignment.objects.filter(pk=first.pk).update(state="started")
    (item, *_) = client.get(f"/api/v1/campaigns/pilot/assignments/{first.pk}/items/").json()["results"]
    status, said = judge(client, first, item["id"], "content", 1)
    assert (status, "is closed" in said) == (409, True)


def test_what_came_in_later_is_judged_though_the_second_round_is_begun(
    pilot: Campaign, rounds: tuple[Assignment, Assignment], client: Client
) -> None:
    first, second = rounds
    client.force_login(first.assessor)
    judge_all(client, first)
    post(client, first, "finish/")
    post(client, second, "open/")
    kind = stage_of(pilot, "holistic")[1].item_kind
    old = Item.objects.filter(topic=first.topic, kind=kind, judgments__assessor=first.assessor).distinct()[0]
    new = Item.objects.create(topic=first.topic, kind=kind, key="late", text="A late response.")
    PoolItem.objects.create(pool=pilot.pools.get(), item=new)
    recheck_done_work(campaign=pilot, topics=[first.topic_id])
    first.refresh_from_db()
    assert first.has_grown
    assert judge(client, first, handle_of(first, new.pk), "content", 1)[0] == 201
    assert judge(client, first, handle_of(first, new.pk), "content", 2)[0] == 201
    assert judge(client, first, handle_of(first, old.pk), "content", 1)[0] == 409


def test_rounds_can_be_left_open(pilot: Campaign, rounds: tuple[Assignment, Assignment], client: Client) -> None:
    pilot.settings["two_rounds"] = False  # as if the campaign had been made so
    pilot.save()
    first, second = rounds
    client.force_login(first.assessor)
    assert post(client, second, "open/")[0] == 200
    assert post(client, first, "open/")[0] == 200
    judge_all(client, first)
    assert post(client, first, "finish/")[0] == 200
    assert post(client, first, "reopen/")[0] == 200


def judge(client: Client, work: Assignment, item: int, criterion: str, value: int) -> tuple[int, str]:
    key = str(uuid5(NAMESPACE_URL, f"{work.topic.number} {work.stage} {item} {criterion} {value}"))
    values = {"item": item, "criterion": criterion, "value": value, "client_key": key}
    return post(client, work, "judgments/", **values)


def judge_all(client: Client, work: Assignment) -> None:
    post(client, work, "open/")
    for item in client.get(f"/api/v1/campaigns/pilot/assignments/{work.pk}/items/").json()["results"]:
        for criterion in ("content", "organization"):
            assert judge(client, work, item["id"], criterion, 5)[0] == 201
