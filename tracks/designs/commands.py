"""`python -m tracks design …`: a design file checked, and what designs may say."""

from __future__ import annotations

import argparse
import json

from scoring.commands.command_line import Problems, WrongCall, print_rows
from scoring.reading import CannotOpen, open_input

LIMIT = 1_000_000
"""Bytes of a design."""


def run_check(options: argparse.Namespace, problems: Problems) -> int:
    """One line a fault: line, severity, member, message; 1 where any is an error."""
    from tracks.designs.checking import check_design

    del problems
    _, faults = check_design(design_text(options.file))
    form = "json" if options.json else options.format
    print_rows(form, ("line", "severity", "member", "message"), (fault.as_row() for fault in faults))
    return int(any(fault.severity == "error" for fault in faults))


def run_schema(options: argparse.Namespace, problems: Problems) -> int:
    """The JSON Schema of designs, for editors that complete TOML."""
    from tracks.designs.shape import Design

    del options, problems
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Design.model_json_schema()}
    print(json.dumps(schema, ensure_ascii=False, indent=1))
    return 0


def design_text(path: str) -> str:
    """The text of a design file. WrongCall where it is none."""
    try:
        with open_input(path) as file:
            content = file.read(LIMIT + 1)
    except OSError as error:
        raise CannotOpen(f"{path} can't be read: {error.strerror}") from error
    if len(content) > LIMIT:
        raise WrongCall(f"{path} has more than {LIMIT:,} bytes: it is no design.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise WrongCall(f"{path} is no text in UTF-8: {error.reason} at byte {error.start}.") from error
