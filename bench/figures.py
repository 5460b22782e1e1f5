"""Figures as data: what a benchmark measures against what, what is asked of it, and what one run gave.

A benchmark declares its figures as a tuple FIGURES, takes ``--json FILE``, and ends with `write`:

    CHECK = Figure(name="check", what="checking a run", against="`pandas.read_csv` of the same file", asked=3.0)
    FIGURES = (CHECK,)
    …
    add_json_option(parser)
    …
    write(options.json, [CHECK.measured(ratios(ours, theirs), size=lines, of="lines", took=ours)])

`make bench` collects the files (`bench/__main__.py`), and the page is made of them alone (`bench/performance_page.py`).
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One thing that a benchmark measures, as a ratio against something else in the same run.

    ``against`` is "" for what stands alone, as seconds or megabytes do; ``unit`` is then theirs. ``asked`` is the
    largest value that is good enough, or the smallest where ``is_more_better``; None where no aim was set.
    """

    name: str
    what: str
    against: str = ""
    asked: float | None = None
    unit: str = "×"
    is_more_better: bool = False

    def measured(
        self,
        values: Sequence[float],
        *,
        size: int = 0,
        of: str = "",
        took: Sequence[float] = (),
        took_unit: str = "s",
        note: str = "",
    ) -> Measured:
        """What the rounds of one run gave, of so many lines, pages or the like.

        ``took`` is what ours took by itself, of which growth with the size is drawn; ``note`` says more for the page.
        """
        if not values:
            raise ValueError(f"{self.name}: no round was measured")
        return Measured(
            figure=self, values=tuple(values), size=size, of=of, took=tuple(took), took_unit=took_unit, note=note
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """A figure as one run gave it: a value a round."""

    figure: Figure
    values: tuple[float, ...]
    size: int = 0
    of: str = ""
    took: tuple[float, ...] = ()
    took_unit: str = "s"
    note: str = ""

    @property
    def minimum(self) -> float:
        """The smallest value of the rounds."""
        return min(self.values)

    @property
    def median(self) -> float:
        """The value that decides."""
        return statistics.median(self.values)

    @property
    def is_met(self) -> bool | None:
        """Whether the median is what was asked; None where nothing was."""
        if self.figure.asked is None:
            return None
        return self.median >= self.figure.asked if self.figure.is_more_better else self.median <= self.figure.asked


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """Ours to theirs, round by round.

    >>> ratios([3.0, 4.0], [1.5, 4.0])
    [2.0, 1.0]
    """
    return [our / their for our, their in zip(ours, theirs, strict=True)]


def taken(figures: Mapping[str, Figure], seconds: Sequence[tuple[str, int, str, float]]) -> list[Measured]:
    """Of steps that were timed, by what, how many of what, and seconds: those that have a figure by this name."""
    return [
        figures[what].measured([each], size=count, of=unit, took=[each])
        for what, count, unit, each in seconds
        if what in figures
    ]


def pass_on(command: Sequence[str]) -> list[str]:
    """Take one figure by a process of its own, which prints a line: print that, too, and give its fields."""
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="", flush=True)
    return done.stdout.strip().splitlines()[-1].split("\t")


def amount(field: str) -> float:
    """The number at the beginning of a printed field.

    >>> amount("1,250.5 s")
    1250.5
    """
    return float(field.split()[0].replace(",", ""))


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Let the benchmark take ``--json FILE``."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="writes the figures there, too, for `make bench`")


def write(path: Path | None, measured: Sequence[Measured]) -> None:
    """Write what was measured as JSON; nothing where no file is named."""
    if path is not None:
        path.write_text(json.dumps([asdict(each) for each in measured], indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> list[Measured]:
    """What `write` wrote."""
    return [
        Measured(
            **{
                **each,
                "figure": Figure(**each["figure"]),
                "values": tuple(each["values"]),
                "took": tuple(each["took"]),
            }
        )
        for each in json.loads(path.read_text(encoding="utf-8"))
    ]
