"""Whatever figures of a campaign depend on makes each kind of kept file another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User

from assess.analysis.domain import kept_agreement
from assess.analysis.domain.agreement import ask_comparison
from assess.base.files import stored_path
from assess.campaigns import queries
from assess.campaigns.queries import ledger_point
from assess.exports import kept
from assess.exports.queries import grades
from assess.items.queries import pooled_at
from assess.judging.figures import figure_basis
from assess.judging.snapshots import CountingRule, Snapshot
from assess.models import Assignment, Campaign, Item, PoolItem
from assess.pools.domain.building import build_pool
from assess.pools.domain.growth import extend_pool
from assess.runs.domain.checking import run_content
from assess.runs.domain.deciding import withdraw_run
from assess.scores.domain import score_campaign
from assess.scores.states import kept_scores, scoring_state
from assess.topics.domain.changing import drop_topic
from tests import factories
from tests.assess import pooling
from tests.assess.judged_campaign import judge

pytestmark = pytest.mark.django_db
Play = Callable[[Campaign, User, pytest.MonkeyPatch], object]


def fresh(campaign: Campaign) -> Campaign:
    return Campaign.objects.get(pk=campaign.pk)


def other_settings(campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(settings={"allowance": 7})


def other_design(campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    track = queries.known_track(campaign)
    monkeypatch.setattr(queries, "known_track", lambda _: track)
    Campaign.objects.filter(pk=campaign.pk).update(design="f" * 64)


def other_wording(campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign.topics.filter(number="1.1").update(text="Which colours do people love?")


def dropped_topic(campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    drop_topic(actor=organiser, campaign=campaign, number="1.2", reason="Nobody understands it.")


def another_topic(campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.topic(campaign, "9", "A late one", task="rigid")


def withdrawn_run(campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    withdraw_run(actor=organiser, run=campaign.runs.get(tag="Basil1"))


def lost_file(campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    stored_path(campaign.runs.get(tag="Basil1").file).unlink()


def another_pool(campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    withdraw_run(actor=organiser, run=campaign.runs.get(tag="Basil1"))
    build_pool(actor=organiser, campaign=fresh(campaign), task="rigid")


def other_code(campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "site_version", lambda: "another")


PLAYS: dict[str, Play] = {
    play.__name__: play
    for play in (
        other_settings,
        other_design,
        other_wording,
        dropped_topic,
        another_topic,
        withdrawn_run,
        lost_file,
        another_pool,
        other_code,
    )
}


def names(campaign: Campaign, point: int) -> Mapping[str, Any]:
    """What each kind of kept file of a ledger point is known by."""
    snapshot = Snapshot(fresh(campaign), point)
    asked = ask_comparison(snapshot, stage="instances", criterion="correctness", judges=("official", "primary"))
    state = scoring_state(snapshot)
    return {
        "scores": (state.key(), state.basis.run_keys(), state.basis.pooled),
        "agreement": kept_agreement._key(asked),
        "exports": kept._kept_path(snapshot),
    }


@pytest.mark.parametrize("play", PLAYS)
def test_each_kind_of_kept_file_is_another_one(
    play: str, begun_grading: Assignment, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = begun_grading.campaign
    point = ledger_point(campaign)
    before = names(campaign, point)
    assert names(campaign, point) == before
    PLAYS[play](campaign, organiser, monkeypatch)
    after = names(campaign, point)
    assert [kind for kind in before if before[kind] == after[kind]] == []


def test_a_ledger_row_makes_figures_anew_and_those_of_a_point_before_stay(begun_grading: Assignment) -> None:
    campaign = begun_grading.campaign
    point = ledger_point(campaign)
    score_campaign(Snapshot(campaign, point))
    before = names(campaign, point)
    judge(begun_grading, "red", 1)
    assert names(campaign, point) == before
    assert names(campaign, ledger_point(campaign))["exports"] != before["exports"]
    assert kept_scores(scoring_state(Snapshot(campaign))) is None
    assert kept_scores(scoring_state(Snapshot(campaign, point))) is not None


def test_other_judgments_that_count_are_other_figures(begun_grading: Assignment) -> None:
    snapshot = Snapshot(begun_grading.campaign, ledger_point(begun_grading.campaign))
    ways = (CountingRule(), CountingRule(roles=("second",)), CountingRule(assessor=1))
    assert len({figure_basis(replace(snapshot, counting=counting)).key() for counting in ways}) == len(ways)


def test_rankings_are_kept_by_what_reads_the_file(retrieval: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    run = retrieval.runs.get(tag="alp1")

    def path() -> Any:
        return run_content(fresh(retrieval), run)._path("document")

    first = path()
    retrieval.topics.update(text="Another wording")
    assert path() == first, "a file says the same whatever the topics are"
    track = queries.known_track(retrieval)
    monkeypatch.setattr(queries, "known_track", lambda _: track)
    found = {first}
    for change in ({"design": "f" * 64}, {"track": "tac2008-qa"}):
        Campaign.objects.filter(pk=retrieval.pk).update(**change)
        assert path() not in found
        found.add(path())
    monkeypatch.setattr(queries, "site_version", lambda: "another")
    assert path() not in found


def test_what_changes_while_scores_are_computed_keeps_none(
    begun_grading: Assignment, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = begun_grading.campaign
    scoring = queries.track_of(campaign).scoring

    def dropped_meanwhile(*given: Any, **named: Any) -> Any:
        drop_topic(actor=organiser, campaign=fresh(campaign), number="1.1", reason="Nobody understands it.")
        return scoring.build(*given, **named)

    with monkeypatch.context() as patch:
        other = replace(queries.track_of(campaign), scoring=replace(scoring, build=dropped_meanwhile))
        patch.setattr("assess.scores.domain.track_of", lambda _: other)
        score_campaign(Snapshot(campaign, ledger_point(campaign)))
    assert not list(kept.kept_folder("scores", campaign.pk).glob("*.npz"))


def test_a_pool_is_told_as_it_was_at_a_ledger_point(retrieval: Campaign, organiser: User, assessor: User) -> None:
    pooling.build(retrieval, organiser, strategy="move-to-front", budget=6, batch=2)
    work = pooling.work(retrieval, "1", assessor)
    points = {ledger_point(retrieval): set(pooled_at(retrieval, None).values_list("pk", flat=True))}
    for letter in pooling.letters(retrieval.pools.get()):
        pooling.grade(work, letter, 1)
        extend_pool(actor=assessor, assignment=work)
        points[ledger_point(retrieval)] = set(pooled_at(retrieval, None).values_list("pk", flat=True))
    assert len({len(rows) for rows in points.values()}) > 1, "it has grown"
    for point, rows in points.items():
        assert set(pooled_at(retrieval, point).values_list("pk", flat=True)) == rows
        unjudged = grades(Snapshot(retrieval, point), kind="document", criteria=("relevance",), unjudged=True)
        assert {each.key for each in unjudged} == set(
            Item.objects.filter(pool_items__in=rows).values_list("key", flat=True)
        )
    topic = retrieval.topics.get(number="2")
    other = Item.objects.create(topic=topic, kind="document", key="DZ", docno="DZ", text="")
    before = figure_basis(Snapshot(retrieval)).key()
    PoolItem.objects.create(pool=retrieval.pools.get(), item=other)
    assert figure_basis(Snapshot(retrieval)).key() != before
