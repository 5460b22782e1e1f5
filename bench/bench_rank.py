"""Compare `python -m scoring rank` with trec_eval, ir_measures, pytrec_eval and ranx: time, memory, values.

    .venv/bin/python -m bench.bench_rank [--runs 17] [--topics 100] [--rounds 3] [--peers NAME …] [--json FILE]

Makes judgments and runs, of which every second one has many ties, and scores them by five measures and by all_trec.
trec_eval and ir_measures are called once for each run, since they are made for that; the others are called once for all
runs. trec_eval is NIST's own 9.0.4 from pyserini's package; it and ranx are installed into var/peers if they are asked
for. Prints CPU seconds, megabytes, and how many of Assay's values equal those of trec_eval to its last digit.
"""

from __future__ import annotations

import argparse
import random
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figures import Figure, Measured, add_json_option, ratios, write
from bench.http_load import ROOT
from bench.peers.peer import FOLDER, PeerError, install
from scoring.measures.trec_eval_names import measures_called

FIVE = {"map": "map", "ndcg_cut.10": "ndcg@10", "P.10": "precision@10", "recip_rank": "mrr", "Rprec": "r-precision"}
"""The five measures, by trec_eval's names and ranx'."""
OURS = "`scoring rank`, five measures"
TREC_EVAL = Figure(name="five", what=OURS, against="trec_eval, called once a run", asked=1.0)
ALL_TREC = Figure(
    name="all", what="`scoring rank -m all_trec`", against="`trec_eval -m all_trec` (97 values)", asked=1.5
)
EQUAL = Figure(name="equal", what="values as trec_eval prints them", unit="%", asked=100.0, is_more_better=True)
MEMORY = Figure(name="memory", what="memory of `scoring rank`, all runs", against="two of them", asked=1.1)
OTHERS = {
    name: Figure(name=name, what=OURS, against=against)
    for name, against in {
        "ir_measures": "`python -m ir_measures`, called once a run",
        "pytrec_eval": "a script with pytrec_eval, one evaluator",
        "ranx": "a script with ranx, one process",
    }.items()
}
PEERS = ("trec_eval", *OTHERS)
FIGURES = (TREC_EVAL, ALL_TREC, EQUAL, *OTHERS.values(), MEMORY)


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """The CPU seconds of some processes together, the megabytes of the largest, and the lines that each printed."""

    seconds: float
    megabytes: float
    printed: tuple[list[str], ...]


def main() -> None:
    """Make judgments and runs, measure, print, and write the figures."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        qrels, runs = make(Path(folder), options)
        write(options.json, measure(qrels, runs, options))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=17)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--depth", type=int, default=930, help="documents of a run in a topic")
    parser.add_argument("--judged", type=int, default=1560, help="documents judged in a topic")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=PEERS, help="all of them")
    add_json_option(parser)
    return parser.parse_args()


def make(folder: Path, options: argparse.Namespace) -> tuple[Path, list[Path]]:
    """Write judgments and runs to files, and return the path of the qrels and the paths of the runs."""
    chance = random.Random(7)
    topics = {f"{601 + number}": list(_docnos(2 * options.judged, number)) for number in range(options.topics)}
    qrels = folder / "qrels.txt"
    with qrels.open("w") as file:
        for topic, docnos in topics.items():
            for docno in docnos[: options.judged]:
                file.write(f"{topic} 0 {docno} {chance.choices((0, 1, 2), (85, 11, 4))[0]}\n")
    paths = [folder / f"run{number:02}" for number in range(options.runs)]
    for number, path in enumerate(paths):
        with path.open("w") as file:
            for topic, docnos in topics.items():
                places = {docno: place * chance.uniform(0.3, 1.7) for place, docno in enumerate(docnos)}
                score = chance.uniform(15, 30)
                for rank, docno in enumerate(sorted(docnos, key=places.__getitem__)[: options.depth], 1):
                    score -= chance.expovariate(60)
                    file.write(f"{topic} Q0 {docno} {rank} {round(score, 6 if number % 2 else 3)} {path.name}\n")
    return qrels, paths


def _docnos(count: int, topic: int) -> Iterator[str]:
    """Yield docnos of several lengths, like those of TREC's disks 4 and 5."""
    for number in range(count):
        place = topic * 7919 + number * 31
        yield (f"FBIS3-{place}", f"FT9{place % 9}1-{place}", f"FR940104-0-{place:05}", f"LA0101{place:08}")[place % 4]


def measure(qrels: Path, runs: Sequence[Path], options: argparse.Namespace) -> list[Measured]:
    """Measure Assay and the peers that are asked for, in rounds, and return the figures. Raises PeerError if a peer
    can't be installed or fails.
    """
    size: dict[str, Any] = {"size": sum(path.read_bytes().count(b"\n") for path in runs), "of": "lines"}
    peers = _trec_eval(qrels, runs) if "trec_eval" in options.peers else {}
    peers |= {name: _script(name, qrels, runs) for name in OTHERS if name in options.peers}
    ours = {"five": [_rank(qrels, runs, FIVE)], "all": [_rank(qrels, runs, ["all_trec"])]}
    took: dict[str, list[Taken]] = {}
    for _ in range(options.rounds):
        for name, commands in (ours | peers).items():
            took.setdefault(name, []).append(_taken(commands))
            print(f"{name}\t{took[name][-1].seconds:.2f} s\t{took[name][-1].megabytes:.0f} MB", flush=True)
    few = [_taken([_rank(qrels, runs[:2], FIVE)]).megabytes for _ in range(options.rounds)]
    print(f"two runs\t{few[-1]:.0f} MB")
    seconds = {name: [each.seconds for each in rounds] for name, rounds in took.items()}
    megabytes = {name: max(each.megabytes for each in rounds) for name, rounds in took.items()}
    found = [MEMORY.measured([each.megabytes / two for each, two in zip(took["five"], few, strict=True)], **size)]

    def against(figure: Figure, ours: str, theirs: str) -> Measured:
        note = f"{megabytes[ours]:.0f} MB, {megabytes[theirs]:.0f} MB"
        return figure.measured(ratios(seconds[ours], seconds[theirs]), took=seconds[ours], note=note, **size)

    if "trec_eval" in peers:
        equal, compared = _equal(took["five"][0], took["trec_eval"][0], runs)
        print(f"{equal:,} of {compared:,} values equal")
        note = f"{equal:,} of {compared:,}"
        found += [
            against(TREC_EVAL, "five", "trec_eval"),
            against(ALL_TREC, "all", "trec_eval, all_trec"),
            EQUAL.measured([100 * equal / compared], note=note, **size),
        ]
    return found + [against(figure, "five", name) for name, figure in OTHERS.items() if name in peers]


def _rank(qrels: Path, runs: Sequence[Path], measures: Sequence[str] | dict[str, str]) -> list[str]:
    files = [part for path in runs for part in ("--run", str(path))]
    asked = [part for name in measures for part in ("-m", name)]
    return [sys.executable, "-m", "scoring", "rank", "--qrels", str(qrels), *files, *asked]


def _trec_eval(qrels: Path, runs: Sequence[Path]) -> dict[str, list[list[str]]]:
    """Return the commands that call trec_eval, by five measures and by all."""
    program = str(_program(ROOT / "var" / "peers" / "trec-eval"))
    five = [part for name in FIVE for part in ("-m", name)]
    return {
        name: [[program, "-q", *measures, str(qrels), str(path)] for path in runs]
        for name, measures in (("trec_eval", five), ("trec_eval, all_trec", ["-m", "all_trec"]))
    }


def _program(environment: Path) -> Path:
    """Return the path of trec_eval's program, which is installed if it is missing. pyserini's package contains it for
    Linux in Anserini's jar. Raises PeerError if there is no jar.
    """
    install(FOLDER / "trec-eval.txt", environment, "--no-deps")
    program = environment / "trec_eval"
    if not program.exists():
        jar = next(environment.rglob("anserini-*.jar"), None)
        if jar is None:
            raise PeerError("pyserini brings no jar")
        with zipfile.ZipFile(jar) as packed:
            program.write_bytes(packed.read("trec_eval/trec_eval-linux-amd64"))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def _script(name: str, qrels: Path, runs: Sequence[Path]) -> list[list[str]]:
    """Return the commands that call a peer other than trec_eval. ranx is installed if it is missing."""
    paths = [str(path) for path in runs]
    if name == "ir_measures":
        asked = "AP nDCG@10 P@10 RR Rprec"
        return [[sys.executable, "-m", "ir_measures", "-q", str(qrels), path, asked] for path in paths]
    python, measures = sys.executable, ",".join(FIVE)
    if name == "ranx":
        python, measures = str(install(FOLDER / "ranx.txt", ROOT / "var" / "peers" / "ranx")), ",".join(FIVE.values())
    return [[python, str(FOLDER / f"scored_by_{name}.py"), str(qrels), measures, *paths]]


def _taken(commands: Sequence[Sequence[str]]) -> Taken:
    """Run the commands one after another, and return what they took. Raises PeerError if one fails."""
    seconds = megabytes = 0.0
    printed: list[list[str]] = []
    for command in commands:
        called = [sys.executable, "-I", "-S", str(ROOT / "bench" / "used.py"), *command]
        done = subprocess.run(called, capture_output=True, text=True, check=False, cwd=ROOT)
        *said, used = done.stderr.strip().splitlines()
        if done.returncode:
            raise PeerError(f"{command[0]} ended with status {done.returncode}: {(said or [''])[-1]}")
        took, held = map(float, used.split())
        seconds, megabytes = seconds + took, max(megabytes, held)
        printed.append(done.stdout.splitlines())
    return Taken(seconds=seconds, megabytes=megabytes, printed=tuple(printed))


def _equal(ours: Taken, theirs: Taken, runs: Sequence[Path]) -> tuple[int, int]:
    """Return how many values equal those of trec_eval to the last digit that it prints, and how many there are."""
    names = {name: measures_called(name)[0] for name in ("map", "ndcg_cut_10", "P_10", "recip_rank", "Rprec")}
    wanted = {
        (path.name, topic, names[name]): float(value)
        for path, lines in zip(runs, theirs.printed, strict=True)
        for name, topic, value in map(str.split, lines)
    }
    (lines,) = ours.printed
    found = {(run, topic, name): float(value) for run, topic, name, value in (line.split("\t") for line in lines)}
    equal = sum(abs(value - found.get(key, -1)) < 0.0000505 for key, value in wanted.items())
    return equal, max(len(wanted), len(found))


if __name__ == "__main__":
    main()
