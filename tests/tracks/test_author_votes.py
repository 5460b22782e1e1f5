"""The author of a nugget list votes by what they wrote, unless they voted otherwise: in exports and in a release."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from assess.models import Campaign
from assess.organising.domain import change_state
from assess.releases.domain.releasing import make_release
from scoring.__main__ import main
from tests.tracks import track_folder
from tests.tracks.conftest import Judged
from tests.unpacked import unpack_release
from tracks import find_track


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module, since `judged` takes seconds; it takes its rows back itself."""
    with django_db_blocker.unblock():
        yield


@pytest.mark.usefixtures("scratch")
@pytest.mark.parametrize("judged", [find_track("tac2008-qa")], ids=["tac2008-qa"], indirect=True)
def test_a_vote_of_the_author_stands_in_place_of_what_they_wrote(
    judged: Judged, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = "1.3\t1\tassessor-1\tvital"
    assert written in judged.files["votes.tsv"].decode().splitlines()
    campaign = Campaign.objects.get(pk=judged.campaign.pk)
    otherwise = b'{"by": "assessor-1", "do": "vote", "importance": "okay", "number": 1, "topic": "1.3"}\n'
    track_folder.replay(campaign, organiser=judged.organiser, content=otherwise)
    change_state(actor=judged.organiser, campaign=campaign, state=Campaign.State.FROZEN)
    unpack_release(make_release(actor=judged.organiser, campaign=campaign), tmp_path / "release")
    votes = (tmp_path / "release" / "exports" / "votes.tsv").read_text().splitlines()
    assert len(votes) == len(judged.files["votes.tsv"].splitlines())
    assert [line for line in votes if line.startswith("1.3\t1\t")].count("1.3\t1\tassessor-1\tokay") == 1
    assert written not in votes
    capsys.readouterr()
    assert main(["verify", str(tmp_path / "release")]) == 0, capsys.readouterr().out
