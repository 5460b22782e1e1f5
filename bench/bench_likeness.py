"""Measure how often the nuggets that people found in a string are among the first three that Assay offers for it.

    .venv/bin/python -m bench.bench_likeness --data FOLDER --year 2013 [--most 250] [--seed 1] [--json FILE]

FOLDER holds YEAR-nuggets.tsv.gz, YEAR-updates.tsv.gz and YEAR-matches.tsv.gz of TREC Temporal Summarization. Each has a
header (query_id, nugget_id, nugget_text; query_id, update_id, update_text; query_id, update_id, nugget_id, auto_p);
further columns are ignored. Automatic matches (auto_p 1) are left out. For each topic, at most --most of the strings
with a match are taken, in an order drawn by --seed. The site's own module (`nuggets.matches.likely`) orders all nuggets
for each string in turn, and learns how the earlier strings were matched. The figures are printed for each topic, for
all topics, and for all topics from the eleventh string on:

    raw@3        share of the matches whose nugget is among the first three
    filtered@3   the same after the string's other matched nuggets are removed from the order
    any@3        share of the strings with a matched nugget among the first three
"""

from __future__ import annotations

import argparse
import gzip
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.figures import Figure, add_json_option, write
from nuggets.matches.likely import LikelyNuggets

FIRST = 3
LATER = 10
FILTERED = Figure(name="filtered", what="matches among the first three nuggets offered", asked=0.76, unit="")
ANY = Figure(name="any", what="strings with a true nugget among the first three", asked=0.84, unit="")
FIGURES = (FILTERED, ANY)


@dataclass(kw_only=True, slots=True)
class Topic:
    """A topic's nuggets by id in the list's order, its strings by id, and string's id -> ids of the nuggets that people
    found in it.
    """

    nuggets: dict[str, str] = field(default_factory=dict)
    strings: dict[str, str] = field(default_factory=dict)
    matches: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def turns(self, *, most: int, seed: int) -> list[tuple[str, set[str]]]:
        """Return (text, ids of matched nuggets) for at most ``most`` strings, in the order in which they are judged."""
        found = [(self.strings[key], true) for key, true in sorted(self.matches.items()) if key in self.strings]
        random.Random(seed).shuffle(found)
        return found[:most]


@dataclass(kw_only=True, slots=True)
class Counts:
    """The number of strings and matches so far, and how many of them count for each measure."""

    strings: int = 0
    matches: int = 0
    raw: int = 0
    filtered: int = 0
    any: int = 0

    def add(self, ranks: Sequence[int]) -> None:
        """Count one string. ``ranks`` are the places of its matched nuggets in the order, from 0, ascending."""
        among = sum(rank < FIRST for rank in ranks)
        self.strings += 1
        self.matches += len(ranks)
        self.raw += among
        self.any += among > 0
        self.filtered += sum(rank - better < FIRST for better, rank in enumerate(ranks))

    def line(self, name: str) -> str:
        """Return the line that is printed for these counts, which has at least one string. ``name`` comes first."""
        shares = (self.raw / self.matches, self.filtered / self.matches, self.any / self.strings)
        raw, filtered, some = (f"{share:.3f}" for share in shares)
        return f"{name}\t{self.strings}\t{self.matches}\t{raw}\t{filtered}\t{some}"


def main() -> None:
    """Read the data, order the nuggets for each string, and print and write the figures."""
    options = _options()
    every, later = Counts(), Counts()
    print("topic\tstrings\tmatches\traw@3\tfiltered@3\tany@3")
    for name, topic in read_topics(options.data, options.year).items():
        own = Counts()
        for place, ranks in enumerate(ranks_of(topic, most=options.most, seed=options.seed)):
            for counts in (own, every, *([later] if place >= LATER else [])):
                counts.add(ranks)
        if own.strings:
            print(own.line(name), flush=True)
    if not every.strings:
        raise SystemExit(f"No string of {options.year} is matched with a nugget of its topic.")
    print(every.line("all"))
    if later.strings:
        print(later.line(f"from string {LATER + 1} on"))
    shares = (every.filtered / every.matches, every.any / every.strings)
    of = f"strings of {options.year}"
    write(
        options.json,
        [figure.measured([share], size=every.strings, of=of) for figure, share in zip(FIGURES, shares, strict=True)],
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the files")
    parser.add_argument("--year", required=True, help="what the files' names begin with")
    parser.add_argument("--most", type=int, default=250, help="strings of a topic")
    parser.add_argument("--seed", type=int, default=1, help="of the order in which strings are judged")
    add_json_option(parser)
    return parser.parse_args()


def ranks_of(topic: Topic, *, most: int, seed: int) -> Iterator[list[int]]:
    """Yield, for each string, the places of its matched nuggets in the order that is offered, from 0, ascending."""
    turns = topic.turns(most=most, seed=seed)
    numbers = {key: number for number, key in enumerate(topic.nuggets, start=1)}
    likely = LikelyNuggets({numbers[key]: text for key, text in topic.nuggets.items()}, [text for text, _ in turns])
    for text, keys in turns:
        true = {numbers[key] for key in keys}
        yield [rank for rank, number in enumerate(likely.order(text)) if number in true]
        likely.learn(text, true)


def read_topics(folder: Path, year: str) -> dict[str, Topic]:
    """Return the topics of a year by id. A match of a nugget that is not on the list of its topic is left out."""
    topics: dict[str, Topic] = defaultdict(Topic)
    for row in _rows(folder / f"{year}-nuggets.tsv.gz"):
        topics[row["query_id"]].nuggets[row["nugget_id"]] = row["nugget_text"]
    for row in _rows(folder / f"{year}-updates.tsv.gz"):
        topics[row["query_id"]].strings[row["update_id"]] = row["update_text"]
    for row in _rows(folder / f"{year}-matches.tsv.gz"):
        if row["auto_p"] != "1" and row["nugget_id"] in topics[row["query_id"]].nuggets:
            topics[row["query_id"]].matches[row["update_id"]].add(row["nugget_id"])
    return dict(topics)


def _rows(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a table. The last column may contain tabs, and the header may be separated by blanks."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        names = file.readline().split()
        for line in file:
            yield dict(zip(names, line.rstrip("\r\n").split("\t", len(names) - 1), strict=False))


if __name__ == "__main__":
    main()
