"""The guides as pages of the site, and the little Markdown that they and guidelines are written in."""

from __future__ import annotations

import re
from pathlib import Path
from time import process_time

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.base.prose import read_blocks, section_about
from assess.campaigns.queries import registered_tracks
from assess.models import Campaign
from assess.rendering.markup import parse_page
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
    assert part["HX-Push-Url"] == "false", "a link in the panel would take the bench's address"
    assert "<h2>" in part.text
    assert "](" not in part.text, "a link was not taken apart"


@pytest.mark.parametrize(("name", "title"), GUIDES.items())
def test_a_guide_is_listed_under_its_heading(name: str, title: str) -> None:
    first, _ = (Path(settings.BASE_DIR) / "docs" / f"{name}.md").read_text(encoding="utf-8").split("\n", 1)
    assert first == f"# {title}"


@pytest.mark.django_db
def test_the_text_of_a_guide_links_to_other_guides_alone(client: Client, assessor: User) -> None:
    client.force_login(assessor)
    page = client.get("/help/organisers/").text
    assert '<a href="/help/first-campaign/">' in page, "docs/organisers.md names it"
    assert '<a href="/help/settings-and-commands/">' in page, "a link to a section leads to its guide"
    docs = Path(settings.BASE_DIR) / "docs"
    for name in GUIDES:
        linked = set(re.findall(r'<a href="([^"]*)">', client.get(f"/help/{name}/").text.partition('class="prose')[2]))
        beside = re.findall(r"\]\(([\w-]+)\.md[)#]", (docs / f"{name}.md").read_text(encoding="utf-8"))
        wanted = {f"/help/{each}/" for each in beside if each in GUIDES}
        assert {each for each in linked if each.startswith("/help/")} == wanted, name


@pytest.mark.django_db
def test_a_picture_that_was_taken_by_night_too_is_shown_by_the_theme(client: Client, assessor: object) -> None:
    client.force_login(assessor)  # type: ignore[arg-type]
    page = client.get("/help/assessors/").content.decode()
    for kind, name in (("picture-light", "votes.png"), ("picture-dark", "votes-dark.png")):
        assert f'<p class="{kind}"><img src="/static/pictures/{name}" alt="Nuggets of a frozen list' in page


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["developers", "nobody"])
def test_other_files_are_no_guides(client: Client, assessor: object, name: str) -> None:
    client.force_login(assessor)  # type: ignore[arg-type]
    assert client.get(f"/help/{name}/").status_code == 404


def test_a_table_has_its_heads_first_and_keeps_bars_that_are_escaped() -> None:
    (block,) = read_blocks("| key | does |\n|---|--:|\n| `j` | next\\|down |")
    assert block.kind == "table"
    assert '<th scope="col">key</th>' in block.html
    assert '<td class="text"><code>j</code></td>\n<td class="text">next|down</td>' in block.html


def test_indented_lines_are_code_after_an_empty_line_only() -> None:
    blocks = read_blocks("first\n    goes on\n\n    make **demo**\n    make test")
    assert [block.html.strip() for block in blocks] == [
        "<p>first\ngoes on</p>",
        "<pre><code>make **demo**\nmake test\n</code></pre>",
    ]


def test_lists_may_stand_in_lists() -> None:
    (block,) = read_blocks("- grade\n  1. read\n  2. judge")
    assert "<li>grade\n<ol>\n<li>read</li>" in block.html


def test_markup_in_a_text_stays_a_text() -> None:
    (block,) = read_blocks("<script>alert(1)</script> ![x](pictures/y.png)")
    assert block.html == "<p>&lt;script&gt;alert(1)&lt;/script&gt; ![x](pictures/y.png)</p>\n"


def test_a_link_leads_to_another_site_in_a_tab_of_its_own() -> None:
    (block,) = read_blocks('[NIST](https://trec.nist.gov/?a=1&b="2" "title")')
    assert block.html == (
        '<p><a href="https://trec.nist.gov/?a=1&amp;b=%222%22" rel="noopener noreferrer" target="_blank">NIST</a></p>\n'
    )


HOSTILE = [
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](<java\tscript:alert(1)>)",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](vbscript:x) [b](file:///etc/passwd) [c](/logout) [d](//evil.example)",
    "<javascript:alert(1)> <data:text/html,x>",
    "[a][r]\n\n[r]: javascript:alert(1)",
    "![a](data:image/svg+xml,<svg onload=alert(1)>)",
    "![a](https://evil.example/seen.png)",
    '<img src=x onerror="alert(1)">',
    "<div>\n<script>alert(1)</script>\n</div>",
    "<style>*{display:none}</style>",
    '```js" onclick="alert(1)\nx\n```',
    '# <b id="section">x</b>\n[a](https://a.org/"onclick="x)',
    "|a|b|\n|:-|-:|\n|<svg onload=x>|`</code><script>`|",
    "</div></main><form action=/x>",
]
TEXTS = {"p", "h2", "h3", "ul", "ol", "li", "strong", "em", "code", "pre", "blockquote", "hr", "br", "a"}
KEPT = TEXTS | {"table", "thead", "tbody", "tr", "th", "td"}


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_a_text_says_becomes_a_script_a_picture_or_a_link_within_the_site(text: str) -> None:
    root, _ = parse_page("<!doctype html><body>" + "".join(block.html for block in read_blocks(text)))
    body = root.find("body")
    assert body is not None
    for element in list(body.iter())[1:]:
        assert element.tag in KEPT
        assert set(element.attrib) <= {"href", "rel", "target", "class", "scope", "start"}
        assert element.get("href", "https://").startswith(("https://", "http://"))


@pytest.mark.parametrize("part", ["[", "[a](", "![[", "*a ", "`a``", "> ", "- ", "<", "_a**", "&", "|"])
def test_texts_that_open_without_end_are_read_soon(part: str) -> None:
    began = process_time()
    assert read_blocks(part * (20_000 // len(part)))
    assert process_time() - began < 10  # the longest took .6 seconds when this was written


def test_the_guide_for_assessors_has_a_section_for_every_stage() -> None:
    blocks = read_blocks((Path(settings.BASE_DIR) / "docs" / "assessors.md").read_text(encoding="utf-8"))
    for track in registered_tracks().values():
        for stage in (each for task in track.tasks for each in task.stages):
            place = section_about(blocks, stage.label)
            assert place is not None, stage.label
            assert blocks[place].text == stage.label


def test_the_guidelines_of_every_track_have_a_section_for_every_stage() -> None:
    for track in registered_tracks().values():
        blocks = read_blocks(track.guidelines)
        labels = [stage.label for task in track.tasks for stage in task.stages]
        assert [label for label in labels if section_about(blocks, label) is None] == [], track.key


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


def test_a_short_text_makes_no_endless_tables() -> None:
    table = "|a" * 200 + "|\n" + "|-" * 200 + "|\n" + "x\n" * 20 + "\n"
    blocks = read_blocks(table * 40)
    assert [block.kind for block in blocks[:2]] == ["table", "table"]
    assert sum(block.html.count("<td") for block in blocks) < 12_000
    assert "|a|a|a" in blocks[-2].html
