"""Submit a run as the page does."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.base.wording import counted, counted_issues
from assess.management.command import (
    DomainCommand,
    add_form_arguments,
    campaign_named,
    form_of,
    opened_run,
    user_named,
)
from assess.runs.domain.checking import submission_of
from assess.runs.domain.submitting import submit_run
from assess.runs.models import Run


class Command(DomainCommand):
    """`manage.py submit_run CAMPAIGN FILE --as USER …`: submit a run. The exit status is 1 if the checker rejects
    it.
    """

    help = "Submits a run to a campaign. The file is kept, checked and, if it has no error, stored."
    example = (
        "submit_run tac-2008 Harbor1.txt --as ada --team Harbor --priority 1 --field documents=collection "
        '--description "BM25 over the whole collection"'
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the file, the person who submits it, and the fields of the form."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("file", metavar="FILE", help="the run; .gz and .zst are uncompressed, - is standard input")
        parser.add_argument("--as", dest="user", required=True, metavar="USER", help="who submits it")
        parser.add_argument(
            "--published", action="store_true", help="the run was published: its tag may have another form (organisers)"
        )
        parser.add_argument(
            "--replace", action="store_true", help="replace the team's run with this tag, whose file is another"
        )
        add_form_arguments(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Submit the run, and print the result."""
        campaign = campaign_named(options["campaign"])
        submission = submission_of(campaign, options["submission"])
        actor = user_named(options["user"])
        with opened_run(options["file"], submission) as file:
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
