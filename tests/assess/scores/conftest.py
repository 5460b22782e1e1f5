"""The scored campaign, made once for all tests of a module whose ``db`` lasts as long."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import override_settings

from assess.base.process import forget_everything
from nuggets.models import NuggetList
from tests import factories
from tests.assess.scored_campaign import judged_campaign
from tests.committed import taken_back


@pytest.fixture(scope="module")
def scored(db: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NuggetList]:
    """What `judged_campaign` makes, with the organiser and the assessor of the cast."""
    with override_settings(DATA_DIR=tmp_path_factory.mktemp("scored")), taken_back():
        organiser = factories.user("organiser")
        campaign = factories.campaign(organiser=organiser)
        yield judged_campaign(campaign, organiser, factories.member(campaign, "assessor", "assessor"))


@pytest.fixture
def frozen(scored: NuggetList) -> Iterator[NuggetList]:
    """Its frozen list, as if each test had made it all itself: what a test writes is taken back, no score is known."""
    forget_everything()
    with taken_back():
        yield NuggetList.objects.get(pk=scored.pk)
