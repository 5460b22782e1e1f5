"""What a stage of nuggets or matches may say, and what of it Assay does not know yet."""

from __future__ import annotations

from collections.abc import Iterator

from tracks.designs.judged_items import SENTENCE, has_matches, kinds_judged
from tracks.designs.places import Path
from tracks.designs.shape import Design, GradeStage, MatchStage, NuggetStage


def faults_of_nuggets(design: Design) -> Iterator[tuple[Path, str, bool]]:
    """Where a stage of nuggets or matches says what does not fit, or (True) what Assay does not know yet."""
    written: list[str] = []
    for place, stage in enumerate(design.stages):
        path: Path = ("stages", place)
        if not isinstance(stage, NuggetStage | MatchStage):
            continue
        for name in ("needs", "without_runs", "repeats", "agreement"):
            if getattr(stage, name):
                yield (*path, name), f"{name} of a stage of {stage.work}", True
        if design.runs.form != "answers":
            yield (*path, "work"), f'work = "{stage.work}" for runs of the form "{design.runs.form}"; answers are', True
        if isinstance(stage, NuggetStage):
            written.append(stage.key)
            yield from (((*path, name), what, True) for name, what in _unknown_of_list(stage))
            continue
        if not stage.source:
            message = f"The stage {stage.key} needs from: the stage in which its nuggets are written."
            yield path, message, False
        elif stage.source not in written and stage.source in [each.key for each in design.stages[:place]]:
            yield (
                (*path, "from"),
                f"In the stage {stage.source} no nuggets are written. Name one where they are.",
                False,
            )
        yield from (((*path, name), what, True) for name, what in _unknown_of_matches(stage))
    if has_matches(design) and SENTENCE in kinds_judged(design):
        place = next(
            number
            for number, each in enumerate(design.stages)
            if isinstance(each, GradeStage) and each.item == SENTENCE
        )
        yield ("stages", place, "item"), "sentences beside a stage of matches", True


def _unknown_of_list(stage: NuggetStage) -> Iterator[tuple[str, str]]:
    if stage.lines == "questions":
        yield "lines", 'lines = "questions"'
    if stage.source:
        yield "from", "a list of nuggets that is made from another stage"
    if stage.importance:
        yield "importance", "an importance of your own; vital and okay are"
    for name in ("sealed", "most", "file", "frozen"):
        if getattr(stage, name):
            yield name, f"{name} of a list of nuggets"
    if stage.settle != "none":
        yield "settle", f'settle = "{stage.settle}" of a list of nuggets'
    if stage.people != 1:
        yield "people", "several people who write a list"
    if stage.references == "none":
        yield "references", 'references = "none"'


def _unknown_of_matches(stage: MatchStage) -> Iterator[tuple[str, str]]:
    if stage.item == "string" and "item" in stage.model_fields_set:
        yield "item", 'item = "string" of matches; responses are'
    if stage.marks:
        yield "marks", "marks of your own; full, in part and none are"
    if stage.none is not None:
        yield "none", "a key of your own for what is not there"
    if stage.settle != "adjudicator":
        yield "settle", f'settle = "{stage.settle}" of matches'
    if stage.people not in (1, 2):
        yield "people", "other than one or two people for matches"
