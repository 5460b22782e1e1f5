"""manage.py export CAMPAIGN DIR [--as-of N]"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assess.domain.errors import Refused
from assess.domain.exports import export_campaign
from assess.models import Campaign


class Command(BaseCommand):
    help = "Write every export of a campaign into a folder. Example: manage.py export demo exports/demo"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="the campaign's short name")
        parser.add_argument("dir", type=Path, help="an empty or new folder, or that of an earlier export")
        parser.add_argument("--as-of", type=int, default=None, help="ledger point (default: now)")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign “{options['campaign']}”.", returncode=2)
        try:
            done = export_campaign(actor=None, campaign=campaign, folder=options["dir"], as_of=options["as_of"])
        except Refused as refused:
            raise CommandError(refused.message) from refused
        for name, digest in done.files.items():
            self.stdout.write(f"{digest}  {name}")
        self.stderr.write(f"{len(done.files)} files in {done.folder}, as of ledger point {done.as_of}")
