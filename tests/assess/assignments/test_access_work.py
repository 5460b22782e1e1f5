"""The short way to one's own work refuses what the long one refuses."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.assignments.queries.work_items import handle_of
from assess.models import Judgment, Topic, UnfinishedImport
from tests import factories

pytestmark = pytest.mark.django_db


def test_nobody_works_in_a_campaign_that_is_being_imported(client: Client, rigid: Topic, assessor: User) -> None:
    """Neither by a click nor by what is fetched of an item, though the work there is open already."""
    item = factories.pooled(rigid, ["red"])[0]
    work = factories.assignment(rigid, "instances", assessor)
    UnfinishedImport.objects.create(campaign=rigid.campaign)
    client.force_login(assessor)
    slug, handle = rigid.campaign.slug, handle_of(work, item.pk)
    said = {"item": handle, "criterion": "correctness", "value": 1, "client_key": str(uuid4())}
    answers = [
        client.post(reverse("judge", args=[slug, work.pk]), said),
        client.post(reverse("api-assignment-judgments", args=[slug, work.pk]), said, content_type="application/json"),
        client.get(reverse("work-item", args=[slug, work.pk, handle])),
    ]
    assert ([answer.status_code for answer in answers], Judgment.objects.count()) == ([404] * 3, 0)
