"""Which grades count where several people judge: what most of them say, or the mean of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db.models import Q
from django.test import Client

from assess.adjudication.domain import decide
from assess.adjudication.queries.disagreements import (
    adjudicated_stages,
    counted_disagreements,
    disagreements,
    undecided,
)
from assess.assignments.domain.assignments import create_assignment, return_assignment
from assess.base.errors import Refused
from assess.campaigns.queries import newest_point, track_of
from assess.exports.kept import keep_exports, take_kept_exports
from assess.exports.writing import collect_records
from assess.judging.queries.current import official_judgments
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.kinds.opinions import Decision
from assess.models import Assignment, Campaign, Item
from assess.organising.domain import freeze_campaign
from assess.protocol import Criterion
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from assess.scores.domain import score_campaign
from assess.work.domain import hand_over
from scoring.__main__ import main as scoring
from tests import factories
from tests.tracks.designs.campaigns import ADHOC, DATA, DESIGNS, judge_all, loaded
from tests.unpacked import unpack_release
from tracks.__main__ import main as tracks

PEOPLE = {"anna": "primary", "ben": "second", "carl": "second"}
RANKED = (DESIGNS / "binary-relevance.toml").read_text().replace('"Rprec", "Bpref"', '"Rprec"')


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"


OFFSETS = ((0, 0, 0), (0, 1, 0), (0, 1, 2), (0, 1, 1))
"""How far the grades of the three are apart, by item: alike, one unlike, all unlike, the author alone."""


def answer(person: str, item: Item, criterion: Criterion) -> int:
    """What somebody says of an item, drawn from its key."""
    drawn = sum(map(ord, item.key))
    offset = OFFSETS[drawn % len(OFFSETS)][[*PEOPLE].index(person)]
    return criterion.grades[(drawn // 4 + offset) % len(criterion.grades)].value


def judged(organiser: User, folder: Path, text: str, settle: str, data: Path = ADHOC) -> Campaign:
    """A campaign in which three people judge everything."""
    text = text.replace('work = "grade"', f'work = "grade"\npeople = 3\nsettle = "{settle}"')
    (folder / "mine.toml").write_text(text)
    campaign = loaded(organiser, folder / "mine.toml", data)
    for person, role in PEOPLE.items():
        judge_all(campaign, partial(answer, person), by=person, role=role)
    return campaign


def said(campaign: Campaign) -> dict[Item, list[int]]:
    """What everybody says of each pooled item, the author first."""
    criterion = first_question(campaign)
    items = Item.objects.filter(Q(topic__campaign=campaign), pool_items__isnull=False).order_by("key")
    return {item: [answer(person, item, criterion) for person in PEOPLE] for item in items}


def first_question(campaign: Campaign) -> Criterion:
    return track_of(campaign).tasks[0].stages[0].criteria[0]


def through(organiser: User, campaign: Campaign, folder: Path) -> Path:
    """The campaign released, verified and imported with the same exports."""
    freeze_campaign(actor=organiser, campaign=campaign, despite="documents are gone")
    campaign.refresh_from_db()
    release = folder / "release"
    unpack_release(make_release(actor=organiser, campaign=campaign), release)
    assert scoring(["verify", str(release)]) == 0
    import_release(actor=organiser, path=release, slug="again")
    return release


@pytest.mark.django_db(transaction=True)
def test_what_most_people_say_counts_and_a_tie_is_adjudicated(organiser: User, tmp_path: Path) -> None:
    grades = '  { value = 2, press = "2", name = "very" },\n  { value = 1,'
    text = RANKED.replace("  { value = 1,", grades)
    campaign = judged(organiser, tmp_path, text, "majority")
    each = said(campaign)
    ties = {item for item, values in each.items() if len(set(values)) == 3}
    assert ties and any(values[1] == values[2] != values[0] for values in each.values())
    expected = {item.pk: Counter(values).most_common(1)[0][0] for item, values in each.items()}
    expected |= {item.pk: each[item][0] for item in ties}
    found = official_judgments(Snapshot(campaign)).values_list("item", "value")
    assert (dict(found), len(found)) == (expected, len(each))
    ((_, stage),) = adjudicated_stages(campaign)
    rows = disagreements(campaign, stage, stage.criteria[0])
    assert {row.thing.item_id for row in rows} == {item.pk for item in ties}
    assert counted_disagreements(campaign, stage, stage.criteria[0]).total() == len(ties)
    judge = factories.member(campaign, "dora", "adjudicator")
    decision = Decision(thing=rows[0].name, criterion="relevant", value=0, client_key=uuid4())
    decide(actor=judge, campaign=campaign, stage=stage, decision=decision)
    expected[rows[0].thing.item_id or 0] = 0
    assert dict(official_judgments(Snapshot(campaign)).values_list("item", "value")) == expected
    Assignment.objects.filter(role="adjudicator").update(state="done")
    release = through(organiser, campaign, tmp_path)
    lines = [line.split() for line in (release / "exports" / "qrels.txt").read_text().splitlines()]
    keys = {item.pk: (item.topic.number, item.key) for item in each}
    assert {(topic, docno): int(grade) for topic, _, docno, grade in lines} == {
        keys[item]: value for item, value in expected.items()
    }


@pytest.mark.django_db(transaction=True)
def test_who_gave_work_back_and_who_had_it_before_say_nothing(organiser: User, tmp_path: Path) -> None:
    campaign = judged(organiser, tmp_path, RANKED, "majority")
    work = campaign.assignments.filter(assessor__username="carl")
    work.update(state="returned")
    other = factories.member(campaign, "eve", "assessor")
    each = said(campaign)
    official = dict(official_judgments(Snapshot(campaign)).values_list("item", "value"))
    assert official == {item.pk: values[0] for item, values in each.items()}  # of two who differ the author
    for one in work:
        later = factories.assignment(one.topic, one.stage, other, state="done", role="second")
        Assignment.objects.filter(pk=later.pk).update(chain_start=one, taken_over=one)
    official = dict(official_judgments(Snapshot(campaign)).values_list("item", "value"))
    assert official == {item.pk: Counter(values).most_common(1)[0][0] for item, values in each.items()}
    through(organiser, campaign, tmp_path)


@pytest.mark.django_db
@pytest.mark.parametrize("settle", ["majority", "mean"])
def test_an_earlier_point_stays_as_it_was_whoever_gave_work_back_since(
    organiser: User, tmp_path: Path, settle: str
) -> None:
    campaign = judged(organiser, tmp_path, RANKED, settle)
    eve = factories.member(campaign, "eve", "assessor")

    def files(as_of: int) -> list[object]:
        snapshot = Snapshot(campaign, as_of)
        return [record for export in track_of(campaign).exports for record in collect_records(snapshot, export)]

    def work_of(person: str) -> Assignment:
        return campaign.assignments.filter(assessor__username=person).latest("pk")

    def again(person: str) -> object:
        work = work_of(person)
        return create_assignment(
            actor=organiser,
            campaign=campaign,
            topic=work.topic,
            stage=work.stage,
            assessor=work.assessor,
            role=work.role,
        )

    acts: list[Callable[[], object]] = [
        lambda: return_assignment(actor=organiser, assignment=work_of("carl")),
        lambda: hand_over(actor=organiser, assignment=work_of("ben"), to=eve),
        lambda: return_assignment(actor=organiser, assignment=work_of("eve")),
        lambda: again("carl"),
        lambda: again("eve"),
    ]
    then = {}
    for act in [*acts, lambda: None]:
        then[newest_point(campaign)] = files(newest_point(campaign))
        act()
    assert len({repr(found) for found in then.values()}) > (3 if settle == "mean" else 0)
    assert {point: files(point) for point in then} == then


@pytest.mark.django_db(transaction=True)
def test_who_gave_work_back_and_has_it_again_counts(organiser: User, tmp_path: Path) -> None:
    campaign = judged(organiser, tmp_path, RANKED, "majority")
    works = list(campaign.assignments.filter(assessor__username="carl"))
    point = newest_point(campaign)
    keep_exports(Snapshot(campaign, point))
    campaign.assignments.filter(pk__in=[each.pk for each in works]).update(state="returned")
    assert take_kept_exports(Snapshot(campaign, point), tmp_path) is None, "they count what nobody holds any more"
    for each in works:
        person = each.assessor
        create_assignment(
            actor=organiser, campaign=campaign, topic=each.topic, stage=each.stage, assessor=person, role="second"
        )
    campaign.assignments.exclude(state="returned").update(state="done")
    official = dict(official_judgments(Snapshot(campaign)).values_list("item", "value"))
    assert official == {item.pk: Counter(values).most_common(1)[0][0] for item, values in said(campaign).items()}
    ((_, stage),) = adjudicated_stages(campaign)
    assert not disagreements(campaign, stage, stage.criteria[0]), "two of three are the same grade"
    through(organiser, campaign, tmp_path)


@pytest.mark.django_db(transaction=True)
def test_work_that_was_handed_over_and_back_is_released(organiser: User, tmp_path: Path) -> None:
    campaign = judged(organiser, tmp_path, RANKED, "majority")
    eve = factories.member(campaign, "eve", "assessor")
    for work in list(campaign.assignments.filter(assessor__username="carl")):
        later = hand_over(actor=organiser, assignment=work, to=eve)
        Assignment.objects.filter(pk=later.pk).update(state="started")
        later.refresh_from_db()
        for item in Item.objects.filter(topic=work.topic, pool_items__isnull=False):
            value = 1 - answer("carl", item, first_question(campaign))
            row = JudgmentInput(item=item, criterion="relevant", value=value, client_key=uuid4())
            record_judgment(actor=eve, assignment=later, judgment=row)
        hand_over(actor=organiser, assignment=later, to=work.assessor)
    campaign.assignments.exclude(state="returned").update(state="done")
    through(organiser, campaign, tmp_path)


GOOD = """
[[stages.questions]]
key = "good"
ask = "Is it good?"
asked_if = { relevant = 1 }
grades = [{ value = 1, press = "a", name = "good" }, { value = 0, press = "b", name = "bad" }]

[scores]"""


@pytest.mark.django_db(transaction=True)
def test_an_answer_that_is_asked_of_nobody_any_more_is_not_among_the_most(organiser: User, tmp_path: Path) -> None:
    text = RANKED.replace("[scores]", GOOD).replace('work = "grade"', 'work = "grade"\npeople = 3\nsettle = "majority"')
    (tmp_path / "mine.toml").write_text(text)
    campaign = loaded(organiser, tmp_path / "mine.toml", ADHOC)
    good = {"anna": 1, "ben": 1, "carl": 0, "dora": 0}
    for person, value in good.items():
        grades = {"relevant": 1, "good": value}
        role = PEOPLE.get(person, "second")
        judge_all(campaign, lambda item, criterion, grades=grades: grades[criterion.key], by=person, role=role)
    anna = campaign.assignments.filter(assessor__username="anna").select_related("assessor")
    anna.update(state="started")
    for work in anna:
        for item in Item.objects.filter(topic=work.topic, pool_items__isnull=False):
            other = JudgmentInput(item=item, criterion="relevant", value=0, client_key=uuid4())
            record_judgment(actor=work.assessor, assignment=work, judgment=other)
    anna.update(state="done")
    found = official_judgments(Snapshot(campaign)).values_list("criterion", "value")
    assert set(found) == {("relevant", 1), ("good", 0)}
    through(organiser, campaign, tmp_path)


@pytest.mark.django_db(transaction=True)
def test_what_follows_from_an_answer_that_all_gave_is_adjudicated(organiser: User, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(RANKED.replace("[scores]", GOOD))
    campaign = loaded(organiser, tmp_path / "mine.toml", ADHOC)
    for person, good in {"anna": 1, "ben": 0}.items():
        grades = {"relevant": 1, "good": good}
        judge_all(
            campaign, lambda item, criterion, grades=grades: grades[criterion.key], by=person, role=PEOPLE[person]
        )
    judge = factories.member(campaign, "dora", "adjudicator")
    ((_, stage),) = adjudicated_stages(campaign)
    asked, good = stage.criteria
    assert not disagreements(campaign, stage, asked)
    row = disagreements(campaign, stage, good)[0]
    decide(
        actor=judge,
        campaign=campaign,
        stage=stage,
        decision=Decision(thing=row.name, criterion="good", value=0, client_key=uuid4()),
    )
    official = official_judgments(Snapshot(campaign)).filter(criterion="good")
    assert official.get(item=row.thing.item_id).value == 0
    decision = Decision(thing=row.name, criterion="relevant", value=0, client_key=uuid4())
    with pytest.raises(Refused):
        decide(actor=judge, campaign=campaign, stage=stage, decision=decision)


def decided(campaign: Campaign, judge: User, item: Item, **grades: int) -> None:
    ((_, stage),) = adjudicated_stages(campaign)
    for criterion, value in grades.items():
        decision = Decision(thing=str(item.pk), criterion=criterion, value=value, client_key=uuid4())
        decide(actor=judge, campaign=campaign, stage=stage, decision=decision)


@pytest.mark.django_db(transaction=True)
def test_what_a_decision_asks_is_adjudicated_and_what_it_no_longer_asks_is_not(
    organiser: User, tmp_path: Path, client: Client, django_assert_max_num_queries: Any
) -> None:
    text = RANKED.replace("[scores]", GOOD)
    (tmp_path / "mine.toml").write_text(text)
    campaign = loaded(organiser, tmp_path / "mine.toml", ADHOC)
    items = list(Item.objects.filter(topic=campaign.topics.first(), pool_items__isnull=False).order_by("key")[:4])
    both, late, never, unlike = (item.pk for item in items)
    anna = {both: (1, 1), unlike: (1, 0)}
    ben = {both: (1, 1), late: (1, 1), unlike: (1, 1)}
    for person, said in (("anna", anna), ("ben", ben)):

        def value(item: Item, criterion: Criterion, said: dict[int, tuple[int, int]] = said) -> int:
            return said.get(item.pk, (0, 0))[criterion.key == "good"]

        judge_all(campaign, value, by=person, role=PEOPLE[person])
    judge = factories.member(campaign, "dora", "adjudicator")
    ((_, stage),) = adjudicated_stages(campaign)
    _, good = stage.criteria

    def listed() -> dict[int | None, tuple[tuple[int, ...], int | None]]:
        rows = disagreements(campaign, stage, good)
        assert counted_disagreements(campaign, stage, good).total() == len(rows)
        return {row.thing.item_id: (tuple(sorted(row.values)), row.decided) for row in rows}

    assert listed() == {unlike: ((0, 1), None)}
    decided(campaign, judge, items[1], relevant=1)  # of which the primary assessor was not asked how good it is
    assert listed() == {unlike: ((0, 1), None), late: ((1,), None)}
    assert undecided(campaign, [stage]) == 2
    (work,) = Assignment.objects.filter(role="adjudicator")
    assert work.state == "started"  # and so it can't be frozen unless judging is stopped
    with django_assert_max_num_queries(12):
        counted_disagreements(campaign, stage, good, person=judge)
    decided(campaign, judge, items[1], good=0)
    assert listed() == {unlike: ((0, 1), None), late: ((1,), 0)}
    assert official_judgments(Snapshot(campaign)).get(item=late, criterion="good").value == 0
    decided(campaign, judge, items[3], good=1)
    work.refresh_from_db()
    assert (undecided(campaign, [stage]), work.state) == (0, "done")
    assert never not in listed() and both not in listed()
    Assignment.objects.filter(role="adjudicator").update(state="started")
    judgment = JudgmentInput(item=items[2], criterion="relevant", value=1, client_key=uuid4())
    record_judgment(actor=judge, assignment=work, judgment=judgment)  # as it stands where both said no
    assert listed()[never] == ((), None)
    client.force_login(judge)
    page = client.get(f"/c/own/adjudication/{stage.key}/good/?filter=unjudged").content.decode()
    assert "the answer that counts is given here" in page
    assert "What was said" not in page and "<dt>Size</dt>" not in page  # nobody said anything
    judgment = JudgmentInput(item=items[3], criterion="relevant", value=0, client_key=uuid4())
    record_judgment(actor=judge, assignment=work, judgment=judgment)
    assert unlike not in listed()


@pytest.mark.django_db(transaction=True)
def test_the_mean_of_all_grades_counts_for_ranked_documents(
    organiser: User, tmp_path: Path, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = judged(organiser, tmp_path, RANKED.replace('["AP", "P@10", "Rprec"]', '["nDCG@10", "AP"]').replace(
        'official = "AP"', 'official = "nDCG@10"\nrelevant_from = 0.5'), "mean")  # fmt: skip
    assert adjudicated_stages(campaign) == []
    client.force_login(organiser)
    assert "the mean of all, or" in client.get("/c/own/adjudication/").content.decode()  # why nothing is decided
    table = {(each.run, each.topic, each.measure): each.value for each in score_campaign(Snapshot(campaign)).scores}
    release = through(organiser, campaign, tmp_path)
    capsys.readouterr()
    run = ADHOC / "runs" / "good" / "maple.txt"
    assert tracks(["score", str(tmp_path / "mine.toml"), "--gold", str(release / "exports"), "--run", str(run)]) == 0
    printed = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert {tuple(row[:3]): float(row[3]) for row in printed} == {
        place: pytest.approx(value, abs=1e-6) for place, value in table.items() if place[0] == "maple"
    }
    means = {item.key: sum(values) / 3 for item, values in said(campaign).items()}
    assert 0 < min(value for value in means.values() if value) < 1


@pytest.mark.django_db(transaction=True)
def test_the_mean_of_all_grades_counts_for_items(organiser: User, tmp_path: Path) -> None:
    campaign = judged(organiser, tmp_path, (DESIGNS / "claims.toml").read_text(), "mean", DATA / "designs" / "claims")
    each = {item.key: sum(values) / 3 for item, values in said(campaign).items()}
    found = {(one.run, one.topic, one.measure): one.value for one in score_campaign(Snapshot(campaign)).scores}
    for run in campaign.runs.filter(state="accepted"):
        for topic in campaign.topics.all():
            keys = Item.objects.filter(segments__response__run=run, topic=topic).values_list("key", flat=True)
            if keys:
                mean = sum(each[key] for key in keys) / len(keys)
                assert found[run.tag, topic.number, "mean"] == pytest.approx(mean, abs=1e-6)
    through(organiser, campaign, tmp_path)
