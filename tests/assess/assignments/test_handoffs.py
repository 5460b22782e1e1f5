"""Chains of hand-overs are stored with the work: who began it, who had it before, who has it now."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from assess.assignments.domain.assignments import open_assignment
from assess.assignments.queries.handoffs import begun_by, chain_beginners, chains_of, predecessors, predecessors_of
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.base.errors import Conflict
from assess.judging.queries.current import official_judgments
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Campaign
from assess.people.domain.members import remove_member
from assess.work.domain import hand_over
from tests import factories
from tests.assess import judged_campaign as judging
from tests.assess.judged_campaign import bench_lines

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(campaign: Campaign, assessor: User) -> list[User]:
    return [assessor, *(factories.member(campaign, name, "assessor") for name in ("bela", "carla", "dora", "emil"))]


def handed(actor: User, work: Assignment, *people: User) -> list[Assignment]:
    """The work and those that went on with it, one after the other."""
    chain = [work]
    for person in people:
        made = hand_over(actor=actor, assignment=chain[-1], to=person)
        chain.append(open_assignment(actor=person, assignment=made))
    return [Assignment.objects.get(pk=each.pk) for each in chain]


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_each_piece_of_work_names_the_one_with_which_its_chain_began(
    length: int, grading: Assignment, organiser: User, people: list[User]
) -> None:
    chain = handed(organiser, grading, *people[1 : length + 1])
    assert [each.chain_start for each in chain] == [None, *[grading] * length]
    assert [predecessors_of(each) for each in chain] == [chain[:place][::-1] for place in range(length + 1)]
    assert chain_beginners(chain) == {each.pk: people[0].pk for each in chain}
    stored = Assignment.objects.order_by("pk").values_list("pk", begun_by())
    assert dict(stored) == chain_beginners(chain)
    found = chains_of(chain)
    assert [(found[each.pk].begun_by, found[each.pk].is_live) for each in chain] == [(people[0].pk, True)] * len(chain)


def test_work_that_goes_back_to_who_began_it_is_one_chain(
    grading: Assignment, organiser: User, people: list[User]
) -> None:
    chain = handed(organiser, grading, people[1], people[0], people[2])
    assert [each.assessor for each in predecessors_of(chain[-1])] == [people[0], people[1], people[0]]
    assert set(chain_beginners(chain).values()) == {people[0].pk}


def test_a_chain_is_nobodys_when_the_last_gave_the_work_back(
    grading: Assignment, organiser: User, people: list[User]
) -> None:
    chain = handed(organiser, grading, people[1], people[2])
    Assignment.objects.filter(pk=chain[-1].pk).update(state="returned")
    anew = factories.assignment(grading.topic, grading.stage, people[3])
    found = chains_of(Assignment.objects.all())
    assert [found[each.pk].is_live for each in chain] == [False, False, False]
    assert (found[anew.pk].begun_by, found[anew.pk].is_live) == (people[3].pk, True)
    assert (anew.chain_start, predecessors_of(anew)) == (None, [])


def test_chains_of_two_topics_stay_apart(
    grading: Assignment, nugget_writing: Assignment, organiser: User, people: list[User]
) -> None:
    mine = handed(organiser, grading, people[1], people[2])
    other = handed(organiser, nugget_writing, people[2], people[1])
    assert predecessors([*mine, *other]) == {
        mine[1].pk: [mine[0]],
        mine[2].pk: [mine[1], mine[0]],
        other[1].pk: [other[0]],
        other[2].pk: [other[1], other[0]],
    }


def test_who_left_the_campaign_stays_in_the_chain(grading: Assignment, organiser: User, people: list[User]) -> None:
    judging.judge(grading, "blue bicycle", 1)
    chain = handed(organiser, grading, people[1])
    judging.judge(chain[1], "green bicycle", 2)
    chain += handed(organiser, chain[1], people[2])[1:]
    names = pseudonyms(grading.campaign)
    for person in people[:2]:
        remove_member(actor=organiser, campaign=grading.campaign, user=person, role="assessor")
    assert (pseudonyms(grading.campaign), chain_beginners(chain)[chain[2].pk]) == (names, people[0].pk)
    assert names == {people[0].pk: "assessor-1", people[1].pk: "assessor-2", people[2].pk: "assessor-3"}
    assert {line.text: line.state for line in bench_lines(chain[2])} == {
        "blue bicycle": "carried",
        "green bicycle": "carried",
        "red bicycle": "open",
    }
    rows = official_judgments(Snapshot(grading.campaign)).select_related("item", "assessor")
    assert {(row.item.text, row.value, row.assessor.username) for row in rows} == {
        ("blue bicycle", 1, "assessor"),
        ("green bicycle", 2, "bela"),
    }


def test_the_length_of_a_chain_costs_nothing(grading: Assignment, organiser: User, people: list[User]) -> None:
    def costs(chain: list[Assignment]) -> tuple[int, int, int, int]:
        asked = []
        for ask in (
            lambda: predecessors_of(chain[-1]),
            lambda: chain_beginners(chain),
            lambda: chains_of(chain),
            lambda: bench_lines(chain[-1]),
        ):
            with CaptureQueriesContext(connection) as queries:
                ask()
            asked.append(len(queries))
        return asked[0], asked[1], asked[2], asked[3]

    assert costs([Assignment.objects.get(pk=grading.pk)]) == (0, 0, 0, 10)
    once = handed(organiser, grading, people[1])
    assert costs(once) == (1, 1, 0, 13)
    assert costs(once[:1] + handed(organiser, once[-1], *people[2:])) == (1, 1, 0, 13)


def test_work_is_handed_over_once(grading: Assignment, organiser: User, people: list[User]) -> None:
    """Also where it seems to have gone back by itself since."""
    Assignment.objects.filter(pk=grading.pk).update(role="second")
    grading.refresh_from_db()
    handed(organiser, grading, people[1])
    Assignment.objects.filter(pk=grading.pk).update(lease_until=timezone.now())
    with pytest.raises(Conflict, match="given back or handed over"):
        hand_over(actor=organiser, assignment=grading, to=people[2])
