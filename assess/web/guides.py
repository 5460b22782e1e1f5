"""The guides of docs/ as pages of the site and in the panel beside the work, read from the same files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from assess.base.errors import NotFound
from assess.base.prose import Block, read_blocks, section_about
from assess.campaigns.models import Membership, Role
from assess.web.page import render_page
from assess.web.requests import person_of

# file name without its suffix -> title
GUIDES = {
    "assessors": gettext_lazy("For assessors"),
    "first-campaign": gettext_lazy("Your first campaign"),
    "organisers": gettext_lazy("Run a campaign"),
    "topics-and-documents": gettext_lazy("Topics and documents"),
    "runs-and-pools": gettext_lazy("Runs and pools"),
    "people-and-work": gettext_lazy("People and work"),
    "quality": gettext_lazy("Quality of judgments"),
    "scores-and-releases": gettext_lazy("Scores and releases"),
    "settings-and-commands": gettext_lazy("Settings and commands"),
    "running-a-site": gettext_lazy("Run the site"),
    "api": gettext_lazy("The API"),
    "participants": gettext_lazy("For participants"),
    "researchers": gettext_lazy("For researchers"),
    "designs": gettext_lazy("An evaluation of your own"),
    "questions": gettext_lazy("Questions and answers"),
    "measures": gettext_lazy("Measures"),
    "statistics": gettext_lazy("Statistics"),
    "formats": gettext_lazy("File formats"),
    "collections": gettext_lazy("Collections"),
    "glossary": gettext_lazy("Glossary"),
    "add-a-track": gettext_lazy("Add a track"),
}
PICTURE = re.compile(r"!\[([^\]]*)\]\(pictures/([\w.-]+)\)")
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


@login_required
@require_GET
def guide(request: HttpRequest, name: str = "") -> HttpResponse:
    """Show a guide; without a name, the one for what this person mostly does. Answers "not found" for an unknown name.
    The parameter ``stage`` names the section to begin at.
    """
    name = name or _guide_for(request)
    if name not in GUIDES:
        raise NotFound
    template = "assess/parts/guide.html" if getattr(request, "htmx", False) else "assess/web/guide.html"
    blocks = _blocks(name)
    section = section_about(blocks, request.GET.get("stage", ""))
    answer = render_page(
        request, template, name=name, title=GUIDES[name], guides=GUIDES.items(), blocks=blocks, section=section
    )
    answer["HX-Push-Url"] = "false"  # beside the work, the address stays that of the work
    return answer


def _guide_for(request: HttpRequest) -> str:
    """Return the organisers' guide for organisers, and the assessors' guide for everybody else."""
    person = person_of(request)
    organises = person.is_staff or Membership.objects.filter(user=person, role=Role.ORGANISER).exists()
    return "organisers" if organises else "assessors"


@cache
def _blocks(name: str) -> tuple[Block, ...]:
    """Return the blocks of a guide. The files change only with the code, so they are cached."""
    text = (Path(settings.BASE_DIR) / "docs" / f"{name}.md").read_text(encoding="utf-8")
    return tuple(_read(text))


def _read(text: str) -> Iterator[Block]:
    """Yield the blocks of a guide's text, with pictures as (file name, description). A picture that has a version for
    the dark appearance gives two blocks, of which the page shows one.

    Links to other guides lead to their pages. All other links are replaced by their text, since they lead elsewhere.
    """
    place, within = 0, reverse("help")
    text = LINK.sub(_linked, text)
    for picture in PICTURE.finditer(text):
        yield from read_blocks(text[place : picture.start()], within=within)
        by_night = picture[2].replace(".png", "-dark.png")
        has_both = (Path(settings.BASE_DIR) / "docs" / "pictures" / by_night).is_file() and by_night != picture[2]
        yield Block("picture-light" if has_both else "picture", picture[2], picture[1])
        if has_both:
            yield Block("picture-dark", by_night, picture[1])
        place = picture.end()
    yield from read_blocks(text[place:], within=within)


def _linked(link: re.Match[str]) -> str:
    """Return a link as it stands on the site: to the page of a guide, or as its text."""
    if link[2].startswith("pictures/"):
        return link[0]
    name, suffix, _ = link[2].partition(".md")
    return f"[{link[1]}]({reverse('guide', args=[name])})" if suffix and name in GUIDES else link[1]
