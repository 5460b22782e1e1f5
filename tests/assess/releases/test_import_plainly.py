"""Judgments that are stored as plain rows are those that the long way stores; what is not plain goes the long way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from assess.base.errors import BadFile
from assess.judging.models import Judgment
from assess.kinds.grade import record, replay
from assess.models import Campaign, UnfinishedImport
from assess.releases.domain.importing import import_release
from assess.releases.domain.unfinished_imports import remove_campaign
from tests.assess.releases.small_release import folder, sign, site, store  # noqa: F401

pytestmark = pytest.mark.django_db

COLUMNS = (
    "criterion",
    "value",
    "note",
    "evidence",
    "assessor__username",
    "how",
    "seconds",
    "draft",
    "item__key",
    "client_key",
)


def ledger(campaign: Campaign) -> list[tuple[Any, ...]]:
    """The rows in their order, with the places of what they point to instead of its ids."""
    rows = Judgment.objects.filter(assignment__campaign=campaign).order_by("id")
    work = list(campaign.assignments.order_by("id").values_list("id", flat=True))
    guidelines = [None, *campaign.guidelines.order_by("id").values_list("id", flat=True)]
    return [
        (*own, work.index(assignment), guidelines.index(guideline))
        for *own, assignment, guideline in rows.values_list(*COLUMNS, "assignment", "guideline")
    ]


def imported(organiser: User, folder: Path) -> list[tuple[Any, ...]]:  # noqa: F811
    """What the ledger holds of a copy, which is taken away again."""
    copy = import_release(actor=organiser, path=folder, slug="copy")
    rows = ledger(copy)
    UnfinishedImport.objects.create(campaign=copy)
    remove_campaign(copy)
    return rows


def changed(folder: Path, change: tuple[str, str], line: int) -> None:  # noqa: F811
    path = folder / "exports/judgments.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    lines[line] = lines[line].replace(*change)
    path.write_text("".join(lines))
    sign(folder)


def test_both_ways_store_the_same_rows(
    folder: Path,  # noqa: F811
    organiser: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    went: list[bool] = []
    plainly = replay.add_plain
    monkeypatch.setattr(replay, "add_plain", lambda *of, **named: went.append(plainly(*of, **named)) or went[-1])
    rows = imported(organiser, folder)
    assert rows and any(went)
    monkeypatch.setattr(replay, "add_plain", lambda *of, **named: False)
    assert imported(organiser, folder) == rows


@pytest.mark.parametrize(
    "change", [('"value": ', '"value": 77'), ('"docno": "', '"key": "no such", "docno": "'), ('"relevance"', '"other"')]
)
def test_what_is_wrong_is_refused_in_the_same_words(
    change: tuple[str, str],
    folder: Path,  # noqa: F811
    organiser: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changed(folder, change, 1)
    issues = []
    for way in (replay.add_plain, lambda *of, **named: False):
        monkeypatch.setattr(replay, "add_plain", way)
        with pytest.raises(BadFile) as refused:
            import_release(actor=organiser, path=folder, slug="copy")
        issues.append([(issue.where, issue.code, issue.message) for issue in refused.value.issues])
    assert issues[0] == issues[1] and issues[0][0][0] == 2


def test_a_rule_about_what_is_said_holds_for_plain_rows_too(
    folder: Path,  # noqa: F811
    organiser: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`check_content` has it alone; the plain way asks that."""
    monkeypatch.setattr(record, "NOTE_LIMIT", -1)
    with pytest.raises(BadFile) as refused:
        import_release(actor=organiser, path=folder, slug="copy")
    assert any("The note has 0 characters; -1 are allowed." in issue.message for issue in refused.value.issues)
