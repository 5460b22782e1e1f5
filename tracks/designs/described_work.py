"""How designs describe each kind of work: the table of its stage, the possible faults, and the stage that is built.

Kinds of work with more than single values have a record here. For any other kind, designs give the options that its own
record declares (`assess.protocol.work.option`); other packages bring such records (`tracks.installed`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, Literal, get_type_hints

import pydantic

from assess.protocol import Grading, Stage, Work
from assess.protocol.work import SAID, DesignOption
from nuggets.options import Matching, NuggetWriting
from tracks.designs.broken import BrokenRule, not_yet_known
from tracks.designs.building import stage_of_design
from tracks.designs.judged_items import item_kind, item_word
from tracks.designs.nugget_rules import faults_of_nuggets
from tracks.designs.nugget_tables import MatchStage, NuggetStage
from tracks.designs.nugget_work import stage_of_nuggets
from tracks.designs.places import Path
from tracks.designs.question_rules import people_of
from tracks.designs.run_tables import AnswerRuns, ItemRuns, RankedRuns, RunsBase, StringRuns
from tracks.designs.shape import Design, GradeStage, ItemStage, PairStage, StageBase
from tracks.designs.shown_work import shown_grading, shown_matches, shown_nuggets, shown_stage
from tracks.designs.stage_rules import faults_of_grading, faults_of_item, faults_of_pairs
from tracks.installed import installed_forms, installed_works


@dataclass(frozen=True, kw_only=True, slots=True)
class DescribedWork:
    """How designs describe a kind of work, whose stages are tables of the model ``table``.

    ``faults`` yields the broken rules of such a stage, given the design, the stage and its index. ``build`` makes the
    stage of a track. ``shown`` returns the table's values for a track's stage under its settings, or None if the table
    can't express it.
    """

    table: type[StageBase]
    faults: Callable[[Design, Any, int], Iterator[BrokenRule]]
    build: Callable[[Design, Any], Stage]
    shown: Callable[[Stage, Any], dict[str, Any] | None]


def _not_built(design: Design, stage: StageBase) -> Stage:
    raise TypeError(f"{stage.work} is refused in designs")


def _not_shown(stage: Stage, settings: Any) -> None:
    raise TypeError(f"no track has stages of {stage.work.key}")


GRADES = DescribedWork(table=GradeStage, faults=faults_of_grading, build=stage_of_design, shown=shown_grading)
NUGGETS = DescribedWork(table=NuggetStage, faults=faults_of_nuggets, build=stage_of_nuggets, shown=shown_nuggets)
MATCHES = DescribedWork(table=MatchStage, faults=faults_of_nuggets, build=stage_of_nuggets, shown=shown_matches)
PAIRS = DescribedWork(table=PairStage, faults=faults_of_pairs, build=_not_built, shown=_not_shown)
OWN: Mapping[str, DescribedWork] = {
    Grading.key: GRADES,
    NuggetWriting.key: NUGGETS,
    Matching.key: MATCHES,
    "pairs": PAIRS,
}
MOST_STAGES = 100
FORMS: tuple[type[RunsBase], ...] = (RankedRuns, AnswerRuns, StringRuns, ItemRuns)


@cache
def described_works() -> dict[str, DescribedWork]:
    """Return key -> how designs describe this kind of work, for Assay's own kinds and the installed ones. If an
    installed kind has the key of Assay's own, Assay's counts.
    """
    return {
        **OWN,
        **{key: described_by_options(options) for key, options in installed_works().items() if key not in OWN},
    }


def tables_of_runs() -> tuple[type[RunsBase], ...]:
    """Return the table for each form of runs."""
    return (*FORMS, *(form.table for form in installed_forms().values()))


def built_stages(design: Design) -> tuple[Stage, ...]:
    """Return the stages that a design describes."""
    return tuple(described_works()[stage.work].build(design, stage) for stage in design.stages)


@cache
def design_model() -> type[Design]:
    """Return the model of a whole design, with the tables for all known kinds of work and forms of runs."""
    stage: Any = reduce(or_, [said.table for said in described_works().values()])
    stages: Any = list[Annotated[stage, pydantic.Field(discriminator="work")]]
    bounds = pydantic.Field(min_length=1, max_length=MOST_STAGES)
    runs: Any = reduce(or_, tables_of_runs())
    made: type[Design] = pydantic.create_model(
        "Design",
        __base__=Design,
        __doc__="An evaluation.",
        stages=(Annotated[stages, bounds], ...),
        runs=(Annotated[runs, pydantic.Field(discriminator="form")], pydantic.Field(default_factory=RankedRuns)),
    )
    return made


# ---------------------------------------------------------------- kinds of work that are described by their options


def options_said(options: type[Work]) -> dict[str, tuple[Field[Any], DesignOption]]:
    """Return name -> option, for the options of a kind of work that a design can give."""
    return {each.name: (each, each.metadata[SAID]) for each in fields(options) if SAID in each.metadata}


def settled_options(work: str) -> frozenset[str]:
    """Return the options of an installed kind of work that determine the meaning of its records. For Assay's own kinds,
    return none, since the comparison of designs names their members.
    """
    if work in OWN:
        return frozenset()
    return frozenset(name for name, (_, said) in options_said(installed_works()[work]).items() if not said.may_change)


def described_by_options(options: type[Work]) -> DescribedWork:
    """Return how designs describe a kind of work whose options are all declared in its record."""
    hints = get_type_hints(options)
    members: dict[str, Any] = {"work": (Literal[options.key], ...)}
    for name, (each, said) in options_said(options).items():
        bounds = pydantic.Field(description=said.help, ge=said.least, le=said.most)
        members[name] = (Annotated[hints[name], bounds], ... if each.default is MISSING else each.default)
    table = pydantic.create_model(f"{options.__name__}Stage", __base__=ItemStage, __doc__=options.__doc__, **members)

    def build(design: Design, stage: ItemStage) -> Stage:
        people, share = people_of(stage)
        return Stage(
            key=stage.key,
            label=stage.label or stage.key,
            work=options(**{name: getattr(stage, name) for name in options_said(options)}),
            help=stage.help,
            item_kind=item_kind(design, stage),
            noun=item_word(design, stage),
            after=stage.after or None,
            by_hand=stage.by_hand,
            many=stage.people == "any",
            second=people > 1,
            people=people,
            share=share,
        )

    def shown(stage: Stage, settings: Any) -> dict[str, Any]:
        del settings
        said = {name: getattr(stage.work, name) for name in options_said(options)}
        usual = {name: each.default for name, (each, _) in options_said(options).items()}
        return shown_stage(stage) | {name: value for name, value in said.items() if value != usual[name]}

    return DescribedWork(table=table, faults=_faults_of_other, build=build, shown=shown)


def _faults_of_other(design: Design, stage: ItemStage, place: int) -> Iterator[BrokenRule]:
    path: Path = ("stages", place)
    for name in ("needs", "source", "without_runs", "repeats", "agreement"):
        if getattr(stage, name):
            member = StageBase.model_fields[name].alias or name
            yield not_yet_known((*path, member), f"{member} of a stage of {stage.work}")
    yield from faults_of_item(design, stage, place)
