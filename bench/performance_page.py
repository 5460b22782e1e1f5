"""Write the page of figures for `make bench`, from the measured figures and from the causes written by hand."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bench.figures import Measured
from bench.growth_plot import draw_growth
from bench.plan import ABOUT, Planned

CAUSES = Path(__file__).parent / "causes.toml"
INTRODUCTION = """\
# Performance

Written by `{command}`. Every figure was measured on this machine, against what stands beside it, in the same run. A
ratio is ours to theirs; what was asked is asked of the median; each row ends with the day and the code it was taken of.
How each is measured: [benchmarks](developers.md#benchmarks)."""
GROWTH = """\
## How it grows

What ours took at 1 ×, 10 × and 100 × the size, both axes logarithmic. The thin line would be in proportion to the size.

![What each figure took at its sizes](pictures/growth.svg)"""
Benchmarks = Sequence[tuple[Planned, Sequence[Measured]]]


def write_page(
    path: Path,
    *,
    measured: Benchmarks,
    problems: Sequence[tuple[str, str]],
    machine: Sequence[tuple[str, str]],
    taken: Mapping[str, str],
    load: float,
    size: str,
) -> None:
    """Write the page and, in pictures/ beside it, the plot of how the measured times grow with the size.

    ``taken`` maps each benchmark's name to the day and the commit of its last run. ``problems`` are (call, what
    happened) for the calls that failed, and ``load`` is the highest load of the machine when a benchmark began.
    """
    growing = [
        (each.figure.what, sizes)
        for _, of in measured
        for each, sizes in _by_size(of)
        if len(sizes) > 1 and all(one.took for one in sizes)
    ]
    if growing:
        picture = path.parent / "pictures" / "growth.svg"
        picture.parent.mkdir(exist_ok=True)
        picture.write_bytes(draw_growth(growing))
    command = "make bench" if size == "full" else f"make bench SIZE={size}"
    began = ("load when a benchmark began", f"{load:.1f} at most")
    lines = [
        *INTRODUCTION.format(command=command).splitlines(),
        "",
        *_table(("", ""), [*machine, began]),
        "",
        *_figures(measured, taken),
        *_shortfalls(measured, read_causes()),
        *_problems(problems),
    ]
    if growing:
        lines += [*GROWTH.splitlines(), ""]
    path.write_text("\n".join(lines), encoding="utf-8")


def read_causes() -> dict[str, str]:
    """Return "benchmark.figure" -> why this figure falls short."""
    found = tomllib.loads(CAUSES.read_text(encoding="utf-8"))
    return {f"{benchmark}.{name}": cause for benchmark, causes in found.items() for name, cause in causes.items()}


def _figures(measured: Benchmarks, taken: Mapping[str, str]) -> list[str]:
    lines = []
    for heading in dict.fromkeys(planned.heading for planned, _ in measured):
        found = [(taken.get(planned.name, ""), of) for planned, of in measured if planned.heading == heading]
        rows = [(*_row(sizes[-1]), day) for day, of in found for _, sizes in _by_size(of)]
        if rows:
            head = ("what", "against", "size", "asked", "minimum", "median", "", "in this run", "taken")
            about = [ABOUT[heading], ""] if heading in ABOUT else []
            lines += [f"## {heading}", "", *about, *_table(head, rows), ""]
    return lines


def _row(each: Measured) -> tuple[str, ...]:
    met = {None: "", True: "reached", False: "**falls short**"}[each.is_met]
    unit = each.figure.unit
    return (
        *(each.figure.what, each.figure.against, _size(each), _asked(each)),
        *(f"{number(each.minimum)} {unit}", f"{number(each.median)} {unit}", met, each.note),
    )


def _size(each: Measured) -> str:
    return f"{each.size:,} {each.of}" if each.size else ""


def _asked(each: Measured) -> str:
    if each.figure.asked is None:
        return ""
    return f"{'≥' if each.figure.is_more_better else '≤'} {each.figure.asked:g} {each.figure.unit}"


def _shortfalls(measured: Benchmarks, causes: dict[str, str]) -> list[str]:
    rows = [
        (
            each.figure.what,
            each.figure.against,
            _size(each),
            _asked(each),
            f"{number(each.median)} {each.figure.unit}",
            cause,
        )
        for planned, of in measured
        for each in (sizes[-1] for _, sizes in _by_size(of))
        if each.is_met is False
        for cause in [causes.get(f"{planned.name}.{each.figure.name}", "not looked into yet")]
    ]
    if not rows:
        return []
    return ["## What falls short", "", *_table(("what", "against", "size", "asked", "median", "cause"), rows), ""]


def _problems(problems: Sequence[tuple[str, str]]) -> list[str]:
    if not problems:
        return []
    rows = [(f"`{call.strip()}`", problem.replace("|", "\\|")[:300]) for call, problem in problems]
    return ["## What could not be measured", "", *_table(("benchmark", "what happened"), rows), ""]


def _by_size(measured: Iterable[Measured]) -> list[tuple[Measured, list[Measured]]]:
    """Return (first of these, all of them by size) for each figure of a benchmark, which may be measured at several
    sizes.
    """
    found: dict[str, list[Measured]] = {}
    for each in measured:
        found.setdefault(each.figure.name, []).append(each)
    return [(sizes[0], sorted(sizes, key=lambda each: each.size)) for sizes in found.values()]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [_line(head), _line(["---"] * len(head)), *(_line(row) for row in rows)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def number(value: float) -> str:
    """Return a number as people read it, mostly with three significant digits.

    >>> [number(value) for value in (0.1234, 2.555, 31.24, 1250.4)]
    ['0.12', '2.56', '31.2', '1,250']
    """
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
