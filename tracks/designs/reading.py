"""Read the text of a design: its track, its faults, its forms."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assess.protocol import Criterion, Track
from assess.protocol.designs import DesignChanges, DesignFault, DesignPart, Designs, SavedDesign

if TYPE_CHECKING:
    from tracks.designs.shape import Design


class BadDesign(ValueError):
    """Raised when a design has faults. The message has one line for each fault."""


def track_of_text(text: str, *, folder: Path | None = None, works: Collection[str] | None = None) -> Track:
    """Return the track of a design. ``folder`` holds the files that it names; ``works`` are the kinds of work for which
    the site has benches, or None if the caller is not a site.

    Raises BadDesign with all errors if the design has any.
    """
    from tracks.designs.bases import whole_text
    from tracks.designs.other_forms import built_track

    design = design_of_text(text, folder=folder, works=works)
    return replace(built_track(design, folder=folder), design=whole_text(text, folder))


def own_track(path: Path) -> Track:
    """Return the track of a design that Assay includes: one with ranked runs that needs no other file.

    It is built whenever a process starts. To save time its faults are checked only by a test, and other forms of runs
    are not loaded.
    """
    from pydantic import create_model

    from tracks.designs.building import stage_of_design, track_of_design
    from tracks.designs.run_tables import RankedRuns
    from tracks.designs.shape import Design, GradeStage

    text = path.read_text(encoding="utf-8")
    model = create_model("Design", __base__=Design, stages=(list[GradeStage], ...), runs=(RankedRuns, RankedRuns()))
    design = model.model_validate(tomllib.loads(text))
    stages = tuple(stage_of_design(design, stage) for stage in design.stages)
    return replace(track_of_design(design, stages), design=text)


def design_of_text(text: str, *, folder: Path | None = None, works: Collection[str] | None = None) -> Design:
    """Return the design in a file's text. ``folder`` and ``works`` mean the same as in `track_of_text`. Raises
    BadDesign with all errors if the design has any.
    """
    from tracks.designs.checking import check_design

    design, faults = check_design(text, folder=folder, works=works)
    if design is None:
        errors = [each for each in faults if each.severity == "error"]
        told = [": ".join(part for part in (f"line {e.line}", e.member, e.message) if part) for e in errors]
        raise BadDesign("\n".join(told))
    return design


def faults_of_text(text: str, works: Collection[str] | None = None) -> Sequence[DesignFault]:
    """Return all faults of a design's text. ``works`` means the same as in `track_of_text`."""
    from tracks.designs.checking import check_design

    return check_design(text, works=works)[1]


def changes_of_texts(before: str, now: str, *, earlier: Sequence[str] = ()) -> DesignChanges:
    """Return the changes between two texts. ``earlier`` are the versions before both. Raises BadDesign if one has
    faults, or if the new one moves a value twice or a value that the other does not have.
    """
    from tracks.designs.differences import changes_between

    return changes_between(before, now, earlier=earlier)


def criteria_of_texts(texts: Sequence[str]) -> dict[str, Criterion]:
    """Return key -> criterion for the last of these versions, of which there is at least one. Each criterion accepts
    everything that any version accepted. Raises BadDesign if a version has faults.
    """
    from tracks.designs.earlier_rules import criteria_taking

    return criteria_taking(texts)


GALLERY = Path(__file__).resolve().parents[2] / "docs" / "designs"


def gallery() -> dict[str, str]:
    """Return the designs that Assay includes, by name, the simplest first."""
    paths = sorted(GALLERY.glob("*.toml"), key=lambda path: (path.stat().st_size, path.name))
    return {path.stem: path.read_text(encoding="utf-8") for path in paths}


def added_question(text: str, said: Mapping[str, str]) -> str:
    """Return the text with one more question, whose values are in ``said`` (`tracks.designs.adding.with_question`).
    Raises BadDesign if the text or one of the values can't be used.
    """
    from tracks.designs.adding import with_question

    return with_question(text, said)


def parts_of_text(text: str) -> Sequence[DesignPart]:
    """Return the forms for the tables of a design's text, or an empty list if the text is not TOML."""
    from tracks.designs.forms import parts_of

    return parts_of(text)


def edited_text(text: str, *, verb: str, key: str, values: Mapping[str, str], made_from: str) -> str:
    """Return the text of a design after one of its forms was saved, or an entry was moved or removed. Raises BadDesign
    if the text has no such form or entry, or if the form was made from another text.
    """
    from tracks.designs.forms import edited

    return edited(text, verb=verb, key=key, values=values, made_from=made_from)


def saved_as_design(track: Track, settings: Any, **rules: Any) -> SavedDesign:
    """Return the design of a campaign with this track and these settings. ``rules`` are the design's key and other
    rules of the campaign (`tracks.designs.saving.saved_design`).
    """
    from tracks.designs.saving import saved_design

    return saved_design(track, settings, **rules)


def text_with_files(text: str, folder: Path) -> str:
    """Return the text of a design with the files that it names written into it, except its guidelines. Raises BadDesign
    if the text is not TOML or if one of the files can't be used.
    """
    from tracks.designs.bases import whole_text
    from tracks.designs.places import BadToml

    try:
        return whole_text(text, folder)
    except BadToml as error:
        raise BadDesign(f"line {error.line}: {error}") from error


def text_of_files(paths: Sequence[Path]) -> str:
    """Return a first design drafted from topics, runs or a table. Raises BadDesign if these files do not tell what is
    judged.
    """
    from tracks.designs.first_design import CannotDraft, first_design

    try:
        return first_design(paths)
    except CannotDraft as error:
        raise BadDesign(str(error)) from error


def schema() -> Mapping[str, Any]:
    """Return the JSON Schema of designs."""
    from tracks.designs.schema import schema_of_designs

    return schema_of_designs()


DESIGNS = Designs(
    track=track_of_text,
    faults=faults_of_text,
    changes=changes_of_texts,
    taking=criteria_of_texts,
    gallery=gallery,
    with_question=added_question,
    parts=parts_of_text,
    edited=edited_text,
    saved=saved_as_design,
    schema=schema,
    whole=text_with_files,
    first=text_of_files,
)
"""The functions on designs that the site calls."""
