"""`make bench`: what benchmarks measured comes onto the page, with what falls short, what failed and how it grows."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench import performance_page
from bench.__main__ import main
from bench.figures import Figure, read, write
from bench.performance_page import read_causes, write_page
from bench.plan import PLAN, Planned

SAVING = Figure(name="save", what="saving", against="a plain view", asked=0.7, is_more_better=True)
CHECKING = Figure(name="check", what="checking", against="pandas", asked=3.0)
START = Figure(name="start", what="the first answer", unit="s")


def planned(*calls: str, minutes: float = 2) -> Planned:
    return Planned(name="pages", heading="Files", full=calls, small=calls, minutes=minutes)


def page_of(tmp_path: Path, *measured: object, problems: tuple[tuple[str, str], ...] = ()) -> str:
    page = tmp_path / "performance.md"
    write_page(
        page,
        measured=[(planned(), measured)],  # type: ignore[list-item]
        problems=problems,
        machine=[("processor", "a fast one, 2 cores")],
        taken={"pages": "26 Nov, abcdef"},
        load=0.25,
        size="full",
    )
    return page.read_text(encoding="utf-8")


def test_figures_are_read_as_they_were_written(tmp_path: Path) -> None:
    measured = [CHECKING.measured([2.0, 3.0], size=10, of="lines", took=[0.5, 0.75]), START.measured([1.5])]
    write(tmp_path / "figures.json", measured)
    assert read(tmp_path / "figures.json") == measured


def test_a_figure_without_a_round_is_refused() -> None:
    with pytest.raises(ValueError, match="check: no round"):
        CHECKING.measured([])


def test_the_median_decides_whether_a_figure_is_reached() -> None:
    assert [CHECKING.measured(values).is_met for values in ([1, 3, 9], [1, 3.1, 9])] == [True, False]
    assert [SAVING.measured([value]).is_met for value in (0.7, 0.6)] == [True, False]
    assert START.measured([100]).is_met is None


@pytest.mark.parametrize(("causes", "cause"), [({}, "not looked into yet"), ({"pages.check": "Slow."}, "Slow.")])
def test_the_page_names_machine_code_figures_and_what_falls_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, causes: dict[str, str], cause: str
) -> None:
    monkeypatch.setattr(performance_page, "read_causes", lambda: causes)
    saved = SAVING.measured([0.81], note="81/s; plain 100/s")
    page = page_of(tmp_path, CHECKING.measured([4, 2.5, 3.5], size=4000, of="lines"), saved)
    assert "| processor | a fast one, 2 cores |\n" in page
    assert "| checking | pandas | 4,000 lines | ≤ 3 × | 2.50 × | 3.50 × | **falls short** |  | 26 Nov, abcdef |" in page
    assert (
        "| saving | a plain view |  | ≥ 0.7 × | 0.81 × | 0.81 × | reached | 81/s; plain 100/s | 26 Nov, abcdef |"
        in page
    )
    short = page.split("## What falls short")[1]
    assert f"| checking | pandas | 4,000 lines | ≤ 3 × | 3.50 × | {cause} |" in short
    assert "saving" not in short
    assert "How it grows" not in page


def test_growth_is_a_picture_and_the_table_has_the_largest_size(tmp_path: Path) -> None:
    sizes = [CHECKING.measured([2], size=size, of="lines", took=[size / 1000]) for size in (100, 10, 1000)]
    page = page_of(tmp_path, *sizes, START.measured([1]))
    assert page.count("| checking |") == 1
    assert "1,000 lines" in page
    assert "](pictures/growth.svg)" in page
    picture = (tmp_path / "pictures" / "growth.svg").read_text(encoding="utf-8")
    words = [element.text for element in ElementTree.fromstring(picture).iter() if element.tag.endswith("text")]
    assert {"checking", "lines", "1,000"} <= set(words)
    assert "the first answer" not in words
    assert "prefers-color-scheme: dark" in picture


def test_what_failed_is_on_the_page_and_the_others_go_on(tmp_path: Path) -> None:
    calls = [planned("--pages many", "--pages 1 --repeat 1"), planned("--pages 1 --repeat 1", minutes=0.001)]
    assert main(["--size", "small", "--out", str(tmp_path)], plan=calls[:1]) == 1
    page = (tmp_path / "small" / "performance.md").read_text(encoding="utf-8")
    assert re.search(r"`pages --pages many` \| ended with status 2: .*invalid int value", page)
    assert "| preparing pages |" in page
    assert main(["--size", "small", "--out", str(tmp_path / "bounded")], plan=calls[1:]) == 1
    page = (tmp_path / "bounded" / "small" / "performance.md").read_text(encoding="utf-8")
    assert "was stopped after 0.001 minutes" in page


def test_what_was_measured_at_this_commit_is_not_measured_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = [planned("--pages 1 --repeat 1")]
    for words in (["small"], ["small"], ["small", "--again"]):
        assert main(["--out", str(tmp_path), "--size", *words], plan=plan) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if "measured already" in line] == [
        "pages --pages 1 --repeat 1: measured already"
    ]


def test_every_benchmark_is_planned_with_figures_of_its_own() -> None:
    benchmarks = {path.stem for name in ("bench_*.py", "hostile_*.py") for path in Path("bench").glob(name)}
    assert {planned.module.removeprefix("bench.") for planned in PLAN} <= benchmarks
    assert len({planned.name for planned in PLAN}) == len(PLAN)
    for each in PLAN:
        names = [figure.name for figure in import_module(each.module).FIGURES]
        assert len(set(names)) == len(names) > 0, each.module


def test_every_cause_is_of_a_figure() -> None:
    known = {f"{each.name}.{figure.name}" for each in PLAN for figure in import_module(each.module).FIGURES}
    assert set(read_causes()) <= known
