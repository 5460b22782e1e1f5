"""Import the judgments of an automatic judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.base.wording import counted
from assess.machines.domain import import_machine_judge
from assess.management.command import (
    DomainCommand,
    acting_organiser,
    add_acting_argument,
    campaign_named,
    print_issues,
)


class Command(DomainCommand):
    """`manage.py import_machine_judge CAMPAIGN --name NAME FILE…`: add an automatic judge beside the assessors."""

    help = (
        "Records the labels of an automatic judge as those of one more judge: never official, and shown to people "
        "only if the campaign shows drafts. Reads recorded judgments (judgments.jsonl), plain qrels, nugget banks, "
        "and all files of judgments that the track reads. Labels of unknown items are counted and skipped; "
        "importing the same file again adds nothing."
    )
    example = "import_machine_judge adhoc --name umbrela umbrela.qrels"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the judge's name and for the files of labels."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("files", nargs="+", metavar="FILE", help="files of labels, also .gz or .zst")
        parser.add_argument("--name", required=True, help="what the judge is called; the same name is the same judge")
        parser.add_argument("--kind", default="", help="kind of the files (default: found by content and name)")
        parser.add_argument(
            "--criterion",
            default="",
            metavar="KEY",
            help="the question that plain qrels answer, if the track asks several",
        )
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Import the labels, and print how many were added and how many were skipped."""
        campaign = campaign_named(options["campaign"])
        paths = [Path(name) for name in options["files"]]
        if missing := [path for path in paths if not path.is_file()]:
            raise CommandError(f"There is no file {missing[0]}.", returncode=2)
        done = import_machine_judge(
            actor=acting_organiser(campaign, options["organiser"]),
            campaign=campaign,
            name=options["name"],
            paths=paths,
            kind=options["kind"],
            criterion=options["criterion"],
        )
        self.say(f"{done.machine.first_name}: {counted(done.lines, 'line')} read, {counted(done.added, 'row')} added")
        print_issues(done.issues, self.stderr)
        for reason, number in sorted(done.passed_over.items()):
            self.stderr.write(f"passed over: {number:,} ({reason})")
