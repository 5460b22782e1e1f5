"""Of several adjudicators who pick for the same claim, the list of whoever spoke last counts, in a release, too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from pytest_django import DjangoDbBlocker

from assess.campaigns.queries import stage_of
from assess.judging.queries.picked import official_pickers, ranking_of
from assess.judging.snapshots import Snapshot
from assess.kinds.picks.record import record_picks
from assess.models import Assignment, Campaign, Item
from assess.organising.domain import change_state
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from scoring.__main__ import main
from scoring.release.releases import EXPORTS
from tests import factories
from tests.tracks import track_folder
from tests.tracks.conftest import Judged
from tests.unpacked import unpack_release
from tracks import find_track

of_context25 = pytest.mark.parametrize("judged", [find_track("context25")], ids=["context25"], indirect=True)


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module, since `judged` takes seconds; it takes its rows back itself."""
    with django_db_blocker.unblock():
        yield


def pick(work: Assignment, *items: Item) -> None:
    """Pick these, or say that none of them fits."""
    record_picks(actor=work.assessor, assignment=work, items=items, client_key=uuid4(), none=None if items else True)


@pytest.mark.usefixtures("scratch")
@pytest.mark.parametrize("is_none_last", [True, False])
@pytest.mark.parametrize("is_first_last", [True, False])
@of_context25
def test_whoever_spoke_last_counts_whoever_got_the_work_first(
    judged: Judged, is_first_last: bool, is_none_last: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = Campaign.objects.get(pk=judged.campaign.pk)
    author = campaign.assignments.filter(stage="figures", role="primary", state="done").order_by("pk").first()
    assert author is not None
    one, other, third, *_ = Item.objects.filter(topic=author.topic, pool_items__isnull=False, kind="figure").order_by(
        "pk"
    )
    works = [
        factories.assignment(
            author.topic, "figures", factories.member(campaign, name, "adjudicator"), role="adjudicator"
        )
        for name in ("first", "last")
    ]
    early, late = reversed(works) if is_first_last else works
    pick(late, one)
    pick(early, one, other) if is_none_last else pick(early)
    pick(late) if is_none_last else pick(late, one, third)
    for work in works:
        Assignment.objects.filter(pk=work.pk).update(state="done")
    _, stage = stage_of(campaign, "figures")

    def counting(campaign: Campaign) -> str:
        whose = official_pickers(Snapshot(campaign), ranking_of(stage).key)[author.topic.number]
        return campaign.memberships.get(user=whose, role="adjudicator").user.username

    assert counting(campaign) == late.assessor.username
    change_state(actor=judged.organiser, campaign=campaign, state=Campaign.State.FROZEN)
    folder = tmp_path / "release"
    unpack_release(make_release(actor=judged.organiser, campaign=campaign), folder)
    assert main(["verify", str(folder)]) == 0, capsys.readouterr()
    copy = import_release(actor=judged.organiser, path=folder, slug="copy")
    for name, content in track_folder.exported(copy, organiser=judged.organiser).items():
        assert content == (folder / EXPORTS / name).read_bytes(), name
