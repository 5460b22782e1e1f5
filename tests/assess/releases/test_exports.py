"""Exports: what counts and nothing else, of any ledger point, into a folder that is nobody else's."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from assess.assignments.domain.questions_to_organiser import answer_question, ask_organiser
from assess.base.errors import Conflict, Invalid
from assess.campaigns.queries import ledger_point, track_of
from assess.exports.domain import export_campaign
from assess.exports.writing import MANIFEST
from assess.judging.snapshots import Snapshot
from assess.models import Activity, Assignment, Campaign
from nuggets.models import NuggetList
from tests.assess.commands import run_command
from tests.assess.judged_campaign import (
    AMBER,
    BASIL,
    CHEAP,
    KIND,
    WEEK,
    group,
    item,
    judge,
    key,
    mark,
    pool_all,
    submit,
    vote,
    work,
    write_list,
)
from tests.remembered import remembered

pytestmark = pytest.mark.django_db


@pytest.fixture
@remembered
def judged(campaign: Campaign, organiser: User, settings, tmp_path: Path) -> Campaign:
    """Two runs of the cast's campaign, pooled and not yet judged."""
    settings.DATA_DIR = tmp_path / "data"
    submit(campaign, organiser, "Amber1", AMBER)
    submit(campaign, organiser, "Basil1", BASIL)
    pool_all(campaign, organiser)
    return campaign


@pytest.fixture
def grading(judged: Campaign, assessor: User) -> Assignment:
    return work(judged, "1.1", "instances", assessor)


@pytest.fixture
def frozen(judged: Campaign, assessor: User) -> NuggetList:
    return write_list(work(judged, "1.2", "nuggets", assessor), cheap="vital", frail="okay")


def files(campaign: Campaign, folder: Path, as_of: int | None = None) -> dict[str, list[str]]:
    """Every exported file's lines."""
    export_campaign(actor=None, snapshot=Snapshot(campaign, as_of), folder=folder)
    return {path.name: path.read_text("utf-8").splitlines() for path in folder.iterdir()}


# ---------------------------------------------------------------- what counts


def test_instances_have_their_official_value_and_class(grading: Assignment, assessor: User, tmp_path: Path) -> None:
    for text, value in [("blue", 1), ("the blue one", 3), ("red", 1), ("green", -1)]:
        judge(grading, text, value)
    judge(grading, "red", 2, again=1)
    Assignment.objects.filter(pk=grading.pk).update(state="done")
    group(work(grading.campaign, "1.1", "classes", assessor), "blue", "blue")
    found = files(grading.campaign, tmp_path / "out")
    assert found["instances.tsv"] == [
        "1.1\tD1\t1\t1\tblue",
        "1.1\tD1\t3\t\tthe blue one",
        "1.1\tD2\t2\t\tred",
        "1.1\tD3\t-1\t\tgreen",
    ]
    assert found["answer-classes.tsv"] == ["1.1\t1\t\tblue"]
    assert found["list_judged.txt"] == [
        "1.1 Amber1 D1 1 1 blue",
        "1.1 Amber1 D2 2 0 red",
        "1.1 Basil1 D1 1 1 blue",
        "1.1 Basil1 D1 3 0 the blue one",
        "1.1 Basil1 D3 -1 0 green",
    ]


def test_a_second_assessors_values_are_no_official_ones(
    grading: Assignment, second_assessor: User, tmp_path: Path
) -> None:
    second = work(grading.campaign, "1.1", "instances", second_assessor, role="second")
    judge(second, "blue", 1)
    judge(second, "red", 1)
    assert files(grading.campaign, tmp_path / "out")["instances.tsv"] == []
    judge(grading, "blue", -1)
    judge(second, "blue", 1, again=1)
    found = files(grading.campaign, tmp_path / "out")
    assert found["instances.tsv"] == ["1.1\tD1\t-1\t\tblue"]
    assert found["list_judged.txt"] == ["1.1 Amber1 D1 -1 0 blue", "1.1 Basil1 D1 -1 0 blue"]
    roles = [json.loads(line).get("role", "") for line in found["judgments.jsonl"]]
    assert sorted(roles) == ["", "second", "second"]


def test_the_adjudicators_word_replaces_the_primary_assessors(
    grading: Assignment, adjudicator: User, tmp_path: Path
) -> None:
    judge(work(grading.campaign, "1.1", "instances", adjudicator, role="adjudicator"), "blue", 1)
    judge(grading, "blue", -1)
    assert files(grading.campaign, tmp_path / "out")["instances.tsv"] == ["1.1\tD1\t1\t\tblue"]


def test_another_assessors_marks_are_not_exported_but_votes_are(
    frozen: NuggetList, assessor: User, second_assessor: User, tmp_path: Path
) -> None:
    campaign = frozen.topic.campaign
    mark(work(campaign, "1.2", "matches", assessor), frozen, 1, CHEAP)
    mark(work(campaign, "1.2", "matches", second_assessor, role="second"), frozen, 2, WEEK)
    vote(work(campaign, "1.2", "votes", second_assessor, role="second"), frozen, 2, "vital")
    found = files(campaign, tmp_path / "out")
    assert found["nuggets.tsv"] == ["1.2\t1\tvital\tcheap", "1.2\t2\tokay\tfrail"]
    assert found["matches.tsv"] == [f"1.2\t1\tD1\t{CHEAP}"]
    assert found["votes.tsv"] == [
        "1.2\t1\tassessor-1\tvital",
        "1.2\t2\tassessor-1\tokay",
        "1.2\t2\tassessor-2\tvital",
    ]
    assert found["otherjudged.txt"] == [
        f"1.2 Amber1 1 D1 {CHEAP}",
        f"1.2 Amber1 2 D2 {WEEK}",
        f"1.2 Basil1 1 D3 {KIND}",
        "1.2 Amber1 1 1",
    ]


def test_marks_taken_back_are_no_matches_and_none_is_in_part(
    frozen: NuggetList, assessor: User, tmp_path: Path
) -> None:
    marking = work(frozen.topic.campaign, "1.2", "matches", assessor)
    mark(marking, frozen, 1, CHEAP)
    mark(marking, frozen, 1, CHEAP, value=None)
    with pytest.raises(Invalid, match="never in part"):
        mark(marking, frozen, 2, WEEK, value="partial")
    assert files(frozen.topic.campaign, tmp_path / "out")["matches.tsv"] == []


def test_questions_to_the_organiser_and_excused_items_are_nowhere(
    grading: Assignment, organiser: User, tmp_path: Path
) -> None:
    judge(grading, "blue", 1)
    ask = {"actor": grading.assessor, "assignment": grading}
    asked = ask_organiser(**ask, item=item(grading.campaign, "green"), text="QUESTION ABOUT IT", client_key=key(1))  # type: ignore[arg-type]
    answer_question(actor=organiser, request=asked, answer="LEAVE IT OUT", excuse=True)
    found = files(grading.campaign, tmp_path / "out")
    everything = "\n".join(line for lines in found.values() for line in lines)
    assert "QUESTION" not in everything
    assert "LEAVE IT OUT" not in everything
    assert "green" not in everything
    assert found["instances.tsv"] == ["1.1\tD1\t1\t\tblue"]


def test_names_of_people_are_nowhere(grading: Assignment, frozen: NuggetList, tmp_path: Path) -> None:
    judge(grading, "blue", 1)
    found = files(grading.campaign, tmp_path / "out")
    everything = "\n".join(line for lines in found.values() for line in lines)
    assert '"by": "assessor-1"' in everything
    assert '"assessor"' not in everything
    assert "organiser" not in everything


# ---------------------------------------------------------------- as of, manifest, folder


def test_an_earlier_point_exports_what_was_said_then(grading: Assignment, tmp_path: Path) -> None:
    campaign = grading.campaign
    points = [ledger_point(campaign)]
    for text, value, again in [("blue", 1, 0), ("red", 1, 0), ("red", -1, 0), ("blue", None, 0)]:
        judge(grading, text, value, again=again)
        points.append(ledger_point(campaign))
    then = [[line.split("\t")[2:] for line in files(campaign, tmp_path / "out", p)["instances.tsv"]] for p in points]
    blue, red, wrong = ["1", "", "blue"], ["1", "", "red"], ["-1", "", "red"]
    assert then == [[], [blue], [blue, red], [blue, wrong], [wrong]]


def test_an_earlier_point_knows_no_later_list_mark_or_vote(
    judged: Campaign, assessor: User, second_assessor: User, tmp_path: Path
) -> None:
    before = ledger_point(judged)
    frozen = write_list(work(judged, "1.2", "nuggets", assessor), cheap="vital")
    listed = ledger_point(judged)
    mark(work(judged, "1.2", "matches", assessor), frozen, 1, CHEAP)
    vote(work(judged, "1.2", "votes", second_assessor, role="second"), frozen, 1, "okay")
    names = ("nuggets.tsv", "matches.tsv", "votes.tsv")
    sizes = []
    for point in (before, listed, None):
        found = files(judged, tmp_path / "out", point)
        sizes.append([len(found[name]) for name in names])
    assert sizes == [[0, 0, 0], [1, 0, 1], [1, 1, 2]]


@pytest.mark.parametrize("point", [-1, 10**6])
def test_a_point_that_was_not_reached_is_refused(grading: Assignment, tmp_path: Path, point: int) -> None:
    with pytest.raises(Invalid, match="no ledger point"):
        export_campaign(actor=None, snapshot=Snapshot(grading.campaign, point), folder=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_manifest_names_point_settings_and_digests_and_has_no_clock(grading: Assignment, tmp_path: Path) -> None:
    judge(grading, "blue", 1)
    campaign, point = grading.campaign, ledger_point(grading.campaign)
    first = export_campaign(actor=None, snapshot=Snapshot(campaign), folder=tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert (manifest["campaign"], manifest["track"], manifest["as_of"]) == ("opinions", "tac2008-qa", point)
    assert manifest["settings"] == campaign.settings
    assert set(manifest["files"]) == {export.name for export in track_of(campaign).exports}
    for name, digest in manifest["files"].items():
        assert hashlib.sha256((tmp_path / "out" / name).read_bytes()).hexdigest() == digest == first.files[name]
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    export_campaign(actor=None, snapshot=Snapshot(campaign, point), folder=tmp_path / "again")
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == before
    activity = Activity.objects.filter(action="export.write").last()
    assert activity is not None
    assert activity.data == {"as_of": point, "files": first.files}


def test_an_earlier_export_is_replaced_as_a_whole(grading: Assignment, tmp_path: Path) -> None:
    out = tmp_path / "out"
    files(grading.campaign, out)
    (out / "votes.tsv").unlink()
    (out / "instances.tsv").write_text("old")
    assert files(grading.campaign, out)["instances.tsv"] == []
    assert (out / "votes.tsv").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("foreign", ["other file", "other campaign", "a file", "a link"])
def test_a_folder_of_something_else_is_refused_and_left_alone(
    grading: Assignment, tmp_path: Path, foreign: str
) -> None:
    out = tmp_path / "out"
    if foreign == "a file":
        out.write_text("mine")
    elif foreign == "a link":
        (tmp_path / "place").mkdir()
        out.symlink_to(tmp_path / "place")
    else:
        files(grading.campaign, out)
        if foreign == "other file":
            (out / "thesis.tex").write_text("mine")
        else:
            manifest = json.loads((out / MANIFEST).read_text())
            (out / MANIFEST).write_text(json.dumps(manifest | {"campaign": "another"}))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(Conflict, match=r"Name (an empty folder|one that does not exist)"):
        export_campaign(actor=None, snapshot=Snapshot(grading.campaign), folder=out)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_command_prints_digests_and_refuses_with_status_1(grading: Assignment, tmp_path: Path) -> None:
    status, out, err = run_command("export", "opinions", tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text())
    names = [export.name for export in track_of(grading.campaign).exports]
    assert (status, out.splitlines()) == (0, [f"{manifest['files'][name]}  {name}" for name in names])
    assert f"as of ledger point {manifest['as_of']}" in err
    (tmp_path / "out" / "thesis.tex").write_text("mine")
    assert run_command("export", "opinions", tmp_path / "out")[0] == 1
    status, _, err = run_command("export", "opinions", tmp_path / "new", "--as-of", 10**6)
    assert (status, "no ledger point" in err) == (1, True)
    status, _, err = run_command("export", "nothing", tmp_path / "new")
    assert (status, "no campaign" in err) == (2, True)
