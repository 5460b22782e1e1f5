"""What comes out: exported files, measures, scores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, BinaryIO

from assess.base.track_settings import TrackSettings
from assess.protocol.records import TopicRecord
from scoring.records import Issue, Score
from scoring.release.explained import Explain, Nodes, Values

OF_RUNS = frozenset(
    {
        "returned",
        "run_grades",
        "run_pieces",
        "assigned",
        "list_judged",
        "other_judged",
        "judged_responses",
    }
)
"""The collectors that give what runs returned."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Export:
    """One exported file.

    ``collect`` is the key of a collector, a function ``(snapshot, **options) -> Iterable[record]`` that a kind of
    work brings, or `assess.exports.writing`. ``write`` turns those records into lines (without line
    ends). ``read`` reads them back with issues. Writers are deterministic: sorted, no clock.

    ``split`` takes the lines of the file apart into files of single topics, (topic number, line), topic after topic;
    these are called ``single`` with the number for {} ("author.{}"), and are written beside the file itself.

    ``settings`` names settings of the track that ``write`` takes, too, as keywords; it has defaults for them.
    """

    name: str
    label: str
    collect: str
    write: Callable[..., Iterator[str]]
    read: Callable[[BinaryIO], Iterator[Any]]
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    single: str = ""
    split: Callable[[Iterable[str]], Iterator[tuple[str, str]]] | None = None

    def lines(self, records: Iterable[Any], settings: TrackSettings) -> Iterator[str]:
        """The lines of the file in a campaign with these settings, without line ends."""
        return self.write(records, **{name: getattr(settings, name) for name in self.settings})

    @property
    def is_of_runs(self) -> bool:
        """Whether it is made of what runs returned, so that it can't be made where the file of one is absent."""
        return self.collect in OF_RUNS

    @property
    def singles(self) -> str:
        """What the files of single topics are called, for people: "author.<n>"; "" where there are none."""
        return self.single.format("<n>") if self.split is not None else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasureColumn:
    """How a measure is shown: the official one first. ``group`` is the heading under which columns stand together."""

    key: str
    label: str
    help: str
    official: bool = False
    group: str = ""
    ranks: bool = True  # whether runs are ranked by it, best value highest (a length ranks nothing)


@dataclass(frozen=True, kw_only=True, slots=True)
class ByTopic:
    """How the scores of a run are those of its topics, and what is made of these: then topics are scored and explained
    one by one.

    ``topics(gold, content, settings, only)`` are the values of topics (those with these numbers, None: all), and
    ``over(gold, values, settings)`` all others, each a function of these, with those over all topics as the last group;
    ``score`` gives both, in this order. A group that is the parent of its topics is left out by ``over`` where
    ``values`` has it: nothing of it changed. The collectors of the gold know `Snapshot.topics`, and gold without grades
    is enough for ``over`` where ``is_used(settings)``.
    """

    topics: Callable[[Any, Any, Any, Collection[str] | None], Nodes]
    over: Callable[[Any, Values, Any], Sequence[Nodes]]
    is_used: Callable[[Any], bool] = lambda settings: True


@dataclass(frozen=True, kw_only=True, slots=True)
class Scoring:
    """How a track's exported files and run files become scores.

    ``load(files, settings, report)`` reads gold files (name -> path) into the track's own gold value, handing
    issues to ``report``; ``build(records, settings, report)`` makes the same value of the records that the
    exports named in ``gold_files`` collect (export name -> records); ``score(gold, run, content, settings)``
    gives all values of one run, topics first, then groups, then "all"; ``explain(gold, run, content, settings)``
    reads the run once and shows any of them, asked for by topic and measure. The site and `python -m tracks score`
    both call these, on the same records. ``runs(gold)`` names runs that the gold alone can score, without their
    files (then ``content`` is None). ``explore`` names settings that can be tried out on the pages of analysis and
    stability: numbers, yes and no, words.
    ``topics(gold)`` are the topics that runs are checked by where no file of topics is given, where the gold has them.
    ``told(name, path)`` is the name under which ``load`` knows a gold file: its own, or, where that says nothing, one
    by its content; "" where nothing tells.
    ``by_topic`` says that the values of a topic follow from what was said of it alone (`ByTopic`).
    ``doubts(gold, content, run)`` are warnings that the values of a run may say nothing of it.
    ``chance`` draws the value of one topic as if whoever judged had thrown dice: a control for rankings of runs.
    """

    measures: tuple[MeasureColumn, ...]
    gold_files: tuple[str, ...]
    build: Callable[[Mapping[str, Iterable[Any]], Any, Callable[[Issue], None]], Any]
    load: Callable[[Mapping[str, Path], Any, Callable[[Issue], None]], Any]
    score: Callable[[Any, str, Any, Any], Iterable[Score]]  # gold, run tag, `RunContent`, settings
    explain: Callable[[Any, str, Any, Any], Explain]
    runs: Callable[[Any], Iterable[str]] | None = None
    explore: tuple[str, ...] = ()
    by_topic: ByTopic | None = None
    chance: Callable[[Random], float] | None = None
    topics: Callable[[Any], Iterable[TopicRecord]] | None = None
    told: Callable[[str, Path], str] | None = None
    doubts: Callable[[Any, Any, str], Iterable[Issue]] | None = None  # gold, `RunContent`, what the run is called
