"""A campaign by a design of the organiser's own: made in every way, judged, scored, released, verified, imported."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from assess.base.errors import Invalid
from assess.base.files import keep_bytes, open_file, stored_path
from assess.campaigns.designs import design_versions, version_of, version_points
from assess.campaigns.domain import create_campaign
from assess.campaigns.queries import _designed, known_track, track_of, track_of_text
from assess.judging.queries.current import current_judgments
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.trace import find_item
from assess.models import Campaign, Item
from assess.organising.design_versions import change_design
from assess.organising.domain import change_state, freeze_campaign
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from scoring.__main__ import main as scoring
from scoring.records import ItemGrade
from scoring.release.explained import About
from tests.design_text import DESIGN
from tests.pages import page_of
from tests.tracks import track_folder
from tests.tracks.designs.campaigns import ADHOC, DESIGNS, judge_all, loaded
from tests.unpacked import unpack_release
from tracks import find_track
from tracks.__main__ import main as tracks
from tracks.designs.checking import check_design
from tracks.designs.gains import gains_of, graded_questions
from tracks.designs.reading import changes_of_texts, design_of_text

USEFUL = DESIGNS / "relevance-and-usefulness.toml"


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"


RANKED = [path for path in sorted(DESIGNS.glob("*.toml")) if "form =" not in path.read_text()]


@pytest.mark.parametrize("path", RANKED, ids=lambda path: path.stem)
def test_every_design_of_ranked_runs_checks_a_run(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tracks(["design", "check", str(path)]) == 0
    run = ADHOC / "runs" / "good" / "maple.txt"
    assert tracks(["check", str(path), "--topics", str(ADHOC / "topics.txt"), str(run)]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.django_db(transaction=True)
def test_it_is_judged_scored_released_verified_and_imported(
    organiser: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = loaded(organiser, USEFUL)
    assert (campaign.track, campaign.settings["pool_depth"]) == ("relevance-and-usefulness", 50)
    judge_all(campaign)
    freeze_campaign(actor=organiser, campaign=campaign, despite="one document is gone")
    campaign.refresh_from_db()
    unpack_release(make_release(actor=organiser, campaign=campaign), tmp_path / "release")
    assert (tmp_path / "release" / "design.toml").read_bytes() == USEFUL.read_bytes()
    assert {path.name for path in (tmp_path / "release" / "exports").iterdir()} == {
        "qrels.txt", "qrels-usefulness.txt", "judgments.jsonl",
    }  # fmt: skip
    capsys.readouterr()
    assert scoring(["verify", str(tmp_path / "release")]) == 0, capsys.readouterr()
    capsys.readouterr()
    gold, run = tmp_path / "release" / "exports", ADHOC / "runs" / "good" / "maple.txt"
    assert tracks(["score", str(USEFUL), "--gold", str(gold), "--run", str(run)]) == 0
    printed = capsys.readouterr().out
    measures = dict.fromkeys(line.split("\t")[2] for line in printed.splitlines())
    assert list(measures) == ["nDCG@10", "AP", "Judged@10", "AP (useful)"]
    means = (tmp_path / "release" / "scores" / "means.tsv").read_text().splitlines()
    values = {line.split("\t")[2] for line in printed.splitlines() if line.startswith("maple\tall")}
    assert values and len(means) == 3 * 4
    again = import_release(actor=organiser, path=tmp_path / "release", slug="again")
    assert (again.track, track_of(again).key) == (campaign.track, campaign.track)


@pytest.mark.django_db
def test_adhoc_printed_as_a_design_gives_what_the_track_gives(
    organiser: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    adhoc = find_track("adhoc")
    assert adhoc is not None and tracks(["design", "show", "adhoc"]) == 0
    path = tmp_path / "mine.toml"
    path.write_text(capsys.readouterr().out.replace('key = "adhoc"', 'key = "mine"'))
    campaign = loaded(organiser, path)
    change_state(actor=organiser, campaign=campaign, state=Campaign.State.JUDGING)
    track_folder.replay(campaign, organiser=organiser, content=track_folder.recorded(adhoc))
    found = track_folder.exported(campaign, organiser=organiser) | {"scores.tsv": track_folder.scored(campaign)}
    assert found == {each.name: each.read_bytes() for each in (ADHOC / "expected").iterdir()}
    mine = track_of(campaign)
    assert (mine.submissions, mine.topic_files) == (adhoc.submissions, adhoc.topic_files)
    assert mine.settings().as_mapping() == adhoc.settings().as_mapping()


@pytest.mark.django_db(transaction=True)
def test_gains_are_turned_round_where_the_design_says_so(organiser: User) -> None:
    campaign = loaded(organiser, DESIGNS / "misleading-documents.toml")
    track = track_of(campaign)
    (question,) = track.tasks[0].stages[0].criteria
    assert [(grade.value, grade.key, grade.name) for grade in question.grades] == [
        (2, "y", "yes"), (1, "s", "somewhat"), (0, "o", "no"),
    ]  # fmt: skip
    assert (question.evidence, [grade.evidence for grade in question.grades]) == (
        "Select what misleads", ["required", "offered", "offered"],
    )  # fmt: skip
    records = [_grade("A", 2), _grade("B", 0), _grade("C", None)]
    gold = track.scoring.build({"qrels.txt": records}, None, print)
    assert dict(gold["misleading"]["1"]) == {"A": 0, "B": 2, "C": -1}


def test_gains_of_the_scores_are_those_of_the_gold_alone() -> None:
    design, _ = check_design(DESIGN.replace("relevant_from = 1\n", 'relevant_from = 1\ngains = { yes = 9, "1" = 3 }\n'))
    assert design is not None
    gold, other = graded_questions(design)
    assert (gains_of(design, gold), gains_of(design, other)) == ({2: 9, 1: 3, 0: 2}, {n: n for n in range(1, 6)})


def _grade(docno: str, value: int | None) -> ItemGrade:
    return ItemGrade(topic="1", kind="document", key=docno, docno=docno, criterion="misleading", value=value)


BESIDE = """[stages.control]
file = "gold.jsonl"

[stages.practice]
file = "first.jsonl"
items = 1

[[stages.questions]]"""


@pytest.mark.django_db
def test_the_files_that_a_design_names_come_with_it_by_page_and_api(client: Client) -> None:
    client.force_login(User.objects.create_superuser("maker"))
    page, api = reverse("campaign-new"), reverse("api-campaign-list")
    text = USEFUL.read_text().replace("[[stages.questions]]", BESIDE, 1)
    known = '{"topic": "1", "docno": "A", "relevance": 1}\n'
    files = {"gold.jsonl": known, "first.jsonl": known.replace('"A"', '"B"')}

    def by_page(files: dict[str, str], text: str = text, **more: str) -> Any:
        beside = [SimpleUploadedFile(name, content.encode()) for name, content in files.items()]
        design = SimpleUploadedFile("mine.toml", text.encode())
        return client.post(
            page, {"title": "Mine", "slug": "mine", "track": "own", "design": design, "beside": beside, **more}
        )

    def by_api(files: dict[str, str], text: str = text) -> Any:
        body = {"title": "Mine", "slug": "by-api", "design": text, "files": files}
        return client.post(api, body, content_type="application/json")

    items = 'design = 1\nkey = "i"\ntitle = "I"\n[runs]\nform = "items"\ntext = "claim"\nsuggest = "machine.jsonl"\n'
    items += text[text.index("[[stages]]") : text.index("[stages.control]")] + "[[stages.questions]]\n"
    items += 'key = "true"\nask = "Is it?"\ngrades = "0-1"\n'
    wrong = [
        ({}, text, "gold.jsonl lies beside the design, which came alone"),
        ({**files, "more.jsonl": known}, text, "The design names no file “more.jsonl”."),
        ({**files, "gold.jsonl": known.replace("1}", "9}")}, text, "There is no grade of relevance “9”."),
        ({"machine.jsonl": known}, items, "Line 1: There is no question “relevance” in this design"),
    ]
    for given, design, words in wrong:
        answer, called = by_page(given, design), by_api(given, design)
        assert (answer.status_code, words in page_of(answer)) == (422, True), page_of(answer)
        assert (called.status_code, words in called.json()["detail"]) == (422, True), called.json()
    assert by_api({**files, "": known}).status_code == by_api({**files, "../gold.jsonl": known}).status_code == 422
    assert "choose “my own”" in page_of(by_page(files, track="adhoc", design=""))
    assert not Campaign.objects.exists()
    assert (by_page(files).status_code, by_api(files).status_code) == (302, 201)
    for campaign in Campaign.objects.all():
        stage = track_of(campaign).tasks[0].stages[0]
        assert ([each.item for each in stage.checks.gold], stage.checks.practice is not None) == (["A"], True)


@pytest.mark.django_db
def test_the_editor_takes_files_and_so_do_new_versions(client: Client) -> None:
    client.force_login(User.objects.create_superuser("maker"))
    text = USEFUL.read_text().replace("[[stages.questions]]", BESIDE, 1) + '\n[guidelines]\nfile = "rules.md"\n'
    known = '{"topic": "1", "docno": "A", "relevance": 1}\n'
    files = {"gold.jsonl": known, "first.jsonl": known.replace('"A"', '"B"')}

    def sent(page: str, do: str, text: str, **files: str) -> Any:
        beside = [SimpleUploadedFile(name.replace("_", "."), content.encode()) for name, content in files.items()]
        return client.post(page, {"title": "Mine", "slug": "mine", "design": text, "do": do, "beside": beside})

    def named(**more: str) -> dict[str, str]:
        return {name.replace(".", "_"): content for name, content in files.items()} | more

    new = reverse("design-new")
    assert "gold.jsonl lies beside the design, which came alone" in page_of(sent(new, "check", text))
    checked = page_of(sent(new, "check", text, **named()))
    assert "first.jsonl" not in checked and "Written out, with what stood in other files" in checked
    assert "rules.md lies beside the design" in checked
    wrong = sent(new, "make", text, **named(more_jsonl=known))
    assert (wrong.status_code, "The design names no file “more.jsonl”." in page_of(wrong)) == (422, True), page_of(
        wrong
    )
    empty = page_of(sent(new, "make", text, **named(rules_md=" ")))
    assert "rules.md" in empty and "came alone" not in empty, empty
    assert sent(new, "make", text, **named(rules_md="Read closely.")).status_code == 302
    campaign = Campaign.objects.get()
    assert [each.text for each in campaign.guidelines.all()] == ["Read closely."]
    stage = track_of(campaign).tasks[0].stages[0]
    assert ([each.item for each in stage.checks.gold], stage.checks.practice is not None) == (["A"], True)

    other = {name: content.replace('"A"', '"C"') for name, content in files.items()}
    page = reverse("design", args=["mine"])
    for body, words in [({}, "came alone"), ({"none.md": "a"}, "names no file “none.md”")]:
        called = client.post(
            reverse("api-design-list", args=["mine"]), {"design": text, "files": body}, content_type="application/json"
        )
        assert (called.status_code, words in called.json()["detail"]) == (422, True), called.json()
    body = {"design": text, "files": other}
    called = client.post(reverse("api-design-list", args=["mine"]), body, content_type="application/json")
    assert called.status_code == 201, called.json()
    campaign.refresh_from_db()
    assert [each.item for each in track_of(campaign).tasks[0].stages[0].checks.gold] == ["C"]
    saved = sent(page, "save", text, **named())
    assert saved.status_code == 302, page_of(saved)
    campaign.refresh_from_db()
    assert [each.item for each in track_of(campaign).tasks[0].stages[0].checks.gold] == ["A"]


@pytest.mark.django_db
def test_page_and_api_make_it_and_refuse_faults_with_their_lines(client: Client) -> None:
    maker = User.objects.create_superuser("maker")
    client.force_login(maker)
    page, api = reverse("campaign-new"), reverse("api-campaign-list")
    text = USEFUL.read_text()

    def sent(text: str, **more: str) -> dict[str, Any]:
        file = SimpleUploadedFile("mine.toml", text.encode())
        return {"title": "Mine", "slug": "mine", "track": "own", "design": file, **more}

    wrong = text.replace("depth = 50", "dept = 50")
    told = "line 8: pool.dept: “dept” is no member of [pool]. Did you mean depth?"
    answer = client.post(page, sent(wrong))
    assert (answer.status_code, told in page_of(answer)) == (422, True)
    body = {"title": "Mine", "slug": "by-api", "design": wrong}
    answer = client.post(api, body, content_type="application/json")
    assert (answer.status_code, told in answer.json()["detail"]) == (422, True)
    assert "Choose the design file" in page_of(client.post(page, {"title": "Mine", "slug": "mine", "track": "own"}))
    assert "Choose “my own”" in page_of(client.post(page, sent(text, track="adhoc")))
    assert "UTF-8" in page_of(client.post(page, {**sent(text), "design": SimpleUploadedFile("x.toml", b"\xff")}))
    assert not Campaign.objects.exists()
    assert client.post(page, sent(text)).status_code == 302
    assert client.post(api, {**body, "design": text}, content_type="application/json").status_code == 201
    assert set(Campaign.objects.values_list("slug", "track")) == {
        ("mine", "relevance-and-usefulness"), ("by-api", "relevance-and-usefulness"),
    }  # fmt: skip
    assert "Relevance and usefulness" in page_of(client.get(reverse("overview", args=["mine"])))


@pytest.mark.django_db
def test_a_kept_design_that_this_version_does_not_know_is_said(organiser: User, client: Client) -> None:
    campaign = create_campaign(actor=organiser, slug="x", title="X", design=USEFUL.read_text())
    Campaign.objects.filter(pk=campaign.pk).update(design=keep_bytes(b"design = 9"))
    client.force_login(organiser)
    answer = client.get(reverse("overview", args=["x"]))
    assert (answer.status_code, "this site does not know any more" in page_of(answer)) == (409, True)


@pytest.mark.django_db
def test_a_design_whose_file_is_lost_is_said(organiser: User, client: Client, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    campaign = create_campaign(actor=organiser, slug="x", title="X", design=f"{USEFUL.read_text()}\n# of its own\n")
    stored_path(campaign.design).unlink()
    _designed.cache_clear()
    client.force_login(organiser)
    answer = client.get(reverse("overview", args=["x"]))
    assert (answer.status_code, "The file with the design of X is not kept here" in page_of(answer)) == (409, True)
    assert known_track(campaign) is None


@pytest.mark.django_db
def test_a_design_that_is_called_as_a_track_is_refused(organiser: User) -> None:
    text = USEFUL.read_text().replace('key = "relevance-and-usefulness"', 'key = "adhoc"')
    with pytest.raises(Invalid, match="There is a track “adhoc” already"):
        create_campaign(actor=organiser, slug="x", title="X", design=text)


@pytest.mark.django_db(transaction=True)
def test_a_release_holds_every_version_and_moved_values_are_verified_and_imported(
    organiser: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = loaded(organiser, DESIGNS / "misleading-documents.toml")
    judge_all(campaign)
    first = (DESIGNS / "misleading-documents.toml").read_text()
    second = first.replace("Is the document misleading?", "Does the document mislead?")
    change_design(actor=organiser, campaign=campaign, text=second)
    moved = second.replace('value = 1, press = "s"', 'value = 3, press = "s"')
    third = f'{moved}\n[[changes]]\nquestion = "misleading"\nfrom = 1\nto = 3\n'
    version = change_design(actor=organiser, campaign=campaign, text=third)
    assert version.mapped[0]["judgments"] > 0
    freeze_campaign(actor=organiser, campaign=campaign, despite="one document is gone")
    campaign.refresh_from_db()
    unpack_release(make_release(actor=organiser, campaign=campaign), tmp_path / "release")
    held = [(tmp_path / "release" / "designs" / f"{number}.toml").read_text() for number in (1, 2, 3)]
    assert held == [first, second, third]
    assert "1" not in {line.split()[3] for line in (tmp_path / "release/exports/qrels.txt").read_text().splitlines()}
    capsys.readouterr()
    assert scoring(["verify", str(tmp_path / "release")]) == 0, capsys.readouterr()
    again = import_release(actor=organiser, path=tmp_path / "release", slug="again")
    assert [each.changes for each in design_versions(again)] == [each.changes for each in design_versions(campaign)]
    assert track_of(again).tasks[0].stages[0].criteria[0].question == "Does the document mislead?"
    unpack_release(make_release(actor=organiser, campaign=again), tmp_path / "copy")
    assert (tmp_path / "copy/exports/qrels.txt").read_bytes() == (tmp_path / "release/exports/qrels.txt").read_bytes()
    assert (tmp_path / "copy/designs/2.toml").read_text() == second
    assert _by_version(again) == _by_version(campaign)
    recorded = [tmp_path / each / "exports/judgments.jsonl" for each in ("release", "copy")]
    assert recorded[0].read_bytes() == recorded[1].read_bytes()
    lines = [json.loads(line) for line in recorded[0].read_text().splitlines()]
    assert {(each["value"], each.get("version")) for each in lines} == {(0, 1), (2, 1), (3, None)}
    item = Item.objects.filter(topic__campaign=again, judgments__value=2).first()
    assert item is not None
    trace = find_item(Snapshot(again), About(kind="item", topic=item.topic.number, name=item.kind, key=item.key), None)
    assert trace is not None and [act.value for act in trace.said[0].acts] == ["yes (2) (version 1 of the design)"]
    _tamper(tmp_path / "release", "designs/3.toml", first.encode())
    assert scoring(["verify", str(tmp_path / "release")]) == 1
    assert "designs/3.toml, the last version, is not design.toml" in capsys.readouterr().out
    with pytest.raises(Invalid, match=r"the last version, is not design\.toml"):
        import_release(actor=organiser, path=tmp_path / "release", slug="wrong")


def _by_version(campaign: Campaign) -> set[tuple[str, str, int | None, int]]:
    """What counts of each item, with the version of the design under which it was judged."""
    points = version_points(campaign, None)
    rows = current_judgments(Snapshot(campaign)).select_related("item__topic")
    versions = {row.pk: version_of(points, row.pk, row.design_version) for row in rows}
    return {(row.item.topic.number, row.item.key, row.value, versions[row.pk]) for row in rows}


def _tamper(release: Path, name: str, content: bytes) -> None:
    """Another file under its own sum, as somebody would do it who knows how."""
    (release / name).write_bytes(content)
    manifest = json.loads((release / "manifest.json").read_text())
    manifest["files"][name] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
    (release / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.django_db
def test_a_campaign_keeps_what_its_design_takes_from_other_files(
    organiser: User, tmp_path: Path, client: Client
) -> None:
    base = DESIGNS / "binary-relevance.toml"
    (tmp_path / base.name).write_bytes(base.read_bytes())
    (tmp_path / "help.md").write_text("Look at the document alone.")
    text = f'''design = 1
base = "{base.name}"
key = "mine"

[[stages]]
key = "documents"
help_file = "help.md"
'''
    (tmp_path / "mine.toml").write_text(text)
    campaign = loaded(organiser, tmp_path / "mine.toml")
    (tmp_path / "help.md").unlink()
    (tmp_path / base.name).unlink()
    with open_file(campaign.design) as file:
        track = track_of_text(file.read().decode())
    (stage,) = track.tasks[0].stages
    assert (track.key, track.label, stage.help) == ("mine", "Binary relevance", "Look at the document alone.")
    client.force_login(User.objects.create_superuser("maker"))
    body = {"title": "Mine", "slug": "by-api", "design": text}
    answer = client.post(reverse("api-campaign-list"), body, content_type="application/json")
    told = "line 7: stages.documents.help_file: help.md lies beside the design, which came alone"
    assert (answer.status_code, told in answer.json()["detail"]) == (422, True)
    body["design"] = text.replace(base.name, "adhoc").replace('help_file = "help.md"', 'label = "Mine"')
    assert client.post(reverse("api-campaign-list"), body, content_type="application/json").status_code == 201


def test_gains_with_decimals_count_as_the_whole_ones_that_they_are_parts_of() -> None:
    text = (DESIGNS / "misleading-documents.toml").read_text()
    halved = text.replace("gain = 1,", "gain = 0.25,").replace("gain = 2 ", "gain = 0.5 ")
    halved = halved.replace("relevant_from = 1", "relevant_from = 0.25")
    records = [_grade("A", 2), _grade("B", 0), _grade("C", 1), _grade("D", None)]
    found = []
    for each in (text, halved):
        track = track_of_text(each)
        gold = track.scoring.build({"qrels.txt": records}, track.settings(), print)
        content = Ranked({"1": {"C": 3.0, "A": 2.0, "B": 1.0}})
        scores = track.scoring.score(gold, "r", content, track.settings())
        found.append([(score.topic, score.measure, score.value) for score in scores])
        shown = track.scoring.explain(gold, "r", content, track.settings())("1", "nDCG@10")
    assert (found[0] == found[1], len(found[0])) == (True, 8)
    assert "relevant from a gain of 0.25" in track.scoring.measures[1].help
    assert shown.formula.endswith("(gains × 4)")


def test_values_with_decimals_are_recorded_in_hundredths_and_gain_what_they_say() -> None:
    whole = (DESIGNS / "misleading-documents.toml").read_text().replace("relevant_from = 1", "relevant_from = 0.5")
    grades = [(2, "yes", 0), (1, "somewhat", 1), (0, "no", 2)]
    start, end = whole.index("grades = ["), whole.index("]\n", whole.index("grades = ["))
    halved, parts = (
        f"{whole[:start]}grades = [{entries}{whole[end:]}"
        for entries in (
            ", ".join(f'{{ value = {value}, name = "{name}", gain = {value / 2} }}' for value, name, _ in grades),
            ", ".join(f'{{ value = {value / 2}, name = "{name}" }}' for value, name, _ in grades),
        )
    )
    found = []
    for text, unit in ((halved, 1), (parts, 50)):
        track = track_of_text(text)
        (stage,) = track.tasks[0].stages
        assert [grade.value for grade in stage.criteria[0].grades] == [2 * unit, unit, 0]
        records = [_grade("A", 2 * unit), _grade("B", 0), _grade("C", unit), _grade("D", None)]
        gold = track.scoring.build({"qrels.txt": records}, track.settings(), print)
        scores = track.scoring.score(gold, "r", Ranked({"1": {"C": 3.0, "A": 2.0, "B": 1.0}}), track.settings())
        found.append([(score.topic, score.measure, score.value) for score in scores])
    assert (found[0] == found[1], len(found[0])) == (True, 8)
    key = design_of_text(parts).stages[0].questions[0].key  # type: ignore[union-attr]
    asked = f'\n[[stages.questions]]\nkey = "why"\nask = "Why?"\ngrades = "0-1"\nasked_if = {{ {key} = [0.5, 1] }}\n'
    place = parts.index("[scores]")
    track = track_of_text(parts[:place] + asked + parts[place:] + '\n[scores.gains]\n"0.5" = 1\n')
    assert track.tasks[0].stages[0].criteria[1].asked_if == (((key, (100, 50)),),)
    moved = {each.mapping for each in changes_of_texts(halved, parts).changes if each.stands_on}
    told = '[[changes]] question = "{}", from = {}, to = {}'
    assert moved == {told.format(key, 2, 100), told.format(key, 1, 50)}
    mapped = "".join(
        f'\n[[changes]]\nquestion = "{key}"\nfrom = {value}\nto = {now}\n' for value, now in ((2, 100), (1, 50))
    )
    changes = changes_of_texts(halved, parts + mapped)
    assert [(each.before, each.now) for each in changes.mappings] == [(2, 100), (1, 50)]
    assert [each for each in changes.changes if each.stands_on] == []


class Ranked:
    """A run that ranks these documents."""

    def __init__(self, rankings: dict[str, dict[str, float]]) -> None:
        self._rankings = rankings

    def rankings(self, kind: str) -> dict[str, dict[str, float]]:
        del kind
        return self._rankings
