"""The designs of ranked runs: loaded, judged by recorded acts and scored, each value worked by hand.

Documents that end with 1 get the first of three values, those that end with 2 the second, all others the third.
"""

from __future__ import annotations

from math import log2
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from assess.models import Item
from assess.protocol import Criterion
from tests.tracks.designs.campaigns import DESIGNS, judge_all, loaded, means_of

BY_END: dict[str, tuple[int, int, int]] = {
    "relevant": (1, 1, 0),
    "relevance": (2, 1, 0),
    "usefulness": (5, 3, 1),
    "misleading": (2, 1, 0),
    "readability": (1, 5, 1),
}

HALF = 1 / log2(3)  # what a gain counts at rank 2; at rank 3 it counts half
MISLED = {
    # by topic, of gains 0 for 1, 1 for 2, else 2; a gain of 1 is enough: maple returns 0122, 1202, 201 and 2
    "AP": ((1 / 2 + 2 / 3 + 3 / 4) / 5 + (1 + 1 + 3 / 4) / 4 + (1 + 2 / 3) / 3 + 1 / 2) / 4,
    "P@5": (3 / 5 + 3 / 5 + 2 / 5 + 1 / 5) / 4,
    "Judged@10": 1,
    "nDCG@10": (
        (HALF + 2 / 2 + 2 / log2(5)) / (2 + 2 * HALF + 2 / 2 + 2 / log2(5) + 1 / log2(6))
        + (1 + 2 * HALF + 2 / log2(5)) / (2 + 2 * HALF + 2 / 2 + 1 / log2(5))
        + (2 + 1 / 2) / (2 + 2 * HALF + 1 / 2)
        + 2 / (2 + 2 * HALF)
    )
    / 4,
}
WORKED: dict[str, dict[str, float]] = {
    # maple returns, by topic: relevant documents at 1, 2 of four; 1, 3 of four; 2, 3 of three; none of one
    "binary-relevance": {
        "AP": (1 + (1 + 2 / 3) / 2 + (1 / 2 + 2 / 3) / 2 + 0) / 4,
        "P@10": (2 + 2 + 2 + 0) / 10 / 4,
        "Rprec": (1 + 1 / 2 + 1 / 2 + 0) / 4,
        "Bpref": (1 + (1 + 1 / 2) / 2 + 1 / 2 + 0) / 4,
    },
    "relevance-and-usefulness": {
        "nDCG@10": (1 + (1 + 2 / 2) / (2 + HALF) + (2 * HALF + 1 / 2) / (2 + HALF) + 0) / 4,
        "AP": (1 + (1 + 2 / 3) / 2 + (1 / 2 + 2 / 3) / 2 + 0) / 4,
        "Judged@10": 1,
        "AP (useful)": (1 + 1 / 3 + 1 / 2 + 0) / 4,
    },
    "misleading-documents": MISLED,
    # readability is not asked of what misleads, and 4 is enough: found at 2 of three; 1 and none of one; 3 of one
    "misleading-passages": {**MISLED, "AP (readable)": (1 / 2 + 1 + 1 / 3 + 0) / 4},
}


def by_end(item: Item, criterion: Criterion) -> int:
    """The value of a document, by the last digit of its docno."""
    return BY_END[criterion.key][{"1": 0, "2": 1}.get(item.docno[-1], 2)]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", WORKED)
def test_it_is_scored_as_worked_by_hand(organiser: User, settings: Any, tmp_path: Path, name: str) -> None:
    settings.DATA_DIR = tmp_path
    campaign = loaded(organiser, DESIGNS / f"{name}.toml")
    judge_all(campaign, by_end)
    assert means_of(campaign, "maple") == pytest.approx(WORKED[name])


def test_every_design_that_assay_brings_is_scored_somewhere() -> None:
    others = {"claims", "passages-for-answers", "supported-answers", "report-verdicts"}  # in test_gallery
    assert {path.stem for path in DESIGNS.glob("*.toml")} == {*WORKED, *others}
