"""The examples in the API's description, docs/api-examples.json, are calls that are made here and what came of them.

`ASSAY_WRITE_EXAMPLES=yes pytest -n 0 tests/test_api_examples.py` writes them anew, with the lines in docs/api.md; then
run `make openapi`, and look at all of it as code is.
"""

from __future__ import annotations

import json
import os
import re
from itertools import zip_longest
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, uuid5

import jsonschema_rs
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess.models import Assignment, Item
from tests import factories
from tests.api_shapes import components, description, plain
from tests.assess.worker import run_worker
from tests.generated_client import GUIDE

KEPT = GUIDE.with_name("api-examples.json")
WRITES = "ASSAY_WRITE_EXAMPLES" in os.environ
FOLDER = Path(__file__).resolve().parent / "data" / "tracks" / "adhoc"
FOLDERS = {"maple.txt": "runs/good", "oak.txt": "runs/good", "qrels.txt": "expected"}
OTHER_EACH_TIME = {
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)": "2026-12-01T10:15:00Z",
    r"\d{4}-\d\d-\d\d(?!T)": "2026-12-01",
    r"http://testserver/": "https://assay.example.org/",
    r"\b[0-9a-f]{64}\b": f"{'5e':0<62}8d",
    r"\d+\.\d+\.\d+\+[0-9a-f]+": "1.0.0",
}
"""What is another in each run, and what stands for it."""
DRAWN = {"token": "nX4vT0kq", "secret": "q8ZrUe2m", "request_id": "40f5b6ee367cf120"}
"""Members whose text is drawn, and what stands for it."""
COUNTED = {
    "id",
    "item",
    "thing",
    "items",
    "assignment",
    "object_id",
    "machine",
    "as_of",
    "since",
    "score",
    "docno",
    "call",
    "next",
}
"""Members whose numbers depend on what the database held before, or on an order that is drawn."""
SHUFFLED = {"values"}
"""Members whose order is drawn: which side of a disagreement stands left."""


class Story:
    """Calls in their order, each kept as the example of its operation or compared with the one that is kept."""

    def __init__(self, client: Client, name: str) -> None:
        self.client, self.name, self.made = client, name, {}

    def __call__(
        self, operation: str, path: str, body: Any = None, *, by: User, status: int = 200, name: str = ""
    ) -> Any:
        """Make the call, and return its answer as it came. Of several of one operation the first is kept, and those
        that have a name, which begins with the operation's.
        """
        self.client.force_login(by)
        method, described = _operation(operation)
        content = described.get("requestBody", {}).get("content", {})
        address = path if path.startswith("/api/") else f"/api/v1/campaigns/{self.name}/{path}"
        send = getattr(self.client, method)
        if body is None or "application/json" in content:
            answer = send(address, *([] if body is None else [body]), content_type="application/json")
        else:
            answer = send(address, {name: _part(value) for name, value in body.items()})
        assert answer.status_code == status, (operation, answer.content.decode())
        is_json = answer["Content-Type"].endswith("json")
        told = answer.json() if is_json else b"".join(answer).decode()
        call = {"call": f"{method.upper()} {address}", **({} if body is None else {"body": body})}
        self.made.setdefault(name or operation, _tidy({**call, "status": status, "answer": told}))
        return told

    def compare(self) -> None:
        """Compare all calls with those that are kept, or keep them."""
        kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        if WRITES:
            lasting = {name: each for name, each in kept.items() if _story(each) != self.name}
            same = {name: kept[name] for name, each in self.made.items() if _is_alike(each, kept.get(name))}
            KEPT.write_text(json.dumps({**lasting, **self.made, **same}, indent=1, ensure_ascii=False) + "\n")
            lines = "\n".join(_lines())
            GUIDE.write_text(LINES.sub(lambda found: f"{found[1]}{lines}\n", GUIDE.read_text()))
            return
        mine = {name: each for name, each in kept.items() if _story(each) == self.name}
        wrong = [
            (name, each, mine.get(name)) for name, each in self.made.items() if not _is_alike(each, mine.get(name))
        ]
        assert (wrong, mine.keys() - self.made.keys()) == ([], set()), "run ASSAY_WRITE_EXAMPLES=yes, as above"


LINES = re.compile(r"(## A campaign, call by call\n\n(?:\S.+\n)+\n)(?:    .+\n)+")
"""The calls in the guide; first what is said of them."""


def _lines() -> list[str]:
    """The calls as the guide has them, each with its body."""
    return [
        "    " + "  ".join([each["call"], *([json.dumps(each["body"], ensure_ascii=False)] if "body" in each else [])])
        for each in json.loads(KEPT.read_text()).values()
        if _story(each) == "bees"
    ]


def test_the_guide_has_the_calls_of_the_examples() -> None:
    (found,) = LINES.finditer(GUIDE.read_text())
    assert found[0].removeprefix(found[1]).splitlines() == _lines()


def test_the_examples_are_what_the_description_says() -> None:
    wrong = []
    for name, example in json.loads(KEPT.read_text()).items():
        method, operation = _operation(name)
        sent, told = operation.get("requestBody", {}), operation["responses"][f"{example['status']}"]
        assert example["call"].startswith(f"{method.upper()} /api/v1/")
        for described, member in ((sent, "body"), (told, "answer")):
            for content in described.get("content", {}).values() if member in example else ():
                check = jsonschema_rs.validator_for(plain(content["schema"]), registry=components())
                wrong += [(name, each.message) for each in check.iter_errors(example[member])]
                assert content["examples"][name] == {"summary": example["call"], "value": example[member]}
    assert wrong == []


def _story(example: dict[str, Any]) -> str:
    found = re.search(r"campaigns/(\w+)/", example["call"])
    return found[1] if found else "bees"


def _operation(name: str) -> tuple[str, dict[str, Any]]:
    (found,) = [
        (method, operation)
        for methods in description()["paths"].values()
        for method, operation in methods.items()
        if operation["operationId"] == name.split()[0]
    ]
    return found


def _part(value: Any) -> Any:
    """A part of a form: a file where it begins with “@”, as for curl."""
    if isinstance(value, str) and value.startswith("@"):
        name = value[1:]
        content = documents() if name == "documents.sgml" else (FOLDER / FOLDERS.get(name, ".") / name).read_bytes()
        return SimpleUploadedFile(name, content)
    return value


def documents() -> bytes:
    texts = ((path.stem, path.read_text()) for path in sorted((FOLDER / "documents").iterdir()))
    return "".join(
        f"<DOC>\n<DOCNO> {name} </DOCNO>\n<TEXT>\n{text}\n</TEXT>\n</DOC>\n" for name, text in texts
    ).encode()


def _tidy(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: DRAWN[name] if each and name in DRAWN else _tidy(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_tidy(each) for each in value]
    if isinstance(value, str):
        for pattern, instead in OTHER_EACH_TIME.items():
            value = re.sub(pattern, instead, value)
    return value


def _is_alike(made: Any, kept: Any, name: str = "") -> bool:
    """Whether a call is the one that is kept, but for numbers that are others each time."""
    if isinstance(made, dict) and isinstance(kept, dict):
        return made.keys() == kept.keys() and all(_is_alike(made[each], kept[each], each) for each in made)
    if isinstance(made, list) and isinstance(kept, list):
        if name in SHUFFLED:
            made, kept = sorted(made), sorted(kept)
        return all(_is_alike(*each, name) for each in zip_longest(made, kept))
    if name in COUNTED:
        return re.sub(r"\d+", "1", f"{made}") == re.sub(r"\d+", "1", f"{kept}")
    return bool(made == kept)


def key(name: str) -> str:
    return str(uuid5(NAMESPACE_OID, name))


@pytest.mark.django_db
def test_a_campaign_call_by_call(client: Client, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR, settings.ASSAY_WEBHOOKS = tmp_path, ["https://lab.example.org/"]
    olga, anna = factories.user("olga", is_staff=True), factories.user("anna")
    story = Story(client, "bees")
    token = {"name": "nightly", "scopes": ["read", "organise"], "days": 90}
    story("tokens_create", "/api/v1/tokens/", token, by=olga, status=201)
    story("tokens_list", "/api/v1/tokens/", by=olga)
    story("tracks_list", "/api/v1/tracks/?limit=1", by=olga)
    made = {"slug": "bees", "title": "Bees", "track": "adhoc", "settings": {"tag_length": 12}}
    story("campaigns_create", "/api/v1/campaigns/", made, by=olga, status=201)
    story("campaigns_list", "/api/v1/campaigns/", by=olga)
    prepare(story, olga)
    judge(story, olga, anna)
    look(story, olga)
    release(story, olga)
    story.compare()


def prepare(story: Story, olga: User) -> None:
    """People, topics, documents, a run and its pool."""
    story("campaigns_settings", "settings/", {"settings": {"pool_depth": 50}}, by=olga)
    story("guidelines_create", "guidelines/", {"text": "Grade 3: all of it is about the topic."}, by=olga, status=201)
    story("members_create", "members/", {"username": "anna", "role": "assessor"}, by=olga, status=201)
    story("members_list", "members/", by=olga)
    story("invitations_create", "invitations/", {"role": "participant", "team": "maple"}, by=olga, status=201)
    story("user_agreement_create", "user-agreement/", {"text": "For research alone."}, by=olga, status=201)
    hook = {"url": "https://lab.example.org/assay", "events": ["run-checked", "release"]}
    story("webhooks_create", "webhooks/", hook, by=olga, status=201)
    story("topics_create", "topics/", {"file": "@topics.txt"}, by=olga, status=201)
    story("topics_list", "topics/?limit=1", by=olga)
    story("topic_files_list", "topic-files/", by=olga)
    story("judged_topics_create", "judged-topics/", {"numbers": ["1", "2", "3"]}, by=olga)
    story("docnos_create", "docnos/", {"file": "@docnos.txt.gz"}, by=olga, status=201)
    job = story("documents_create", "documents/", {"file": "@documents.sgml", "wanted": "all"}, by=olga, status=201)
    run_worker()
    story("jobs_retrieve", f"jobs/{job['id']}/", by=olga)
    story("documents_list", "documents/?limit=1", by=olga)
    story("search_retrieve", "search/?q=bees&limit=1", by=olga)
    run = {"file": "@maple.txt", "team": "maple"}
    story("runs_check", "runs/check/", run, by=olga)
    story("runs_create", "runs/", run, by=olga, status=201)
    story("runs_create", "runs/", {**run, "file": "@oak.txt", "team": "oak"}, by=olga, status=201)
    story("runs_list", "runs/", by=olga)
    story("pools_plan", "pools/plan/?task=ranking&depth=5", by=olga)
    story("pools_create", "pools/", {"task": "ranking", "strategy": "depth", "depth": 5}, by=olga, status=201)


def judge(story: Story, olga: User, anna: User) -> None:
    """Assignments, and one of them judged by its assessor."""
    story("campaigns_state", "state/", {"state": "judging"}, by=olga)
    work = {"topic": "1", "stage": "documents", "assessor": "anna"}
    number = story("assignments_create", "assignments/", work, by=olga, status=201)["id"]
    story("assignments_list", "assignments/", by=olga)
    story("assignments_open", f"assignments/{number}/open/", by=anna)
    items = [each["id"] for each in story("assignments_items", f"assignments/{number}/items/", by=anna)["results"]]
    said = [
        {"item": item, "criterion": "relevance", "value": 1, "client_key": key(f"judged {each}")}
        for each, item in enumerate(items)
    ]
    story("assignments_judgments_create", f"assignments/{number}/judgments/", said[0], by=anna, status=201)
    story("assignments_judgments_batch", f"assignments/{number}/judgments/batch/", {"entries": said[1:]}, by=anna)
    asked = {"item": items[0], "text": "Are wasps bees?", "client_key": key("asked")}
    question = story("assignments_ask_create", f"assignments/{number}/ask/", asked, by=anna, status=201)
    story("questions_list", "questions/", by=olga)
    story("questions_answer", f"questions/{question['id']}/answer/", {"answer": "No."}, by=olga)
    story("assignments_finish", f"assignments/{number}/finish/", by=anna)
    judge_again(story, olga)


def judge_again(story: Story, olga: User) -> None:
    """A second assessor and a machine say otherwise, and one disagreement is settled."""
    bob = factories.user("bob")
    story("members_create", "members/", {"username": "bob", "role": "assessor"}, by=olga, status=201)
    work = {"topic": "1", "stage": "documents", "assessor": "bob", "role": "second"}
    number = story("assignments_create", "assignments/", work, by=olga, status=201)["id"]
    story("assignments_open", f"assignments/{number}/open/", by=bob)
    for item in story("assignments_items", f"assignments/{number}/items/", by=bob)["results"]:
        value, again = int(item["docno"] != "HIVE-05"), key(f"again {item['docno']}")
        said = {"item": item["id"], "criterion": "relevance", "value": value, "client_key": again}
        story("assignments_judgments_create", f"assignments/{number}/judgments/", said, by=bob, status=201)
    story("assignments_finish", f"assignments/{number}/finish/", by=bob)
    found = story("disagreements_list", "disagreements/?stage=documents&limit=1", by=olga)["results"][0]
    settled = {name: found[name] for name in ("stage", "criterion", "thing")} | {"value": 1, "client_key": key("so")}
    story("disagreements_create", "disagreements/", settled, by=olga, status=201)
    story("machines_create", "machines/", {"name": "llm", "file": "@qrels.txt"}, by=olga, status=201)


def look(story: Story, olga: User) -> None:
    """What was judged, and what comes of it."""
    story("progress_summary", "progress/summary/", by=olga)
    story("judgments_list", "judgments/?limit=1", by=olga)
    story("exports_list", "exports/", by=olga)
    story("exports_retrieve", "exports/qrels.txt/", by=olga)
    story("scores_list", "scores/?run=maple&measure=AP&topic=all", by=olga)
    story("scores_explain", "scores/explain/?run=maple&measure=P@5&topic=1", by=olga)
    story("agreement_list", "agreement/?stage=documents&criterion=relevance&judges=primary,second", by=olga)
    story("significance_list", "significance/?measure=AP", by=olga)
    story("stability_list", "stability/?first=primary&second=second&first_measure=AP", by=olga)
    story("campaigns_activity", "activity/?limit=1", by=olga)


def release(story: Story, olga: User) -> None:
    """The campaign frozen, released and published."""
    story("releases_missing", "releases/missing/", by=olga)
    story(
        "campaigns_state",
        "state/",
        {"state": "frozen", "reason": "All is judged."},
        by=olga,
        name="campaigns_state frozen",
    )
    made = story("releases_create", "releases/", {}, by=olga, status=201)
    story("releases_publish", f"releases/{made['id']}/publish/", by=olga)
    story("releases_list", "releases/", by=olga)


@pytest.mark.django_db
def test_nuggets_call_by_call(
    client: Client, nugget_writing: Assignment, squishy_items: list[Item], second_assessor: User
) -> None:
    story, anna, base = Story(client, "opinions"), nugget_writing.assessor, f"assignments/{nugget_writing.pk}/"
    story("nugget_list_create", f"{base}nugget-list/", by=anna)
    nugget = {"text": "light", "importance": "vital", "client_key": key("light")}
    story("nugget_list_add", f"{base}nugget-list/add/", nugget, by=anna, status=201)
    story("nugget_list_freeze", f"{base}nugget-list/freeze/", {"client_key": key("freeze")}, by=anna)
    story("nugget_list_retrieve", f"{base}nugget-list/", by=anna)
    story("assignments_finish", f"{base}finish/", by=anna)
    matching = factories.assignment(nugget_writing.topic, "matches", anna)
    voting = factories.assignment(nugget_writing.topic, "votes", second_assessor, role="second")
    base = f"assignments/{matching.pk}/"
    item = story("assignments_items", f"{base}items/", by=anna)["results"][0]["id"]
    mark = {"nugget": 1, "item": item, "client_key": key("mark")}
    story("matches_create", f"{base}matches/", mark, by=anna, status=201)
    story("matches_list", f"{base}matches/", by=anna)
    vote = {"nugget": 1, "importance": "okay", "client_key": key("vote")}
    story("votes_create", f"assignments/{voting.pk}/votes/", vote, by=second_assessor, status=201)
    for name in ("assignments_finish", "assignments_items"):
        del story.made[name]  # the other campaign's are the examples
    story.compare()
