"""Writes docs/reference.md: what the program says of every option and setting (compared in `tests/test_docs.py`)."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import fields

from django.core.management import get_commands, load_command_class

from scoring.__main__ import _parser as scoring_parser
from tracks import TRACKS
from tracks.__main__ import _parser as tracks_parser

OURS = ("assess", "nuggets")
OF_DJANGO = {"version", "verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color", "skip_checks"}
HEAD = """# Every option and setting

Written by the program itself, from what `--help` and the page *Settings* say, and compared with it by a test.
What commands and settings are for is in [settings and commands](settings-and-commands.md). An option in brackets
may be left out. Every command of the site also takes Django's own options, such as `--traceback`.
"""


def reference() -> str:
    """Return the whole page."""
    return "\n".join([HEAD, *_page()])


def _page() -> Iterator[str]:
    yield "## Commands of the site\n"
    for name, app in sorted(get_commands().items()):
        if app in OURS:
            command = load_command_class(app, name) if isinstance(app, str) else app
            parser = command.create_parser("manage.py", name)
            yield from _command(name, parser, parser.description)
    for module, parser in (("scoring", scoring_parser()), ("tracks", tracks_parser())):
        yield f"## Commands of {module}, without the site\n"
        yield from _commands(parser, "")
    for track in TRACKS:
        yield f"## Settings of {track.label}\n"
        yield "| setting | on the page | allowed | what |\n|---|---|---|---|"
        for each in fields(track.settings):
            about = each.metadata
            yield _row(f"`{each.name}`", about["label"], about.get("allowed", ""), about["help"])
        yield ""


def _commands(parser: argparse.ArgumentParser, above: str) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            told = {each.dest: each.help for each in action._choices_actions}
            for name, made in action.choices.items():
                getattr(made, "complete", lambda _: None)(made)
                if any(isinstance(each, argparse._SubParsersAction) for each in made._actions):
                    yield from _commands(made, f"{name} ")
                else:
                    yield from _command(f"{above}{name}", made, told[name])


def _command(name: str, parser: argparse.ArgumentParser, about: str | None) -> Iterator[str]:
    said = " ".join((about or "").split()).rstrip(".")
    yield f"### `{name}`\n"
    yield f"{said[:1].upper()}{said[1:]}.\n"
    taken = [each for each in parser._actions if each.dest not in {"help", *OF_DJANGO}]
    if taken:
        yield "| option | what |\n|---|---|"
        yield from (_row(_form(each), _help(each)) for each in taken if each.help != argparse.SUPPRESS)
        yield ""


def _form(action: argparse.Action) -> str:
    """An argument as it is typed: `--port PORT` in brackets where it may be left out."""
    metavar = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    value = "" if action.nargs == 0 else metavar
    typed = f"`{' '.join(filter(None, (', '.join(action.option_strings), value)))}`"
    is_needed = action.required if action.option_strings else action.nargs not in ("?", "*")
    return typed if is_needed else f"[{typed}]"


def _help(action: argparse.Action) -> str:
    told = (action.help or "") % {**vars(action), "prog": "manage.py"}
    choices = list(map(str, action.choices or ()))
    return f"{told}: {', '.join(choices)}" if choices and not all(each in told for each in choices) else told


def _row(*cells: object) -> str:
    return f"| {' | '.join(' '.join(str(cell).split()).replace('|', ', ') for cell in cells)} |"
