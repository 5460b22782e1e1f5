"""How much of a processor any file takes that somebody sends: every kind of run and topic file of every track.

    .venv/bin/python -m bench.hostile_checks [--size 8] [--least 1.5] [--only adhoc/run]

Checks files of --size MB as the site does (`bench/hostile_files.py`: one kind of byte, line or nesting again and again,
and a good file swollen in each of its parts), each in a process of its own that is ended after 60 s of processor time.
Prints kind, file, seconds and what was found for those that took --least seconds or more, and the longest of each kind.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

LONGEST = 60
"""Seconds of processor time that one file may take before its process is ended."""

Check = Callable[[bytes], str]


def main() -> None:
    """Check, file by file."""
    options = _options()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from bench.hostile_files import repeated, swollen
    from scoring.sentences import sentence_spans

    sentence_spans("It is loaded. Once.")
    size = int(options.size * 1_000_000)
    for name, check, good in _kinds():
        if options.only not in name:
            continue
        took: list[float] = []
        for what, data in (*repeated(size), *swollen(good, size)):
            seconds, found = _apart(partial(check, data))
            took.append(seconds)
            if seconds >= options.least:
                print(f"{name}\t{what}\t{len(data) / 1e6:.1f} MB\t{seconds:.1f} s\t{found}", flush=True)
        print(f"{name}\tlongest of {len(took)}\t\t{max(took):.1f} s", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=float, default=8, help="MB of a file")
    parser.add_argument("--least", type=float, default=1.5, help="seconds from which on a file is printed")
    parser.add_argument("--only", default="", help="kinds whose name has this in it")
    return parser.parse_args()


def _kinds() -> Iterator[tuple[str, Check, bytes]]:
    """The name of each kind of file, how it is checked, and a good one."""
    from assess.base.file_issues import Collector, collect
    from assess.base.one_at_a_time import TakesLonger, hurry
    from assess.protocol import CheckContext, Submission, TopicFile
    from scoring.reading import split_issues
    from tests.tracks.track_folder import folder_of, topic_paths, topic_records
    from tracks import TRACKS

    def checked(submission: Submission, context: CheckContext, data: bytes) -> str:
        file = io.BytesIO(data)
        if (said := submission.form or submission.tag) is not None:
            said(file)
            file.seek(0)
        try:
            report = collect(submission.issues(file, replace(context, pace=hurry(""))))
        except TakesLonger:
            return "goes to the worker"
        return f"{report.errors} errors, {report.warnings} warnings, {report.notes} notes"

    def read(kind: TopicFile, data: bytes) -> str:
        problems = Collector()
        records = sum(1 for _ in split_issues(kind.read(io.BytesIO(data)), problems))
        return f"{problems.errors} errors, {records} topics"

    for track in TRACKS:
        context = CheckContext(topics=topic_records(track), settings=track.settings())
        runs = sorted((folder_of(track) / "runs" / "good").iterdir())
        for submission in track.submissions:
            fitting = [path for path in runs if any(path.match(each) for each in submission.file_names)]
            good = [*fitting, *runs][0].read_bytes()
            yield f"{track.key}/{submission.key}", partial(checked, submission, context), good
        for kind, path in topic_paths(track):
            yield f"{track.key}/topics/{kind.key}", partial(read, kind), path.read_bytes()


def _apart(call: Callable[[], str]) -> tuple[float, str]:
    """The processor time of a call in a process of its own, and what it says."""
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
