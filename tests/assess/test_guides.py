"""The guides as pages of the site, and the little Markdown that they and guidelines are written in."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.base.prose import read_blocks, section_about
from assess.campaigns.queries import registered_tracks
from assess.models import Campaign
from assess.web.guides import GUIDES


@pytest.mark.django_db
def test_help_is_for_those_who_are_logged_in(client: Client) -> None:
    assert client.get(reverse("help")).status_code == 302


@pytest.mark.django_db
@pytest.mark.parametrize(("who", "title"), [("assessor", "For assessors"), ("organiser", "Run a campaign")])
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


def test_the_guide_for_assessors_has_a_section_for_every_stage() -> None:
    blocks = read_blocks((Path(settings.BASE_DIR) / "docs" / "assessors.md").read_text(encoding="utf-8"))
    for track in registered_tracks().values():
        for stage in (each for task in track.tasks for each in task.stages):
            place = section_about(blocks, stage.label)
            assert place is not None, stage.label
            assert "".join(text for _, text in blocks[place].entries[0]) == stage.label


def test_guidelines_and_help_begin_at_the_section_of_the_stage(
    client: Client, campaign: Campaign, assessor: User
) -> None:
    campaign.guidelines.update(text="# Rules\n## Squishy list questions: finding nuggets in responses\n")
    client.force_login(assessor)
    for address, heading in (
        (reverse("guidelines", args=[campaign.slug]), "Squishy list questions: finding nuggets in responses"),
        ("/help/assessors/", "Find nuggets"),
    ):
        page = client.get(address, {"stage": "Find nuggets"}, headers={"HX-Request": "true"}).text
        assert f'<h2 id="section">{heading}' in page
        assert 'id="section"' not in client.get(address, {"stage": "<Cook dinner>"}).text
