"""The guidelines in force."""

from __future__ import annotations

from assess.campaigns.models import Campaign, Guideline


def current_guideline(campaign: Campaign) -> Guideline | None:
    """The newest published guidelines, or None where none were published."""
    return campaign.guidelines.order_by("-version").first()


def current_guideline_id(campaign: Campaign) -> int | None:
    """The id of the newest published guidelines."""
    return campaign.guidelines.order_by("-version").values_list("pk", flat=True).first()
