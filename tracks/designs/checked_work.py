"""Check how a design wants work handed out and checked, and which of its wishes Assay can't fulfil yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from assess.protocol import POOL
from scoring.wording import counted
from tracks.designs.judged_items import RESPONSE, item_kind
from tracks.designs.known_answers import known_answers, practice_answers
from tracks.designs.places import Path
from tracks.designs.shape import Design, GradeStage, HandOut, People, Practice, StageBase

AGREEMENT: Mapping[str, str] = {
    "agreement": "agreement",
    "kappa": "cohen_kappa",
    "fleiss": "fleiss_kappa",
    "alpha": "krippendorff_alpha",
    "ac1": "ac1",
}
"""The measures that [stages.agreement] may name, and the beginnings of their names in reports of agreement."""

LATER = "Leave it out until it is."
MOST_DAYS = 365


def _faults_of_control(stage: StageBase, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield a fault for everything that is wrong with a stage's control items."""
    control = stage.control
    if control is None:
        return
    if not isinstance(stage, GradeStage):
        yield path, f"Not yet known: [stages.control] of a stage of {stage.work}. {LATER}"
        return
    if not control.answers.strip():
        yield path, "No answers are known here: name the file that holds them, a JSON object a line."
    wrong = [each for each in known_answers(stage) if isinstance(each, str)]
    more = f" ({counted(len(wrong) - 1, 'further line')} can't be read, either.)" if len(wrong) > 1 else ""
    if wrong:
        yield (*path, "answers"), f"{wrong[0]}{more}"


def _faults_of_practice(stage: StageBase, practice: Practice, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield a fault for everything that is wrong with a stage's practice items."""
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
            f"items is {practice.items}, but only {counted(len(found), 'answer is', 'answers are')} known: add "
            "some, or ask for fewer."
        )
        yield (*path, "items"), message


def faults_of_work(design: Design) -> Iterator[tuple[Path, str]]:
    """Yield (path, message) for each fault in what stages say about handing out and checking work.

    Faults are unknown measures of agreement, known answers that can't be used, numbers out of bounds, and members that
    conflict.
    """
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
    yield from _faults_of_hand_out(design)


def _faults_of_hand_out(design: Design) -> Iterator[tuple[Path, str]]:
    """Yield a fault for each stage that wants work handed out in a way that its kind of work does not have, or that
    conflicts with another stage.
    """
    days, orders = None, dict[str, str]()
    for place, stage in enumerate(design.stages):
        handed, path = stage.hand_out or HandOut(), ("stages", place, "hand_out")
        if not isinstance(stage, GradeStage):
            for name in ("order", "most"):
                if name in handed.model_fields_set:
                    yield (*path, name), f"Not yet known: {name} in a stage of {stage.work}. {LATER}"
        else:
            kind = item_kind(design, stage)
            other = orders.setdefault(kind, handed.order)
            if handed.order == POOL and kind == RESPONSE:
                message = "A run has one response to a topic, so nothing ranks them: say random or likeness."
                yield (*path, "order"), message
            elif POOL in (handed.order, other) and handed.order != other:
                message = (
                    f"A stage before this judges the same items in the order {other}: use pool for both or for neither."
                )
                yield (*path, "order"), message
        if handed.days is not None and handed.days > MOST_DAYS:
            yield (*path, "days"), f"days is at most {MOST_DAYS}, not {handed.days}."
        elif handed.days is not None and days is not None and handed.days != days:
            yield (*path, "days"), f"Another stage says {days} days: they are the same for all work of a campaign."
        days = handed.days or days
