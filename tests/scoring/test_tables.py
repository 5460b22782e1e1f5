"""What tables of scores hold: rows, columns, order and means, and which cells are undefined and which absent."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.records import Score
from scoring.release.score_columns import columns_of
from scoring.release.score_lines import value_blocks, value_lines
from scoring.release.tables import (
    ALL,
    Cell,
    MeasureStanding,
    ScoreTable,
    ScoreTables,
    headings,
    in_columns,
    with_means,
)
from scoring.spreadsheets import csv_lines

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Column:
    """A measure as tracks declare it."""

    key: str
    group: str = ""
    official: bool = False


def score(run: str, topic: str, value: float | None, measure: str = "F", topics: int | None = None) -> Score:
    return Score(run=run, topic=topic, measure=measure, value=value, topics=topics)


SCORES = [
    score("low", "2", 0.25),
    score("low", "1", None),
    score("low", ALL, 0.25, topics=1),
    score("high", "1", 0.5),
    score("high", "1", 1.0, "P"),
    score("high", ALL, 0.5, topics=1),
    score("none", "1", None),
    score("none", ALL, None, topics=0),
    score("like", ALL, 0.5, topics=2),
]
RUNS = ("low", "high", "none", "like", "=absent")


def tables(scores: Sequence[Score] = SCORES, runs: Sequence[str] = RUNS) -> ScoreTables:
    return ScoreTables(scores, runs=runs, measures=("P", "F", "R"))


def csv_of(table: ScoreTable) -> str:
    return "".join(csv_lines(table.header, table.value_rows()))


def cells_of(table: ScoreTable) -> dict[str, dict[str, Cell]]:
    return {row.name: dict(row.cells) for row in table.rows()}


# ---------------------------------------------------------------- rectangles


def test_all_runs_and_measures_stand_in_the_order_given() -> None:
    assert csv_of(tables().of_topic()) == "run,P,F,R\nlow,,0.25,\nhigh,,0.5,\nnone,,,\nlike,,0.5,\n'=absent,,,\n"
    assert csv_of(tables().of_topic("1")) == "run,P,F,R\nlow,,,\nhigh,1.0,0.5,\nnone,,,\nlike,,,\n'=absent,,,\n"


def test_undefined_and_absent_are_told_apart() -> None:
    assert cells_of(tables().of_topic()) == {
        "low": {"F": Cell(0.25, 1)},
        "high": {"F": Cell(0.5, 1)},
        "none": {"F": Cell(None, 0)},
        "like": {"F": Cell(0.5, 2)},
        "=absent": {},
    }
    undefined, absent = tables().of_topic("1").rows()[2:4]
    assert undefined.cells == {"F": Cell(None, None)}
    assert absent.cells == {}
    assert undefined.value("F") is absent.value("F") is undefined.value("nothing") is None


def test_empty_rows_and_columns_can_be_left_out() -> None:
    assert csv_of(tables().of_topic().without_empty()) == "run,F\nlow,0.25\nhigh,0.5\nnone,\nlike,0.5\n"
    assert csv_of(tables().of_topic("1").without_empty()) == "run,P,F\nlow,,\nhigh,1.0,0.5\nnone,,\n"
    assert csv_of(tables().of_topic().without_empty(rows=False)).splitlines()[-1] == "'=absent,"


def test_rows_are_ordered_and_those_without_a_number_come_last() -> None:
    table = tables().of_topic()

    def order(by: str, *, descending: bool) -> str:
        return " ".join(row.name for row in table.ordered(by, descending=descending).rows())

    assert order("F", descending=True) == "high like low none =absent"  # alike: as they stood
    assert order("F", descending=False) == "low high like none =absent"
    assert order("run", descending=False) == "=absent high like low none"
    assert order("run", descending=True) == "none low like high =absent"
    assert order("P", descending=True) == "low high none like =absent"


def test_the_topics_of_a_run_stand_in_the_order_of_its_scores() -> None:
    assert csv_of(tables().of_run("low")) == "topic,P,F,R\n2,,0.25,\n1,,,\nall,,0.25,\n"
    assert cells_of(tables().of_run("low"))["1"] == {"F": Cell(None, None)}
    assert csv_of(tables().of_run("=absent")) == csv_of(tables().of_run("nobody")) == "topic,P,F,R\n"


def test_the_values_of_one_column_and_the_means_of_all() -> None:
    table = tables().of_topic()
    assert table.defined("F") == {"low": 0.25, "high": 0.5, "like": 0.5}
    assert table.defined("R") == table.defined("nothing") == {}
    assert table.part(rows=["low", "high", "none"]).averages() == [None, 0.375, None]
    assert table.part(rows=["none", "=absent"]).averages() == [None, None, None]


@pytest.mark.parametrize("runs", [(), ("Elm",)])
@pytest.mark.parametrize("measures", [(), ("F",)])
def test_without_scores_there_are_tables_without_cells(runs: tuple[str, ...], measures: tuple[str, ...]) -> None:
    none = ScoreTables((), runs=runs, measures=measures)
    head = ",".join(("run", *measures)) + "\n"
    assert csv_of(none.of_topic()) == head + "".join(f"{run}{',' * len(measures)}\n" for run in runs)
    assert csv_of(none.of_topic("7").without_empty()) == "run\n"
    assert csv_of(none.of_topic().ordered("F", descending=True).without_empty()) == "run\n"
    assert none.of_topic().averages() == [None] * len(measures)
    assert none.of_run("Elm").rows() == none.topics == []
    assert (none.scored, none.standings(runs, ranking=measures)) == (0, {})


def test_a_measure_or_run_that_was_not_declared_has_no_place_and_the_last_of_two_scores_counts() -> None:
    twice = [score("low", "1", 0.5), score("low", "1", 0.75), score("low", "1", 1.0, "other"), score("x", "1", 1.0)]
    assert csv_of(tables(twice, runs=["low"]).of_topic("1")) == "run,P,F,R\nlow,,0.75,\n"
    assert csv_of(tables([*twice, score("low", "1", None)], runs=["low"]).of_topic("1")) == "run,P,F,R\nlow,,,\n"


def test_names_that_look_like_formulas_are_guarded_where_they_are_written_alone() -> None:
    scores = [score("=run\r+1", "@1", -0.25), score("\ud800", "@1", 1.0)]
    found = ScoreTables(scores, runs=["=run\r+1", "\ud800"], measures=["F", "@P"])
    assert csv_of(found.of_topic("@1").part(rows=["=run\r+1"])) == "run,F,'@P\n\"'=run\r'+1\",-0.25,\n"
    assert csv_of(found.of_run("=run\r+1")) == "topic,F,'@P\n'@1,-0.25,\n"
    assert list(cells_of(found.of_topic("@1"))) == ["=run\r+1", "\ud800"]
    assert found.standings(["\ud800"], ranking=["F"])["F"][0].runs[0].rank == 1


def test_alike_rows_stay_as_they_stood_however_many_they_are() -> None:
    runs = [f"r{place % 7}-{place}" for place in range(60)]
    found = ScoreTables(
        [score(run, ALL, float(place % 2)) for place, run in enumerate(runs)], runs=runs, measures=("F",)
    )
    first = [row.name for row in found.of_topic().ordered("F", descending=True).rows()]
    assert first == [*runs[1::2], *runs[::2]]


# ---------------------------------------------------------------- columns


def test_columns_stand_together_by_their_groups() -> None:
    declared = [Column("a", "X"), Column("b"), Column("c", "X"), Column("d", official=True), Column("e", "Y")]
    assert "".join(each.key for each in in_columns(declared)) == "acbde"
    assert "".join(each.key for each in in_columns(declared, official_first=True)) == "dbace"
    assert headings(in_columns(declared)) == [("X", 2), ("", 2), ("Y", 1)]
    assert headings([Column("a"), Column("b")]) == headings([]) == []


# ---------------------------------------------------------------- a team among all


def test_runs_are_placed_among_all_runs() -> None:
    found = tables().standings(["like", "none", "=absent"], ranking=["F"])
    assert {key: [line.topic for line in lines] for key, lines in found.items()} == {"F": ["2", "1", ALL], "P": ["1"]}
    mean, alone = found["F"][2], found["P"][0]
    assert (mean.median, mean.best, mean.count) == (0.5, 0.5, 3)
    assert mean.runs == (
        MeasureStanding(run="like", value=0.5, difference=0.0, rank=1, sharing=2),
        MeasureStanding(run="none"),
        MeasureStanding(run="=absent"),
    )
    assert (alone.median, alone.best, alone.count) == (1.0, None, 1)  # P ranks nothing
    (high,) = tables().standings(["high"], ranking=["F"])["P"][0].runs
    assert high == MeasureStanding(run="high", value=1.0, difference=0.0)


def test_measures_that_are_not_in_full_are_compared_by_their_means_alone() -> None:
    whole = tables().standings(["like"], ranking=["F"])
    assert tables().standings(["like"], ranking=["F"], in_full=["F"]) == {"F": whole["F"]}  # P has no mean
    assert tables().standings(["like"], ranking=["F"], in_full=["P"]) == {"F": whole["F"][2:], "P": whole["P"]}
    assert tables().measured(["like"]) == {"F": False}  # it has a mean alone
    assert tables().measured(["high"])["P"] is True
    assert tables([score("low", ALL, 0.5)]).measured(["low", "none"]) == {"F": False}


def test_where_all_is_undefined_nobody_has_a_place() -> None:
    scores = [score("low", "1", None), score("high", "1", None)]
    (line,) = tables(scores).standings(["low"], ranking=["F"])["F"]
    assert (line.runs, line.median, line.best, line.count) == ((MeasureStanding(run="low"),), None, None, 0)


VALUES = st.one_of(st.none(), st.sampled_from([0.0, -0.0, 0.1, 0.25, 1 / 3, 2 / 3, 0.7, 1.0, 33.0]))
SOME = st.dictionaries(
    st.tuples(st.sampled_from(RUNS), st.sampled_from(["1", "2", ALL]), st.sampled_from(["F", "P"])), VALUES
)


@given(SOME)
def test_frames_say_what_counting_by_hand_says(said: dict[tuple[str, str, str], float | None]) -> None:
    found = tables([score(run, topic, value, measure) for (run, topic, measure), value in said.items()])
    for topic in ("1", ALL):
        by_hand = {
            run: {key: Cell(said[run, topic, key], None) for key in ("P", "F") if (run, topic, key) in said}
            for run in RUNS
        }
        assert cells_of(found.of_topic(topic)) == by_hand
        column = {run: value for run in RUNS if (value := said.get((run, topic, "F"))) is not None}
        for descending in (False, True):
            ordered = found.of_topic(topic).ordered("F", descending=descending)
            first = sorted(column, key=column.__getitem__, reverse=descending)
            assert [row.name for row in ordered.rows()] == [*first, *(run for run in RUNS if run not in column)]
        averages = found.of_topic(topic).averages()
        assert averages[1] == (pytest.approx(fmean(column.values())) if column else None)
        for line in found.standings(["low", "like"], ranking=["F"]).get("F", []):
            if line.topic == topic:
                best, middle = max(column.values(), default=None), median(column.values()) if column else None
                assert (line.count, line.best, line.median) == (len(column), best, middle)
                assert list(line.runs) == [by_counting(run, column) for run in ("low", "like")]


def by_counting(run: str, column: dict[str, float]) -> MeasureStanding:
    if run not in column:
        return MeasureStanding(run=run)
    value = column[run]
    return MeasureStanding(
        run=run,
        value=value,
        difference=value - median(column.values()),
        rank=sum(other > value for other in column.values()) + 1,
        sharing=sum(other == value for other in column.values()),
    )


# ---------------------------------------------------------------- a line a value


def test_commands_print_a_line_a_value() -> None:
    scores = [score("low", "1", None), score("low", ALL, 1 / 3, topics=2)]
    assert list(value_lines("tsv", scores)) == ["low\t1\tF\tundefined", "low\tall\tF\t0.333333"]
    assert next(value_lines("tsv", scores, {"low": 3})) == "low\t1\tF\tundefined\terrors:3"
    assert list(value_lines("tsv", ())) == list(value_blocks(columns_of([]))) == []
    assert list(value_lines("json", ())) == ["[]"]
    (text,) = value_lines("json", scores, {})
    assert json.loads(text) == [
        {"run": "low", "topic": "1", "measure": "F", "value": None, "topics": None, "errors": 0},
        {"run": "low", "topic": "all", "measure": "F", "value": 1 / 3, "topics": 2, "errors": 0},
    ]


def test_lines_in_blocks_are_those_one_by_one() -> None:
    values = [None, -0.0, 0.0, 1 / 3, -2.5e-7, 1e300]
    scores = [score(f"run{place}", "1", values[place % len(values)]) for place in range(2_500)]
    blocks = list(value_blocks(columns_of(scores)))
    assert "\n".join(blocks).split("\n") == list(value_lines("tsv", scores))
    assert [block.count("\n") for block in blocks] == [999, 999, 499]


def test_means_leave_out_undefined_and_count() -> None:
    scores = [score("r", "1", 0.5), score("r", "2", None), score("r", "3", 1.0), score("s", "2", None)]
    assert with_means(scores)[4:] == [score("r", ALL, 0.75, topics=2), score("s", ALL, None, topics=0)]


# ---------------------------------------------------------------- where pandas is


def test_pandas_is_used_by_the_module_of_tables_and_by_the_front_for_python() -> None:
    named = re.compile(r"^\s*(?:import|from) pandas\b", re.MULTILINE)
    modules = [
        path
        for package in ("assay_site", "tracks", "nuggets", "assess", "scoring")
        for path in (ROOT / package).rglob("*.py")
    ]
    found = {str(path.relative_to(ROOT)) for path in modules if named.search(path.read_text())}
    front = {
        "scoring/front/calls.py",
        "scoring/front/judgments.py",
        "scoring/front/leaderboards.py",
        "scoring/front/release_frames.py",
        "scoring/front/score_tables.py",
        "scoring/front/writing.py",
        "tracks/front.py",
    }
    assert found == {"scoring/release/tables.py", *front}


def test_lines_and_means_load_no_pandas() -> None:
    code = (
        "import sys\n"
        "from scoring.commands.command_line import print_scores\n"
        "from scoring.release.tables import with_means\n"
        "from scoring.records import Score\n"
        "print_scores('tsv', with_means([Score(run='r', topic='1', measure='F', value=1.0)]))\n"
        "print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["r\t1\tF\t1.000000", "r\tall\tF\t1.000000", "False"]
