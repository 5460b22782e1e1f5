"""How a design wants work handed out and checked, and what of that Assay can't do yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from tracks.designs.known_answers import known_answers, practice_answers
from tracks.designs.places import Path
from tracks.designs.shape import Design, GradeStage, People, Practice, Stage

AGREEMENT: Mapping[str, str] = {
    "agreement": "agreement",
    "kappa": "cohen_kappa",
    "fleiss": "fleiss_kappa",
    "alpha": "krippendorff_alpha",
    "ac1": "ac1",
}
"""The measures that [stages.agreement] may name, and how their names begin in reports of agreement."""

LATER = "Leave it out until it is."
MOST_DAYS = 365


def _faults_of_control(stage: Stage, path: Path) -> Iterator[tuple[Path, str]]:
    """What is wrong with the items of a stage whose answers are known."""
    control = stage.control
    if control is None:
        return
    if not isinstance(stage, GradeStage):
        yield path, f"Not yet known: [stages.control] of a stage of {stage.work}. {LATER}"
        return
    if control.tell != "never":
        yield (*path, "tell"), f'Not yet known: tell = "{control.tell}"; never is. {LATER}'
    if not control.answers.strip():
        yield path, "No answers are known here: name the file that holds them, a JSON object a line."
    wrong = [each for each in known_answers(stage) if isinstance(each, str)]
    more = f" ({len(wrong) - 1} further lines can't be read, either.)" if len(wrong) > 1 else ""
    if wrong:
        yield (*path, "answers"), f"{wrong[0]}{more}"


def _faults_of_practice(stage: Stage, practice: Practice, path: Path) -> Iterator[tuple[Path, str]]:
    """What is wrong with the items that are judged before the work of a stage."""
    if not isinstance(stage, GradeStage):
        yield path, f"Not yet known: [stages.practice] of a stage of {stage.work}. {LATER}"
        return
    own = bool(practice.answers.strip())
    found = list(practice_answers(stage))
    wrong = [each for each in found if isinstance(each, str)]
    if wrong and own:
        yield (*path, "answers"), wrong[0]
    elif not own and stage.control is None:
        yield path, "No answers are known to practise with: name the file that holds them, a JSON object a line."
    elif len(found) < practice.items:
        message = (
            f"items is {practice.items}, and {len(found)} answers are known to practise with: add some, or say fewer."
        )
        yield (*path, "items"), message


def faults_of_work(design: Design) -> Iterator[tuple[Path, str]]:
    """Where a stage names no measure of agreement, other days than another stage, or what is not known yet."""
    days = None
    for place, stage in enumerate(design.stages):
        path: Path = ("stages", place)
        if isinstance(stage.people, People) and stage.people.each == 1:
            yield (
                (*path, "people"),
                "share is of the topics that more than one judge: each is 2 or more, or people = 1.",
            )
        if stage.control is not None:
            yield from _faults_of_control(stage, (*path, "control"))
        if stage.practice is not None:
            yield from _faults_of_practice(stage, stage.practice, (*path, "practice"))
        for number, name in enumerate(stage.agreement.measures if stage.agreement is not None else ()):
            if name not in AGREEMENT:
                near = get_close_matches(name, AGREEMENT, n=1)
                hint = f" Did you mean {near[0]}?" if near else ""
                message = f"There is no measure of agreement “{name}”.{hint} There are: {', '.join(AGREEMENT)}."
                yield (*path, "agreement", "measures", number), message
        if (handed := stage.hand_out) is None:
            continue
        if handed.order != "random":
            yield (*path, "hand_out", "order"), f'Not yet known: order = "{handed.order}"; random is. {LATER}'
        if handed.most is not None:
            message = f"Not yet known: a bound on the items of one assignment; a topic is handed out whole. {LATER}"
            yield (*path, "hand_out", "most"), message
        if handed.days is not None and handed.days > MOST_DAYS:
            yield (*path, "hand_out", "days"), f"days is at most {MOST_DAYS}, not {handed.days}."
        elif handed.days is not None and days is not None and handed.days != days:
            message = f"Another stage says {days} days: they are the same for all work of a campaign."
            yield (*path, "hand_out", "days"), message
        days = handed.days or days
