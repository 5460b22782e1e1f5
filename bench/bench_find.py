"""Compare finding documents in a collection with only reading the collection, in one run.

    .venv/bin/python -m bench.bench_find --documents 800000 --wanted 10000 --shards 8 [--json FILE]

Makes shards of JSON lines packed by gzip (1.2 GB at the size above) and the same documents as Parquet. Then in turn it
decompresses every shard, finds documents in the shards, decodes every row group, and finds documents in Parquet. These
are timed in CPU seconds of this process, and the ratios of their medians are printed. At last two processes find
documents. This is timed in seconds, and printed with the CPU seconds of all processes and the load of the machine. The
time that the processes take to start is measured by having them find one document of two, and is subtracted. The speed
that the second process adds is compared with what it adds if both only decompress, since two cores of a machine are not
twice as fast as one.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pyarrow
import pyarrow.parquet

from bench.figures import Figure, add_json_option, ratios, write
from scoring.collections.finding import FindRequest, find_documents
from scoring.collections.model import Collection
from scoring.collections.shards import blocks

SEED = 13
WORDS = 550
GROUP = 2_000  # rows of a row group
IN_LINES = Figure(name="json-lines", what="finding in JSON lines (CPU)", against="decompressing them alone", asked=1.3)
IN_PARQUET = Figure(name="parquet", what="finding in Parquet (CPU)", against="decoding it alone", asked=2.0)
WORKERS = Figure(
    name="workers",
    what="speed that finding gains by a second process",
    against="what decompressing alone gains by it",
    asked=0.9,
    is_more_better=True,
)
FIGURES = (IN_LINES, IN_PARQUET, WORKERS)


def main() -> None:
    """Make the shards, measure in turns, and print the figures."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="assay-bench-", dir=options.place) as place:
        folder = Path(place)
        _make(folder, documents=options.documents, shards=options.shards)
        step = max(1, options.documents // options.wanted)
        request = FindRequest(docnos=frozenset(f"d_{number}" for number in range(0, options.documents, step)))
        size = sum(path.stat().st_size for path in folder.glob("*.gz")) / 1e6
        print(f"{options.documents:,} documents, {len(request.docnos):,} wanted, {size:,.0f} MB of gzip")
        ways: dict[str, Callable[[], None]] = {
            "decompressing": lambda: _read_all(folder),
            "finding": lambda: _find(folder, "json-lines", request),
            "decoding": lambda: _decode_all(folder),
            "finding, Parquet": lambda: _find(folder, "parquet", request),
        }
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(options.rounds):
            for name, way in ways.items():
                begun = time.process_time()
                way()
                seconds[name].append(time.process_time() - begun)
        for name, taken in seconds.items():
            print(f"{name}\tminimum {min(taken):.2f}\tmedian {statistics.median(taken):.2f} s of CPU")
        middle = {name: statistics.median(taken) for name, taken in seconds.items()}
        print(f"ratio, JSON lines\t{middle['finding'] / middle['decompressing']:.2f}")
        print(f"ratio, Parquet\t{middle['finding, Parquet'] / middle['decoding']:.2f}")
        few = Path(folder, "few")
        few.mkdir()
        _make(few, documents=2, shards=2)
        start = _wait(few, FindRequest(docnos=frozenset({"d_0"})), workers=2)
        alone, together = (_wait(folder, request, workers=workers) for workers in (1, 2))
        gain, of_machine = alone / max(together - start, 0.01), _gain_of_machine(folder)
        print(f"gained by 2 processes\tfinding {gain:.2f} x\tdecompressing {of_machine:.2f} x")
        shape = {"size": options.documents, "of": "documents", "took_unit": "s of CPU"}
        lines, parquet = seconds["finding"], seconds["finding, Parquet"]
        found = [
            IN_LINES.measured(ratios(lines, seconds["decompressing"]), took=lines, **shape),
            IN_PARQUET.measured(ratios(parquet, seconds["decoding"]), took=parquet, **shape),
            WORKERS.measured(
                [gain / of_machine],
                size=options.documents,
                of="documents",
                note=f"{alone:.1f} s; by 2 {together:.1f} s, of which {start:.1f} s to start them; {gain:.2f} ×, "
                f"decompressing {of_machine:.2f} ×",
            ),
        ]
        write(options.json, found)


def _wait(folder: Path, request: FindRequest, *, workers: int) -> float:
    """Return the seconds in which this number of processes finds the documents. Also print them, with the CPU seconds
    and the load.
    """
    begun, spent = time.perf_counter(), _cpu_of_all()
    _find(folder, "json-lines", request, workers=workers)
    seconds, spent = time.perf_counter() - begun, _cpu_of_all() - spent
    what = f"{len(request.docnos):,} wanted, {workers} of processes"
    print(f"{what}\t{seconds:.2f} s\t{spent:.2f} s of CPU\tload {os.getloadavg()[0]:.1f}")
    return seconds


def _cpu_of_all() -> float:
    """Return the CPU seconds of this process and of the processes that it started, if they have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=80_000)
    parser.add_argument("--wanted", type=int, default=1_000)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--place", help="folder for the shards; the temporary one")
    add_json_option(parser)
    return parser.parse_args()


def _make(folder: Path, *, documents: int, shards: int) -> None:
    """Write the same documents in both formats. The docno is the last member, as in MS MARCO."""
    draw = random.Random(SEED)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(draw.choices(letters, k=draw.randint(2, 9))) for _ in range(30_000)]
    text = draw.choices(words, [1 / (place + 1) for place in range(len(words))], k=200_000)
    bounds = [documents * number // shards for number in range(shards + 1)]
    for number, (first, last) in enumerate(itertools.pairwise(bounds)):
        rows = list(_rows(draw, text, first, last))
        with gzip.open(folder / f"s-{number:03}.json.gz", "wb", compresslevel=6) as packed:
            packed.writelines(json.dumps(row).encode() + b"\n" for row in rows)
        table = pyarrow.Table.from_pylist(rows)
        pyarrow.parquet.write_table(table, folder / f"s-{number:03}.parquet", compression="zstd", row_group_size=GROUP)


def _rows(draw: random.Random, text: list[str], first: int, last: int) -> Iterator[dict[str, str]]:
    for number in range(first, last):
        start = draw.randrange(len(text) - WORDS)
        body = " ".join(text[start : start + WORDS])
        yield {"url": f"http://example.org/{number}", "title": "Title", "body": body, "docid": f"d_{number}"}


def _read_all(folder: Path) -> None:
    for path in sorted(folder.glob("*.gz")):
        _read(path)


def _read(path: Path) -> None:
    with path.open("rb") as raw:
        for _ in blocks(raw):
            pass


def _gain_of_machine(folder: Path) -> float:
    """Return how many times as fast as one process two processes decompress all shards, once they are started. It is
    less than 2, since the cores of a machine share its memory and perhaps more.
    """
    taken = []
    for workers in (1, 2):
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as processes:
            list(processes.map(_read, sorted(folder.glob("few/*.gz"))))
            begun = time.perf_counter()
            list(processes.map(_read, sorted(folder.glob("*.gz"))))
            taken.append(time.perf_counter() - begun)
    return taken[0] / taken[1]


def _decode_all(folder: Path) -> None:
    for path in sorted(folder.glob("*.parquet")):
        file = pyarrow.parquet.ParquetFile(path)
        for group in range(file.num_row_groups):
            file.read_row_group(group, use_threads=False)


def _find(folder: Path, form: str, request: FindRequest, *, workers: int = 1) -> None:
    shards = "*.gz" if form == "json-lines" else "*.parquet"
    collection = Collection(
        name="bench", folder=str(folder), shards=(shards,), form=form, id=("docid",), text=("body",), title="title",
        url="url",
    )  # fmt: skip
    out = folder / "out"
    found = find_documents(collection=collection, request=request, out=out, workers=workers)
    if found.documents != len(request.docnos) or found.issues:
        raise SystemExit(f"{found.documents} documents found, issues: {found.issues[:3]}")
    shutil.rmtree(out)


if __name__ == "__main__":
    main()
