"""What pages of a campaign say, and the tables that they give as CSV."""

from __future__ import annotations

import csv
import io

from django.test import Client
from django.urls import reverse

from assess.models import Campaign
from tests.pages import page_of


def page_text(client: Client, campaign: Campaign, query: str = "", *, name: str) -> str:
    """The HTML of a page that opens, as one line."""
    answer = client.get(reverse(name, args=[campaign.slug]) + query)
    assert answer.status_code == 200
    return page_of(answer)


def csv_rows(client: Client, campaign: Campaign, query: str, *, name: str) -> list[dict[str, str]]:
    """The rows of the table that the query asks for."""
    answer = client.get(reverse(name, args=[campaign.slug]) + query)
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
