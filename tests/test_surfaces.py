"""The same cases through page, API and command: the same refusal in the same words, the same rows afterwards.

A case is a line of `CASES`: what it starts from and what each surface sends. A surface that does not do the
thing (assessors judge by no command) is left out of the case.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import transaction
from django.test import Client
from django.urls import reverse

from assess.assignments.queries.work_items import handle_of
from assess.models import Assignment, Campaign, Item, Judgment, Pool, Run, Topic
from nuggets.models import NuggetEdit
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.record import add_nugget
from tests import factories
from tests.assess.judged_campaign import work
from tests.assess.topic_drafts.made_drafts import drafted, sent
from tests.assess.worker import run_worker
from tests.pages import page_of

pytestmark = pytest.mark.django_db
API = "/api/v1/campaigns/opinions/"
BAD_TOPICS = (
    b'<?xml version="1.0"?>\n<trecqa>\n <target id="1" text="Kites">\n'
    b'  <qa><q id="1.1"> </q></qa>\n </target>\n</trecqa>\n'
)
BAD_RUN = b"1.1 Harbor1 D1 blue\n1.1 Harbor1\n9.9 Harbor1 D1 red\n"
FORM = {"team": "Harbor", "priority": "1"}
KEY = str(UUID(int=7))


@dataclass
class World:
    """The rows that cases speak of."""

    campaign: Campaign
    grading: Assignment
    item: Item
    writing: Assignment
    folder: Path
    client: Client
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What a surface said: "done", "refused", or "absent"; and everything that the person reads."""

    kind: str
    text: str


def kind_of(status: int) -> str:
    return "done" if status < 400 else "absent" if status == 404 else "refused"


def page(world: World, name: str, args: list[object] = [], **data: Any) -> Answer:  # noqa: B006
    answer = world.client.post(reverse(name, args=[world.campaign.slug, *args]), data, HTTP_ACCEPT="text/html")
    text = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page_of(answer))))
    return Answer(kind_of(answer.status_code), text)


def api(world: World, path: str, *, method: str = "post", files: bool = False, **data: Any) -> Answer:
    extra = {} if files else {"content_type": "application/json"}
    body = data if files else json.dumps(data)
    answer = getattr(world.client, method)(path if path.startswith("/") else API + path, body, **extra)
    return Answer(kind_of(answer.status_code), json.dumps(answer.json(), ensure_ascii=False).replace('\\"', '"'))


def command(*arguments: object) -> Answer:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command(*map(str, arguments), stdout=out, stderr=err)
    except CommandError as error:
        return Answer("refused", f"{out.getvalue()}{err.getvalue()}{error}")
    return Answer("done", out.getvalue() + err.getvalue())


def upload(content: bytes, name: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def opened(world: World, address: str, **query: str) -> Answer:
    """What an address answers that is only looked at."""
    answer = world.client.get(address, query)
    is_page = answer["Content-Type"].startswith("text/html")
    return Answer(
        kind_of(answer.status_code), unescape(answer.content.decode()) if is_page else answer.json()["detail"]
    )


def kept(world: World, content: bytes, name: str) -> Path:
    path = world.folder / name
    path.write_bytes(content)
    return path


Surface = Callable[[World], Answer]


@dataclass(frozen=True)
class Case:
    """Who does it, what holds before, what each surface sends, the words that all of them answer with."""

    who: str
    sentences: tuple[str, ...]
    surfaces: dict[str, Surface]
    before: Callable[[World], None] = lambda world: None
    kind: str = "refused"


def judge(world: World, value: int, *, key: str = KEY) -> dict[str, Surface]:
    args: list[object] = [world.grading.pk]
    said = {
        "item": handle_of(world.grading, world.item.pk),
        "criterion": "correctness",
        "value": value,
        "client_key": key,
    }
    return {
        "page": lambda w: page(w, "judge", args, **said),
        "api": lambda w: api(w, f"assignments/{w.grading.pk}/judgments/", **said),
    }


def judging(value: int, sentence: str, before: Callable[[World], None] = lambda world: None) -> Case:
    return Case(
        "assessor",
        (sentence,),
        {name: lambda w, name=name: judge(w, value)[name](w) for name in ("page", "api")},
        before,
    )


def frozen(world: World) -> None:
    Campaign.objects.update(state="frozen")


def _drafted(world: World, *, is_sent: bool) -> None:
    author = User.objects.get(username="assessor")
    (sent if is_sent else drafted)(world.campaign, author)


def run_accepted(world: World) -> None:
    Campaign.objects.update(state="setup")
    run = factories.run(world.campaign, "Harbor1", User.objects.get(username="organiser"))
    Run.objects.filter(pk=run.pk).update(fields={"documents": "collection"})


def done(world: World) -> None:
    Assignment.objects.filter(pk=world.grading.pk).update(state="done")


def judged_before(world: World) -> None:
    Judgment(
        item=world.item,
        criterion="correctness",
        value=1,
        assessor=world.grading.assessor,
        assignment=world.grading,
        client_key=UUID(KEY),
        how="key",
    ).save()


def pool_left(world: World) -> None:
    Pool.objects.all().delete()


def list_frozen(world: World) -> None:
    actor = world.writing.assessor
    made = start_list(actor=actor, assignment=world.writing)
    add_nugget(actor=actor, nugget_list=made, text="cheap", importance="vital", client_key=UUID(int=1))
    freeze_list(actor=actor, nugget_list=made, client_key=UUID(int=2))


def _changing(do: str, sentence: str, number: str = "1.1", reason: str = "", **wording: str) -> Case:
    """A change of a topic that is refused."""
    texts = {f"text {key}": text for key, text in wording.items()}
    said = {"reason": reason, **({"wording": wording} if wording else {})}
    options = [f"wording.{key}={text}" for key, text in wording.items()]
    way, method = f"topics/{number}/{do}/", "post"
    return Case(
        "organiser",
        (sentence,),
        {
            "page": lambda w: page(w, "topic-change", [number], do=do, reason=reason, **texts),
            "api": lambda w: api(w, way, method=method, **said),
            "command": lambda w: command(
                "call", f"topics_{do}", "opinions", f"number={number}", f"reason={reason}", *options
            ),
        },
        frozen if reason == "frozen" else lambda world: None,
    )


def second_given(world: World) -> None:
    """Somebody is to judge the graded topic once more."""
    second = User.objects.get(username="second_assessor")
    work(world.campaign, world.grading.topic.number, "instances", second, role="second")


def _exporting(
    sentence: str, *, topic: str = "", judges: str = "", before: Callable[[World], None] = lambda world: None
) -> Case:
    """A part of the exports that is refused."""
    zipped, options = {"topic": topic, "judges": judges}, (["--topic", topic] if topic else [])
    return Case(
        "organiser",
        (sentence,),
        {
            "page": lambda w: opened(w, reverse("exports-zip", args=["opinions"]), **zipped),
            "api": lambda w: opened(w, f"{API}exports/all/", **zipped),
            "command": lambda w: command(
                "export", "opinions", w.folder / "part", *options, *(["--judges", judges] if judges else [])
            ),
        },
        before,
    )


CASES: dict[str, Case] = {
    "exports of a topic that there is not": _exporting("9.9 is no topic of this campaign", topic="9.9"),
    "exports of judges that there are not": _exporting("There is no judge “third”. Judges: official", judges="third"),
    "exports of judges in topics of others": _exporting(
        "second has no work here, so there is nothing to export.", judges="second", topic="1.2", before=second_given
    ),
    "choosing topics that there are not": Case(
        "organiser",
        ("9.9 is no topic of this campaign, so nothing was changed.",),
        {
            "page": lambda w: page(w, "judged-topics", numbers="1.1, 9.9"),
            "api": lambda w: api(w, "judged-topics/", numbers=["1.1", "9.9"]),
            "command": lambda w: command("call", "judged_topics_create", "opinions", "numbers=1.1", "numbers=9.9"),
        },
    ),
    "dropping a topic without a reason": _changing("drop", "Say why the topic is dropped"),
    "dropping a topic of a frozen campaign": _changing("drop", "The campaign is frozen", reason="frozen"),
    "amending a topic without a reason": _changing("amend", "Say why the topic is amended", text="Another?"),
    "amending what is no text": _changing("amend", "“parent” can't be amended", reason="A typo.", parent="2"),
    "removing a topic that was begun": _changing("remove", "can't be removed: it has"),
    "topics with an error": Case(
        "organiser",
        ("so nothing of it was stored. Correct the file and load it again.",),
        {
            "page": lambda w: page(w, "topics-load", file=upload(BAD_TOPICS, "q.xml"), file_key="questions"),
            "api": lambda w: api(w, "topics/", files=True, file=upload(BAD_TOPICS, "q.xml")),
            "command": lambda w: command("load_topics", "opinions", kept(w, BAD_TOPICS, "q.xml")),
        },
    ),
    "settling what nobody disagrees about": Case(
        "organiser",
        ("Nobody disagrees about this (any more), so there is nothing to decide.",),
        {
            "page": lambda w: page(w, "adjudicate-decide", ["instances", "correctness"], item=w.item.pk, value="1"),
            "api": lambda w: api(
                *(w, "disagreements/"),
                stage="instances",
                criterion="correctness",
                thing=str(w.item.pk),
                value=1,
                client_key=KEY,
            ),
            "command": lambda w: command(
                *("decide", "opinions", "--stage", "instances", "--criterion", "correctness", "--thing", w.item.pk),
                *("--value", 1, "--adjudicator", "organiser"),
            ),
        },
    ),
    "a pool without runs": Case(
        "organiser",
        ("No accepted run of these priorities answers “Rigid list”, so there is nothing to pool.",),
        {
            "page": lambda w: page(w, "pool-build", ["rigid"]),
            "api": lambda w: api(w, "pools/", task="rigid"),
            "command": lambda w: command("build_pool", "opinions", "--task", "rigid"),
        },
        pool_left,
    ),
    "a strategy where runs rank nothing": Case(
        "organiser",
        ("Runs rank nothing for “Rigid list”, so it has no strategies: all that they return is pooled.",),
        {
            "page": lambda w: page(w, "pool-build", ["rigid"], strategy="rrf", budget="3"),
            "api": lambda w: api(w, "pools/", task="rigid", strategy="rrf", budget=3),
            "command": lambda w: command(
                "build_pool", "opinions", "--task", "rigid", "--strategy", "rrf", "--budget", "3"
            ),
        },
    ),
    "a strategy without its number": Case(
        "organiser",
        ("Rrf needs a budget: how many documents of each topic to take.",),
        {
            "page": lambda w: page(w, "pool-build", ["rigid"], strategy="rrf"),
            "api": lambda w: api(w, "pools/", task="rigid", strategy="rrf"),
            "command": lambda w: command("build_pool", "opinions", "--task", "rigid", "--strategy", "rrf"),
        },
    ),
    "a second author": Case(
        "organiser",
        ("already has its primary assessor. Hand it out to a second assessor.",),
        {
            "page": lambda w: page(
                w,
                "assignments-hand-out",
                cell=f"{w.grading.topic_id}:instances",
                assessor=User.objects.get(username="second_assessor").pk,
                role="primary",
            ),
            "api": lambda w: api(w, "assignments/", topic="1.1", stage="instances", assessor="second_assessor"),
            "command": lambda w: command(
                "assign", "opinions", "--topic", "1.1", "--stage", "instances", "--assessor", "second_assessor"
            ),
        },
    ),
    "a release date that is none": Case(
        "organiser",
        ("“soon” is no date with a time. Write it as 2026-12-01 23:59.",),
        {
            "page": lambda w: page(w, "settings-release-dates", **{"release-topics": "soon"}),
            "api": lambda w: api(w, "release-dates/", topics="soon"),
            "command": lambda w: command("call", "release_dates", "opinions", "topics=soon"),
        },
    ),
    "a draft that was not sent": Case(
        "organiser",
        ("Draft 1 is draft; only one that was sent is decided on.",),
        {
            "page": lambda w: page(w, "topic-draft-decide", [1], do="accept"),
            "api": lambda w: api(w, "topic-drafts/1/accept/", client_key=KEY),
            "command": lambda w: command("call", "topic_drafts_accept", "opinions", "id=1"),
        },
        lambda w: _drafted(w, is_sent=False),
    ),
    "a draft sent back without a word": Case(
        "organiser",
        ("Tell the author what to change, in at most 2,000 characters.",),
        {
            "page": lambda w: page(w, "topic-draft-decide", [1], do="back", word=" "),
            "api": lambda w: api(w, "topic-drafts/1/back/", client_key=KEY, word=""),
            "command": lambda w: command("call", "topic_drafts_back", "opinions", "id=1", "word="),
        },
        lambda w: _drafted(w, is_sent=True),
    ),
    "a topic's number that is taken": Case(
        "organiser",
        ("There is a topic 1 already. Choose another number.",),
        {
            "page": lambda w: page(w, "topic-draft-decide", [1], do="accept", topic="1"),
            "api": lambda w: api(w, "topic-drafts/1/accept/", client_key=KEY, topic="1"),
            "command": lambda w: command("call", "topic_drafts_accept", "opinions", "id=1", "topic=1"),
        },
        lambda w: _drafted(w, is_sent=True),
    ),
    "settings that can't be": Case(
        "organiser",
        ("'many' is not a whole number",),
        {
            "page": lambda w: page(w, "settings", **{**_settings(w), "allowance": "many"}),
            "api": lambda w: api(w, "settings/", method="patch", settings={"allowance": "many"}),
        },
    ),
    "a run's form not filled in": Case(
        "organiser",
        ("Answer “",),
        {
            "api": lambda w: api(w, "runs/", files=True, file=upload(BAD_RUN, "Harbor1"), **FORM),
            "command": lambda w: command(
                "submit_run", "opinions", kept(w, BAD_RUN, "Harbor1"), "--as", "organiser", *_options()
            ),
        },
    ),
    "another file under the tag of an accepted run": Case(
        "organiser",
        ("Harbor has a run Harbor1 already, which is accepted, with another file", "is meant to replace it"),
        {
            "page": lambda w: page(
                w, "run-new", file=upload(b"x", "r.txt"), **FORM, automatic="yes", **{"field-documents": "top50"}
            ),
            "api": lambda w: api(w, "runs/", files=True, file=upload(b"x", "r.txt"), **FORM),
            "command": lambda w: command(
                "submit_run", "opinions", kept(w, b"x", "r.txt"), "--as", "organiser", *_options()
            ),
        },
        run_accepted,
    ),
    "a slug that is nobody's": Case(
        "organiser",
        (),
        {
            "page": lambda w: Answer(kind_of(w.client.get(reverse("overview", args=["none"])).status_code), ""),
            "api": lambda w: Answer(kind_of(w.client.get("/api/v1/campaigns/none/").status_code), ""),
        },
        kind="absent",
    ),
    "a value off the scale": judging(9, "9 is not on the scale. Allowed are:"),
    "work that is done": judging(1, "This work is marked as done. Take it up again before you change anything.", done),
    "a frozen campaign": judging(
        1, "The campaign is frozen, so nothing can be judged now. An organiser can open it again.", frozen
    ),
    "the same key with other content": judging(
        -1,
        "This was sent once before and said something else then. Nothing was changed; reload the page.",
        judged_before,
    ),
    "a frozen list": Case(
        "assessor",
        ("This list is frozen. Begin a new version of it to change anything.",),
        {
            "page": lambda w: page(
                w, "nuggets-edit", [w.writing.pk], do="add", text="light", importance="okay", client_key=KEY
            ),
            "api": lambda w: api(
                w, f"assignments/{w.writing.pk}/nugget-list/add/", text="light", importance="okay", client_key=KEY
            ),
        },
        list_frozen,
    ),
}


def _settings(world: World) -> dict[str, Any]:
    """What the page's form holds when it is opened."""
    shown = world.client.get(reverse("settings", args=[world.campaign.slug]))
    fields = re.findall(r'<input type="text" name="(\w+)" value="([^"]*)"', shown.content.decode())
    return {name: unescape(value) for name, value in fields}


def _options() -> list[str]:
    return ["--team", "Harbor", "--priority", "1"]


def rows() -> dict[str, int]:
    models = (Topic, Run, Pool, Assignment, Judgment, NuggetEdit)
    return {model.__name__: model.objects.count() for model in models}


@pytest.fixture
def world(
    campaign: Campaign,
    grading: Assignment,
    second_assessor: User,
    rigid_items: list[Item],
    nugget_writing: Assignment,
    client: Client,
    settings,
    tmp_path: Path,
) -> World:
    settings.DATA_DIR = tmp_path / "data"
    return World(campaign, grading, rigid_items[0], nugget_writing, tmp_path, client)


@pytest.mark.parametrize("name", CASES)
def test_every_surface_refuses_alike_and_stores_nothing(name: str, world: World) -> None:
    case = CASES[name]
    case.before(world)
    world.client.force_login(User.objects.get(username=case.who))
    for surface, act in case.surfaces.items():
        before = rows()
        point = transaction.savepoint()
        answer = act(world)
        missing = [sentence for sentence in case.sentences if sentence not in answer.text]
        assert (surface, answer.kind, missing) == (surface, case.kind, []), answer.text[-3000:]
        assert (surface, rows()) == (surface, before)
        transaction.savepoint_rollback(point)


def test_every_surface_names_the_same_mistakes_of_a_run(world: World) -> None:
    world.client.force_login(User.objects.get(username="organiser"))
    fields = {"documents": "collection"}
    named = {}
    for surface in ("page", "api", "command"):
        point = transaction.savepoint()
        if surface == "page":
            form = {**FORM, "automatic": "yes", "field-documents": "collection"}
            page(world, "run-new", file=upload(BAD_RUN, "Harbor1"), **form)
            run_worker()
        elif surface == "api":
            form = {**FORM, **{f"fields.{key}": value for key, value in fields.items()}}
            api(world, "runs/", files=True, file=upload(BAD_RUN, "Harbor1"), **form)
        else:
            path = kept(world, BAD_RUN, "Harbor1")
            command("submit_run", "opinions", path, "--as", "organiser", *_options(), "--field", "documents=collection")
        run = Run.objects.get()
        values = (run.tag, run.team, run.priority, run.automatic, run.fields, run.file, run.state, run.errors)
        named[surface] = (values, run.report)
        transaction.savepoint_rollback(point)
    assert named["page"][0][-2] == "rejected"
    assert len(named["page"][1]) >= 2
    assert named["page"] == named["api"] == named["command"]
