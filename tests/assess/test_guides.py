"""The guides as pages of the site, and the little Markdown that they and guidelines are written in."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from assess.base.prose import read_blocks
from assess.models import Campaign
from assess.web.guides import GUIDES


@pytest.mark.django_db
def test_help_is_for_those_who_are_logged_in(client: Client) -> None:
    assert client.get(reverse("help")).status_code == 302


@pytest.mark.django_db
@pytest.mark.parametrize(("who", "title"), [("assessor", "For assessors"), ("organiser", "For organisers")])
def test_help_opens_the_guide_of_what_a_person_does(
    client: Client, request: pytest.FixtureRequest, campaign: Campaign, who: str, title: str
) -> None:
    client.force_login(request.getfixturevalue(who))
    page = client.get(reverse("help"))
    assert f'aria-current="page">{title}</a>' in page.text


@pytest.mark.django_db
@pytest.mark.parametrize("name", GUIDES)
def test_every_guide_is_a_page_and_a_part_beside_the_work(client: Client, assessor: object, name: str) -> None:
    client.force_login(assessor)  # type: ignore[arg-type]
    page, part = client.get(f"/help/{name}/"), client.get(f"/help/{name}/", headers={"HX-Request": "true"})
    assert "<html" in page.text
    assert "<html" not in part.text
    assert "<h2>" in part.text
    assert "](" not in part.text, "a link was not taken apart"


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["developers", "nobody"])
def test_other_files_are_no_guides(client: Client, assessor: object, name: str) -> None:
    client.force_login(assessor)  # type: ignore[arg-type]
    assert client.get(f"/help/{name}/").status_code == 404


def test_a_table_has_its_heads_first_and_keeps_bars_that_are_escaped() -> None:
    (block,) = read_blocks("| key | does |\n|---|---|\n| `j` | next\\|down |")
    assert block.rows == (([("", "key")], [("", "does")]), ([("code", "j")], [("", "next|down")]))


def test_indented_lines_are_code_after_an_empty_line_only() -> None:
    blocks = read_blocks("first\n    goes on\n\n    make **demo**\n    make test")
    assert [(block.kind, block.entries) for block in blocks] == [
        ("p", [[("", "first goes on")]]),
        ("pre", [[("", "make **demo**")], [("", "make test")]]),
    ]


def test_markup_in_a_text_stays_a_text() -> None:
    (block,) = read_blocks("<script>alert(1)</script> ![x](pictures/y.png)")
    assert (block.kind, block.entries) == ("p", [[("", "<script>alert(1)</script> ![x](pictures/y.png)")]])
