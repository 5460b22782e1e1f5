"""What a design says of documents: in which view they open at a bench, and what of them is seen at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.assignments.queries.work_items import handle_of
from assess.models import Campaign, Document, Item
from tests import factories
from tests.pages import page_of
from tests.tracks.designs.campaigns import SURVEY, loaded


@pytest.fixture
def bench(organiser: User, client: Client, tmp_path: Path) -> Shown:
    return Shown(organiser, client, tmp_path)


class Shown:
    """The bench of a campaign by the survey with some lines of [documents]."""

    def __init__(self, organiser: User, client: Client, folder: Path) -> None:
        self.organiser, self.client, self.folder = organiser, client, folder

    def of(self, lines: str) -> str:
        """A document with a date and further fields at the bench."""
        design = self.folder / "own.toml"
        design.write_text(SURVEY.replace("[[stages]]", f"[documents]\n{lines}\n[[stages]]", 1))
        campaign = loaded(self.organiser, design)
        Campaign.objects.filter(pk=campaign.pk).update(state="judging")
        topic = campaign.topics.first()
        work = factories.assignment(topic, "documents", factories.member(campaign, "anna", "assessor"), state="started")
        item = Item.objects.filter(topic=topic, pool_items__isnull=False, document__isnull=False).order_by("key")[0]
        fields = {"DATE": "12 May 1987", "Section": "Gardens", "Desk": "Foreign"}
        Document.objects.filter(pk=item.document_id).update(title="On bees", fields=fields)
        self.client.force_login(work.assessor)
        return page_of(
            self.client.get(f"{reverse('workbench', args=['own', work.pk])}?item={handle_of(work, item.pk)}")
        )


@pytest.mark.django_db
def test_what_the_design_names_is_seen_at_once_and_the_rest_is_closed(bench: Shown) -> None:
    shown = bench.of('shown = ["title", "text", "section"]')
    facts, closed = shown.split('<details class="doc-further">')
    assert ("On bees" in facts, "<dt>Section</dt>" in facts, "12 May 1987" in facts) == (True, True, False)
    assert ("<dt>date</dt>" in closed, "12 May 1987" in closed, "<dt>Desk</dt>" in closed) == (True, True, True)


@pytest.mark.django_db
@pytest.mark.parametrize(("lines", "view"), [('as = "text"', "text"), ('as = "html"', "page"), ("", "text")])
def test_documents_open_in_the_view_that_the_design_names(bench: Shown, lines: str, view: str) -> None:
    shown = bench.of(lines)
    assert ("data-text-sha256" in shown, "<iframe" in shown) == (view == "text", view == "page")
    assert "12 May 1987" in shown.split('<details class="doc-further">')[0]
