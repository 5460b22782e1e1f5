"""Make a campaign from a page or a program, with all files that its design names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from assess.base.errors import Refused
from assess.campaigns.domain import create_campaign
from assess.campaigns.models import Campaign
from assess.machines.suggested_answers import store_suggested_answers


def make_campaign(*, actor: User, files: Mapping[str, bytes] | None = None, **values: Any) -> Campaign:
    """Make a campaign as `create_campaign` does; ``files`` may also hold the answers that the design suggests.

    What `create_campaign` refuses is refused, and so are answers that can't be read.
    """
    with transaction.atomic():
        campaign = create_campaign(actor=actor, files=files, **values)
        try:
            store_suggested_answers(actor=actor, campaign=campaign, files=files or {})
        except Refused as refused:
            refused.field = "files"
            raise
    return campaign
