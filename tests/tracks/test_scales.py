"""What of an act is looked at to find whether it is on its scale: whatever else it says makes no difference."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from scoring.release.recorded_acts import Evidence, Judged, Matched, NuggetWritten, RecordedAct, Reviewed
from tracks.recollect.acts import off_scale, scale_of
from tracks.tac2008_qa import RIGID, SQUISHY

ITEM = {"by": "assessor-1", "topic": "1", "docno": "D1", "answer": "wine"}
MATCH = Matched(**ITEM, number=1)
GRADES = [Judged(**ITEM, criterion="correctness", value=value) for value in (1, 2, 9)]
WITH_SNIPPET = replace(GRADES[0], evidence=(Evidence(quote="wine", value=9),))
NUGGET = NuggetWritten(by="assessor-1", topic="1", number=1, importance="vital", text="wine")
ACTS: list[RecordedAct] = [
    *GRADES,
    *(replace(each, note="why", docno="D2") for each in GRADES),
    WITH_SNIPPET,
    replace(GRADES[0], given={"unsure": True}),
    MATCH,
    replace(MATCH, is_partial=True),
    replace(MATCH, number=2, is_absent=True),
    Reviewed(**ITEM),
    NUGGET,
    replace(NUGGET, group="aspects"),
]


def test_acts_that_share_what_is_looked_at_are_on_their_scale_or_all_are_not() -> None:
    for task in (RIGID, SQUISHY):
        for one, other in product(ACTS, ACTS):
            if type(one) is type(other) and scale_of(one) == scale_of(other):
                assert off_scale(one, task) == off_scale(other, task)
    assert off_scale(GRADES[2], RIGID).startswith("9 is not on the scale")
    assert off_scale(WITH_SNIPPET, RIGID), "a snippet has a grade of its own"
