"""Finds what of a design can be checked although some of its lines or members can't be read.

A line with bad syntax is left out, and a member that can't be read is replaced by one that can. A broken rule that may
follow from either is left for the next check, so that no fault is reported that goes away with another one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from tracks.designs.broken import BrokenRule
from tracks.designs.described_work import design_model
from tracks.designs.model_paths import members_at, plain_path, value_at
from tracks.designs.places import BadToml, Path, read_toml, unix_text
from tracks.designs.shape import Design

MOST_LINES = 20
"""The most lines of bad syntax that are reported at once …"""
LONG = 100_000
"""… and the characters of a design of which one is: the text is read again for each."""
MOST_REPLACED = 50
"""The most faults of a design whose rules are checked all the same."""
ROUNDS = 8
"""How often the rest of a design is read again; each time it has fewer faults, or other ones."""

_OF_NO_OTHER = frozenset({
    "ask", "help", "help_file", "level", "press", "label", "colour", "note", "evidence", "note_ask", "evidence_ask",
    "evidence_labels", "ends", "words", "required", "order", "reasons", "asked_if", "control", "practice", "hand_out",
    "file", "after",
})  # fmt: skip
_NAME = re.compile(r"\s*([\w-]+)\s*[=:]")
_ONE_MEMBER = re.compile(r"\s*(?:[\w.\"'-]+\s*[=:]|\{.*\},?\s*$).*")


def readable_lines(text: str) -> tuple[list[BadToml], str, set[Path]]:
    """Return (faults of syntax, text, paths): the text has blank lines in place of those at fault.

    The paths are those of the members on these lines. If a line can't be left out alone, or there are too many such
    lines, the text is "" and there are no paths.
    """
    lines, faults, left_out = unix_text(text).split("\n"), list[BadToml](), dict[int, str]()
    while (error := _fault_of("\n".join(lines))) is not None:
        faults.append(error)
        at = error.line - 1
        if len(faults) == (MOST_LINES if len(text) < LONG else 1) or not _stands_alone(lines[at : at + 1]):
            return faults, "", set()
        left_out[error.line], lines[at] = lines[at], ""
    headings = read_toml("\n".join(lines))[1].headings
    paths = set()
    for number, line in left_out.items():
        table = max(((at, path) for path, at in headings.items() if at < number), default=(0, ()))[1]
        named = _NAME.match(line)
        paths.add((*table, named[1]) if named else table)
    return faults, "\n".join(lines), paths


def _fault_of(text: str) -> BadToml | None:
    try:
        read_toml(text)
    except BadToml as error:
        return error
    return None


def _stands_alone(lines: Sequence[str]) -> bool:
    """Return whether this is a line with one member or one entry of a list, which opens and closes whatever it has."""
    line = "".join(lines)
    is_open = any(line.count(begin) != line.count(end) for begin, end in ("[]", "{}"))
    return bool(_ONE_MEMBER.fullmatch(line)) and not is_open and '"""' not in line and "'''" not in line


class Replaced:
    """The values of a design in which members that can't be read are replaced.

    ``design`` is None if that was not possible. ``doubtful`` are the paths of what was replaced or left out, and
    ``renamed`` those of members whose names were only misspelt.
    """

    def __init__(self, values: Mapping[str, Any], doubtful: Collection[Path]) -> None:
        self.design: Design | None = None
        self.doubtful = set(doubtful)
        self._values = deepcopy(dict(values))
        self._given = values
        self.renamed: set[Path] = set()
        self._tried: dict[Path, int] = {}
        for _ in range(ROUNDS):
            try:
                self.design = design_model().model_validate(self._values)
                return
            except ValidationError as error:
                if error.error_count() > MOST_REPLACED or not self._replace(error):
                    return

    def _replace(self, error: ValidationError) -> bool:
        """Replace each member at fault. Return False if the form of the runs, on which much depends, is not known."""
        done: set[Path] = set()
        for each in error.errors(include_url=False):
            path = plain_path(each["loc"], each["type"], self._values)
            if each["type"] in ("union_tag_invalid", "union_tag_not_found"):
                self.doubtful.add(path)
                path = (*path, each["ctx"]["discriminator"].strip("'"))
                each["ctx"].setdefault("expected_tags", "'grade'")
            if path[:1] == ("runs",) and len(path) < 3 and path[-1] in ("runs", "form"):
                return False
            if path and path not in done:
                done.add(path)
                self.doubtful.add(path)
                self._replace_one(path, each)
        return True

    def _replace_one(self, path: Path, error: Any) -> None:
        table: Any = value_at(self._values, path[:-1]) if path[1:] else self._values
        name: Any = path[-1]
        is_list = isinstance(table, list)
        if not is_list and not isinstance(table, dict):
            return
        words = str(error.get("ctx", {}).get("expected", error.get("ctx", {}).get("expected_tags", "")))
        allowed = re.findall(r"'([^']*)'", words)
        if error["type"] == "extra_forbidden":
            value = table.pop(name, None)
            near = get_close_matches(str(name), members_at(self._values, path[:-1]), n=1)
            if near and near[0] not in table and value is not None:
                self.renamed.add(path)
                table[near[0]] = value
        elif allowed and path not in self._tried:
            self._tried[path] = 0
            given = table[name] if is_list else table.get(name)
            table[name] = (get_close_matches(str(given), allowed, n=1) or allowed)[0]
        elif error["type"] == "missing" or is_list:
            tried = self._tried[path] = self._tried.get(path, -1) + 1
            fillings: tuple[Any, ...] = (f"missing-{len(self._tried)}", 1, {}, [], True)
            table[name] = fillings[tried % len(fillings)]
        else:
            table.pop(name, None)

    def may_follow(self, broken: BrokenRule) -> bool:
        """Return whether a broken rule may follow from what was replaced."""
        return any(_touches(broken.path, each) or self._is_scored(broken.path, each) for each in self.doubtful) or any(
            re.search(rf"(?<!\w){re.escape(name)}(?!\w)", broken.message) for name in self._names()
        )

    def _is_scored(self, path: Path, doubtful: Path) -> bool:
        """Return whether a rule about scores, gains or evidence may depend on the runs, the scores or the question."""
        scores = self._given.get("scores")
        named = scores.get("question") if isinstance(scores, dict) else None
        question = value_at(self._given, doubtful[:4]) if doubtful[2:3] == ("questions",) and doubtful[3:] else {}
        has_key = isinstance(question, dict) and (*doubtful[:4], "key") not in self.doubtful
        is_other = named and has_key and question.get("key", named) != named
        if doubtful in (("scores", "official"), ("runs", "limit")) or self._is_of_no_other(doubtful):
            return False
        is_of_scores = path[0] == "scores" or path[-1] in ("gain", "value")
        return (is_of_scores and doubtful[:1] in (("scores",), ("runs",), ("stages",)) and not is_other) or (
            doubtful[:1] == ("runs",) and str(path[-1]).startswith("evidence")
        )

    def _is_of_no_other(self, doubtful: Path) -> bool:
        """Return whether no rule about another stage, question or grade asks what this member says."""
        return doubtful in self.renamed or (doubtful[:1] == ("stages",) and doubtful[-1] in _OF_NO_OTHER)

    def _names(self) -> set[str]:
        """Return the names of the stages, questions and grades of which something was replaced that others may name."""
        paths = [each for each in self.doubtful if not self._is_of_no_other(each)]
        places = {each[:length] for each in paths for length in range(1, len(each) + 1)}
        found = [value_at(values, place) for values in (self._given, self._values) for place in places]
        named = [each.get(name) for each in found if isinstance(each, dict) for name in ("key", "name", "measure")]
        return {each for each in (*found, *named) if isinstance(each, str) and each.strip()}


def _touches(path: Path, doubtful: Path) -> bool:
    """Return whether a rule at this path may depend on what is doubtful: one holds the other, both stand in the same
    table, or in the same list of grades or measures.
    """
    short = min(len(path), len(doubtful))
    if path[:short] == doubtful[:short] or (len(doubtful) > 1 and path[:-1] == doubtful[:-1]):
        return True
    lists = [at for at, step in enumerate(doubtful) if isinstance(step, int)]
    inside = doubtful[: lists[-1]] if lists else ()
    return bool(inside) and inside[-1] not in ("stages", "questions") and path[: len(inside)] == inside
