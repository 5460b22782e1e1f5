"""A run of the team Harbor with its files, as the site keeps it."""

from __future__ import annotations

import io

from django.contrib.auth.models import User

from assess.base.files import store_file
from assess.models import Campaign, Item, Run
from tests import factories


def harbor_run(campaign: Campaign, by: User) -> Run:
    """An accepted run of the team Harbor whose file is kept, and a better one."""
    line = "1.1 Harbor1 BLOG06-20060101-000-0000000001 blue bicycle\n"
    kept = store_file(io.BytesIO(f" {line}".encode()))
    repaired = store_file(io.BytesIO(line.encode()))
    run = factories.run(campaign, "Harbor1", by)
    Run.objects.filter(pk=run.pk).update(file=kept.sha256, size=kept.size, repaired=repaired.sha256)
    items = list(Item.objects.filter(topic__campaign=campaign, text="blue bicycle"))
    factories.response(run, campaign.topics.get(number="1.1"), items)
    return run
