"""What every track must do, over its data folder. A track is tested by being registered; nothing here names one."""

from __future__ import annotations

import hashlib
import io
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import escape

from assess.analysis.domain.rankings import analyse_campaign
from assess.assignments.queries.work_items import item_of
from assess.exports import queries
from assess.exports.writing import export_lines, single_files
from assess.judging.snapshots import Snapshot
from assess.management.campaign_folder import form_for, run_files, run_forms
from assess.models import Assignment, Item, Role, Run
from assess.pools.domain.building import build_pool
from assess.protocol import CheckContext, Export, SegmentRecord, TopicRecord, Track
from assess.runs.domain import checking
from assess.runs.domain.checking import check_context, check_run
from assess.runs.domain.stored_answers import StoredAnswers
from assess.scores.domain import explain_run, score_campaign
from nuggets.matches import export as marks
from scoring.reading.grouped_issues import together
from scoring.reading.opening import open_input
from scoring.records import Issue, has_errors
from tests import factories
from tests.languages_of_texts import beginnings, in_the_pages_language
from tests.pages import page_of
from tests.parts import WHOLE, judged_of
from tests.tracks import track_folder
from tests.tracks.conftest import Judged
from tests.tracks.kept_db import db  # noqa: F401
from tests.tracks.received import (
    DEVIATIONS,
    FAR,
    Concordance,
    Received,
    add_work,
    by_runs,
    desks,
    documents_numbers,
    received,
    received_at_desk,
    run_places,
    works_of,
)
from tests.tracks.track_folder import (
    PLACES,
    broken_files,
    docnos_of,
    expected_issues,
    issue_lines,
    issues_of,
    kind_of,
    topic_paths,
    topic_records,
)
from tracks import TRACKS
from tracks.__main__ import main
from tracks.input_files import unknown_in_file

every_track = pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.key)


def cases(place: str) -> pytest.MarkDecorator:
    """Every broken file of every track."""
    found = [(track, path) for track in TRACKS for path in broken_files(track, place)]
    return pytest.mark.parametrize(("track", "path"), found, ids=[f"{track.key}-{path.name}" for track, path in found])


def topic_arguments(track: Track) -> list[str]:
    """The topic files as arguments of a command."""
    return [argument for _, path in topic_paths(track) for argument in ("--topics", str(path))]


# ---------------------------------------------------------------- files, without the site


@every_track
def test_topics_are_read(track: Track) -> None:
    records: list[TopicRecord | Issue] = []
    for kind, path in topic_paths(track):
        with path.open("rb") as stream:
            records += [
                record for record in kind.read(stream) if not (kind.supplements and type(record) is TopicRecord)
            ]
    assert [record for record in records if isinstance(record, Issue)] == []
    topics = [record for record in records if isinstance(record, TopicRecord)]
    numbers = [record.number for record in topics]
    assert len(set(numbers)) == len(numbers)
    assert {record.parent for record in topics} - {None} <= set(numbers)
    assert {record.task for record in topics} - {""} == {task.key for task in track.tasks}


@cases("topics")
def test_broken_topics_give_their_issues(track: Track, path: Path) -> None:
    issues = list(issues_of(track, path, "topics"))
    assert issue_lines(issues) == expected_issues(path)
    assert issues
    assert all(issue.message for issue in issues)


@cases("published")
def test_broken_published_files_give_their_issues(track: Track, path: Path) -> None:
    issues = list(issues_of(track, path, "published"))
    assert issue_lines(issues) == expected_issues(path)
    assert issues


@cases("runs")
def test_broken_runs_give_their_issues(track: Track, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docnos = docnos_of(track)
    submission = kind_of(path, track.submissions)
    issues = list(issues_of(track, path, "runs"))
    assert issue_lines(issues) == expected_issues(path)
    assert issues
    context = CheckContext(
        topics=topic_records(track),
        settings=track.settings(),
        unknown_docnos=partial(unknown_in_file, docnos) if docnos is not None else None,
    )
    with open_input(path) as unpacked:
        inside = list(submission.check(unpacked, context))
    valid = ["--docnos", str(docnos)] if docnos is not None else []
    status = main(["check", track.key, "--task", submission.tasks[0], *topic_arguments(track), *valid, str(path)])
    assert capsys.readouterr().out.splitlines() == ["\t".join(issue.as_row()) for issue in together(inside)]
    assert status == int(has_errors(inside))


@every_track
def test_there_are_broken_files_enough(track: Track) -> None:
    assert sum(len(broken_files(track, place)) for place in PLACES) >= 20


# ---------------------------------------------------------------- files, through the site


def test_broken_runs_give_their_issues_on_the_site(judged: Judged, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "check_context", cache(checking.check_context))  # topics read for each took most time
    for path in broken_files(judged.track, "runs"):
        with path.open("rb") as stream:
            submission = kind_of(path, judged.track.submissions).key
            report = check_run(campaign=judged.campaign, stream=stream, submission=submission, limit=None, each=True)
        assert issue_lines(report.issues) == expected_issues(path), path.name
        assert report.is_clean == (not has_errors(report.issues)), path.name


def test_good_runs_were_accepted(judged: Judged) -> None:
    accepted = judged.campaign.runs.filter(state=Run.State.ACCEPTED)
    names = {path.name for _, path in run_files(judged.folder, judged.track)}
    assert {run.file_name for run in accepted} >= names != set()
    assert [run.errors for run in accepted] == [0] * len(accepted)


def test_good_runs_pass_the_check_with_their_forms(judged: Judged) -> None:
    forms = run_forms(judged.folder)
    for submission, path in run_files(judged.folder, judged.track):
        context = check_context(judged.campaign, form_for(path, forms, submission))
        with path.open("rb") as stream:
            assert not has_errors(submission.check(stream, context)), path.name


def test_segments_are_the_same_with_and_without_the_site(judged: Judged) -> None:
    bare = CheckContext(topics=topic_records(judged.track), settings=judged.track.settings())
    for submission, path in run_files(judged.folder, judged.track):
        with path.open("rb") as one, path.open("rb") as other:
            here = list(submission.read(one, check_context(judged.campaign)))
            assert here == list(submission.read(other, bare))
        run = judged.campaign.runs.get(state=Run.State.ACCEPTED, file_name=path.name)
        opened, context = partial(path.open, "rb"), bare
        stored = StoredAnswers(submission=submission, open=opened, context=context, run=run.tag, run_id=run.pk)
        assert sorted(map(_told, stored.segments())) == sorted(map(_told, here))
        if submission.responses is not None:
            with path.open("rb") as file:
                wholes = [(each.topic, each.kind, each.key) for each in submission.responses(file, bare)]
            assert sorted((each.topic, each.kind, each.key) for each in stored.responses()) == sorted(wholes)


def _told(segment: SegmentRecord) -> tuple[Any, ...]:
    """What scores need of a segment."""
    cited = [(each.ordinal, each.docno, each.item_kind, each.item_key) for each in segment.citations]
    kind = segment.item_kind if segment.item_key else ""
    return segment.topic, segment.ordinal, segment.text, segment.docno, segment.line or 0, kind, segment.item_key, cited


@judged_of("biogen2024")
def test_scores_count_the_sentences_that_were_judged(judged: Judged, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the library would cut the answers otherwise today."""
    monkeypatch.setattr("tracks.biogen2024.runs.sentence_spans", lambda text, way: ((0, len(text)),))
    explain = explain_run(Snapshot(judged.campaign), "Heron")
    lines = [line.split("\t") for line in judged.scores.decode().splitlines()]
    known = [(topic, measure, value) for run, topic, measure, value in lines if run == "Heron"]
    assert [(topic, measure, f"{explain(topic, measure).value:.6f}") for topic, measure, _ in known] == known != []


# ---------------------------------------------------------------- judging


@judged_of("adhoc", "ikat2023", "aquaint-definition", "biogen2024", "context25", "rag-nuggets")
def test_recorded_judgments_were_replayed_and_add_nothing_twice(judged: Judged) -> None:
    """TAC’s, as many as all others together, are imported twice by tests/tracks/test_recorded_judgments.py."""
    content = track_folder.recorded(judged.track)
    done = track_folder.replay(judged.campaign, organiser=judged.organiser, content=content)
    assert (done.lines, done.added) == (len(content.splitlines()), 0)
    worked = Assignment.objects.filter(campaign=judged.campaign)
    assert set(worked.values_list("stage", flat=True)) == {s.key for t in judged.track.tasks for s in t.stages}


@pytest.mark.usefixtures("scratch")
def test_every_stage_opens_for_its_assessor_and_for_nobody_else(judged: Judged) -> None:
    participant = factories.member(judged.campaign, "participant", Role.PARTICIPANT, team="Nobody")
    colleague = factories.member(judged.campaign, "colleague", Role.ASSESSOR)
    stranger = factories.user("stranger")
    texts = beginnings(judged.campaign)
    for stage in (stage for task in judged.track.tasks for stage in task.stages):
        work = judged.campaign.assignments.filter(stage=stage.key).select_related("assessor").first()
        assert work is not None, stage.key
        address = reverse("workbench", args=(judged.campaign.slug, work.pk))
        client = Client()
        assert client.get(address).status_code == 302
        client.force_login(work.assessor)
        client.cookies["assay-language"] = "de"
        page = client.get(address)
        assert page.status_code == 200, stage.key
        for run in judged.campaign.runs.all():
            assert run.tag not in page_of(page), stage.key
        german = in_the_pages_language(page_of(page))
        assert [each for each in texts if each in german] == [], stage.key
        for other in (judged.organiser, participant, colleague, stranger):
            client.force_login(other)
            assert client.get(address).status_code == 404, (stage.key, other)


# ---------------------------------------------------------------- what comes out


def test_nothing_that_judges_receive_tells_of_runs(
    client: Client, judged: Judged, settings: Any, scratch: None
) -> None:
    """Numbers and orders are drawn here from fixed seeds, so what chance does is the same each time.

    A number that stands for what a whole list or grouping holds is the same to all who settle it: both are shown whole.
    """
    settings.SECRET_KEY = "drawn once"
    campaign = judged.campaign
    add_work(campaign, factories.member(campaign, "newcomer", "assessor"))
    for work in campaign.assignments.select_related("topic", "assessor"):
        drawn = hashlib.sha256(f"{work.topic.number} {work.stage} {work.assessor.username}".encode()).digest()
        Assignment.objects.filter(pk=work.pk).update(seed=int.from_bytes(drawn[:7]))

    places, found, told, absent = run_places(campaign), {}, {}, set()
    for work in works_of(campaign):
        found[work.pk] = received(client, work, absent)
        for what, name, first, second in by_runs(found[work.pk], places, partial(item_of, work)):
            told.setdefault((what, work.stage, name), Concordance()).add(first, second)
    for name in ("settler", "other-settler"):
        settler = factories.member(campaign, name, "adjudicator")
        found[-settler.pk] = desk = received_at_desk(client, campaign, settler, absent)
        for stage, listed, back in desks(desk, campaign, settler):
            for what, _, first, second in by_runs(listed, places, back):
                told.setdefault((what, stage, "desk"), Concordance()).add(first, second)

    assert {each for one in found.values() for each in one.ids()} == set()
    shared = [one & other for one, other in combinations([each.numbers() for each in found.values()], 2)]
    wholes = {value for one in found.values() for row in one.disagreements for value in row["values"]}
    assert set().union(*shared) - documents_numbers(campaign) - wholes == set()
    assert {about: each.deviations for about, each in told.items() if abs(each.deviations) > DEVIATIONS} == {}
    assert {what for what, _, _ in told} == {"size", "order"}
    assert sum(each.pairs for each in told.values()) > 20


def test_what_tells_of_runs_is_found() -> None:
    in_order, mixed = Concordance(), Concordance()
    for _ in range(3):
        in_order.add(range(12), [0, 0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 8])
        mixed.add(range(12), [4, 11, 0, 7, 2, 9, 5, 1, 10, 3, 8, 6])
    assert in_order.deviations > DEVIATIONS > abs(mixed.deviations)
    told = Received(texts={"/": f'<li data-item="{FAR[Item] + 17}">', "/more/": '{"id": 123456789012}'})
    assert told.ids() == {("/", FAR[Item] + 17)}
    drawn = [f"ab{FAR[Item] + 17}{'c' * more}" for more in (4, 20, 52)]  # of a request, an ETag, a digest
    assert Received(texts=dict.fromkeys("abc", f"X-Request-Id: {' '.join(drawn)}")).ids() == set()
    assert Received(texts={"/": f"ab-{FAR[Item] + 17}.json"}).ids() == {("/", FAR[Item] + 17)}
    assert told.numbers() == {FAR[Item] + 17, 123456789012}


def lines_of(judged: Judged, export: Export) -> list[str]:
    return judged.files[export.name].decode().splitlines()


def test_exports_are_as_expected(judged: Judged) -> None:
    expected = judged.folder / "expected"
    names = {path.name for path in expected.iterdir()} - {track_folder.SCORES}
    singles = {name for export in judged.track.exports for name, _ in single_files(export, lines_of(judged, export))}
    assert names == set(judged.files) - singles == {export.name for export in judged.track.exports}
    for name in sorted(names):
        assert judged.files[name].decode().splitlines() == (expected / name).read_text("utf-8").splitlines(), name
        assert judged.files[name] == (expected / name).read_bytes(), name


def test_scores_are_as_expected(judged: Judged) -> None:
    expected = judged.folder / "expected" / track_folder.SCORES
    assert judged.scores.decode().splitlines() == expected.read_text("utf-8").splitlines()


PLOTTED = {track.key for track in TRACKS if WHOLE} | {"tac2008-qa"}
"""Whose comparison is drawn: a plot takes rankings and labels, of whatever track they are."""


def test_the_analysis_compares_every_measure_that_ranks(judged: Judged) -> None:
    client = Client()
    client.force_login(judged.organiser)
    address = reverse("analysis", args=(judged.campaign.slug,))
    page = client.get(address).content.decode()
    found = analyse_campaign(Snapshot(judged.campaign))
    assert {column.key for column in found.choices} <= {column.key for column in judged.track.scoring.measures}
    assert all(column.label in page or escape(column.label) in page for column in found.choices)
    assert all(alike.tau is None or -1 <= alike.tau <= 1 for alike in found.likenesses.values())
    assert len(found.likenesses) == len(found.rankings) * (len(found.rankings) - 1) > 0
    for query in ("?format=csv", "?format=rankings"):
        assert b"".join(client.get(address + query)).count(b"\n") > 1  # type: ignore[arg-type]
    for plot in ("heat", "bump") if judged.track.key in PLOTTED else ():
        image = client.get(reverse("analysis-plot", args=(judged.campaign.slug,)), {"plot": plot})
        assert (image.status_code, image["Content-Type"]) == (200, "image/svg+xml")


def test_every_value_can_be_explained(judged: Judged) -> None:
    found = score_campaign(Snapshot(judged.campaign))
    assert {score.topic for score in found.scores} >= {"all"}
    assert {score.run for score, _ in judged.explained} == {found.runs[0], found.runs[-1]}
    for score, explanation in judged.explained:
        assert explanation.value == score.value, score
        assert explanation.formula


def test_exports_are_read_back(judged: Judged) -> None:
    for export in judged.track.exports:
        records = list(export.read(io.BytesIO(judged.files[export.name])))
        assert records, export.name
        assert [record for record in records if isinstance(record, Issue)] == [], export.name
        written = "".join(line + "\n" for line in export.write(records)).encode()
        assert written == judged.files[export.name], export.name


def test_exported_files_alone_give_the_same_scores(
    judged: Judged, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold"
    gold.mkdir()
    for name, content in judged.files.items():
        (gold / name).write_bytes(content)
    paths = [path for _, path in run_files(judged.folder, judged.track)]
    runs = [argument for path in paths for argument in ("--run", str(path))]
    topics = topic_arguments(judged.track)
    assert main(["score", judged.track.key, "--gold", str(gold), *topics, *runs]) == 0
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(judged.scores.decode().splitlines())


@pytest.mark.usefixtures("scratch")
def test_a_pool_that_is_built_again_is_the_same(judged: Judged) -> None:
    for task in judged.track.tasks:
        pool = judged.campaign.pools.get(task=task.key)
        assert build_pool(actor=judged.organiser, campaign=judged.campaign, task=task.key).pk == pool.pk


@judged_of("ikat2023", "context25")
@pytest.mark.usefixtures("scratch")
def test_loaded_elsewhere_it_gives_the_same_pools_and_by_its_exported_judgments_the_same_exports(
    judged: Judged,
) -> None:
    """For TAC's strings tests/tracks/test_recorded_judgments.py does it, with all that only they have. The release of
    every track is loaded with the same pools, exports and scores by tests/tracks/test_releases.py.
    """
    copy = track_folder.load(judged.track, organiser=judged.organiser, slug="copy")
    for task in judged.track.tasks:
        pool, again = (each.pools.get(task=task.key) for each in (judged.campaign, copy))
        assert (again.digest, again.pool_items.count()) == (pool.digest, pool.pool_items.count())
    content = judged.files["judgments.jsonl"]
    track_folder.replay(copy, organiser=judged.organiser, content=content)
    files = track_folder.exported(copy, organiser=judged.organiser)
    assert [name for name in files if files[name] != judged.files[name]] == []
    assert track_folder.scored(copy) == judged.scores


@pytest.mark.usefixtures("scratch")
def test_published_files_are_loaded_twice_and_exported_the_same(judged: Judged) -> None:
    folder = judged.folder / "published"
    if not judged.track.judgment_files:
        assert not folder.exists()  # there is nothing that such a track could read
        return
    loaded = []
    for _ in range(2):
        track_folder.load(judged.track, organiser=judged.organiser, slug="published", folder=folder)
        copy = judged.organiser.memberships.get(campaign__slug="published").campaign
        loaded.append(track_folder.exported(copy, organiser=judged.organiser))
    assert loaded[0] == loaded[1]
    for path in sorted((folder / "expected").iterdir()):
        assert loaded[0][path.name].decode().splitlines() == path.read_text("utf-8").splitlines(), path.name


@judged_of("tac2008-qa", "rag-nuggets")
def test_exports_are_the_same_whether_marks_of_one_topic_are_read_at_once_or_of_all(
    judged: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (marks, queries):
        monkeypatch.setattr(module, "ITEMS_AT_ONCE", 1)
    for export in judged.track.exports:
        if export.collect in ("everything", "item_matches", "other_judged"):
            with CaptureQueriesContext(connection) as sent:
                lines = list(export_lines(Snapshot(judged.campaign), export))
            assert "".join(lines).encode() == judged.files[export.name], export.name
            strings = [each for each in sent if 'FROM "assess_segment"' in (each["sql"] or "")]
            assert export.collect != "other_judged" or len(strings) > 1
