"""Check the members of a stage of nuggets or matches, and which of them Assay does not support yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from scoring.measures.supported_nuggets import NuggetWeights
from tracks.designs.broken import BrokenRule, not_yet_known
from tracks.designs.judged_items import SENTENCE, has_matches, item_kind
from tracks.designs.nugget_tables import Mark, MatchStage, NuggetStage
from tracks.designs.places import Path
from tracks.designs.shape import Design, GradeStage

VITAL, OKAY = "vital", "okay"
FULL, PARTIAL = "full", "partial"


def faults_of_nuggets(design: Design, stage: NuggetStage | MatchStage, place: int) -> Iterator[BrokenRule]:
    """Yield a fault for each member of a stage of nuggets or matches that conflicts with the others or is not supported
    yet.
    """
    for path, told, is_later in _faults(design, stage, place):
        path = ("stages", place, *path)
        yield not_yet_known(path, told) if is_later else BrokenRule(path=path, message=told)


def _faults(design: Design, stage: NuggetStage | MatchStage, place: int) -> Iterator[tuple[Path, str, bool]]:
    for name in ("needs", "without_runs", "repeats", "agreement"):
        if getattr(stage, name):
            yield (name,), f"{name} of a stage of {stage.work}", True
    if design.runs.form != "answers":
        yield ("work",), f'work = "{stage.work}" for runs of the form "{design.runs.form}"; answers are', True
    if isinstance(stage, NuggetStage):
        yield from _importance(design, stage)
        yield from (((name,), what, True) for name, what in _unknown_of_list(stage))
    else:
        before = {each.key: each for each in design.stages[:place]}
        if not stage.source:
            yield (), f"The stage {stage.key} needs from: the stage in which its nuggets are written.", False
        elif stage.source in before and not isinstance(before[stage.source], NuggetStage):
            yield ("from",), f"In the stage {stage.source} no nuggets are written. Name one where they are.", False
        yield from _marks(design, stage)
        yield from (((name,), what, True) for name, what in _unknown_of_matches(stage))


def sentences_beside_matches(design: Design) -> Iterator[BrokenRule]:
    """Yield a fault if a stage judges sentences while another one matches nuggets in whole answers. This is not
    supported yet.
    """
    for place, stage in enumerate(design.stages if has_matches(design) else ()):
        if isinstance(stage, GradeStage) and item_kind(design, stage) == SENTENCE:
            yield not_yet_known(("stages", place, "item"), "sentences beside a stage of matches")
            return


def takes_partial(marks: Sequence[Mark]) -> bool:
    """Return whether a nugget may be found in part. It may, too, if the design names no marks."""
    return not marks or any(each.key == PARTIAL for each in marks)


def weights_of(design: Design) -> NuggetWeights:
    """Return the weights of the nuggets that are matched in answers, and the share of a nugget that a partial match
    counts.
    """
    found = next(each for each in design.stages if isinstance(each, MatchStage))
    listed = next(each for each in design.stages if isinstance(each, NuggetStage) and each.key == found.source)
    own = {each.key: Fraction(str(each.weight)) for each in listed.importance}
    shares = {each.key: Fraction(str(each.value)) for each in found.marks}
    usual = NuggetWeights()
    return NuggetWeights(
        vital=own.get(VITAL, usual.vital), okay=own.get(OKAY, usual.okay), partial=shares.get(PARTIAL, usual.partial)
    )


def _importance(design: Design, stage: NuggetStage) -> Iterator[tuple[Path, str, bool]]:
    """Yield (path, message, whether it is only not supported yet) for each weight of a list's nuggets that is unknown
    or can't be used.
    """
    for number, each in enumerate(stage.importance):
        path: Path = ("importance", number)
        if each.key not in (VITAL, OKAY):
            yield (*path, "key"), f"the importance {each.key}; {VITAL} and {OKAY} are", True
        for name in ("press", "name"):
            if getattr(each, name) is not None:
                yield (*path, name), f"{name} of an importance", True
        if each.weight < 0:
            yield (*path, "weight"), "A nugget weighs 0 or more.", False
    if not stage.importance:
        return
    if len({each.key for each in stage.importance}) < len(stage.importance):
        yield ("importance",), f"An importance is named twice: say what {VITAL} and {OKAY} weigh, once each.", False
    if not any(each.weight for each in stage.importance):
        yield ("importance",), "No nugget weighs anything: let one weigh more than 0.", False
    if not any(isinstance(each, MatchStage) and each.source == stage.key for each in design.stages):
        yield ("importance",), f"No stage of matches looks for the nuggets of {stage.key}, so none is weighed.", False
    elif not {"W", "W_strict"} & _named(design):
        yield ("importance",), "Weights count in W and W_strict alone: name one of them in [scores] measures.", False


def _marks(design: Design, stage: MatchStage) -> Iterator[tuple[Path, str, bool]]:
    """Yield (path, message, whether support may come later) for each mark of nuggets that is unknown or can't
    be used.
    """
    for number, each in enumerate(stage.marks):
        path: Path = ("marks", number)
        if each.key not in (FULL, PARTIAL):
            yield (*path, "key"), f"the mark {each.key}; {FULL} and {PARTIAL} are", True
        if each.press is not None:
            yield (*path, "press"), "press of a mark", True
        if each.wins:
            yield (*path, "wins"), "a mark that wins over others", True
        if each.key == FULL and each.value != 1:
            yield (*path, "value"), f"A nugget that is held in {FULL} counts 1.", False
        if each.key == PARTIAL and not 0 <= each.value <= 1:
            yield (*path, "value"), "A nugget that is held in part counts from 0 to 1.", False
    if not stage.marks:
        return
    if len({each.key for each in stage.marks}) < len(stage.marks):
        yield ("marks",), "A mark is named twice.", False
    if FULL not in [each.key for each in stage.marks]:
        yield ("marks",), f'Marks need {FULL}: {{ key = "{FULL}", value = 1 }}.', False
    if sum(isinstance(each, MatchStage) for each in design.stages) > 1:
        yield ("marks",), "marks where several stages look for nuggets", True
    halved = all(each.value == 0.5 for each in stage.marks if each.key == PARTIAL)
    if not halved and not (_named(design) or {"V"}) & {"V", "A", "W"}:
        yield ("marks",), "What is held in part counts in V, A and W alone: name one in [scores] measures.", False


def _named(design: Design) -> set[str]:
    return {each if isinstance(each, str) else each.measure for each in design.scores.measures}


def _unknown_of_list(stage: NuggetStage) -> Iterator[tuple[str, str]]:
    if stage.lines == "questions":
        yield "lines", 'lines = "questions"'
    if stage.source:
        yield "from", "a list of nuggets that is made from another stage"
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
    if stage.none is not None:
        yield "none", "a key of your own for what is not there"
    if stage.settle != "adjudicator":
        yield "settle", f'settle = "{stage.settle}" of matches'
    if stage.people not in (1, 2):
        yield "people", "other than one or two people for matches"
