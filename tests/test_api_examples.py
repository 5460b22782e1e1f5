"""The examples in the API's description, docs/api-examples.json, are calls that are made here and what came of them.

`ASSAY_WRITE_EXAMPLES=yes pytest -n 0 tests/test_api_examples.py` writes them anew, with the lines in docs/api.md; then
run `make openapi`, and look at all of it as code is.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from django.contrib.auth.models import User
from django.test import Client

from assess.assignments.queries.work_items import handle_of
from assess.models import Assignment, Item, Judgment, Topic
from tests import factories
from tests.api_examples import KEPT, LINES, Story, guide_lines, key, operation_of
from tests.api_shapes import components, description, plain
from tests.assess.worker import run_worker
from tests.generated_client import GUIDE
from tests.tracks.designs.campaigns import SURVEY, survey


def test_the_guide_has_the_calls_of_the_examples() -> None:
    (found,) = LINES.finditer(GUIDE.read_text())
    assert found[0].removeprefix(found[1]).splitlines() == guide_lines()


def test_the_examples_are_what_the_description_says() -> None:
    wrong = []
    for name, example in json.loads(KEPT.read_text()).items():
        method, operation = operation_of(name)
        sent, told = operation.get("requestBody", {}), operation["responses"][f"{example['status']}"]
        assert example["call"].startswith(f"{method.upper()} /api/v1/")
        for described, member in ((sent, "body"), (told, "answer")):
            for content in described.get("content", {}).values() if member in example else ():
                check = jsonschema_rs.validator_for(plain(content["schema"]), registry=components())
                wrong += [(name, each.message) for each in check.iter_errors(example[member])]
                assert content["examples"][name] == {"summary": example["call"], "value": example[member]}
    assert wrong == []


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
    listed = story("nugget_list_counting", f"{base}nugget-list/counting/", by=anna)[0]["list"]
    mark = {"nugget": 1, "list": listed, "item": item, "client_key": key("mark")}
    story("matches_create", f"{base}matches/", mark, by=anna, status=201)
    story("matches_list", f"{base}matches/", by=anna)
    vote = {"nugget": 1, "list": listed, "importance": "okay", "client_key": key("vote")}
    story("votes_create", f"assignments/{voting.pk}/votes/", vote, by=second_assessor, status=201)
    review = {"items": [item], "list": listed, "client_key": key("review")}
    story("responses_list", f"{base}responses/", by=anna)
    story("reviews_create", f"{base}reviews/", review, by=anna, status=201)
    story("topic_drafts_create", "topic-drafts/", {"client_key": key("draft")}, by=anna, status=201)
    story.compare()


@pytest.mark.django_db
def test_classes_call_by_call(client: Client, rigid: Topic, rigid_items: list[Item], assessor: User) -> None:
    grading = factories.assignment(rigid, "instances", assessor)
    judgment = {"item": rigid_items[0], "assignment": grading, "criterion": "correctness", "value": 1}
    Judgment.objects.create(**judgment, client_key=key("correct"), assessor=assessor, how="key")
    Assignment.objects.filter(pk=grading.pk).update(state="done")
    grouping = factories.assignment(rigid, "classes", assessor)
    story, base = Story(client, "opinions", part="classes"), f"assignments/{grouping.pk}/classes/"
    made = {"items": [handle_of(grouping, rigid_items[0].pk)], "label": "blue", "client_key": key("class")}
    story("classes_create", f"{base}create/", made, by=assessor)
    story("classes_retrieve", base, by=assessor)
    story.compare()


@pytest.mark.django_db
def test_everything_else_call_by_call(client: Client, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    olga, root = factories.user("olga", is_staff=True), factories.user("root", is_superuser=True)
    story = Story(client, "wasps")
    made = {"slug": "wasps", "title": "Wasps", "track": "adhoc"}
    story("campaigns_create", "/api/v1/campaigns/", made, by=olga, status=201)
    for name, file in (("topics", "@topics.txt"), ("docnos", "@docnos.txt.gz")):
        story(f"{name}_create", f"{name}/", {"file": file}, by=olga, status=201)
    story("documents_create", "documents/", {"file": "@documents.sgml", "wanted": "all"}, by=olga, status=201)
    run_worker()
    documents_further(story, olga)
    story("given_twice_list", "given-twice/", by=olga)
    story("control_items_list", "control-items/", by=olga)
    story("package_retrieve", "package/", by=olga)
    story("imports_create", "/api/v1/imports/", {"slug": "hornets", "file": "@release.zip"}, by=olga, status=202)
    story("imports_list", "/api/v1/imports/", by=olga)
    story("backups_create", "/api/v1/backups/", by=root, status=202)
    story("backups_list", "/api/v1/backups/", by=root)
    story.compare()


@pytest.mark.django_db
def test_practice_call_by_call(client: Client, organiser: User, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"
    files = {"known.jsonl": json.dumps({"topic": "1", "docno": "HIVE-02", "relevant": "yes"}) + "\n"}
    (tmp_path / "known.jsonl").write_text(files["known.jsonl"])
    tables = 'control = { file = "known.jsonl" }\npractice = { items = 1, pass = 1, tries = 2 }\n'
    design = SURVEY.replace('work = "grade"\n', f'work = "grade"\n{tables}')
    campaign = survey(organiser, tmp_path, design)
    story, ada = Story(client, campaign.slug), factories.member(campaign, "ada", "assessor")
    factories.assignment(campaign.topics.get(number="1"), "documents", ada, state="open")
    story("practice_list", "practice/", by=ada)
    story("design_try", "design/try/", {"design": design, "files": files}, by=organiser)
    story.compare()


def documents_further(story: Story, olga: User) -> None:
    """What is done with documents besides loading them."""
    story.files["records.jsonl"] = b'{"docid": "HIVE-09", "title": "Queens", "text": "A queen lays eggs."}\n'
    story.files["german.jsonl"] = b'{"docno": "HIVE-01", "text": "Bienen bauen Waben.", "language": "de"}\n'
    story.files["lists.txt"] = b"1 1 HIVE-01 9.5\n1 2 HIVE-02 8.5\n"
    story("document_records_look", "document-records/look/", {"file": "@records.jsonl"}, by=olga)
    story("documents_prepared_retrieve", "documents-prepared/", by=olga)
    story("documents_taken_out_retrieve", "documents-taken-out/?source_file=documents.sgml", by=olga)
    story("document_clusters_list", "document-clusters/", by=olga)
    story("document_lists_create", "document-lists/", {"file": "@lists.txt"}, by=olga, status=201)
    story("document_lists_file_retrieve", "document-lists-file/", by=olga)
    story("translations_create", "translations/", {"file": "@german.jsonl", "tool": "by hand"}, by=olga, status=201)
    story("translations_list", "translations/", by=olga)


def test_every_resource_has_an_example() -> None:
    shown = {tag for name in json.loads(KEPT.read_text()) for tag in operation_of(name)[1]["tags"]}
    operations = [each for methods in description()["paths"].values() for each in methods.values()]
    assert {tag for each in operations for tag in each["tags"]} - shown == set()
