"""Submit a run as the page does."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from assess.base.wording import counted, counted_issues
from assess.campaigns.models import Campaign
from assess.management.command import (
    DomainCommand,
    add_form_arguments,
    campaign_named,
    form_of,
    opened_run,
    person_acting,
)
from assess.protocol import Submission
from assess.runs.domain.checking import submission_of
from assess.runs.domain.several import SentFile, is_zip, submit_several
from assess.runs.domain.submitting import submit_run
from assess.runs.models import Run


class Command(DomainCommand):
    """`manage.py submit_run CAMPAIGN FILE… --as USER …`: submit runs. The exit status is 1 if the checker rejects any
    of them.
    """

    help = (
        "Submits a run, or several at once, to a campaign. The file is kept, checked and, if it has no error, stored."
    )
    example = (
        "submit_run tac-2008 Harbor1.txt --as ada --team Harbor --priority 1 --field documents=collection "
        '--description "BM25 over the whole collection"'
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the file, the person who submits it, and the fields of the form."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument(
            "file",
            metavar="FILE",
            nargs="+",
            help="the run; .gz and .zst are uncompressed, - is standard input. Several files, or a zip of them, are "
            "taken in together or not at all, and the worker checks them",
        )
        parser.add_argument("--as", dest="user", required=True, metavar="USER", help="who submits it")
        parser.add_argument(
            "--published", action="store_true", help="the run was published: its tag may have another form (organisers)"
        )
        parser.add_argument(
            "--replace", action="store_true", help="replace the team's run with this tag, whose file is another"
        )
        add_form_arguments(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Submit the run, wait for its check, and print the result. Several runs are handed to the worker instead."""
        campaign = campaign_named(options["campaign"])
        submission = submission_of(campaign, options["submission"])
        actor = person_acting(options["user"])
        paths = [Path(each) for each in options["file"]]
        if len(paths) > 1 or is_zip_file(paths[0]):
            self._submit_all(paths, actor, campaign, submission, options)
            return
        with opened_run(options["file"][0], submission) as file:
            run = submit_run(
                actor=actor,
                campaign=campaign,
                submission=submission.key,
                form=form_of(options, submission),
                file=file.stream,
                file_name=file.name,
                published=options["published"],
                replace=options["replace"],
            )
        for row in run.report:
            self.stderr.write("\t".join(str(row[key]) for key in ("where", "severity", "code", "message")))
        if run.state == Run.State.REJECTED:
            raise CommandError(
                f"{run.tag} was rejected: {counted(run.errors, 'error')}. Correct the file.", returncode=1
            )
        self.say(f"{run.tag} accepted as run {run.pk}, {counted_issues(run, errors=False)}.")

    def _submit_all(
        self, paths: list[Path], actor: User, campaign: Campaign, submission: Submission, options: dict[str, Any]
    ) -> None:
        with ExitStack() as opened:
            runs = submit_several(
                actor=actor,
                campaign=campaign,
                submission=submission.key,
                form=form_of(options, submission),
                files=[SentFile(name=path.name, stream=opened.enter_context(open_named(path))) for path in paths],
                published=options["published"],
                replace=options["replace"],
            )
        for run in runs:
            self.say(f"{run.tag} received as run {run.pk}. The worker checks it.")


def is_zip_file(path: Path) -> bool:
    """Return whether the file is a zip. Standard input does not count as one, nor does a file that can't be read."""
    if not path.is_file():
        return False
    with open_named(path) as file:
        return is_zip(file)


def open_named(path: Path) -> BinaryIO:
    """Open a file. Raise CommandError, with the file's name, if that fails."""
    try:
        return path.open("rb")
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror or error}", returncode=2) from error
