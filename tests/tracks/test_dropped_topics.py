"""Every track with a topic dropped: nothing of it in exports, scores, pools, work and agreement, and all of it back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from assess.adjudication.queries.disagreements import stage_disagreements
from assess.analysis.domain.first_choice import first_choice
from assess.assignments.queries.topics import topics_to_judge, unassigned_stages
from assess.exports.writing import collect_records
from assess.items.queries import current_pools
from assess.judging.queries.judges import judges_of
from assess.judging.snapshots import Snapshot
from assess.kinds.agreement_questions import questions_of, source_of
from assess.models import Assignment, Campaign
from assess.organising.domain import change_state
from assess.organising.judged_topics import choose_topics, judged_topics_of
from assess.organising.queries.overview import campaign_counts
from assess.pools.domain.building import pool_plan
from assess.pools.domain.summaries import pool_summary
from assess.progress.queries.assignment_progress import progress_of_assignments
from assess.protocol import TopicRecord
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from assess.runs.domain.checking import run_content
from assess.runs.models import Run
from assess.scores.domain import score_campaign
from assess.topics.domain.amending import amend_topic
from assess.topics.domain.changing import drop_topic, restore_topic
from assess.topics.queries import all_topics, amendments_of, topic_record, wordings_of
from assess.work.queries.balance import balance_plan, pooled_sizes
from assess.work.queries.own_work import work_of
from scoring.__main__ import main
from scoring.records import Score
from scoring.release.release_tables import mean_lines
from scoring.release.releases import EXPORTS, MEANS, TOPIC_CHANGES
from tests.parts import judged_of
from tests.tracks import track_folder
from tests.tracks.conftest import Judged
from tests.unpacked import unpack_release


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module, since `judged` takes seconds; it takes its rows back itself."""
    with django_db_blocker.unblock():
        yield


def chosen(campaign: Campaign) -> str:
    """The number of the topic that most was judged in."""
    judged = campaign.topics.exclude(task="").filter(items__judgments__isnull=False).order_by("id")
    counts: dict[str, int] = {}
    for number in judged.values_list("number", flat=True):
        counts[number] = counts.get(number, 0) + 1
    return max(counts, key=lambda number: counts[number])


def topics_named(record: Any) -> set[str]:
    """The topics that a record of an export is of."""
    return {getattr(record, name) for name in ("topic", "number") if isinstance(getattr(record, name, None), str)}


def scores_without(judged: Judged, gone: set[str]) -> list[Score]:
    """The scores of the records of all exports, those of the topics taken out by hand."""
    scoring, campaign = judged.track.scoring, judged.campaign
    exports = {export.name: export for export in judged.track.exports}
    records = {
        name: [each for each in collect_records(Snapshot(campaign), exports[name]) if not topics_named(each) & gone]
        for name in scoring.gold_files
    }
    settings = judged.track.settings.from_stored(campaign.settings)
    gold = scoring.build(records, settings, lambda issue: None)
    stored = {run.tag: run for run in campaign.runs.filter(state=Run.State.ACCEPTED).order_by("tag")}
    further = sorted(set(scoring.runs(gold)) - set(stored)) if scoring.runs is not None else []
    return [
        score
        for tag in (*stored, *further)
        for score in scoring.score(gold, tag, run_content(campaign, stored[tag]) if tag in stored else None, settings)
    ]


@judged_of("adhoc", "tac2008-qa", "ikat2023", "context25")
@pytest.mark.usefixtures("scratch")
def test_nothing_of_a_dropped_topic_is_left_and_all_of_it_comes_back(judged: Judged) -> None:
    """Of topics that stand alone, of series, of turns in dialogues, and of claims that are picked for."""
    campaign = Campaign.objects.get(pk=judged.campaign.pk)
    number = chosen(campaign)
    expected = scores_without(judged, {number})

    went = drop_topic(actor=judged.organiser, campaign=campaign, number=number, reason="It has no answer.")
    gone = {topic.number for topic in went}
    assert number in gone
    snapshot = Snapshot(campaign)

    for export in judged.track.exports:
        left = [record for record in collect_records(snapshot, export) if topics_named(record) & gone]
        assert left == [], export.name
    scores = score_campaign(snapshot)
    assert list(scores.scores) == expected
    assert not {score.topic for score in scores.scores} & gone

    for pool in current_pools(campaign):
        summary = pool_summary(pool)
        assert not {size.number for size in summary.topics} & gone
        assert summary.items == sum(size.items for size in summary.topics) == sum(kind.items for kind in summary.kinds)
    ids = {topic.pk for topic in went}
    for task in judged.track.tasks:
        if task.pooling and campaign.pools.filter(task=task.key).exists():
            plan = pool_plan(campaign, task)
            assert (plan.leaving, plan.leaving_judged) == (0, 0), task.key
    assert not ids & {topic.pk for topic in topics_to_judge(campaign)}
    assert not ids & {topic for topic, _ in unassigned_stages(campaign)}
    assert not ids & set(pooled_sizes(campaign))
    assert not ids & {handout.topic.pk for handout in balance_plan(campaign).handouts}
    assert not ids & {piece.assignment.topic_id for piece in progress_of_assignments(campaign)}

    for question in questions_of(campaign):
        found = source_of(campaign, question.stage, question.criterion)
        assert found is not None
        for judge in judges_of(campaign):
            assert not {topic for topic, _ in found[0].values(snapshot, question, judge.key)} & gone
    first_choice(campaign)
    campaign_counts(campaign)
    people = Assignment.objects.filter(campaign=campaign).order_by("assessor")
    for person in people.values_list("assessor", flat=True).distinct():
        own = campaign.assignments.filter(assessor=person, topic__dropped=False).select_related("topic")
        work_of(campaign, own)
    for task in judged.track.tasks:
        for stage in task.stages:
            assert not {row.topic for row in stage_disagreements(campaign, stage)} & gone

    back = restore_topic(actor=judged.organiser, campaign=campaign, number=number)
    assert {topic.number for topic in back} == gone
    assert track_folder.exported(campaign, organiser=judged.organiser) == judged.files
    assert track_folder.scored(campaign) == judged.scores


@pytest.mark.usefixtures("scratch")
def test_means_are_over_the_judged_topics_alone(judged: Judged) -> None:
    """Were only some topics chosen and judged, the scores are those of a campaign that has no others."""
    campaign, track = Campaign.objects.get(pk=judged.campaign.pk), judged.track
    number, setting = chosen(campaign), track.tasks[0].topics_setting
    expected = scores_without(judged, {number})
    others = [topic.number for topic in campaign.topics.exclude(task="") if topic.number != number]
    campaign = choose_topics(actor=judged.organiser, campaign=campaign, numbers=others)
    assert number not in judged_topics_of(campaign).asked

    settings = track.settings.from_stored(campaign.settings)
    assert getattr(settings, setting) == tuple(others)
    exports = {export.name: export for export in track.exports}
    records = {
        name: [
            each
            for each in collect_records(Snapshot(campaign), exports[name])
            if isinstance(each, TopicRecord) or getattr(each, "topic", None) != number
        ]
        for name in track.scoring.gold_files
    }
    gold = track.scoring.build(records, settings, lambda issue: None)
    stored = {run.tag: run for run in campaign.runs.filter(state=Run.State.ACCEPTED).order_by("tag")}
    means = {(score.run, score.measure): score.value for score in expected if score.topic == "all"}
    found = {
        (score.run, score.measure): score.value
        for tag in stored
        for score in track.scoring.score(gold, tag, run_content(campaign, stored[tag]), settings)
        if score.topic == "all"
    }
    assert found == {key: value for key, value in means.items() if key[0] in stored}


@pytest.mark.usefixtures("scratch")
def test_every_text_of_a_topic_can_be_amended_and_changes_no_score(judged: Judged) -> None:
    campaign = Campaign.objects.get(pk=judged.campaign.pk)
    topic = campaign.topics.select_related("parent").get(number=chosen(campaign))
    for each in (topic, *([topic.parent] if topic.parent is not None else [])):
        wording = {said.key: f"{said.text.split(chr(10))[0]} Amended." for said in wordings_of(each)}
        amend_topic(actor=judged.organiser, campaign=campaign, number=each.number, wording=wording, reason="Clearer.")
        again = campaign.topics.select_related("parent").get(pk=each.pk)
        assert {said.key: said.text for said in wordings_of(again)} == wording
        assert all(before != after for _, before, after in amendments_of(again)[0].texts)

    topic = campaign.topics.select_related("parent").get(pk=topic.pk)
    settings, task = judged.track.settings.from_stored(campaign.settings), judged.track.task(topic.task)
    assert task is not None
    stored = {(item.kind, item.key): item.text for item in topic.items.filter(given=True)}
    for recipe in task.pooling:
        for item in recipe.items(topic_record(topic), settings) if recipe.items is not None else ():
            assert stored.get((item.kind, item.key), item.text) == item.text
    assert track_folder.scored(campaign) == judged.scores


@judged_of("adhoc", "ikat2023")
@pytest.mark.usefixtures("scratch")
def test_a_release_says_what_was_dropped_and_is_verified_and_loaded_without_it(
    judged: Judged, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of topics that stand alone, and of turns in dialogues."""
    campaign = Campaign.objects.get(pk=judged.campaign.pk)
    number = chosen(campaign)
    other = campaign.topics.exclude(task="").exclude(number=number).order_by("id")[0].number
    texts = {"text": "Was it amended?"}
    amend_topic(actor=judged.organiser, campaign=campaign, number=other, wording=texts, reason="Clearer.")
    went = drop_topic(actor=judged.organiser, campaign=campaign, number=number, reason="Its answers differ by day.")
    gone = {topic.number for topic in went}
    change_state(actor=judged.organiser, campaign=campaign, state=Campaign.State.FROZEN)
    release = make_release(actor=judged.organiser, campaign=campaign)
    folder = tmp_path / "release"
    unpack_release(release, folder)

    assert main(["verify", str(folder)]) == 0
    assert capsys.readouterr().err.startswith("verified: ")
    amended, line = (folder / TOPIC_CHANGES).read_text().splitlines()
    assert (json.loads(amended)["number"], json.loads(amended)["after"]) == (other, texts)
    said = json.loads(line)
    assert (said["do"], set(said["topics"]), said["reason"]) == ("drop", gone, "Its answers differ by day.")
    assert f"Topic {number} was dropped" in (folder / "README.md").read_text()

    copy = import_release(actor=judged.organiser, path=folder, slug="copy")
    for name, content in track_folder.exported(copy, organiser=judged.organiser).items():
        assert content == (folder / EXPORTS / name).read_bytes(), name
    assert sorted(mean_lines(score_campaign(Snapshot(copy)).scores)) == sorted(
        (folder / MEANS).read_text().splitlines()
    )
    assert set(all_topics(copy).filter(dropped=True).values_list("number", flat=True)) == gone
    again = tmp_path / "again"
    unpack_release(make_release(actor=judged.organiser, campaign=copy), again)
    assert (again / TOPIC_CHANGES).read_bytes() == (folder / TOPIC_CHANGES).read_bytes()
