"""Who builds a pool is told of runs that the checker has not decided yet."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.models import Campaign, Run
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["pool", "pool-build"])
def test_runs_that_are_being_checked_are_named(name: str, client: Client, campaign: Campaign, organiser: User) -> None:
    client.force_login(organiser)
    address = reverse(name, args=[campaign.slug] if name == "pool" else [campaign.slug, "rigid"])
    assert "still being checked" not in client.get(address).text
    late = factories.run(campaign, "Late1", organiser)
    Run.objects.filter(pk=late.pk).update(state=Run.State.CHECKING)
    assert "1 run is still being checked, so it has no part in this pool." in client.get(address).text
