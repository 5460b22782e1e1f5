"""Load a release into this site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.base.errors import NotFound
from assess.base.wording import counted
from assess.campaigns.seats import access_campaign_making
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument
from assess.releases.domain.importing import import_release


class Command(DomainCommand):
    """`manage.py import_release DIR|ZIP --slug S`: make a new, frozen campaign with the same exports and scores."""

    help = (
        "Makes a new campaign from the folder or zip of a release, completely or not at all. It gives the same "
        "exports and the same scores. Assessors become accounts that nobody can log in to. A release contains no "
        "documents, nor when people judged, started, finished or gave back their work. Nobody sees the campaign "
        "before it is complete, and everybody can save meanwhile. If it was stopped or killed, nothing of it can be "
        "seen: run it again."
    )
    example = "import_release releases/demo.zip --slug demo-again"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the release and for the campaign's short name."""
        parser.add_argument("release", metavar="RELEASE", type=Path, help="its folder or zip")
        parser.add_argument("--slug", required=True, help="the new campaign's short name")
        parser.add_argument("--title", default="", help="its title (default: that of the release)")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Load the release, and print what was imported."""
        path: Path = options["release"]
        if not path.exists():
            raise CommandError(f"There is no file or folder {path}.", returncode=2)
        actor = acting_organiser(None, options["organiser"])
        try:
            access_campaign_making(actor)
        except NotFound as refusal:
            raise CommandError(f"{actor} may not make campaigns.", returncode=1) from refusal
        campaign = import_release(
            actor=actor, path=path, slug=options["slug"], title=options["title"], progress=self.progress()
        )
        self.say(
            f"{campaign.slug}: {counted(campaign.topics.count(), 'topic')}, {counted(campaign.runs.count(), 'run')}, "
            f"{counted(campaign.assignments.count(), 'assignment')} "
            f"(with machine judges', adjudicators' and work given back); {campaign.get_state_display()}"
        )
