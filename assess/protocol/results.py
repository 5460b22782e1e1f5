"""The results of a track: exported files, measures, scores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, BinaryIO

from assess.base.track_settings import TrackSettings
from assess.protocol.records import TopicRecord
from scoring.formats.judgments_jsonl import read_judgments, write_judgments
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
"""The collectors whose records are what runs returned."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Export:
    """An exported file.

    ``collect`` is the key of a collector, a function ``(snapshot, **options) -> Iterable[record]`` of a kind of work or
    of `assess.exports.writing`. ``write`` turns those records into lines (without line ends). ``read`` reads them back
    with issues. Writers are deterministic: sorted, and without times.

    ``split`` splits the lines of the file into files of single topics, as (topic number, line), topic after topic.
    These are called ``single`` with the number for {} ("author.{}"), and are written beside the file itself.

    ``settings`` names settings of the track that ``write`` also takes, as keywords with defaults.
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
        """Return the lines of the file in a campaign with these settings, without line ends."""
        return self.write(records, **{name: getattr(settings, name) for name in self.settings})

    @property
    def is_of_runs(self) -> bool:
        """Whether the file is made from what runs returned, so that it can't be made if the file of a run is
        missing.
        """
        return self.collect in OF_RUNS

    @property
    def singles(self) -> str:
        """The names of the files of single topics, for people: "author.<n>"; "" if there are none."""
        return self.single.format("<n>") if self.split is not None else ""


RECORDED_JUDGMENTS = Export(
    name="judgments.jsonl",
    label="Everything that assessors said, to be replayed",
    collect="everything",
    write=write_judgments,
    read=read_judgments,
)
"""The export that every track has: from it, a campaign can be replayed elsewhere."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasureColumn:
    """How a measure is shown, the official one first. ``group`` is the heading of its group of columns."""

    key: str
    label: str
    help: str
    official: bool = False
    group: str = ""
    ranks: bool = True  # whether it ranks runs, the highest value best (a length ranks nothing)


@dataclass(frozen=True, kw_only=True, slots=True)
class ByTopic:
    """How a run's scores are computed from those of its topics, so that topics can be scored and explained one by one.

    ``topics(gold, content, settings, only)`` returns the values of topics (those with the numbers ``only``; None: all).
    ``over(gold, values, settings)`` returns all other values, each computed from these, with those over all topics as
    the last group. ``score`` gives both, in this order. If ``values`` already has the values of a group that is the
    parent of its topics, ``over`` leaves this group out, since it has not changed. The gold's collectors support
    `Snapshot.topics`, and gold without grades is enough for ``over`` if ``is_used(settings)``.
    """

    topics: Callable[[Any, Any, Any, Collection[str] | None], Nodes]
    over: Callable[[Any, Values, Any], Sequence[Nodes]]
    is_used: Callable[[Any], bool] = lambda settings: True


def by_question(nodes: Callable[[Any, str, Any, Any], Sequence[Nodes]], over: Callable[[Values], Nodes]) -> ByTopic:
    """Return how to score by topic if a topic's values follow from its own judgments, and nothing but values over all
    topics follows from these.

    ``nodes(gold, run, content, settings)`` returns all values of a run, those of topics first. ``over(values)`` returns
    those over all topics.
    """

    def topics(gold: Any, content: Any, settings: Any, only: Collection[str] | None) -> Nodes:
        found = nodes(gold, content.run, content, settings)[0]
        return {topic: of_topic for topic, of_topic in found.items() if only is None or topic in only}

    return ByTopic(topics=topics, over=lambda gold, values, settings: [over(values)])


@dataclass(frozen=True, kw_only=True, slots=True)
class Scoring:
    """How a track's exported files and run files are turned into scores.

    ``load(files, settings, report)`` reads gold files (path by name) into the track's own gold value, and passes issues
    to ``report``. ``build(records, settings, report)`` makes the same value from the records of the exports in
    ``gold_files`` (records by export name). ``score(gold, run, content, settings)`` returns all values of one run:
    topics first, then groups, then "all". ``explain(gold, run, content, settings)`` reads the run once and returns a
    function that explains any of them by topic and measure. The site and `python -m tracks score` both call these with
    the same records.

    ``runs(gold)`` names runs that the gold alone can score, without their files (then ``content`` is None). ``explore``
    names settings that can be tried on the pages of analysis and stability: numbers, booleans, words. ``topics(gold)``
    returns the topics with which runs are checked if no file of topics is given, provided that the gold has them.
    ``gold_name(name, path)`` returns the name under which ``load`` knows a gold file: the file's own name or, if
    ``load`` does not know that, a name that follows from the file's content; "" if neither is known. ``by_topic`` means
    that the values of a topic follow from its own judgments (`ByTopic`). ``doubts(gold, content, run)`` are warnings
    that the values of a run may be meaningless. ``chance`` draws the value of a topic as if it had been judged at
    random: a control for rankings of runs.
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
    gold_name: Callable[[str, Path], str] | None = None
    doubts: Callable[[Any, Any, str], Iterable[Issue]] | None = None  # gold, `RunContent`, the run's name
