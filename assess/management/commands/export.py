"""Write a campaign's exports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from assess.base.wording import counted
from assess.exports.domain import export_campaign
from assess.exports.parts import part_of
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named


class Command(DomainCommand):
    """`manage.py export CAMPAIGN DIR [--as-of N] [--topic N] [--judges KEY]`: write all files, or those of a part."""

    help = "Writes every export of a campaign into a folder, and prints the sha256 of each file."
    example = "export demo exports/demo"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the campaign, the folder, the ledger point and the part."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument(
            "dir", metavar="DIR", type=Path, help="an empty or new folder, or that of an earlier export"
        )
        parser.add_argument("--as-of", type=int, default=None, metavar="N", help="ledger point (default: now)")
        parser.add_argument(
            "--topic",
            action="append",
            default=[],
            metavar="N",
            help="only this topic, or those that it groups; repeatable",
        )
        parser.add_argument(
            "--judges",
            default="",
            metavar="KEY",
            help="as if only these judged: primary, second, adjudicated, assessor-1, machine-A; only the topics in "
            "which they have work (default: official, what counts)",
        )
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Write the files, and print a line for each."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        topics = ",".join(options["topic"])
        snapshot = part_of(campaign, options["as_of"], topics=topics, judges=options["judges"])
        done = export_campaign(actor=actor, snapshot=snapshot, folder=options["dir"])
        for name, digest in done.files.items():
            self.say(f"{digest}  {name}")
        self.stderr.write(f"{counted(len(done.files), 'file')} in {done.folder}, as of ledger point {done.as_of}")
