"""How judgments are looked up: by the topics asked for, also by a database that has counted nothing yet."""

from __future__ import annotations

import pytest
from django.db import connection

from assess.judging.queries.current import judgments_in_topics, official_judgments
from assess.judging.snapshots import Snapshot
from assess.models import Campaign

pytestmark = pytest.mark.django_db


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite looked these up so")
def test_a_batch_of_topics_is_not_looked_up_by_what_repeats_nothing(campaign: Campaign) -> None:
    topics = list(campaign.topics.values_list("pk", flat=True))
    for rows in (judgments_in_topics(campaign, topics), official_judgments(Snapshot(campaign), topics=topics)):
        plan = rows.explain()
        assert "assess_item" in plan
        assert "repeats" not in plan
