"""Serve the bench of a design with the organiser's own files, on a site that is deleted when it is stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.urls import reverse

from assess.base.errors import Refused
from assess.campaigns.models import Campaign, Role
from assess.management.command import ExampleCommand
from assess.management.commands.serve import require_free_port
from assess.organising.domain import change_state
from assess.people.domain.members import add_member
from assess.work.domain import balance_work

SLUG, ORGANISER, ASSESSOR, PASSWORD = "preview", "organiser", "assessor", "preview"


class Command(ExampleCommand):
    """`manage.py preview_design FILE FOLDER`: called by `python -m tracks design preview`, on a site of its own."""

    help = "Loads a design with a folder of data into an empty site, hands the work out, and serves it on 127.0.0.1."
    example = "preview_design mine.toml my-data --port 8010"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the design, the folder and the port."""
        parser.add_argument("file", metavar="FILE", type=Path, help="the design")
        parser.add_argument("folder", metavar="FOLDER", type=Path, help="topics, runs and documents for it")
        parser.add_argument("--port", type=int, default=8010, help="the port of the bench; default 8010")
        parser.add_argument(
            "--no-serve", action="store_true", help="load it, print the address that it would have, and end"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Load the design, hand out the work, and serve the site.

        A site that has campaigns is refused, since nothing of a preview is kept.
        """
        if not options["no_serve"]:
            require_free_port("127.0.0.1", options["port"])
        if Campaign.objects.exists():
            raise CommandError("This site has campaigns. Call `python -m tracks design preview`, which makes its own.")
        for name in (ORGANISER, ASSESSOR):
            User.objects.create_user(name, password=PASSWORD, is_staff=name == ORGANISER)
        call_command(
            *("load_campaign", str(options["folder"]), "--track", str(options["file"]), "--slug", SLUG),
            *("--organiser", ORGANISER),
            stdout=self.stdout,
            stderr=self.stderr,
        )
        try:
            self.hand_out()
        except Refused as refused:
            raise CommandError(f"There is no bench to show: {refused.message}") from refused
        here = f"http://127.0.0.1:{options['port']}"
        work = Campaign.objects.get(slug=SLUG).assignments.order_by("pk").first()
        if work is None:
            raise CommandError("There is no bench to show: nothing is pooled. Put runs or items into the folder.")
        self.stdout.write(f"\nThe bench       {here}{reverse('workbench', args=[SLUG, work.pk])}")
        self.stdout.write(f"Log in as       {ASSESSOR}, or as {ORGANISER}; the password of both is {PASSWORD}")
        self.stdout.write("Nothing is kept: what you judge here is gone when you press Ctrl+C.\n")
        if not options["no_serve"]:
            call_command("serve", port=options["port"], workers=1)

    def hand_out(self) -> None:
        """Assign all work to one assessor, and start judging."""
        campaign = Campaign.objects.get(slug=SLUG)
        organiser = User.objects.get(username=ORGANISER)
        add_member(actor=organiser, campaign=campaign, user=User.objects.get(username=ASSESSOR), role=Role.ASSESSOR)
        change_state(actor=organiser, campaign=campaign, state=Campaign.State.JUDGING)
        balance_work(actor=organiser, campaign=campaign)
