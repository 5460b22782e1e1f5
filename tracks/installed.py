"""What other packages add by entry points: evaluations, measures and, for designs, kinds of work and forms of runs.

    [project.entry-points."assay.tracks"]
    letters = "my_evaluation:DESIGN"              # a Track, or the path of a design file in the package

    [project.entry-points."assay.measures"]
    first-three = "my_evaluation:first_three"     # what [scores] measures names in a design

A measure is a function of the gains of what a run returned for a topic, in order (None for unjudged ones), and of all
judged gains of the topic. It returns a number, or None if the value is undefined. The first paragraph of its
docstring is its label.

    [project.entry-points."assay.work"]
    ticks = "my_evaluation:Ticking"               # a record of options (`assess.protocol.Work`), called by its key

    [project.entry-points."assay.runs"]
    pages = "my_evaluation:PAGES"                 # a `tracks.designs.run_forms.FormOfRuns`, called by its form

In a design, `work` in [[stages]] names the first and `form` in [runs] the second.

A package that can't be used ends the program with its name, since its campaigns would be without their evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assess.protocol import Track, Work
from scoring.measures import MEASURES

if TYPE_CHECKING:
    from tracks.designs.run_forms import FormOfRuns

TRACKS, OF_MEASURES, OF_WORK, OF_RUNS = "assay.tracks", "assay.measures", "assay.work", "assay.runs"

Value = Callable[[Sequence[float | None], Sequence[float]], float | None]
"""A function of the returned gains, in order, and of all judged gains, which returns the value."""


class BadPackage(ValueError):
    """Raised when something that another package installs can't be used. The message names the package and says why."""

    def __init__(self, point: EntryPoint, why: str) -> None:
        package = point.dist.name if point.dist is not None else point.value
        super().__init__(f"The package {package} brings “{point.name}” ({point.group}), which can't be used: {why}")


def _loaded(point: EntryPoint) -> Any:
    """Return what an entry point names. Raises BadPackage if its module can't be imported or has no such name."""
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise BadPackage(point, f"{error}") from error


def installed_tracks(known: Iterable[Track]) -> tuple[Track, ...]:
    """Return the tracks that other packages install, in the order of their names. Raises BadPackage if one is neither a
    track nor a design without faults, or if it has the key of another track.
    """
    found = list(known)
    before = len(found)
    for point in sorted(entry_points(group=TRACKS), key=lambda each: each.name):
        track = _track(point)
        if track.key in {each.key for each in found}:
            raise BadPackage(point, f"There is another track with the key {track.key}.")
        found.append(track)
    return tuple(found[before:])


def _track(point: EntryPoint) -> Track:
    from tracks.designs.reading import BadDesign, track_of_text

    brought = _loaded(point)
    if isinstance(brought, Track):
        return brought
    if not isinstance(brought, str | Path):
        raise BadPackage(point, "It is neither a Track nor the path of a design.")
    path = Path(brought)
    try:
        return track_of_text(path.read_text(encoding="utf-8"), folder=path.parent)
    except (OSError, UnicodeDecodeError, BadDesign) as error:
        raise BadPackage(point, f"{error}") from error


@cache
def installed_measures() -> dict[str, Value]:
    """Return name -> measure for the measures that other packages install. Raises BadPackage if one is no function, or
    if it has the name of another measure.
    """
    found: dict[str, Value] = {}
    for point in entry_points(group=OF_MEASURES):
        if point.name in found or point.name in {each.name for each in MEASURES}:
            raise BadPackage(point, "There is another measure with this name.")
        brought = _loaded(point)
        if not callable(brought):
            raise BadPackage(point, "It is no function.")
        found[point.name] = brought
    return found


@cache
def installed_works() -> dict[str, type[Work]]:
    """Return key -> record of options, for the kinds of work that other packages install. Raises BadPackage if one is
    no such record, or if it is installed under another name than its key.
    """
    found: dict[str, type[Work]] = {}
    for point in entry_points(group=OF_WORK):
        brought = _loaded(point)
        if not (isinstance(brought, type) and issubclass(brought, Work)):
            raise BadPackage(point, "It is no record of options: a dataclass over assess.protocol.Work.")
        if brought.key != point.name:
            raise BadPackage(point, f"Its key is “{brought.key}”: call both alike.")
        found[point.name] = brought
    return found


@cache
def installed_forms() -> dict[str, FormOfRuns]:
    """Return name -> form, for the forms of runs that other packages install. Raises BadPackage if one is no such form,
    or if it is installed under another name than its own.
    """
    from tracks.designs.run_forms import FormOfRuns

    found: dict[str, FormOfRuns] = {}
    for point in entry_points(group=OF_RUNS):
        brought = _loaded(point)
        if not isinstance(brought, FormOfRuns):
            raise BadPackage(point, "It is no tracks.designs.run_forms.FormOfRuns.")
        if brought.form != point.name:
            raise BadPackage(point, f"Its form is called “{brought.form}”: call both alike.")
        found[point.name] = brought
    return found
