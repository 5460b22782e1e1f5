"""How far a reader has to go to follow one judgment from the form to the stored row."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from assess.assignments.queries.work_items import handle_of
from assess.models import Assignment, Item
from tests.assess.served import ROOT
from tests.followed_calls import followed

pytestmark = pytest.mark.django_db(transaction=True)

LINES, FILES = 680, 20
"""Lines of code without docstrings, and files, that one judgment may run through (docs/decisions/0025).

The path has 665 lines: a rule or two have room, so that whoever adds one need not change this test.
"""


def test_what_a_judgment_runs_through(client: Client, grading: Assignment, rigid_items: list[Item]) -> None:
    """Whoever adds to the path sees here what it costs a reader; ``-s`` shows the functions in their order."""
    client.force_login(grading.assessor)
    said = {"item": handle_of(grading, rigid_items[0].pk), "criterion": "correctness", "value": "1", "seconds": "2.5"}
    address = reverse("judge", args=[grading.campaign.slug, grading.pk])
    for _ in range(2):  # what is read once a process was read before
        with followed() as steps:
            answer = client.post(address, {**said, "client_key": str(uuid4())}, headers={"Accept": "application/json"})
        assert answer.status_code == 200, answer.content
    for step in steps:
        print(f"{step.lines:4} {step.docstring:3} {step.file}: {step.name}")
    lines, docstrings = sum(step.lines for step in steps), sum(step.docstring for step in steps)
    files = {step.file for step in steps}
    print(f"{lines} lines, {docstrings} of them docstrings, in {len(files)} files")
    assert "assess/kinds/grade/record.py" in files
    assert lines - docstrings <= LINES
    assert len(files) <= FILES
    guide = (ROOT / "docs" / "adding-a-rule.md").read_text(encoding="utf-8")
    assert {file for file in files if f"| `{file}`" not in guide and f", `{file}`" not in guide} == set()
