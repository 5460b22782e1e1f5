"""Read what a design takes from other files: its base (an installed track or another design), help texts, answers.

The design's own values replace those of its base: members of tables one by one, lists as a whole, stages and questions
by their keys. Runs in another form, and a stage with another kind of work, replace all of the base's. The text of a
`help_file` becomes the `help` of the same table, and a file of known answers its `answers`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path as File
from typing import Any

from scoring.file_kinds.refusing import NotText, text_of
from tracks.designs.places import BadToml, Path, Places, read_toml
from tracks.designs.writing import design_lines

TAKEN_BY = {
    "measures": ("official",),
    "grades": ("scales", "highest", "qrels"),
    "scales": ("grades",),
    "file": ("text",),
    "text": ("file",),
}
"""The members of a base that do not apply any more if the design has its own value for the key."""

KEYED = ("stages", "questions")
"""The lists whose entries are matched by their keys."""

HELPED = ("stages", "questions", "grades")
"""The lists whose entries may have a `help_file`."""

CHECKS = ("control", "practice")
"""The tables of a stage that may have a `file`."""

LIMIT = 200_000
"""The most bytes of such a file."""

DEEPEST = 5
"""The longest chain of designs that are each other's bases."""


def read_whole(
    text: str, folder: File | None, *, depth: int = 0, bad_files: list[BadToml] | None = None
) -> tuple[dict[str, Any], Places]:
    """Return the values of a design, merged with those of its base and of files that it names, and their places.

    The place of a value from the base is the line that names the base. ``folder`` holds the base and the other files,
    or is None if the design has no folder. Raises BadToml if the design or its base is not TOML, or if a file that they
    name can't be used. If ``bad_files`` is given, an error about a file that the design itself names (other than the
    base) is added to it instead, and the file is left out.
    """
    values, places = read_toml(text)
    _put_help(values, places, folder, (), bad_files)
    named = values.get("base")
    if not isinstance(named, str) or not named:
        return values, places
    line = places.line(("base",))
    if depth == DEEPEST:
        raise BadToml(
            line, f"More than {DEEPEST} designs are based on one another here, or a design is based on itself."
        )
    below, lines = _base(named, folder, line, depth)
    own = {name: value for name, value in values.items() if name != "base"}
    merged, moved = _merged(below, own, ())
    found = Places(lines=dict.fromkeys(lines.lines, line))
    found.lines |= {_moved(path, moved): at for path, at in places.lines.items()}
    return merged, found


def whole_text(text: str, folder: File | None) -> str:
    """Return the text of a design with the other files that it names written into it, except its guidelines. If it
    names none, return it unchanged. Raises BadToml as `read_whole`.
    """
    values, _ = read_whole(text, folder)
    if values == read_toml(text)[0]:
        return text
    comment = "Written out, with what stood in other files: its base, texts of help, known answers."
    return "\n".join(design_lines(values, [comment])) + "\n"


def _put_help(value: Any, places: Places, folder: File | None, path: Path, bad_files: list[BadToml] | None) -> None:
    """Replace each name of a file with help texts or known answers by the content of the file, in place. Raises BadToml
    if the file can't be used, or if the design gives its content, too; with ``bad_files`` this is added to them.
    """
    if isinstance(value, list):
        for number, each in enumerate(value):
            _put_help(each, places, folder, (*path, number), bad_files)
    elif isinstance(value, dict):
        for name, each in list(value.items()):
            try:
                if name == "help_file" and isinstance(each, str) and _is_in(path, *HELPED):
                    _put_text(value, name, "help", places, folder, path)
                elif name in CHECKS and isinstance(each, dict) and isinstance(each.get("file"), str):
                    _put_text(each, "file", "answers", places, folder, (*path, name))
                else:
                    _put_help(each, places, folder, (*path, name), bad_files)
            except BadToml as error:
                if bad_files is None:
                    raise
                bad_files.append(error)


def _put_text(table: dict[str, Any], name: str, instead: str, places: Places, folder: File | None, path: Path) -> None:
    here, named = (*path, name), table.pop(name)
    if instead in table:
        raise BadToml(
            places.line(here), f"Both {' and '.join(sorted((name, instead), key=len))} stand here: keep one.", here
        )
    text = _text_of(named, places, folder, here)
    table[instead] = text.strip() if instead == "help" else text


def _is_in(path: Path, *lists: str) -> bool:
    """Return whether a path leads to an entry of a list that has one of these names."""
    return len(path) > 1 and path[-2] in lists


def _text_of(named: str, places: Places, folder: File | None, path: Path) -> str:
    try:
        return text_beside(named, folder, places.line(path))
    except BadToml as error:
        raise BadToml(error.line, str(error), path) from error


def text_beside(named: str, folder: File | None, line: int) -> str:
    """Return the text of a file in the design's folder. Raises BadToml with ``line`` if it is not a file of UTF-8 in
    that very folder, if it has more than 200,000 bytes, or if there is no folder.
    """
    if not named or File(named).name != named or "\\" in named or named.startswith(".") or "\0" in named:
        raise BadToml(line, "The file lies beside the design: write its name alone.")
    if folder is None:
        raise BadToml(line, f"{named} lies beside the design, which came alone: load both from their folder.")
    try:
        if (folder / named).resolve().parent != folder.resolve():
            raise BadToml(line, f"{named} is a link that leads elsewhere: put the file itself beside the design.")
        with (folder / named).open("rb") as file:
            content = file.read(LIMIT + 1)
        if len(content) > LIMIT:
            raise BadToml(line, f"{named} has more than {LIMIT:,} bytes. Shorten it.")
        text = text_of(content)
        if not text.strip():
            raise BadToml(line, f"{named} is empty: write it, or take its name away.")
        return text
    except OSError as error:
        raise BadToml(line, f"{named} can't be read: {error.strerror}.") from error
    except NotText as error:
        raise BadToml(line, f"{named} {error}") from error


def _base(named: str, folder: File | None, line: int, depth: int) -> tuple[dict[str, Any], Places]:
    if named.endswith(".toml"):
        text = text_beside(named, folder, line)
        try:
            return read_whole(text, folder, depth=depth + 1)
        except BadToml as error:
            raise BadToml(line, f"{named}, line {error.line}: {error}") from error
    from tracks import OWN
    from tracks.designs.showing import shown_track

    track = next((each for each in OWN if each.key == named), None)
    keys = [each.key for each in OWN]
    if track is None:
        near = get_close_matches(named, keys, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise BadToml(line, f"There is no track “{named}”.{hint} Name one of {', '.join(keys)}, or a design (.toml).")
    if not (text := shown_track(track).text):
        raise BadToml(line, f"The track {named} can't be written as a design, so no design can be based on it.")
    return read_toml(text)


# ---------------------------------------------------------------- merging

Moved = dict[Path, int]
"""The place that an entry has in the merged design, by its path in the design itself."""


def _merged(below: Mapping[str, Any], own: Mapping[str, Any], path: Path) -> tuple[dict[str, Any], Moved]:
    if any(name in own and own[name] != below.get(name, own[name]) for name in ("form", "work")):
        return dict(own), {}
    gone = {each for name in own for each in TAKEN_BY.get(name, ())}
    found, moved = {name: value for name, value in below.items() if name not in gone}, Moved()
    for name, value in own.items():
        before, inner = below.get(name), (*path, name)
        if name in KEYED and _are_tables(value) and _are_tables(before):
            found[name], of_list = _merged_list(before or [], value, inner)
        elif isinstance(value, dict) and isinstance(before, dict):
            found[name], of_list = _merged(before, value, inner)
        else:
            found[name], of_list = value, {}
        moved |= of_list
    return found, moved


def _merged_list(
    below: Sequence[Mapping[str, Any]], own: Sequence[Mapping[str, Any]], path: Path
) -> tuple[list[Any], Moved]:
    found: list[Any] = list(below)
    moved = Moved()
    for number, each in enumerate(own):
        keys = [entry.get("key") for entry in below]
        place = keys.index(each["key"]) if each.get("key") in keys else len(found)
        moved[*path, number] = place
        if place == len(found):
            found.append(each)
        else:
            found[place], inner = _merged(below[place], each, (*path, number))
            moved |= inner
    return found, moved


def _are_tables(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _moved(path: Path, moved: Moved) -> Path:
    return tuple(
        moved.get(path[: place + 1], step) if isinstance(step, int) else step for place, step in enumerate(path)
    )
