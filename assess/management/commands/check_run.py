"""Check a run file as the submission page does, without storing anything."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.core.management.base import CommandError, CommandParser

from assess.base.file_issues import Report
from assess.base.wording import counted_issues
from assess.campaigns.models import Campaign
from assess.management.command import DomainCommand, add_form_arguments, campaign_named, form_of, opened, opened_run
from assess.protocol import RunForm, Submission
from assess.runs.domain.checking import check_run, preview_run, submission_of
from scoring.reading.repairs import NotRepairable, write_repaired


class Command(DomainCommand):
    """`manage.py check_run CAMPAIGN FILE`: print one line for each issue. The exit status is 1 if any is an error."""

    help = "Checks a run file against a campaign: LINE, SEVERITY, CODE, MESSAGE for each rule broken. Stores nothing."
    example = "check_run tac-2008 Harbor1.txt --tag Harbor1"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the file and for the fields of the submission form."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("file", metavar="FILE", help="the run; .gz and .zst are read, - is standard input")
        parser.add_argument("--format", choices=("tsv", "json"), default="tsv", help="how issues are printed")
        parser.add_argument(
            "--preview", action="store_true", help="print how the file was read instead: TOPIC, WHAT, TEXT"
        )
        parser.add_argument(
            "--repair",
            metavar="OUT",
            help="also write the run, repaired as far as is safe, to this new file",
        )
        parser.add_argument("--published", action="store_true", help="the run was published: its tag may be any word")
        add_form_arguments(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Print every issue or, with --preview, how a file without errors was read; with --repair, write the repaired
        file as well.
        """
        campaign = campaign_named(options["campaign"])
        submission = submission_of(campaign, options["submission"])
        form = form_of(options, submission, complete=True)
        says_something = options["tag"] or options["team"] or options["priority"] or options["field"]
        asked = form if says_something or options["manual"] else None
        with opened_run(options["file"], submission) as file:
            report = check_run(
                campaign=campaign,
                stream=file.stream,
                submission=submission.key,
                form=asked,
                limit=None,
                each=options["format"] == "json",
                published=options["published"],
            )
        if options["preview"] and report.is_clean:
            self.show(campaign, options["file"], submission, report)
        elif options["format"] == "json":
            self.say(json.dumps(report.as_rows(), ensure_ascii=False, indent=1))
        else:
            for issue in report.issues:
                self.say("\t".join(issue.as_row()))
        if options["repair"]:
            self.repair(options, submission, asked)
        if not report.is_clean:
            raise CommandError(f"{counted_issues(report)}.", returncode=1)
        self.stderr.write(f"No errors, {counted_issues(report, errors=False)}.")

    def repair(self, options: dict[str, Any], submission: Submission, form: RunForm | None) -> None:
        """Write the repaired file if there is anything to repair; print the repairs, and how many issues are left.

        Raise CommandError if the track repairs nothing, for standard input, and if the new file exists.
        """
        target = Path(options["repair"])
        if submission.repair is None or options["file"] == "-":
            reason = "standard input is not read twice" if submission.repair else "the track allows none"
            raise CommandError(f"There is no repair of it: {reason}.", returncode=2)
        if target.exists():
            raise CommandError(f"{target} is there already. Name a new file.", returncode=2)
        with opened_run(options["file"], submission) as file, tempfile.TemporaryFile() as repaired:
            try:
                repairs = write_repaired(submission.repair(file.stream), cast(BinaryIO, repaired))
            except NotRepairable:
                repairs = []
            if not repairs:
                self.stderr.write("There is nothing that can be repaired safely.")
                return
            repaired.seek(0)
            with target.open("xb") as out:
                shutil.copyfileobj(repaired, out)
        for each in repairs:
            self.stderr.write(f"{target}: {each.count:,} × {each.message}")
        with opened(target) as stream:
            campaign = campaign_named(options["campaign"])
            report = check_run(campaign=campaign, stream=stream, submission=submission.key, form=form)
        self.stderr.write(f"{target}: {counted_issues(report)}.")

    def show(self, campaign: Campaign, path: str, submission: Submission, report: Report) -> None:
        """Print how the file was read. Raise CommandError if its kind has no preview, and for standard input."""
        if submission.preview is None or path == "-":
            reason = "is not read twice" if path == "-" else f"of the kind {submission.key} is read as it stands"
            raise CommandError(f"There is no preview: a file {reason}.", returncode=2)
        with opened_run(path, submission) as file:
            preview = preview_run(
                campaign=campaign, stream=file.stream, report=report, submission=submission.key, limit=None
            )
        for row in preview.rows if preview is not None else ():
            self.say("\t".join(" ".join(cell.split()) for cell in row))
