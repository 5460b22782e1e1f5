"""A campaign that is opened again, judged further and released anew: what was released before stays as it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoDbBlocker

from assess.assignments.domain.assignments import reopen_assignment
from assess.base.errors import Conflict, Invalid, Refused
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Assignment, Campaign, Judgment, Release
from assess.organising.domain import change_state, unfreeze_campaign
from assess.releases.domain import releasing
from assess.releases.domain.archives import release_archive
from assess.releases.domain.releasing import make_release

pytestmark = pytest.mark.usefixtures("frozen")


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module: `frozen` takes back what a test writes."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def organiser(frozen: Campaign) -> User:
    return User.objects.get(username="organiser")


def archive_of(release: Release) -> bytes:
    with release_archive(release) as file:
        return file.read()


def judge_otherwise(campaign: Campaign) -> Judgment:
    """An author's first judgment, said otherwise by who said it."""
    row = Judgment.objects.filter(assignment__campaign=campaign, assignment__role="primary").order_by("id")[0]
    work = Assignment.objects.get(pk=row.assignment_id)
    if work.state == Assignment.State.DONE:
        reopen_assignment(actor=work.assessor, assignment=work)
    value = 0 if row.value else 1
    said = JudgmentInput(item=row.item, criterion=row.criterion, value=value, client_key=uuid4(), how="api")
    return record_judgment(actor=work.assessor, assignment=work, judgment=said)


def test_the_release_of_before_stays_byte_for_byte_and_the_new_one_says_otherwise(
    frozen: Campaign,
    organiser: User,
    tmp_path: Path,
) -> None:
    first = make_release(actor=organiser, campaign=frozen)
    before = archive_of(first)
    with pytest.raises(Refused):
        judge_otherwise(frozen)
    with pytest.raises(Invalid):
        unfreeze_campaign(actor=organiser, campaign=frozen, reason="  ")
    frozen.refresh_from_db()
    assert frozen.state == "frozen"
    unfreeze_campaign(actor=organiser, campaign=frozen, reason="A judgment was wrong.")
    made = judge_otherwise(frozen)
    change_state(actor=organiser, campaign=frozen, state=Campaign.State.FROZEN)
    second = make_release(actor=organiser, campaign=frozen)
    assert first.as_of < made.pk <= second.as_of
    assert archive_of(Release.objects.get(pk=first.pk)) == before != archive_of(second)
    assert Release.objects.count() == 2


def test_a_release_of_a_campaign_that_is_opened_again_meanwhile_says_so(
    frozen: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written(*_: object, **__: object) -> None:
        unfreeze_campaign(actor=organiser, campaign=frozen, reason="A run was late.")
        raise LookupError("a run that was withdrawn meanwhile")

    monkeypatch.setattr(releasing, "write_release", written)
    with pytest.raises(Conflict, match="opened again at this moment"):
        make_release(actor=organiser, campaign=frozen)
