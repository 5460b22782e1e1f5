"""Figures of benchmarks: what is measured against what, which value is asked for, and the values of one run.

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
    """One thing that a benchmark measures, mostly as a ratio against something else in the same run.

    If ``against`` is "", the value is not a ratio, and ``unit`` is its unit, such as "s" or "MB". ``asked`` is the
    largest value that is good enough, or the smallest if ``is_more_better``. It is None if there is no aim.
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
        """Return the figure with the values of the rounds of one run. ``size`` and ``of`` say of how many lines, pages
        or the like.

        ``took`` is what Assay alone took, from which its growth with the size is drawn; ``note`` is a text for the
        page. Raises ValueError if there is no value.
        """
        if not values:
            raise ValueError(f"{self.name}: no round was measured")
        return Measured(
            figure=self, values=tuple(values), size=size, of=of, took=tuple(took), took_unit=took_unit, note=note
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """A figure with the values of one run, one for each round."""

    figure: Figure
    values: tuple[float, ...]
    size: int = 0
    of: str = ""
    took: tuple[float, ...] = ()
    took_unit: str = "s"
    note: str = ""

    @property
    def minimum(self) -> float:
        """Return the smallest value of the rounds."""
        return min(self.values)

    @property
    def median(self) -> float:
        """Return the median of the rounds, which decides whether the aim is met."""
        return statistics.median(self.values)

    @property
    def is_met(self) -> bool | None:
        """Return whether the median is as good as asked, or None if there is no aim."""
        if self.figure.asked is None:
            return None
        return self.median >= self.figure.asked if self.figure.is_more_better else self.median <= self.figure.asked


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """Return the ratio of ours to theirs for each round. Raises ValueError if the numbers of rounds differ.

    >>> ratios([3.0, 4.0], [1.5, 4.0])
    [2.0, 1.0]
    """
    return [our / their for our, their in zip(ours, theirs, strict=True)]


def taken(figures: Mapping[str, Figure], seconds: Sequence[tuple[str, int, str, float]]) -> list[Measured]:
    """Return the figures of timed steps, each given as (name, how many, of what, seconds). Steps without a figure of
    their name are left out.
    """
    return [
        figures[what].measured([each], size=count, of=unit, took=[each])
        for what, count, unit, each in seconds
        if what in figures
    ]


def pass_on(command: Sequence[str]) -> list[str]:
    """Run a command, print its output, and return the tab-separated fields of its last line. Raises
    CalledProcessError if the command fails.
    """
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="", flush=True)
    return done.stdout.strip().splitlines()[-1].split("\t")


def amount(field: str) -> float:
    """Return the number at the beginning of a printed field.

    >>> amount("1,250.5 s")
    1250.5
    """
    return float(field.split()[0].replace(",", ""))


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--json FILE`` to a benchmark's parser."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="writes the figures there, too, for `make bench`")


def write(path: Path | None, measured: Sequence[Measured]) -> None:
    """Write the figures as JSON to a file. Do nothing if ``path`` is None."""
    if path is not None:
        path.write_text(json.dumps([asdict(each) for each in measured], indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> list[Measured]:
    """Return the figures that `write` wrote to a file."""
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
