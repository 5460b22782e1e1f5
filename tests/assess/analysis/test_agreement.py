"""How far judges agree: what is compared, what the numbers are, and the report that goes with a release."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.analysis.domain.agreement import (
    ask_comparison,
    compare,
    matrix_of,
    pairs_in,
    topic_intervals,
    why_undefined,
)
from assess.analysis.domain.judged_things import Pairs
from assess.analysis.domain.kept_agreement import compare_judges
from assess.base.errors import Invalid
from assess.judging.snapshots import Snapshot
from assess.kinds.agreement_questions import questions_of
from assess.models import Campaign, Topic
from scoring.statistics.agreement import ac1, cohen_kappa, krippendorff_alpha
from tests import factories
from tests.assess.compared import FIRST, SECOND, judge
from tests.scoring.drawn_grids import grids

pytestmark = pytest.mark.django_db

BOTH = [(first, second) for first, second in zip(FIRST, SECOND, strict=True) if second is not None]


def both(campaign: Campaign, *judges: str, as_of: int | None = None, **more: object):
    asked = {"stage": "instances", "criterion": "correctness", "judges": judges or ("primary", "second"), **more}
    return compare_judges(Snapshot(campaign, as_of), **asked)


def test_the_values_are_those_of_the_library(compared: Campaign) -> None:
    found = both(compared)
    first, second = zip(*BOTH, strict=True)
    report = found.report
    assert report.items == 7 and found.topics == 1 and found.alone == (1, 0)
    assert report.value("agreement") == 5 / 7
    assert report.value("cohen_kappa") == pytest.approx(cohen_kappa(first, second))
    assert report.value("krippendorff_alpha_nominal") == pytest.approx(krippendorff_alpha([first, second]))
    assert report.value("ac1") == pytest.approx(ac1([first, second], scale=(-1, 1, 2, 3)))


def test_of_values_without_order_one_is_relevant(compared: Campaign) -> None:
    assert both(compared).relevant == 1
    assert both(compared).report.value("overlap") == 3 / 5
    wrong = both(compared, relevant=-1.0).report
    assert wrong.value("overlap") == 2 / 3


def test_people_are_judges_by_their_pseudonyms(compared: Campaign) -> None:
    found = both(compared, "assessor-1", "assessor-2", "official")
    assert [each.kind for each in found.judges] == ["assessor", "assessor", "official"]
    assert found.report.judges == 3 and found.report.items == 8
    assert found.report.value("cohen_kappa") is None and found.report.value("fleiss_kappa") is not None


def test_the_matrix_counts_what_both_judged(compared: Campaign) -> None:
    matrix = matrix_of(both(compared), 0, 1)
    assert matrix.scale == (-1, 2, 3, 1)
    assert matrix.cells == {(1, 1): 3, (1, -1): 1, (-1, -1): 2, (2, 1): 1}
    assert [matrix.row(value) for value in matrix.scale] == [2, 1, 0, 4]
    assert [matrix.column(value) for value in matrix.scale] == [3, 0, 0, 4]
    assert matrix.total == 7


def test_disagreements_can_be_listed(compared: Campaign) -> None:
    found = both(compared)
    assert sorted((pair.first, pair.second) for pair in pairs_in(found, 0, 1)) == [(1, -1), (2, 1)]
    assert [(pair.first, pair.second) for pair in pairs_in(found, 1, 0, values=(1, 2))] == [(1, 2)]
    assert list(pairs_in(found, 0, 1, topic="1.2")) == []


def test_things_stand_in_the_order_of_their_numbers() -> None:
    things = [("2.2", "6"), ("2.2", "10"), ("10.1", "1")]
    first, second = (dict.fromkeys(reversed(things), value) for value in (1.0, 2.0))
    found = Pairs(counts={"2.2": 2, "10.1": 1}, values=None, read=lambda topics: (first, second))
    assert [pair.thing for pair in found] == things
    assert [pair.thing for pair in found[1:]] == things[1:] and found[2].thing == things[2]


def test_names_that_differ_in_case_alone_have_one_order() -> None:
    things = [("1", "document:FT-1"), ("1", "document:ft-1")]
    for order in (things, things[::-1]):
        first, second = (dict.fromkeys(order, value) for value in (1.0, 2.0))
        found = Pairs(counts={"1": 2}, values=None, read=lambda topics, said=(first, second): said)
        assert [pair.thing for pair in found] == things


@given(st.data())
def test_pairs_of_a_grid_are_those_of_its_entries(data: st.DataObject) -> None:
    first, second = data.draw(grids), data.draw(grids)
    values = data.draw(st.sampled_from([None, (0.0, 0.0), (0.0, 1.0), (1.0, 1.0)]))
    written_out = dict(first), dict(second)
    fits = (lambda a, b: a != b) if values is None else (lambda a, b: (a, b) == values)
    both = [thing for thing in written_out[0] if thing in written_out[1]]
    counts = Counter(topic for topic, name in both if fits(*(each[topic, name] for each in written_out)))
    asked = {topic: counts[topic] for topic in sorted(counts)}
    found, expected = (
        Pairs(counts=asked, values=values, read=lambda topics, said=said: said)
        for said in ((first, second), written_out)
    )
    assert list(found) == list(expected) == found[:]
    assert len(found) == len(list(found)) and found[1:3] == list(expected)[1:3]


def test_topics_read_one_by_one_come_to_the_same(
    compared: Campaign, rigid: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = factories.topic(compared, "1.3", "Which others?", task="rigid", parent=rigid.parent, ordinal=3)
    (item,) = factories.pooled(more, ["a tandem"])
    for name, role, value in (("assessor", "primary", 1), ("second_assessor", "second", 2)):
        person = compared.memberships.get(user__username=name).user
        judge(factories.assignment(more, "instances", person, role=role), item, value)
    asked = ask_comparison(
        Snapshot(compared), stage="instances", criterion="correctness", judges=["primary", "second", "official"]
    )
    at_once = compare(asked)
    monkeypatch.setattr("assess.analysis.domain.agreement.TOPICS_AT_ONCE", 1)
    assert compare(asked) == at_once and len(at_once.by_topic) == 2
    found = both(compared)
    assert [pair.thing[0] for pair in pairs_in(found, 0, 1)] == ["1.1", "1.1", "1.3"]


def test_topics_are_told_apart(compared: Campaign, rigid: Topic) -> None:
    more = factories.topic(compared, "1.3", "Which others?", task="rigid", parent=rigid.parent, ordinal=3)
    (item,) = factories.pooled(more, ["a tandem"])
    for name, role, value in (("assessor", "primary", 1), ("second_assessor", "second", 1)):
        person = compared.memberships.get(user__username=name).user
        judge(factories.assignment(more, "instances", person, role=role), item, value)
    found = both(compared)
    reports = found.by_topic
    assert [(report.topic, report.items, report.value("overlap")) for report in reports] == [
        ("1.1", 7, 3 / 5),
        ("1.3", 1, 1.0),
    ]
    assert reports[1].value("cohen_kappa") is None
    assert why_undefined("cohen_kappa", reports[1]).startswith("All values given are the same")
    assert found.report.value("overlap") == (3 / 5 + 1) / 2
    estimate = topic_intervals(found, ["1.1"], "cohen_kappa")["1.1"]
    assert estimate.value == reports[0].value("cohen_kappa")
    assert estimate.interval is not None and estimate.interval.over == "items"


def test_an_earlier_point_has_nothing_to_compare(compared: Campaign) -> None:
    found = both(compared, as_of=0)
    assert found.report.items == 0 and found.report.value("agreement") is None
    assert why_undefined("agreement", found.report) == "No two of them judged the same thing."


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"judges": ("primary",)}, "Name two to"),
        ({"judges": ("primary", "primary")}, "Name two to"),
        ({"judges": ("primary", "nobody")}, "There is no judge “nobody”"),
        ({"stage": "elsewhere"}, "There are: instances correctness"),
        ({"as_of": 10**9}, "There is no ledger point"),
        ({"relevant": float("nan")}, "must be a number"),
    ],
)
def test_what_cannot_be_compared_is_refused(compared: Campaign, asked: dict[str, Any], words: str) -> None:
    snapshot = Snapshot(compared, asked.get("as_of"))
    asked = {key: value for key, value in asked.items() if key != "as_of"}
    with pytest.raises(Invalid, match=words):
        compare_judges(
            snapshot, **{"stage": "instances", "criterion": "correctness", "judges": ("primary", "second"), **asked}
        )


def test_grades_are_among_the_questions(campaign: Campaign) -> None:
    question = next(each for each in questions_of(campaign) if each.criterion == "correctness")
    assert (question.stage, question.level, question.relevant) == ("instances", "nominal", 1)
    assert question.name(3) == "non-exact" and question.name(9) == "9"
