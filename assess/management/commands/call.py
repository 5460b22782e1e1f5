"""Call an operation of the API without a server."""

from __future__ import annotations

import json
import sys
from argparse import SUPPRESS
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.http.response import HttpResponseBase

from assess.management.command import DomainCommand, acting_organiser, campaign_named, unread_output
from assess.management.operations import NoSuchName, Operation, known_operations, operation_named
from scoring.reading.json_reading import read_json


class Command(DomainCommand):
    """`manage.py call OPERATION CAMPAIGN name=value …`: print what the API answers, as lines or as JSON."""

    help = (
        "Calls an operation of the API in somebody's name, without a server, and prints what it answers. Without an "
        "operation it lists all of them. With an operation alone, or with --help, it says what that does and takes."
    )
    example = 'call deadline tac-2008 due="2026-12-01 23:59" time_zone=Europe/Vienna'

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the operation, the campaign and the values."""
        parser.add_argument("operation", nargs="?", default="", metavar="OPERATION", help="such as topics_amend")
        parser.add_argument("campaign", nargs="?", default="", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument(
            "values",
            nargs="*",
            metavar="NAME=VALUE",
            help="values: texts unchanged, anything else as JSON; a list one entry at a time; the member of an object "
            "as NAME.MEMBER=TEXT; the text of a file as NAME=@FILE, and what is uploaded by its path",
        )
        parser.add_argument(
            "--as", "--organiser", dest="who", default="", metavar="USERNAME", help="who (default: the first organiser)"
        )
        parser.add_argument("--format", choices=("tsv", "json"), default="tsv", help="lines (default) or JSON")
        parser.add_argument("--about", action="store_true", help=SUPPRESS)
        parser.add_argument("--out", metavar="FILE", help="the file to write if the operation answers with a file")

    def run_from_argv(self, argv: list[str]) -> None:
        """Run the command; if --help follows an operation, print what that operation takes."""
        named = [word for word in argv[2:] if not word.startswith("-")]
        if named and {"-h", "--help"} & set(argv):
            argv = [*argv[:2], named[0], "--about"]
        super().run_from_argv(argv)

    def work(self, options: dict[str, Any]) -> None:
        """Call the operation, and print the answer. Without an operation, list all of them."""
        if not options["operation"]:
            for each in known_operations().values():
                self.say(f"{each.name}\t{each.first_line}")
            return
        try:
            self._call(operation_named(options["operation"]), options)
        except NoSuchName as error:
            raise CommandError(str(error), returncode=2) from error
        except (FileNotFoundError, PermissionError, IsADirectoryError) as error:
            raise CommandError(f"cannot open {error.filename}: {error.strerror}", returncode=2) from error

    def _call(self, operation: Operation, options: dict[str, Any]) -> None:
        slug, given = options["campaign"], options["values"]
        if options["about"] or (operation.is_of_campaign and not slug):
            self.say(operation.help())
            return
        if not operation.is_of_campaign:
            slug, given = "", [*([slug] if slug else []), *given]
        campaign = campaign_named(slug) if slug else None
        values = operation.values_of(given, slug=slug)
        user = acting_organiser(campaign, options["who"], option="--as")
        answer = operation.send(user, values)
        if not _is_json(answer):
            self._write(answer, options["out"])
            return
        told = self._decoded_answer(answer)
        if not (isinstance(told, dict) and "results" in told and "next" in told):
            self._print(told, options["format"])
            return

        def rows() -> Iterator[Any]:
            page, offset = told, values.get("offset", 0)
            while True:
                yield from page["results"]
                offset += len(page["results"])
                if not page["next"] or "limit" in values:
                    return
                page = self._decoded_answer(operation.send(user, {**values, "offset": offset}))

        self._print(list(rows()), options["format"])

    def _decoded_answer(self, answer: HttpResponseBase) -> Any:
        """Return the decoded answer. If the API refused the call, print its issues, and raise CommandError with its
        sentence.
        """
        told = read_json(_content(answer) or b"null")
        if answer.status_code < 400:
            return told
        for issue in told.get("issues", []):
            self.stderr.write("\t".join(str(issue[name]) for name in ("where", "severity", "code", "message")))
        faults = [f"{each['field']}: {each['detail']}" for each in told.get("errors", [])]
        raise CommandError("\n".join([told["detail"], *faults]), returncode=1)

    def _print(self, told: Any, form: str) -> None:
        if form == "json":
            self.say(json.dumps(told, ensure_ascii=False, indent=1))
        elif isinstance(told, list) and all(isinstance(row, Mapping) for row in told):
            names = list(dict.fromkeys(name for row in told for name in row))
            for row in [names] * bool(names) + [[_cell(row.get(name)) for name in names] for row in told]:
                self.say("\t".join(row))
        elif isinstance(told, Mapping):
            for name, value in told.items():
                self.say(f"{name}\t{_cell(value)}")
        elif told is not None:
            self.say(_cell(told))

    def _write(self, answer: HttpResponseBase, out: str | None) -> None:
        """Write the answer to the file named by --out, or else to standard output."""
        if out:
            Path(out).write_bytes(_content(answer))
        else:
            with unread_output():
                sys.stdout.buffer.write(_content(answer))
                sys.stdout.flush()


def _is_json(answer: HttpResponseBase) -> bool:
    kind = answer.headers.get("Content-Type", "")
    return answer.status_code >= 400 or (kind.startswith("application/json") and not answer.streaming) or not kind


def _content(answer: HttpResponseBase) -> bytes:
    pieces: Any = answer
    return b"".join(pieces.streaming_content) if answer.streaming else bytes(pieces.content)


def _cell(value: object) -> str:
    """Return a value as one column: a text as it is, anything else as JSON, "" for None."""
    if value is None:
        return ""
    return " ".join((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).split())
