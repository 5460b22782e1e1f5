"""Store the rankings of runs in one compact file, which planning and building both read topic by topic.

    {"docnos": ["d7", "d1", …], "runs": {"0": [0, 1, …], "3": […]}}             a line a topic; runs by place below
    {"depth": 1000, "runs": ["tag", …], "topics": {"1": [offset, bytes], …}}    the index
    00000000000000004711                                                        where the index begins

The same runs give the same bytes. The file is stored among the site's files under its SHA-256, and removed once other
rankings were gathered so often that it is forgotten; those from which a pool draws on by what is judged are kept.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.utils.translation import gettext_noop as noop

from assess.base.files import open_file, store_file, stored_path
from assess.campaigns.models import Campaign
from assess.campaigns.queries import settings_of, track_of
from assess.jobs.kept_files import keep_file, open_kept
from assess.jobs.progress import JobProgress, ReportProgress, no_report
from assess.protocol import CheckContext, Ranking
from assess.runs.domain.checking import run_content
from assess.runs.models import Run
from assess.topics.queries import topic_records
from scoring.formats.pool_tables import topic_order
from scoring.pooling import first_docnos
from scoring.pooling.ranks import TopDocnos
from scoring.records import Issue

FOOT = 21  # bytes of the last line
MOST_BYTES = 1 << 36
VERSION = 1
REMEMBERED = ".rankings"
MOST_REMEMBERED = 60
"""How many gathered rankings a site remembers, and so keeps: those that were used last."""

TopicRankings = dict[str, list[str]]
"""The docnos by run tag, best first."""


@dataclass(frozen=True, slots=True)
class StoredRankings:
    """Gathered rankings: the file's SHA-256, the depth, the runs' tags, and the place of each topic in the file."""

    sha256: str
    depth: int
    runs: tuple[str, ...]
    places: Mapping[str, tuple[int, int]]

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics for which any run ranks something, in order."""
        return tuple(self.places)

    def of(self, topic: str) -> TopicRankings:
        """Return the rankings of a topic by run, reading only that topic; empty if no run ranks anything for it.

        Raises `NotFound` if the file is gone.
        """
        with open_file(self.sha256) as file:
            return self._read(file, topic)

    def each(self, most: int | None = None, topics: Iterable[str] | None = None) -> Iterator[tuple[str, TopicRankings]]:
        """Yield (topic, its rankings) for all topics, or for ``topics`` in their order; one topic is in memory at a
        time.

        With ``most``, only so many docnos of each run are given.
        """
        with open_file(self.sha256) as file:
            for topic in self.places if topics is None else topics:
                yield topic, self._read(file, topic, most)

    def _read(self, file: IO[bytes], topic: str, most: int | None = None) -> TopicRankings:
        if topic not in self.places:
            return {}
        offset, size = self.places[topic]
        file.seek(offset)
        found = json.loads(file.read(size))
        docnos = found["docnos"]
        return {
            self.runs[int(run)]: [docnos[place] for place in places[:most]] for run, places in found["runs"].items()
        }


def gathered_rankings(campaign: Campaign, kind: str, runs: Sequence[Run], depth: int) -> StoredRankings | None:
    """Return the rankings of these runs if they were gathered before, or None."""
    try:
        with open_kept(_remembered(_key(campaign, kind, ranking_runs(campaign, kind, runs), depth))) as file:
            sha256 = file.read().decode().strip()
    except FileNotFoundError:
        return None
    return open_rankings(sha256) if stored_path(sha256).is_file() else None


def gathered_files() -> set[str]:
    """Return the sha256 of the gathered rankings that are remembered, and so are still needed."""
    return {path.read_text().strip() for path in _remembered("").parent.glob(f"*{REMEMBERED}")}


def gather_rankings(
    campaign: Campaign,
    kind: str,
    runs: Sequence[Run],
    depth: int,
    *,
    progress: ReportProgress = no_report,
) -> StoredRankings:
    """Return the first ``depth`` documents of every run and topic, reading the runs' files only if nobody did before.

    What was read is stored in one file for all later calls. Files are read one after the other. At most one run's first
    documents, or one topic of all runs, are in memory. Runs that rank nothing of this kind are left out. ``progress``
    may stop it by raising; then nothing is stored.
    """
    if (before := gathered_rankings(campaign, kind, runs, depth)) is not None:
        return before
    context = CheckContext(topics=topic_records(campaign), settings=settings_of(campaign))
    places: dict[str, dict[int, tuple[int, int]]] = {}
    tags: list[str] = []
    ranking_of = {each.key: each.ranking(kind) for each in track_of(campaign).submissions}
    ranked = ranking_runs(campaign, kind, runs)
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=settings.DATA_DIR) as spill:
        for done, run in enumerate(ranked):
            progress(
                JobProgress(
                    done=done, total=len(ranked), unit="runs", note=noop("reading %(name)s"), values={"name": run.tag}
                )
            )
            ranking = ranking_of[run.submission]
            if ranking is None:
                continue
            for topic, docnos in run_rankings(campaign, run, ranking, context, depth).items():
                line = json.dumps(docnos).encode()
                places.setdefault(topic, {})[len(tags)] = (spill.tell(), len(line))
                spill.write(line)
            tags.append(run.tag)
        sha256 = _write(spill, places, tags, depth, progress)
    path = _remembered(_key(campaign, kind, ranked, depth))
    keep_file(path, lambda file: file.write(f"{sha256}\n".encode()), most=MOST_REMEMBERED)
    progress(JobProgress(done=len(ranked), total=len(ranked), unit="runs", note=noop("all read")))
    return open_rankings(sha256)


def ranking_runs(campaign: Campaign, kind: str, runs: Iterable[Run]) -> list[Run]:
    """Return, by tag, the runs whose kind of file ranks items of this kind."""
    keys = {each.key for each in track_of(campaign).submissions if each.ranking(kind) is not None}
    return sorted((run for run in runs if run.submission in keys), key=lambda run: run.tag)


def open_rankings(sha256: str) -> StoredRankings:
    """Return the gathered rankings in the stored file with this SHA-256, reading only the file's index.

    Raises `NotFound` if the file is gone.
    """
    with open_file(sha256) as file:
        file.seek(-FOOT, 2)
        file.seek(int(file.read(FOOT)))
        index = json.loads(file.readline())
    places = {topic: (offset, size) for topic, (offset, size) in index["topics"].items()}
    return StoredRankings(sha256, index["depth"], tuple(index["runs"]), places)


def run_rankings(
    campaign: Campaign, run: Run, ranking: Ranking, context: CheckContext, depth: int
) -> dict[str, tuple[str, ...]]:
    """Return the first ``depth`` docnos of a run by topic, in trec_eval's order. At most twice as many are in
    memory.
    """
    content = run_content(campaign, run, context)
    if ranking.blocks is not None:
        top = TopDocnos(depth)
        with content.open() as file:
            for block in ranking.blocks(file):
                if isinstance(block, Issue):
                    break
                top.add(*block[1:])
            else:
                return top.rankings()
    return first_docnos(content.ranking(ranking.kind), depth)


def _write(
    spill: IO[bytes],
    places: Mapping[str, Mapping[int, tuple[int, int]]],
    tags: list[str],
    depth: int,
    progress: ReportProgress,
) -> str:
    with tempfile.TemporaryFile(dir=settings.DATA_DIR) as file:
        index: dict[str, Any] = {"depth": depth, "runs": tags, "topics": {}}
        for done, topic in enumerate(sorted(places, key=topic_order)):
            progress(JobProgress(done=done, total=len(places), unit="topics", note=noop("putting the runs together")))
            docnos: dict[str, int] = {}
            runs: dict[str, list[int]] = {}
            for run, (offset, size) in sorted(places[topic].items()):
                spill.seek(offset)
                runs[str(run)] = [docnos.setdefault(docno, len(docnos)) for docno in json.loads(spill.read(size))]
            line = json.dumps({"docnos": list(docnos), "runs": runs}, separators=(",", ":")).encode() + b"\n"
            index["topics"][topic] = [file.tell(), len(line)]
            file.write(line)
        foot = f"\n{file.tell():0{FOOT - 1}d}".encode()
        file.write(json.dumps(index, separators=(",", ":")).encode() + foot)
        file.seek(0)
        return store_file(file, MOST_BYTES, may_be_dropped=True).sha256


def _key(campaign: Campaign, kind: str, runs: Sequence[Run], depth: int) -> str:
    """Return the cache key of gathered rankings. It includes settings and topics, since reading a run's file may depend
    on them.
    """
    told = (
        VERSION, campaign.track, kind, depth, sorted((run.tag, run.file) for run in runs),
        sorted((name, str(value)) for name, value in settings_of(campaign).as_mapping().items()),
        [(record.number, record.task, dict(record.fields)) for record in topic_records(campaign)],
    )  # fmt: skip
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _remembered(key: str) -> Path:
    return Path(settings.DATA_DIR) / "pools" / f"{key}{REMEMBERED}"
