"""The one way in for run files: a run checked while its submitter waits is saved as being checked, like any other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from assess.base.errors import Conflict, Invalid
from assess.models import Activity, Campaign, Job, Response, Run
from assess.protocol import SegmentRecord
from assess.runs.domain.deciding import NoLongerChecked, withdraw_run
from tests.assess.runs.changed_kinds import LINE, change
from tests.assess.toys import send

pytestmark = pytest.mark.django_db


def during_the_check(campaign: Campaign, act: Callable[[], object]) -> None:
    """Do ``act`` in the middle of each check of a ranked run."""

    def issues(file: Any, context: Any) -> Iterator[Any]:
        act()
        return iter(())

    change(campaign, "ranked", check=issues)


def test_it_is_saved_as_being_checked_before_anything_of_it_is_read(toy: Campaign, organiser: User) -> None:
    seen: list[tuple[str, str]] = []
    during_the_check(toy, lambda: seen.extend(Run.objects.values_list("tag", "state")))
    run = send(toy, organiser, "R1", LINE, kind="ranked")
    assert (seen, run.state) == ([("R1", "checking")], "accepted")
    assert not Job.objects.exists()
    acts = Activity.objects.filter(action__startswith="run.")
    assert list(acts.values_list("action", flat=True)) == ["run.accept"]


def test_whoever_comes_first_has_the_tag(toy: Campaign, organiser: User) -> None:
    said: list[str] = []

    def rival() -> None:
        if not said:
            with pytest.raises(Conflict) as refused:
                send(toy, organiser, "R1", LINE, kind="ranked", team="Other")
            said.append(refused.value.message)

    during_the_check(toy, rival)
    assert send(toy, organiser, "R1", LINE, kind="ranked").team == "Quay"
    assert said == [
        "The tag R1 is taken by a run that is being checked. Choose another; if the file names it, change it there."
    ]


def test_one_that_is_withdrawn_while_it_is_checked_stays_withdrawn(toy: Campaign, organiser: User) -> None:
    during_the_check(toy, lambda: withdraw_run(actor=organiser, run=Run.objects.get()))
    with pytest.raises(NoLongerChecked, match="R1 is withdrawn already"):
        send(toy, organiser, "R1", LINE, kind="ranked")
    assert list(Run.objects.values_list("state", flat=True)) == ["withdrawn"]
    assert not Response.objects.exists()


def test_a_refusal_after_the_check_leaves_nothing_behind(toy: Campaign, organiser: User) -> None:
    unknown = SegmentRecord(topic="no topic", ordinal=1, text="x", docno="", line=1, item_kind="x", item_key="x")
    change(toy, "ranked", read=lambda file, context: iter([unknown]))
    with pytest.raises(Invalid, match="The run answers no topic, which is no topic of this campaign"):
        send(toy, organiser, "R1", LINE, kind="ranked")
    assert (Run.objects.count(), Activity.objects.filter(action__startswith="run.").count()) == (0, 0)


def test_a_check_that_breaks_off_leaves_nothing_behind(toy: Campaign, organiser: User) -> None:
    def interrupt() -> None:
        assert Run.objects.get().state == Run.State.CHECKING
        raise KeyboardInterrupt

    during_the_check(toy, interrupt)
    with pytest.raises(KeyboardInterrupt):
        send(toy, organiser, "R1", LINE, kind="ranked")
    assert not Run.objects.exists()


def test_a_file_that_was_rejected_before_is_answered_by_that_run(toy: Campaign, organiser: User) -> None:
    first = send(toy, organiser, "R1", "no object", kind="ranked")
    again = send(toy, organiser, "R1", "no object", kind="ranked")
    assert (first.state, again.pk, Run.objects.count()) == ("rejected", first.pk, 1)
