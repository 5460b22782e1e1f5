"""Measure how long a campaign of full size takes to load, and then to be searched and to have a run checked.

    python -m bench.bench_load [--targets 50] [--runs 60] [--docnos 3200000] [--documents 1000]
        [--keep FOLDER] [--json FILE]

Makes its own campaign in a new folder (SQLite), or in the database that ASSAY_DATABASE names, which must be empty.
Prints one line for each figure: what was done, how much of it, seconds, CPU seconds, and how much a second.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.figures import Figure, add_json_option, taken, write

SHOWN = {
    "load docnos": Figure(name="docnos", what="loading valid docnos", unit="s"),
    "check one run": Figure(name="check", what="checking an answer run in the site", unit="s"),
    "submit one more": Figure(name="submit", what="submitting an answer run after others", unit="s"),
    "search bane rust": Figure(name="search", what="searching for two words", unit="s"),
}
FIGURES = tuple(SHOWN.values())
TIMED: list[tuple[str, int, str, float]] = []
QUESTIONS_A_TARGET, INSTANCES = 4, 20
WORDS = [f"{start}{end}" for start in "bcdfghklmnprstvw" for end in ("ane", "ill", "orry", "ust", "eel", "imber")]


@contextmanager
def timed(what: str, count: int, unit: str) -> Iterator[None]:
    start, used = time.perf_counter(), time.process_time()
    yield
    seconds, used = time.perf_counter() - start, time.process_time() - used
    print(f"{what}\t{count:,} {unit}\t{seconds:.2f} s\t{used:.2f} s\t{count / seconds:,.0f}/s", flush=True)
    TIMED.append((what, count, unit, seconds))


def docno(number: int) -> str:
    return f"BLOG06-{20051206 + number % 70}-{number % 100:03d}-{number:010d}"


def questions(targets: int) -> bytes:
    lines = ["<tacqa>"]
    for target in range(1, targets + 1):
        lines.append(f'<target id="{target}" text="Target {target}">')
        for question in range(1, QUESTIONS_A_TARGET + 1):
            kind = "RigidList" if question < 3 else "SquishyList"
            lines.append(f'<q id="{target}.{question}" type="{kind}">What is {question} of {target}?</q>')
        lines.append("</target>")
    return "\n".join([*lines, "</tacqa>"]).encode()


def run_file(tag: str, targets: int, documents: int, chance: random.Random) -> bytes:
    """Return the content of a run. About half of its answers are drawn from few, so other runs give them, too."""
    lines = []
    for target in range(1, targets + 1):
        for question in range(1, QUESTIONS_A_TARGET + 1):
            answers: dict[str, str] = {}
            while len(answers) < INSTANCES:
                shared = chance.random() < 0.5
                words = (WORDS[chance.randrange(20 if shared else len(WORDS))] for _ in range(2 if shared else 5))
                answers[" ".join(words)] = docno(chance.randrange(20 if shared else documents))
            lines += [f"{target}.{question} {tag} {place} {text}\n" for text, place in answers.items()]
    return "".join(lines).encode()


def write_collection(path: Path, documents: int, chance: random.Random) -> None:
    """Write a file of documents, each a page of about 30 kB."""
    with path.open("w") as file:
        for number in range(documents):
            paragraphs = "".join(
                f'<p class="post">{" ".join(chance.choices(WORDS, k=90))}</p>\n<div><a href="/{n}">{n}</a></div>\n'
                for n in range(55)
            )
            file.write(
                f"<DOC>\n<DOCNO>{docno(number)}</DOCNO>\n<DOCHDR>\nhttp://blog.example/{number} 0 0 0\n"
                "Content-Type: text/html\n</DOCHDR>\n"
                f"<html><head><title>Page {number}</title></head><body>\n{paragraphs}</body></html>\n</DOC>\n"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", type=int, default=50)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--docnos", type=int, default=3_200_000)
    parser.add_argument("--documents", type=int, default=1_000)
    parser.add_argument("--keep", type=Path, help="where to put it, with an empty database or none")
    add_json_option(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        os.environ["ASSAY_DATA_DIR"] = str(options.keep or folder)
        os.environ["DJANGO_SETTINGS_MODULE"] = "assay_site.settings"
        import django

        django.setup()
        load(Path(folder), options)
        write(options.json, taken(SHOWN, TIMED))


def submit(actor: Any, campaign: Any, team: str, content: bytes) -> None:
    from assess.protocol import RunForm
    from assess.runs.domain.submitting import submit_run

    form = RunForm(team=team, priority=1, fields={"documents": "collection"})
    run = submit_run(actor=actor, campaign=campaign, form=form, file=io.BytesIO(content), file_name=team)
    assert run.state == "accepted", run.report[:3]


def load_pages(boss: Any, campaign: Any, path: Path, documents: int, chance: random.Random) -> None:
    """Load documents in three timed steps: until loading is stopped half-way, to the end, and again when nothing is
    new.
    """
    from assess.documents.domain.loading import BATCH, load_documents

    write_collection(path, documents, chance)
    size = path.stat().st_size // documents
    half = documents // 2 // BATCH * BATCH
    steps: list[tuple[str, int, Callable[[], bool]]] = [
        ("load half of the documents", half, stop_after(half // BATCH)),
        ("go on", documents - half, lambda: False),
        ("load again", documents, lambda: False),
    ]
    for what, count, should_stop in steps:
        with timed(f"{what}, {size:,} bytes each", count, "documents"):
            load_documents(actor=boss, campaign=campaign, sources=[path], wanted=None, should_stop=should_stop)


def stop_after(batches: int) -> Callable[[], bool]:
    left = iter(range(batches - 1))
    return lambda: next(left, None) is None


def load(folder: Path, options: argparse.Namespace) -> None:
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from assess.campaigns.domain import create_campaign
    from assess.documents.domain.lists import load_docnos
    from assess.documents.queries.search import search_documents
    from assess.pools.domain.building import build_pool
    from assess.pools.domain.summaries import pool_summary
    from assess.runs.domain.checking import check_run
    from assess.topics.domain.loading import load_topics

    call_command("migrate", verbosity=0)
    chance = random.Random(7)
    boss = User.objects.create_user("bench")
    campaign = create_campaign(actor=boss, slug="bench", title="Bench", track="tac2008-qa")
    asked = options.targets * QUESTIONS_A_TARGET
    with timed("load topics", asked, "questions"):
        stream = io.BytesIO(questions(options.targets))
        load_topics(actor=boss, campaign=campaign, file_key="questions", stream=stream, name="questions.xml")
    listed = folder / "docnos.txt"
    listed.write_text("".join(f"{docno(number)}\n" for number in range(options.docnos)))
    for what in ("load docnos", "load docnos again"):
        with timed(what, options.docnos, "docnos"), listed.open("rb") as lines_of_docnos:
            load_docnos(actor=boss, campaign=campaign, stream=lines_of_docnos, name="docnos.txt")
    files = [
        (f"Team{n}a", run_file(f"Team{n}a1", options.targets, options.docnos, chance)) for n in range(options.runs)
    ]
    lines = asked * INSTANCES
    with timed("check one run", lines, "lines"):
        report = check_run(campaign=campaign, stream=io.BytesIO(files[0][1]))
    assert report.is_clean, report.issues[:3]
    with timed(f"submit {options.runs - 1} runs", lines * (options.runs - 1), "lines"):
        for team, content in files[:-1]:
            submit(boss, campaign, team, content)
    with timed("submit one more", lines, "lines"):
        submit(boss, campaign, *files[-1])
    for task in ("rigid", "squishy"):
        with timed(f"build the pool of {task}", 1, "pool"):
            pool = build_pool(actor=boss, campaign=campaign, task=task)
        print(f"  {pool.pool_items.count():,} items")
    with timed("build the same pool again", 1, "pool"):
        build_pool(actor=boss, campaign=campaign, task="squishy")
    with timed("summarise a pool", 1, "pool"):
        pool_summary(pool)
    load_pages(boss, campaign, folder / "pages.trec", options.documents, chance)
    for query in ("bane rust", '"bane rust"', "bane rust lorry"):
        with timed(f"search {query}", 1, "query"):
            page = search_documents(campaign, query)
        print(f"  {page.total:,} documents")


if __name__ == "__main__":
    main()
