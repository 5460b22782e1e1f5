"""`python -m tracks design …`: check, begin, compare, show and preview design files, and print their schema."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from assess.base.wording import counted
from scoring.commands.command_line import Problems, WrongCall, print_rows
from scoring.file_kinds.refusing import NotText, text_of
from scoring.reading.opening import CannotOpen, open_input

LIMIT = 1_000_000
"""The most bytes of a design."""


def add_commands(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands of `python -m tracks design`."""
    parts = parser.add_subparsers(required=True, metavar="DO")
    check = parts.add_parser("check", help="every fault with its line, its member and what to do")
    check.add_argument("file", metavar="FILE", help="the design, - for standard input")
    check.add_argument(
        "--data", metavar="FOLDER", help="look up every field, run, document and topic in this folder, too"
    )
    check.set_defaults(command=run_check)
    show = parts.add_parser("show", help="an installed track as the design that it is, and what a design can't say")
    show.add_argument("track", metavar="TRACK", help="the key of a track, or a design")
    show.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="a setting of the track")
    show.set_defaults(command=run_show, task="")
    new = parts.add_parser("new", help="a first design from the look of topics, runs or a table")
    new.add_argument("--from", dest="files", metavar="FILE", nargs="+", required=True, help="topics, runs, CSV, JSON")
    new.set_defaults(command=run_new)
    diff = parts.add_parser("diff", help="what changes from one design to the next, and what that would touch")
    diff.add_argument("old", metavar="OLD", help="the design before, or the key of a track")
    diff.add_argument("new", metavar="NEW", help="the new design")
    diff.add_argument(
        "--judgments",
        metavar="FILE",
        help="judgments.jsonl of an export or release: count the records in the way of each change",
    )
    diff.set_defaults(command=run_diff)
    preview = parts.add_parser("preview", help="the bench with your own first item, on 127.0.0.1; nothing is kept")
    preview.add_argument("file", metavar="FILE", help="the design")
    preview.add_argument("--data", metavar="FOLDER", required=True, help="topics, runs and documents for it")
    preview.add_argument("--port", type=int, default=8010, help="where it is served (default: 8010)")
    preview.set_defaults(command=run_preview)
    schema = parts.add_parser("schema", help="the JSON Schema of designs, for editors")
    schema.set_defaults(command=run_schema)
    for each in (check, diff, show):
        each.add_argument("--json", action="store_true", help="as a JSON list")
    for each in (check, show, new, diff, schema):
        each.add_argument("--format", choices=("tsv", "json"), default="tsv", help="how results are printed")


def _form(options: argparse.Namespace) -> str:
    return "json" if options.json else str(options.format)


def run_check(options: argparse.Namespace, problems: Problems) -> int:
    """Print a line for each fault, and return 1 if any fault is an error. If there are no faults, print what the design
    contains to standard error.
    """
    from tracks.designs.checking import check_design
    from tracks.designs.data_check import data_faults

    del problems
    text = design_text(options.file)
    folder = Path(options.file).parent
    design, faults = check_design(text, folder=folder)
    if design is not None and options.data:
        faults += data_faults(text, folder, Path(options.data))
    print_rows(_form(options), ("line", "severity", "member", "message"), (fault.as_row() for fault in faults))
    if design is not None and not faults:
        questions = sum(len(getattr(stage, "questions", ())) for stage in design.stages)
        held = (counted(len(design.stages), "stage"), counted(questions, "question"))
        said = f"{design.key}: {' with '.join(held)}, {counted(len(design.scores.measures), 'measure')}"
        tried = f", tried on {options.data}" if options.data else ""
        print(f"{options.file} has no faults ({said}{tried}).", file=sys.stderr)
    return int(any(fault.severity == "error" for fault in faults))


def run_show(options: argparse.Namespace, problems: Problems) -> int:
    """Print a track as a design, and what designs can't express of it to standard error. If it can't be written as a
    design, or if JSON is asked for, print only a line for each part that designs can't express. Return 1 if there is
    no design.
    """
    from tracks.calls import is_design, settings_of, track_of
    from tracks.designs.showing import shown_track

    del problems
    if is_design(options.track) and not options.set:
        print(design_text(options.track), end="")
        return 0
    track = track_of(options)
    shown = shown_track(track, settings_of(options))
    if shown.text and _form(options) == "tsv":
        print(shown.text, end="")
        for each in shown.unsaid:
            print(f"not in the design: {each.member}: {each.what}", file=sys.stderr)
        return 0
    print_rows(_form(options), ("member", "what"), ((each.member, each.what) for each in shown.unsaid))
    return 0 if shown.text else 1


def run_new(options: argparse.Namespace, problems: Problems) -> int:
    """Print a first design that passes `design check`. Raises WrongCall if none can be made from the files."""
    from tracks.designs.first_design import CannotDraft, first_design

    del problems
    try:
        print(first_design([Path(name) for name in options.files]), end="")
    except CannotDraft as error:
        raise WrongCall(str(error)) from error
    return 0


def run_diff(options: argparse.Namespace, problems: Problems) -> int:
    """Print a line for each change: line, effect, member, message, mapping. Return 1 if any change would affect
    records.

    The effect is "free", or "judged" if records may depend on what changes. If a file of judgments is given, the effect
    is the number of judgments in the way, or "free" if there are none. Raises WrongCall if a design has faults.
    """
    from tracks.designs.dependent_records import count_dependents, judgments_counted, questions_of
    from tracks.designs.differences import changes_between
    from tracks.designs.reading import BadDesign, design_of_text

    del problems
    before = _design_or_track(options.old)
    try:
        folders = Path(options.old).parent, Path(options.new).parent
        found = changes_between(before, design_text(options.new), folders=folders)
    except BadDesign as error:
        raise WrongCall(str(error)) from error
    counts = judgments_counted(Path(options.judgments)) if options.judgments else None
    rows, in_the_way = [], False
    for each in found.changes:
        effect = "free" if each.stands_on is None else "judged"
        if each.stands_on is not None and counts is not None:
            asked = questions_of(design_of_text(before, folder=folders[0]), each.stands_on.stage)
            number = count_dependents(counts, each.stands_on, asked)
            effect = f"{number} in the way" if number else "free"
        in_the_way = in_the_way or effect != "free"
        place = f"{'-' if each.gone else '+'}{each.line}"
        rows.append((place, effect, each.member, each.message, each.mapping))
    print_rows(_form(options), ("line", "effect", "member", "message", "mapping"), rows)
    return int(in_the_way)


def _design_or_track(named: str) -> str:
    """Return the text of a design file, or that of an installed track as a design. Raises WrongCall if the track can't
    be written as a design.
    """
    from tracks import find_track
    from tracks.designs.showing import shown_track

    track = None if named.endswith(".toml") else find_track(named)
    text = shown_track(track).text if track is not None else design_text(named)
    if not text:
        raise WrongCall(f"{named} is no design: `design show {named}` lists what a design can't express of it.")
    return text


def run_preview(options: argparse.Namespace, problems: Problems) -> int:
    """Serve a temporary site with the design until the user stops it. If the design has errors, print its faults and
    return 1. Raises WrongCall if the folder of data does not exist.

    The site runs as a separate program, since this package does not import it. Its folder is deleted afterwards.
    """
    from tracks.designs.checking import check_design

    del problems
    _, faults = check_design(design_text(options.file), folder=Path(options.file).parent)
    if any(fault.severity == "error" for fault in faults):
        print_rows("tsv", ("line", "severity", "member", "message"), (fault.as_row() for fault in faults))
        return 1
    if not Path(options.data).is_dir():
        raise WrongCall(f"There is no folder {options.data}.")
    site = Path(__file__).resolve().parents[2] / "manage.py"
    start = [sys.executable, str(site)] if site.is_file() else [sys.executable, "-m", "django"]
    with tempfile.TemporaryDirectory(prefix="assay-preview-") as folder:
        given = dict(os.environ)
        own = {name: value for name, value in given.items() if not name.startswith("ASSAY_")}
        own |= {"ASSAY_DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "assay_site.settings"}
        call = [*start, "preview_design", options.file, options.data, "--port", str(options.port)]
        subprocess.run([*start, "migrate", "--verbosity", "0"], env=own, check=True)
        return _served(subprocess.Popen(call, env=own))


def _served(site: subprocess.Popen[bytes]) -> int:
    """Wait until the site ends. On a signal, end the site before its folder is deleted."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    try:
        return site.wait()
    except KeyboardInterrupt:
        site.terminate()
        site.wait()
        return 0


def run_schema(options: argparse.Namespace, problems: Problems) -> int:
    """Print the JSON Schema of designs, for editors that complete TOML."""
    from tracks.designs.schema import schema_of_designs

    del options, problems
    print(json.dumps(schema_of_designs(), ensure_ascii=False, indent=1))
    return 0


def design_text(path: str) -> str:
    """Return the text of a design file. Raises WrongCall if it is too long or not in UTF-8, and CannotOpen if it can't
    be opened.
    """
    try:
        with open_input(path) as file:
            content = file.read(LIMIT + 1)
    except OSError as error:
        raise CannotOpen(f"{path} can't be read: {error.strerror}") from error
    if len(content) > LIMIT:
        raise WrongCall(f"{path} has more than {LIMIT:,} bytes: it is no design.")
    try:
        return text_of(content)
    except NotText as error:
        raise WrongCall(f"{path} {error}") from error
