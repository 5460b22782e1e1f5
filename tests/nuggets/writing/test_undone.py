"""What an undo or a redo on the writing bench says: what holds now."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from assess.models import Topic
from tests import factories

pytestmark = pytest.mark.django_db

SAID = {
    ("add", "text=heavy", "importance=okay"): ("3 is off the list again", "3 is on the list again"),
    ("edit", "number=1", "text=very cheap"): ("1 is “cheap” again", "1 is “very cheap” again"),
    ("weigh", "number=1", "importance=vital"): ("1 is okay again", "1 is vital again"),
    ("group", "number=1", "group=Price"): ("1 is in no group again", "1 is in “Price” again"),
    ("move", "number=2", "place=1"): ("2 is back at its place", "2 is at place 1 again"),
    ("split", "number=1", "texts=low\nprice"): ("1 is whole again", "1 is split again"),
    ("retire", "number=1"): ("1 is on the list again", "1 is off the list again"),
}


@pytest.mark.parametrize(("asked", "said"), SAID.items(), ids=[asked[0] for asked in SAID])
def test_undo_and_redo_say_what_holds_now(
    client: Client, squishy: Topic, asked: tuple[str, ...], said: tuple[str, str]
) -> None:
    work = factories.assignment(squishy, "nuggets", factories.member(squishy.campaign, "ada", "assessor"))
    client.force_login(work.assessor)

    def do(verb: str, *fields: str) -> str:
        posted = {"do": verb, "client_key": str(uuid4()), **dict(each.split("=", 1) for each in fields)}
        answer = client.post(
            reverse("nuggets-edit", args=[squishy.campaign.slug, work.pk]),
            posted,
            headers={"accept": "application/json"},
        )
        assert answer.status_code == 200, answer.content
        return str(answer.json()["said"])

    client.get(reverse("workbench", args=[squishy.campaign.slug, work.pk]))
    for text in ("cheap", "light"):
        do("add", f"text={text}", "importance=okay")
    do(*asked)
    assert (do("undo"), do("redo")) == (f"Undone: nugget {said[0]}.", f"Redone: nugget {said[1]}.")
