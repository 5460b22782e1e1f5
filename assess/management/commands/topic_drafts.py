"""List the drafts of topics, send one back, accept one."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.core.management.base import CommandError, CommandParser

from assess.base.errors import NotFound
from assess.campaigns.seats import access_as_organiser
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named
from assess.topic_drafts.access import access_draft, access_drafts
from assess.topic_drafts.domain.deciding import accept_draft, send_back
from assess.topic_drafts.models import TopicDraft
from assess.topic_drafts.queries import show_drafts


class Command(DomainCommand):
    """`manage.py topic_drafts CAMPAIGN`: the drafts, or with --accept or --back what is decided on one."""

    help = (
        "Prints the drafts of topics that assessors made: number, state, author, topic, text. With --accept N draft N "
        "becomes topics of the campaign; with --back N it goes back to its author with a word."
    )
    example = "topic_drafts demo --back 3 --word 'Ask for one thing only.'"

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the draft, and what is done with it."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        wanted = parser.add_mutually_exclusive_group()
        wanted.add_argument("--accept", type=int, metavar="N", help="accept draft N")
        wanted.add_argument("--back", type=int, metavar="N", help="send draft N back")
        parser.add_argument("--topic", default="", metavar="NUMBER", help="the number of the topic (default: the next)")
        parser.add_argument("--word", default="", help="what its author is to change")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Decide on a draft, or list the drafts."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        seat = access_as_organiser(actor, campaign.slug)

        def named(number: int) -> TopicDraft:
            try:
                return access_draft(seat, number)
            except NotFound as refusal:
                raise CommandError(f"{campaign.slug} has no draft {number}.", returncode=1) from refusal

        if options["accept"] is not None:
            draft = named(options["accept"])
            accept_draft(actor=actor, draft=draft, client_key=uuid4(), number=options["topic"])
            self.say(f"Draft {draft.number} is topic {draft.topic.number if draft.topic else ''} now.")
        elif options["back"] is not None:
            draft = named(options["back"])
            send_back(actor=actor, draft=draft, word=options["word"], client_key=uuid4())
            self.say(f"Draft {draft.number} went back to {draft.author}.")
        else:
            for shown in show_drafts(access_drafts(seat)):
                topic = shown.draft.topic.number if shown.draft.topic is not None else "-"
                cells = (shown.draft.number, shown.label, shown.draft.author, topic, shown.content.text)
                self.say("\t".join(map(str, cells)))
