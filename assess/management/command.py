"""Shared parts of the site's commands: refusals as sentences, exit statuses, progress, people and campaigns by name.

The exit status is 0 if the work is done, 1 if the input has errors or was refused, and 2 if the call is wrong.
"""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.contrib.auth.models import User
from django.core.checks import Tags, registry
from django.core.management.base import BaseCommand, CommandError, CommandParser, DjangoHelpFormatter, OutputWrapper
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from assess.base.errors import BadFile, Conflict, Refused
from assess.base.file_issues import Report
from assess.base.newer_database import refuse_newer_database
from assess.base.unpacked import UnpackedFile, open_unpacked
from assess.campaigns.models import Campaign, Role
from assess.campaigns.queries import whole_campaigns
from assess.campaigns.seats import require_known_track
from assess.jobs.progress import JobProgress
from assess.protocol import RunForm, Submission
from assess.runs.domain.checking import size_limit
from scoring.commands.command_line import ExampleHelp, close_output
from scoring.reading.opening import CannotOpen, open_input, printed
from scoring.reading.unpacking import Damaged
from scoring.records import Issue

SAY_EVERY = 2.0  # seconds


BEHIND = (
    "The database of this data folder is not made yet, or older than the program. "
    "Run “manage.py migrate” first (“manage.py serve” does it, too)."
)


def is_behind() -> bool:
    """Return whether the database lacks tables or changes that the program needs."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


class HelpFormatter(ExampleHelp, DjangoHelpFormatter):
    """Lists options in the order of Django's commands, and examples on lines of their own."""


class ExampleCommand(BaseCommand):
    """A command whose help ends with a working ``example``."""

    example = ""

    def check(self, *args: Any, **options: Any) -> None:
        """Run the checks that Django runs before each command, except those of the site's addresses.

        The addresses load every page and the whole API, which takes longer than most commands. `manage.py check` and
        the server do load them.
        """
        options.setdefault("tags", sorted(registry.registry.tags_available() - {Tags.urls}))
        super().check(*args, **options)

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Return the parser, with the example below the options."""
        epilog = f"Example:\n  manage.py {self.example}"
        return super().create_parser(prog_name, subcommand, epilog=epilog, formatter_class=HelpFormatter, **kwargs)


@contextmanager
def unread_output() -> Iterator[None]:
    """Print nothing more once whoever read standard output has closed it."""
    try:
        yield
    except BrokenPipeError:
        close_output()


class Printed:
    """Prints a command's output with control characters escaped, so that no name or text can control the terminal.

    If nobody reads on, as with `| head`, nothing more is printed, and the command does its work to the end.
    """

    def __init__(self, out: OutputWrapper) -> None:
        self._out = out

    def write(self, msg: str = "", style_func: Callable[[str], str] | None = None, ending: str | None = None) -> None:
        """Write the text, with characters that can't be printed written as escapes."""
        with unread_output():
            self._out.write(printed(str(msg)), style_func, ending)

    def flush(self) -> None:
        """Print what is still held back."""
        with unread_output():
            self._out.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._out, name)


class DomainCommand(ExampleCommand):
    """A command that calls the domain as the pages do. A subclass gives ``help``, ``example`` and `work`."""

    takes_any_database = False
    """Whether the command works on a database of any version, even a newer one."""

    def handle(self, *args: Any, **options: Any) -> str | None:
        """Do the work. Raise CommandError with the sentence of a refusal and exit status 1, and with exit status 2 if
        the database is newer than the program.
        """
        self.stdout, self.stderr = cast(OutputWrapper, Printed(self.stdout)), cast(OutputWrapper, Printed(self.stderr))
        try:
            if not self.takes_any_database:
                refuse_newer_database()
            self.work(options)
            self.stdout.flush()
        except BadFile as refusal:
            print_issues(refusal.issues, self.stderr)
            raise CommandError(refusal.message, returncode=1) from refusal
        except Refused as refusal:
            raise CommandError(refusal.message, returncode=1) from refusal
        return None

    def work(self, options: dict[str, Any]) -> None:
        """Do the work of the command."""
        raise NotImplementedError

    def say(self, line: str) -> None:
        """Print a line of the result."""
        self.stdout.write(line)

    def say_table(self, header: Sequence[str], rows: Iterable[Sequence[object]], *, form: str) -> None:
        """Print one table.

        As text, it is a line of column names and then tab-separated lines, with "undefined" for None. As JSON, it is a
        list of objects.
        """
        if form == "json":
            self.say(json.dumps([dict(zip(header, row, strict=True)) for row in rows], ensure_ascii=False, indent=1))
            return
        self.say("\t".join(header))
        for row in rows:
            self.say("\t".join(map(_cell, row)))

    def warn(self, report: Report, *, name: str = "") -> None:
        """Print the issues of a report on standard error, and how many more are not shown."""
        print_issues(report.issues, self.stderr, name=name)
        if report.hidden:
            self.stderr.write(f"… and {report.hidden:,} more")

    def progress(self) -> Callable[[JobProgress], None]:
        """Return a function that prints the progress of a load on standard error, at most once every two seconds."""
        said_at = time.monotonic()

        def tell(progress: JobProgress) -> None:
            nonlocal said_at
            if time.monotonic() - said_at >= SAY_EVERY:
                said_at = time.monotonic()
                total = f" of {progress.total:,}" if progress.total is not None else ""
                note = f" ({progress.sentence})" if progress.note else ""
                self.stderr.write(f"  {progress.done:,}{total} {progress.unit}{note}")

        return tell


def _cell(value: object) -> str:
    if value is None:
        return "undefined"
    if isinstance(value, float):
        return f"{value:.6f}" if value == 0 or abs(value) >= 0.0001 else f"{value:.6g}"
    return " ".join(str(value).split())


def print_issues(issues: Sequence[Issue], out: Any, *, name: str = "") -> None:
    """Print one line for each issue: line number, severity, code, message. The file's name comes first if given."""
    for issue in issues:
        out.write("\t".join((*([name] if name else []), *issue.as_row())))


def campaign_named(slug: str) -> Campaign:
    """Return the campaign with this short name. Raise CommandError if there is none or its track is unknown."""
    campaign = whole_campaigns().filter(slug=slug).first()
    if campaign is None:
        known = ", ".join(whole_campaigns().values_list("slug", flat=True)[:10]) or "none yet"
        raise CommandError(f"There is no campaign “{slug}”. Campaigns: {known}.", returncode=2)
    try:
        require_known_track(campaign)
    except Conflict as refusal:
        raise CommandError(refusal.message, returncode=1) from refusal
    return campaign


def user_named(username: str) -> User:
    """Return the person with this user name. Raise CommandError if there is none."""
    user = User.objects.filter(username=username).first()
    if user is None:
        raise CommandError(f"There is nobody with the user name “{username}”.", returncode=2)
    return user


def person_acting(username: str) -> User:
    """Return the person with this user name, who acts. Raise CommandError if there is none or the account is closed."""
    user = user_named(username)
    if not user.is_active:
        raise CommandError(f"The account “{username}” is closed, so nobody can act under it.", returncode=2)
    return user


def acting_organiser(campaign: Campaign | None, username: str, *, option: str = "--organiser") -> User:
    """Return the person in whose name the command acts: the one named with ``option``, or else the campaign's first
    organiser whose account is open, or else a superuser. Raise CommandError if there is none.
    """
    if username:
        return person_acting(username)
    if campaign is not None:
        seats = campaign.memberships.filter(role=Role.ORGANISER, user__is_active=True)
        seat = seats.order_by("id").select_related("user").first()
        if seat is not None:
            return seat.user
    superuser = User.objects.filter(is_superuser=True, is_active=True).order_by("id").first()
    if superuser is None:
        raise CommandError(
            f"Nobody can act as organiser: name one with {option}, or make one with “manage.py createsuperuser”.",
            returncode=2,
        )
    return superuser


def add_acting_argument(parser: CommandParser) -> None:
    """Add the option --organiser: the person in whose name the command acts."""
    parser.add_argument(
        "--organiser",
        default="",
        metavar="USERNAME",
        help="act as this person (default: the campaign's first organiser with an open account, or else a superuser)",
    )


@contextmanager
def opened(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file, uncompressed, or standard input for “-”. Raise CommandError, with the exit status of a wrong call,
    for a file that is missing or may not be read, and with status 1 for a packed one that is cut off or damaged.
    """
    if str(path) != "-" and not Path(path).is_file():
        raise CommandError(f"There is no file {path}.", returncode=2)
    with ExitStack() as held:
        try:
            stream = held.enter_context(open_input(path))
        except CannotOpen as error:
            raise CommandError(str(error), returncode=2) from error
        try:
            yield stream
        except Damaged as error:
            message = f"{path} cannot be read to its end: it is {error}. Compress or copy it again."
            raise CommandError(message, returncode=1) from error


@contextmanager
def opened_run(path: str, submission: Submission) -> Iterator[UnpackedFile]:
    """Open a run file, or standard input for “-”, as the page opens an upload. Raise CommandError, with the exit status
    of a wrong call, for a file that is missing or may not be read.
    """
    if path == "-":
        with open_unpacked(sys.stdin.buffer, name="run.txt", limit=size_limit(submission)) as run:
            yield run
        return
    place = Path(path)
    if not place.is_file():
        raise CommandError(f"There is no file {path}.", returncode=2)
    try:
        raw = place.open("rb")
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror or error}", returncode=2) from error
    with raw, open_unpacked(raw, name=place.name, limit=size_limit(submission)) as run:
        yield run


def add_form_arguments(parser: CommandParser) -> None:
    """Add an option for each field of the submission form."""
    parser.add_argument(
        "--submission", default="", metavar="KIND", help="kind of run file (default: the track's first)"
    )
    parser.add_argument("--team", default="", help="the team's id")
    parser.add_argument("--priority", type=int, help="the run's priority among its team's")
    parser.add_argument("--tag", default="", help="the run tag (default: team and priority)")
    parser.add_argument("--manual", action="store_true", help="the run is not fully automatic")
    parser.add_argument("--description", default="", help="how the run was made")
    parser.add_argument(
        "--field",
        action="append",
        default=[],
        type=key_value,
        metavar="KEY=VALUE",
        help="an answer to the track's own questions",
    )


def form_of(options: dict[str, Any], submission: Submission, *, complete: bool = False) -> RunForm:
    """Return the submission form that the options fill in. With ``complete``, an omitted choice is set to its first
    value.
    """
    fields = dict(options["field"])
    if complete:
        fields = {each.key: each.choices[0][0] for each in submission.fields if each.choices} | fields
    return RunForm(
        tag=options["tag"],
        team=options["team"],
        priority=options["priority"],
        automatic=not options["manual"],
        description=options["description"],
        fields=fields,
    )


def key_value(text: str) -> tuple[str, str]:
    """Return the key and the value of an option written as KEY=VALUE. Raise ArgumentTypeError for anything else."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ArgumentTypeError(f"“{text}” is not KEY=VALUE")
    return key, value


def named_people(pairs: list[str]) -> dict[str, User]:
    """Return the account for each pseudonym, from options --person PSEUDONYM=NAME. Raise CommandError for an option of
    another form, and for an unknown user name.
    """
    people = {}
    for pair in pairs:
        pseudonym, equals, name = pair.partition("=")
        if not equals or not pseudonym:
            raise CommandError(f"--person {pair}: write it as PSEUDONYM=NAME, such as assessor-1=anna.", returncode=2)
        people[pseudonym] = user_named(name)
    return people
