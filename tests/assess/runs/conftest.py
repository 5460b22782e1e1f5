"""What several files of these tests begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from assess.models import Campaign


@pytest.fixture
def setup(campaign: Campaign, settings, tmp_path: Path) -> Campaign:
    """The campaign while it is set up, with uploads in a folder of the test's own."""
    settings.DATA_DIR = tmp_path
    campaign.state = Campaign.State.SETUP
    campaign.save()
    return campaign
