"""Measure how much CPU time hostile files of every kind take: runs, topics, judgments, lists, records, releases.

    .venv/bin/python -m bench.hostile_checks [--size 8] [--least 1.5] [--only adhoc/run] [--files others] [--every 1]
        [--json FILE]

Checks files of --size MB as each kind of file (`bench/hostile_kinds.py`), as the site does. The files
(`bench/hostile_files.py`) repeat one byte, line or nesting, or are good files of which one part is made large. Every
--every-th file is checked, each in its own process, which is ended after 60 CPU seconds. Prints kind, file, size,
seconds and the result of each file that took --least seconds or more, and the longest time of each kind.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from collections.abc import Callable
from functools import partial
from itertools import islice

from bench.figures import Figure, add_json_option, write

LONGEST = 60
"""How many CPU seconds one file may take before its process is ended."""

TIME = Figure(name="time", what="the longest check of a hostile file (CPU)", asked=3.0, unit="s")
FIGURES = (TIME,)


def main() -> None:
    """Check file after file, and print and write what they took."""
    options = _options()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assay_site.settings")
    import django

    django.setup()
    from bench.hostile_files import repeated, swollen
    from bench.hostile_kinds import kinds
    from scoring.reading.sentences import sentence_spans

    sentence_spans("It is loaded. Once.")
    size = int(options.size * 1_000_000)
    longest: list[float] = []
    for name, check, good in kinds():
        if options.only not in name:
            continue
        took: list[float] = []
        chosen = (file for file in (*repeated(size), *swollen(good, size)) if options.files in file[0])
        for what, data in islice(chosen, 0, None, options.every):
            seconds, found = _apart(partial(check, data))
            took.append(seconds)
            if seconds >= options.least:
                print(f"{name}\t{what}\t{len(data) / 1e6:.1f} MB\t{seconds:.1f} s\t{found}", flush=True)
        if took:
            print(f"{name}\tlongest of {len(took)}\t\t{max(took):.1f} s", flush=True)
            longest.append(max(took))
    write(options.json, [TIME.measured([max(longest)], size=round(size / 1e6), of="MB", took=[max(longest)])])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=float, default=8, help="MB of a file")
    parser.add_argument("--least", type=float, default=1.5, help="seconds from which on a file is printed")
    parser.add_argument("--only", default="", help="kinds whose name has this in it")
    parser.add_argument("--files", default="", help="files whose name has this in it")
    parser.add_argument("--every", type=int, default=1, help="takes every so many of the files of a kind")
    add_json_option(parser)
    return parser.parse_args()


def _apart(call: Callable[[], str]) -> tuple[float, str]:
    """Return the CPU seconds of a call in its own process, and what the call returns. If the process was ended, return
    the limit and "was ended".
    """
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST + 1))
        begin = time.process_time()
        found = call()
        os.write(writing, json.dumps([time.process_time() - begin, found]).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        said = answer.read()
    os.waitpid(pid, 0)
    seconds, found = json.loads(said) if said else (float(LONGEST), "was ended")
    return seconds, found


if __name__ == "__main__":
    main()
