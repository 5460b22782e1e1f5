"""A part of the exports of any track is read as the whole is."""

from __future__ import annotations

import io

from assess.exports.parts import part_of
from assess.exports.writing import export_lines
from assess.judging.queries.judges import judges_of
from assess.models import Assignment
from scoring.records import Issue
from tests.parts import WHOLE
from tests.tracks.conftest import Judged
from tests.tracks.kept_db import db  # noqa: F401


def test_exports_of_one_topic_and_of_each_judge_are_files_of_the_same_kinds(judged: Judged) -> None:
    campaign = judged.campaign
    judges = [judge.key for judge in judges_of(campaign)]
    people = [key for key in judges if key.startswith("assessor-")]
    judges = [key for key in judges if WHOLE or key not in people[1:]]
    first = campaign.assignments.order_by("pk").values_list("topic__number", flat=True)[0]
    for given in ({"topics": first}, *({"judges": key} for key in judges)):
        part = part_of(campaign, None, **given)
        for export in judged.track.exports:
            content = "".join(export_lines(part, export)).encode()
            is_empty = content.strip() in (b"", b"[]")  # a task without any of these topics
            records = [] if is_empty else list(export.read(io.BytesIO(content)))
            faults = [record for record in records if isinstance(record, Issue) and record.severity == "error"]
            assert faults == [], (export.name, given)
            named = {record.topic for record in records if hasattr(record, "topic")}
            assert part.topics is None or named <= part.topics, (export.name, given)
            if export.options.get("role") == "second" and not part.counting.is_official:
                role, second = part.counting.where("role", "assessor"), Assignment.Role.SECOND.value
                theirs = campaign.assignments.filter(**role).filter(role=second)
                assert named <= {*theirs.values_list("topic__number", flat=True)}, (export.name, given)
