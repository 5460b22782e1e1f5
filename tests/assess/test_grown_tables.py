"""What pages and workers ask of tables that grow for years is found by an index, not by reading the whole table."""

from __future__ import annotations

import pytest
from django.db import connection

from assess.models import Activity, Campaign, Job

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL reads a small table whole"),
]


def test_the_newest_acts_of_a_campaign_are_found_without_sorting_all(campaign: Campaign) -> None:
    newest = Activity.objects.filter(campaign=campaign).select_related("actor").order_by("-id")[:50]
    assert "activity_by_point" in newest.explain()
    assert "TEMP B-TREE" not in newest.explain()
    unread = Activity.objects.filter(campaign=campaign, action__in=("topics.amend", "help.answer"), id__gt=7)
    assert "id>?" in unread.explain()


def test_a_worker_finds_jobs_under_way_without_reading_those_that_ended(campaign: Campaign) -> None:
    assert "job_by_state (state=?)" in Job.objects.filter(state__in=Job.UNDER_WAY).explain()
