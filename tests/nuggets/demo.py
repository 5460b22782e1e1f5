"""The demonstration campaign, loaded from its folder by the functions that the site uses, not yet judged."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from django.contrib.auth.models import User

from assess.domain.campaigns.campaigns import change_state, create_campaign
from assess.domain.documents.docnos import load_docnos
from assess.domain.documents.loading import load_documents
from assess.domain.people.members import add_member
from assess.domain.pools.building import build_pool
from assess.domain.runs.submitting import submit_run
from assess.domain.topics import load_topics
from assess.models import Campaign
from assess.protocol import RunForm
from tests import factories

FOLDER = Path(__file__).resolve().parent.parent / "data" / "tracks" / "tac2008-qa"


def recorded() -> bytes:
    """The recorded judgments."""
    return (FOLDER / "judgments.jsonl").read_bytes()


def people(campaign: Campaign, organiser: User) -> dict[str, User]:
    """Who the pseudonyms of the recorded judgments are."""
    lines = (FOLDER / "judgments.jsonl").read_text().splitlines()
    names = sorted({json.loads(line)["by"] for line in lines}, key=lambda name: int(name.split("-")[1]))
    users = {name: User.objects.filter(username=name).first() or factories.user(name) for name in names}
    for user in users.values():
        add_member(actor=organiser, campaign=campaign, user=user, role="assessor")
    return users


def load(organiser: User, slug: str = "demo", *, documents: bool = True) -> Campaign:
    """Questions, docnos, runs, documents and pools; the campaign is being judged."""
    campaign = create_campaign(actor=organiser, slug=slug, title="Demo", track="tac2008-qa")
    with (FOLDER / "topics.xml").open("rb") as stream:
        load_topics(actor=organiser, campaign=campaign, file_key="questions", stream=stream, name="topics.xml")
    with gzip.open(FOLDER / "docnos.txt.gz") as docnos:
        load_docnos(actor=organiser, campaign=campaign, stream=docnos, name="docnos.txt.gz")
    forms = json.loads((FOLDER / "runs" / "forms.json").read_text())
    for tag, form in sorted(forms.items()):
        with (FOLDER / "runs" / "good" / f"{tag}.txt").open("rb") as stream:
            submit_run(
                actor=organiser, campaign=campaign, stream=stream, file_name=f"{tag}.txt", form=RunForm(tag=tag, **form)
            )
    if documents:
        load_documents(actor=organiser, campaign=campaign, sources=[FOLDER / "documents"], wanted="all")
    for task in ("rigid", "squishy"):
        build_pool(actor=organiser, campaign=campaign, task=task)
    return change_state(actor=organiser, campaign=campaign, state="judging")
