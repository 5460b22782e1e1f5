"""What a nugget file said besides is shown to who judges, without opinions and without where it comes from."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nuggets.writing.visible_members import visible_members

SAID: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "texts and numbers": ({"source": "post-edit", "axis_of": 3, "is_new": True}, [
        ("source", "post-edit"), ("axis of", "3"), ("is new", "yes"),
    ]),
    "answers": (
        {"answers": [{"answer": "May", "references": ["d-17", {"doc_id": "d-3"}]}, {"answer": "spring"}, "fog"]},
        [("answer", "May (references: d-17; doc id: d-3)"), ("answer", "spring"), ("answer", "fog")],
    ),
    "opinions": ({"importance": 2, "weight": 5.0, "relevance": "3", "quality": 1}, []),
    "origins": ({"labels": {"k": [1, "run-a"]}, "creator": [{"llm_model": "x"}], "run_id": "ash", "metadata": {}}, []),
    "an opinion inside": ({"answers": [{"answer": "May", "importance": 2, "run_id": "ash"}]}, [("answer", "May")]),
    "nothing": ({"note": None, "list": []}, []),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_members_are_shown_in_words(name: str) -> None:
    fields, shown = SAID[name]
    assert list(visible_members(fields)) == shown


def test_a_long_member_is_cut() -> None:
    ((name, text),) = visible_members({"why": "x" * 5000})
    assert (name, len(text) < 700) == ("why", True)
    assert json.dumps(text)
