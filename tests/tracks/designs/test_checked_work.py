"""How a design wants work handed out and checked: what pages begin with, and what they say of too little agreement."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.models import Item
from tests import factories
from tests.pages import page_of
from tests.tracks.designs.campaigns import DESIGNS, by_key, judge_all, loaded
from tracks.designs.checking import check_design

CHECKED = (
    (DESIGNS / "binary-relevance.toml")
    .read_text()
    .replace(
        "[scores]",
        """[stages.repeats]
share = 0.5
after = 4

[stages.hand_out]
order = "random"
days = 7

[stages.agreement]
measures = ["alpha", "kappa"]
floor = 0.6

[scores]""",
    )
)


@pytest.mark.django_db(transaction=True)
def test_pages_begin_with_what_the_design_says_and_name_what_is_below_its_floor(
    organiser: User, client: Client, tmp_path: Path, settings: Any
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    (tmp_path / "mine.toml").write_text(CHECKED)
    campaign = loaded(organiser, tmp_path / "mine.toml")
    assert campaign.lease_hours == 7 * 24
    work = factories.assignment(
        campaign.topics.get(number="1"), "documents", factories.member(campaign, "carl", "assessor")
    )
    client.force_login(organiser)
    form = page_of(client.get(reverse("plants", args=["own"])))
    items = Item.objects.filter(topic=work.topic, pool_items__isnull=False).count()
    assert f'name="repeats" value="{round(items / 2)}"' in form and 'name="gap" value="4"' in form
    work.delete()
    judge_all(campaign)
    judge_all(campaign, lambda item, criterion: 1 - by_key(item, criterion), by="ben", role="second")
    page = page_of(client.get(reverse("agreement", args=["own"])))
    assert page.count("Below 0.6, the least that is asked for here.") == 4  # alpha, and Cohen's three kappas
    assert 'value="krippendorff_alpha_ordinal" selected' in page  # which the design names first


REPEATS = "[stages.repeats]\nshare = 0.5\nafter = 4"
WRONG = [
    ('"alpha"', '"alfa"', "stages.documents.agreement.measures.1", "Did you mean alpha?"),
    ('"random"', '"pool"', "stages.documents.hand_out.order", 'Not yet known: order = "pool"'),
    ("days = 7", "days = 700", "stages.documents.hand_out.days", "days is at most 365"),
    ("days = 7", "most = 7", "stages.documents.hand_out.most", "Not yet known: a bound on the items"),
    ("days = 7", "day = 7", "stages.documents.hand_out.day", "Did you mean days?"),
    (
        "[stages.repeats]\nshare = 0.5\nafter = 4",
        "[stages.practice]\nitems = 5",
        "stages.documents.practice",
        "Not yet",
    ),
    ("share = 0.5", "share = 5", "stages.documents.repeats.share", "share is at most 1"),
    ('work = "grade"', "people = { each = 1, share = 0.5 }\nwork = 'grade'", "stages.documents.people", "2 or more"),
    (REPEATS, '[stages.control]\nfile = "x"', "stages.documents.control", "Not yet"),
]


@pytest.mark.parametrize(("before", "after", "member", "words"), WRONG)
def test_what_is_wrong_is_told_by_line_and_name(before: str, after: str, member: str, words: str) -> None:
    text = CHECKED.replace(before, after, 1)
    line = next(number for number, each in enumerate(text.splitlines(), 1) if after.splitlines()[0] in each)
    design, faults = check_design(text)
    assert (design, [(each.line, each.member) for each in faults if words in each.message]) == (None, [(line, member)])
