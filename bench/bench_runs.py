"""Compare reading and checking a run file with `pandas.read_csv` of the same file, in turns in one process.

    .venv/bin/python -m bench.bench_runs [--questions 200] [--instances 20] [--rounds 5] [--json FILE]

Prints the median seconds of both, and their ratio. pandas only splits columns; the checker also decodes strictly,
counts lengths, and looks for duplicates, unknown questions and unknown docnos.
"""

from __future__ import annotations

import argparse
import io
import statistics
import time
from collections.abc import Iterable

import pandas

from bench.figures import Figure, add_json_option, ratios, write
from scoring.formats.tac_runs import check_run

CHECK = Figure(name="check", what="checking an answer run", against="`pandas.read_csv` of the same file", asked=3.0)
FIGURES = (CHECK,)

WORDS = ("cheap", "wine", "friendly", "staff", "hard", "parking", "long", "queues", "fresh", "bread", "the", "a", "was")


def main() -> None:
    """Measure, print and write the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--instances", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    add_json_option(parser)
    options = parser.parse_args()
    questions = [f"{number // 4 + 1}.{number % 4 + 1}" for number in range(options.questions)]
    content = b"".join(lines(questions, options.instances))
    valid = {docno(number) for number in range(10_000)}

    def unknown(docnos: Iterable[str]) -> set[str]:
        return set(docnos) - valid

    taken: dict[str, list[float]] = {"checked": [], "pandas": []}
    for _ in range(options.rounds):
        begin = time.perf_counter()
        issues = list(check_run(io.BytesIO(content), questions=questions, unknown_docnos=unknown))
        taken["checked"].append(time.perf_counter() - begin)
        if issues:
            raise SystemExit(f"the generated run should pass: {issues[0]}")
        begin = time.perf_counter()
        pandas.read_csv(io.BytesIO(content), sep="\t", header=None, dtype=str, quoting=3)
        taken["pandas"].append(time.perf_counter() - begin)
    checked, plain = (statistics.median(times) for times in taken.values())
    print(f"{options.questions * options.instances} lines, {len(content)} bytes, medians of {options.rounds}")
    print(f"checked  {checked:8.4f} s\npandas   {plain:8.4f} s\nratio    {checked / plain:8.2f}")
    size = options.questions * options.instances
    found = CHECK.measured(ratios(*taken.values()), size=size, of="lines", took=taken["checked"])
    write(options.json, [found])


def lines(questions: list[str], instances: int) -> Iterable[bytes]:
    """Yield the lines of a run that breaks no rule, with this number of instances for every question."""
    for place, question in enumerate(questions):
        for number in range(instances):
            start = (place * 7 + number * 3) % len(WORDS)
            answer = " ".join([*WORDS[start:], *WORDS[:start]][:12]) + f" {number}"
            yield f"{question}\tHarbor1\t{docno(place * 31 + number)}\t{answer}\n".encode()


def docno(number: int) -> str:
    """Return one of the docnos that the benchmark calls valid, of which there are 10,000."""
    return f"BLOG06-20060101-{number % 1000:03}-{number % 10_000:010}"


if __name__ == "__main__":
    main()
