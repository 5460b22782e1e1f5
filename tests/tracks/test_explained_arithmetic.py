"""Over every track's folder: an explanation's arithmetic gives its value, and its rows lead to what people said."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from assess.judging.snapshots import Snapshot
from assess.models import Judgment
from assess.scores.domain import explain_run, score_campaign
from assess.scores.states import CampaignScores
from assess.scores.trace import ExplainValue, Reason, judgments_behind, row_name
from nuggets.models import ClassAssignment, ClassLabel, NuggetEdit, NuggetMatch, NuggetVote
from scoring.release.explained import Explanation
from scoring.release.phrases import Phrase
from tests.computed_formulas import computed
from tests.parts import WHOLE
from tests.tracks.conftest import Judged

NOT_SPELLED_OUT = ("Bpref", "infAP")
"""Measures whose formula would be too long to be read."""
SAID_IN = (Judgment, NuggetMatch, NuggetVote, NuggetEdit, ClassAssignment, ClassLabel)


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module, since `judged` takes seconds."""
    with django_db_blocker.unblock():
        yield


def official_values(judged: Judged, found: CampaignScores) -> list[tuple[str, str]]:
    """(run, measure) of the first run with a mean of each official measure of the track that has values here."""
    official = [column.key for column in judged.track.scoring.measures if column.official]
    firsts = {}
    for score in found.scores:
        if score.topic == "all" and score.value is not None and score.measure in official:
            firsts.setdefault(score.measure, score.run)
    return [(run, measure) for measure, run in firsts.items()]


def reasons(judged: Judged, explanation: Explanation, explain: ExplainValue) -> Iterator[Reason]:
    """What stands behind the explanation's own rows, and behind those of the values that it is made of."""
    for number, step in enumerate(explanation.steps, start=1):
        for place, about in enumerate(step.about, start=1):
            if about is None:
                continue
            if about.kind == "score":
                yield from reasons(judged, explain(about.topic, about.name), explain)
            else:
                yield judgments_behind(
                    Snapshot(judged.campaign),
                    run=explanation.run,
                    topic=explanation.topic,
                    measure=explanation.measure,
                    row=row_name(number, place),
                    explain=explain,
                )


def test_the_arithmetic_of_every_value_gives_the_value(judged: Judged) -> None:
    found = score_campaign(Snapshot(judged.campaign))
    seen: set[str] = set()
    for score, explanation in judged.explained:
        if score.value is None:
            continue
        if not explanation.arithmetic:
            assert score.measure.startswith(NOT_SPELLED_OUT), score
            assert score.topic != "all"
            continue
        assert float(computed(explanation.arithmetic)) == pytest.approx(score.value, rel=0, abs=1e-12), explanation
        seen.add(score.measure)
    assert {measure for run, measure in official_values(judged, found) if run == found.runs[0]} <= seen != set()


def test_what_stands_above_rows_can_be_said_in_other_languages(judged: Judged) -> None:
    for _, explanation in judged.explained:
        for step in explanation.steps:
            assert [word for word in (step.label, *step.header[:1]) if not isinstance(word, Phrase)] == [], explanation


def test_every_official_mean_leads_to_topics_and_to_what_people_said(judged: Judged) -> None:
    found = score_campaign(Snapshot(judged.campaign))
    values = official_values(judged, found)
    assert values
    for run, measure in values:
        explain = explain_run(Snapshot(judged.campaign), run)
        explanation = explain("all", measure)
        rows = [about for step in explanation.steps for about in step.about]
        assert [about.kind for about in rows if about is not None] == ["score"] * len(rows) != []
        assert any(was_judged(reason) for reason in reasons(judged, explanation, explain)), (run, measure)


def was_judged(reason: Reason) -> bool:
    """Whether what stands behind a row is in a ledger of what people said, each row of it."""
    said = reason.thing.said if reason.thing is not None else ()
    ledger = {act.number for each in said for act in each.acts}
    found = {pk for table in SAID_IN for pk in table.objects.filter(pk__in=ledger).values_list("pk", flat=True)}
    return bool(found) and found == ledger


def test_every_row_that_stands_for_something_has_a_page(judged: Judged) -> None:
    """The first dozen rows, of which `make test` opens one of each kind."""
    found = score_campaign(Snapshot(judged.campaign))
    client = Client()
    client.force_login(judged.organiser)
    run, measure = official_values(judged, found)[0]
    explain = explain_run(Snapshot(judged.campaign), run)
    opened: set[tuple[str, bool]] = set()
    for reason in islice(reasons(judged, explain("all", measure), explain), 12):
        kind = (reason.about.kind, reason.thing is None)
        if kind in opened and not WHOLE:
            continue
        step = reason.explanation.steps.index(reason.step) + 1
        query = {"run": run, "topic": reason.explanation.topic, "measure": reason.explanation.measure}
        place = reason.step.rows.index(reason.row) + 1
        row = row_name(step, place)
        page = client.get(reverse("score-judgments", args=[judged.campaign.slug]), {**query, "row": row})
        assert page.status_code == 200, (query, row)
        opened.add(kind)
    assert opened
