"""Every form of a file through every way in: page, call of the API and command, each as it is used.

The three say the same of a file, or this fails. What they say is the table in docs/formats.md, which is made here:
`ASSAY_WRITE_TABLES=yes pytest -n 0 tests/test_table_of_forms.py` writes it anew, to be looked at as code is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import unescape
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.utils.text import slugify

from assess.base.errors import Refused
from assess.controls.domain import read_gold
from assess.management.campaign_folder import run_forms
from assess.models import Campaign, Job, Membership, Run
from assess.people.domain.invitations import read_invitations
from assess.protocol import CheckContext, JudgmentFile, TopicRecord, Track
from scoring.__main__ import main as scoring
from scoring.file_kinds import recognise_beginning
from scoring.formats.judgments_jsonl import read_judgments
from scoring.records import Issue
from tests import factories
from tests.assess.commands import run_command
from tests.assess.worker import run_worker
from tests.pages import page_of
from tests.parts import WHOLE
from tests.scoring.files_of_forms import FORMS
from tracks import TRACKS

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

NAME = "file.txt"
"""What every file is called: what it is, it has to say itself."""


@dataclass(frozen=True)
class Said:
    """What a way said of a file: whether it took it, its errors, and all that a person reads of it."""

    taken: bool
    errors: tuple[str, ...] = ()
    seen: str = ""


@dataclass(frozen=True)
class Site:
    """A campaign, its organiser's browser, and a folder for the files of commands."""

    campaign: Campaign
    client: Client
    folder: Path


@dataclass(frozen=True, kw_only=True)
class Way:
    """How one kind of thing is loaded into a campaign of a track."""

    what: str
    track: str
    places: tuple[str, str, str]
    page: Callable[[Site, bytes], Said]
    api: Callable[[Site, bytes], Said]
    command: Callable[[Site, bytes], Said]
    topics: Sequence[str] = ()
    is_judged: bool = False


def page_said(site: Site, page: str, /, **data: Any) -> Said:
    """What a page answered to a form with the file: on to another page where it took it, else the form again."""
    answer = site.client.post(f"/c/{site.campaign.slug}/{page}/", data, HTTP_ACCEPT="text/html")
    seen = text_of(page_of(answer))
    return Said(taken=answer.status_code in (200, 302), seen=seen)


def text_of(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.partition("<main")[2])).split())


def api_said(site: Site, path: str, /, **data: Any) -> Said:
    answer = site.client.post(f"/api/v1/campaigns/{site.campaign.slug}/{path}/", data)
    told = answer.json()
    if answer.status_code < 400:
        return Said(taken=True)
    issues = [each["message"] for each in told.get("issues", ()) if each["severity"] == "error"]
    fields = [each["detail"] for each in told.get("errors", ())]
    return Said(taken=False, errors=tuple(issues or fields or [told["detail"]]))


def upload(content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(NAME, content)


def by_command(*arguments: str) -> Callable[[Site, bytes], Said]:
    """A command of the site; `FILE` and `CAMPAIGN` among its arguments stand for these."""

    def said(site: Site, content: bytes) -> Said:
        path = site.folder / NAME
        path.write_bytes(content)
        named = {"FILE": str(path), "CAMPAIGN": site.campaign.slug}
        status, _, problems = run_command(*(named.get(each, each) for each in arguments))
        return Said(taken=status == 0, seen=" ".join(problems.split()))

    return said


def job_said(begun: Said) -> Said:
    """What became of a file that the worker loads: of the job, where one was begun."""
    if not begun.taken:
        return begun
    run_worker()
    job = Job.objects.order_by("pk").last()
    assert job is not None
    errors = tuple(each["message"] for each in job.issues if each["severity"] == "error")
    is_refused = job.state != Job.State.DONE or errors
    return Said(taken=not is_refused, errors=errors or ((job.message,) if is_refused else ()), seen=" ".join(errors))


def run_said(begun: Said) -> Said:
    if not begun.taken:
        return begun
    run_worker()
    run = Run.objects.order_by("pk").last()
    assert run is not None
    errors = tuple(each["message"] for each in run.report if each["severity"] == "error")
    return Said(taken=run.state == Run.State.ACCEPTED, errors=errors, seen=" ".join(errors))


def records_page(site: Site, page: str, content: bytes, fields: dict[str, str]) -> Said:
    """The page of records: the file is looked at, then loaded as it was guessed, by somebody who agrees."""
    address = f"/c/{site.campaign.slug}/{page}/"
    looked = site.client.post(address, {"file": upload(content), **fields}, HTTP_ACCEPT="text/html")
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', looked.content.decode()))
    if looked.status_code != 200 or "token" not in hidden:
        return Said(taken=False, seen=text_of(page_of(looked)))
    return page_said(site, page, act="load", **fields, **hidden)


def file_page(site: Site, page: str, content: bytes, fields: dict[str, str]) -> Said:
    return page_said(site, page, **{"labels" if page == "machines" else "file": upload(content)}, **fields)


def way(
    what: str, track: str, *, page: str, api: str, command: str, fields: dict[str, str] | None = None,
    end: Callable[[Said], Said] = lambda said: said, ask: Callable[..., Said] = file_page, **more: Any,
) -> Way:  # fmt: skip
    """A way whose page and call take the same fields; ``end`` tells what became of what was taken."""
    form = fields or {}
    return Way(
        what=what,
        track=track,
        places=(f"/c/SLUG/{page}/", f"POST …/{api}/", f"manage.py {command}"),
        page=lambda site, content: end(ask(site, page, content, form)),
        api=lambda site, content: end(api_said(site, api, file=upload(content), **form)),
        command=by_command(*command.split()),
        **more,
    )


RUN = {"team": "North", "automatic": "yes"}
JUDGE = {"name": "umbrela"}
ALL = {"wanted": "all"}
TOPICS = ("1", "2", "3", "116", "t1")
"""Topics of the campaigns into which runs are submitted: what a file says of others is no question of its form."""

WAYS = [
    way("topics", "adhoc", page="topics/load", api="topics", command="load_topics CAMPAIGN FILE"),
    way(
        "ranked run", "adhoc", page="runs/new", api="runs", topics=TOPICS, fields=RUN, end=run_said,
        command="submit_run CAMPAIGN FILE --as organiser --team North",
    ),
    way(
        "run of answers", "rag-nuggets", page="runs/new", api="runs", topics=TOPICS, fields=RUN, end=run_said,
        command="submit_run CAMPAIGN FILE --as organiser --team North",
    ),
    way(
        "labels of a judge", "adhoc", page="machines", api="machines", topics=TOPICS, fields=JUDGE, is_judged=True,
        command="import_machine_judge CAMPAIGN --name umbrela FILE",
    ),
    way(
        "nuggets of a judge", "rag-nuggets", page="machines", api="machines", topics=TOPICS, fields=JUDGE,
        is_judged=True, command="import_machine_judge CAMPAIGN --name umbrela FILE",
    ),
    way(
        "documents", "adhoc", page="documents/load", api="documents", fields=ALL, end=job_said,
        command="load_documents CAMPAIGN FILE --all",
    ),
    way(
        "records", "adhoc", page="documents/records", api="document-records", fields=ALL, end=job_said,
        command="load_documents CAMPAIGN FILE --records --all", ask=records_page,
    ),
    way(
        "docnos", "adhoc", page="documents/docnos", api="docnos", end=job_said,
        command="load_docnos CAMPAIGN FILE",
    ),
    way(
        "top documents", "adhoc", page="documents/lists", api="document-lists", topics=TOPICS,
        command="load_document_list CAMPAIGN FILE",
    ),
]  # fmt: skip
"""What a site loads, by page, call of the API and command."""

RANKED = ("--run", "--qrels")
TASKS = {"adhoc": "ranking", "rag-nuggets": "answers"}
GROUPS = {
    "run": "Ranked runs", "candidates": "Ranked runs", "qrels": "Judgments", "answers": "Runs of answers",
    "citations": "Runs of answers", "questions": "Runs of answers", "claims": "Topics", "topics": "Topics",
    "nuggets": "Nuggets", "votes": "Nuggets", "documents": "Documents",
}  # fmt: skip
"""The heading under which a form stands, by what it probably is."""


def campaign_for(each: Way, organiser: User) -> Campaign:
    state = Campaign.State.JUDGING if each.is_judged else Campaign.State.SETUP
    slug = slugify(each.what)
    made = Campaign.objects.create(slug=slug, title=each.what, track=each.track, state=state)
    Membership.objects.create(campaign=made, user=organiser, role="organiser")
    for number in each.topics:
        factories.topic(made, number, f"Topic {number}", task=TASKS[each.track])
    return made


SEVERAL = {("ranked run", "zip", "page"), ("ranked run", "zip", "command")}
DAMAGED = ("it is cut off or damaged",)
"""Runs in a zip are taken by their page and command, which say of this one what is wrong with it as a zip."""


def outcomes(each: Way, site: Site) -> Iterator[tuple[str, Said]]:
    """What the three ways say of each form: the same, or this fails. `make test` asks page and command of some."""
    for number, (name, content) in enumerate(FORMS.items(), WAYS.index(each)):
        told: dict[str, Said] = {}
        others = ("page", "command") if WHOLE or number % 5 == 0 else ()
        for surface in ("api", *others):
            point = transaction.savepoint()
            told[surface] = getattr(each, surface)(site, content)
            transaction.savepoint_rollback(point)
        said = told["api"]
        for surface in others:
            expected = DAMAGED if (each.what, name, surface) in SEVERAL else said.errors[:3]
            missing = [error for error in expected if error not in told[surface].seen]
            assert (told[surface].taken, missing) == (said.taken, []), (each.what, name, surface, told[surface].seen)
        yield name, said


def ranked_by(option: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[tuple[str, Said]]:
    """What `rank` says of each form given as its run or as its qrels; the other file is as it should be."""
    path, other = folder / NAME, folder / "other.txt"
    other.write_text("1 Q0 a 1 1.0 r\n" if option == "--qrels" else "1 0 a 1\n")
    beside = "--run" if option == "--qrels" else "--qrels"
    for name, content in FORMS.items():
        path.write_bytes(content)
        scoring(["rank", option, str(path), beside, str(other), "-m", "map"])
        rows = [line.split("\t") for line in capsys.readouterr().err.splitlines()]
        errors = [row[-1] for row in rows if row[0] == str(path) and row[2] == "error"]
        yield name, Said(taken=not errors, errors=tuple(errors))


# What `load_campaign` takes from a folder, what is given back, and the topics of other evaluations: the readers alone,
# since page, call and command hand a file to them as they stand.

LOOKED_AT = 200
Reader = Callable[[Path], Iterator[Any]]
KNOWN = CheckContext(topics=tuple(TopicRecord(number=number, text="?", task="any") for number in TOPICS), settings=None)


def opened(read: Callable[[BinaryIO], Iterator[Any]]) -> Reader:
    def found(path: Path) -> Iterator[Any]:
        with path.open("rb") as file:
            yield from read(file)

    return found


def reported(read: Callable[..., object]) -> Reader:
    """A reader that hands what is wrong to ``report``."""

    def found(path: Path) -> Iterator[Any]:
        issues: list[Any] = []
        with path.open("rb") as file:
            read(file, report=issues.append)
        yield from issues

    return found


def from_folder(track: Track, kind: JudgmentFile) -> Reader:
    context = replace(KNOWN, settings=track.settings())
    return lambda path: kind.read([path], context)


def forms_of(path: Path) -> Iterator[Any]:
    """`runs/forms.json` in a folder of its own; a refusal is its sentence without the path."""
    place = path.parent / "runs" / "forms.json"
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(path.read_bytes())
    try:
        run_forms(path.parent)
    except Refused as refused:
        message = refused.message.removeprefix(f"{place}: ").replace(str(place), "It")
        yield Issue(where="", code="refused", message=message)


FURTHER: dict[str, dict[str, Reader]] = {
    "Topics of other evaluations": {
        f"{track.key}: {kind.key}": opened(kind.read)
        for track in TRACKS for kind in track.topic_files if track.key != "adhoc"
    },
    "Judgments in a folder of `load_campaign`": {
        f"{track.key}: {kind.key}": from_folder(track, kind) for track in TRACKS for kind in track.judgment_files
    },
    "Answers given back, and what stands beside runs": {
        "recorded judgments (`import_judgments`)": opened(read_judgments),
        "`runs/forms.json`": forms_of,
        "gold answers of control items": reported(read_gold),
        "people to invite": reported(read_invitations),
    },
}  # fmt: skip
"""Heading -> way in -> what reads it."""


def read_by(read: Reader, path: Path) -> Iterator[tuple[str, Said]]:
    """What a reader says of each form, by its first records and issues."""
    for name, content in FORMS.items():
        path.write_bytes(content)
        found = list(islice(read(path), LOOKED_AT))
        errors = [each.message for each in found if isinstance(each, Issue) and each.severity == "error"]
        kept = [each.removeprefix(f"{path.name}: ") for each in errors]
        yield name, Said(taken=not errors, errors=tuple(kept))


BEGIN, END = "<!-- forms: made by tests/test_table_of_forms.py -->\n", "<!-- end of forms -->"
GUIDE = Path(__file__).parents[1] / "docs" / "formats.md"


PARTS = (
    (re.compile(r'"[^"]*"|‘[^’]*’|file\.txt|\([A-Z][^()]*(\([^()]*\))?[^()]*\)'), "…"),
    (re.compile(r"(, not |, a form in which )[^.]*?( can't be read here)?\."), r"\1…\2."),
    (re.compile(r" (It is|Documents are) read here as [^:]*?\.$"), ""),
    (
        re.compile(r"(Say which it is|it needs \d+|line has \d+ column\S*( by a \w+)?|Readers for JSON): [^.]*\."),
        r"\1: ….",
    ),
)
"""What of a sentence is this file's or this place's alone, and what is printed for it."""


def words_of(said: Said, what: str) -> str:
    """The first thing that is said against a file, as it is said of every such file everywhere."""
    words = said.errors[0].replace(what, "…") if what else said.errors[0]
    for pattern, printed in PARTS:
        words = pattern.sub(printed, words)
    return words


def cell_of(said: Said, what: str, sentences: dict[str, int]) -> str:
    if said.taken:
        return "read"
    number = sentences.setdefault(words_of(said, what), len(sentences) + 1)
    return f"converted [{number}]" if any("convert --from" in error for error in said.errors) else f"[{number}]"


def told_of(name: str) -> str:
    """What a form is, in words."""
    found = recognise_beginning(FORMS[name])
    return found.what or found.form_name


def further_table(heading: str, columns: dict[str, dict[str, Said]], sentences: dict[str, int]) -> str:
    """A table in which the forms of which all is said alike share a row."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for name in FORMS:
        cells = tuple(cell_of(column[name], told_of(name), sentences) for column in columns.values())
        rows.setdefault(cells, []).append(name)
    head = ["| forms | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    lines = [f"| {'; '.join(names)} | {' | '.join(cells)} |" for cells, names in rows.items()]
    return "\n".join([f"#### {heading}", "", *head, *lines])


def table(columns: dict[str, dict[str, Said]], further: dict[str, dict[str, dict[str, Said]]]) -> str:
    """A table for each group of forms, those of the further ways in, then the sentences by their numbers."""
    sentences: dict[str, int] = {}
    groups: dict[str, list[str]] = {}
    for name, content in FORMS.items():
        found = recognise_beginning(content)
        what = told_of(name)
        cells = [name, what.replace("|", "\\|")]
        cells += [cell_of(column[name], what, sentences) for column in columns.values()]
        group = GROUPS.get(found.kinds[0] if found.kinds else "", "Other files")
        groups.setdefault(group, []).append("| " + " | ".join(cells) + " |")
    head = ["| form | what it is | " + " | ".join(columns) + " |", "|---" * (len(columns) + 2) + "|"]
    tables = ["\n".join([f"#### {group}", "", *head, *rows]) for group, rows in groups.items()]
    ways = ["| column | page | API | command |", "|---|---|---|---|"]
    ways += [f"| {each.what} | {' | '.join(f'`{place}`' for place in each.places)} |" for each in WAYS]
    ways += [f"| `rank {option}` | | | `python -m scoring rank --run F --qrels F -m AP` |" for option in RANKED]
    tables = ["\n".join(ways), *tables, *(further_table(*each, sentences) for each in further.items())]
    told = [f"{number}. {words}" for words, number in sentences.items()]
    return "\n\n".join([*tables, "#### What is said of a file that is refused", "\n".join(told)])


def test_the_table_of_forms_is_that_of_the_guide(
    client: Client, organiser: User, tmp_path: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(FORMS) >= 60
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    client.force_login(organiser)
    columns = {each.what: dict(outcomes(each, Site(campaign_for(each, organiser), client, tmp_path))) for each in WAYS}
    columns |= {f"`rank {each}`": dict(ranked_by(each, tmp_path, capsys)) for each in RANKED}
    further = {
        heading: {name: dict(read_by(read, tmp_path / NAME)) for name, read in readers.items()}
        for heading, readers in FURTHER.items()
    }
    text = GUIDE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    stands, _, after = rest.partition(END)
    made = f"\n{table(columns, further)}\n\n"
    if os.environ.get("ASSAY_WRITE_TABLES"):
        GUIDE.write_text(before + BEGIN + made + END + after, encoding="utf-8")
    else:
        assert stands == made
