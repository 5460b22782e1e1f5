"""Statements of BioGen 2024's submission specification that no other test quotes."""

from __future__ import annotations

import io
import json

import pytest

from assess.protocol import CheckContext, TopicRecord
from scoring.records import has_errors
from tracks.biogen2024 import TRACK
from tracks.biogen2024.settings import BioGenSettings

RUN = TRACK.submissions[0]
RESULT = {"topic_id": "1", "answer": "Rest helps [11].", "references": ["11"]}
ROOT = {"team_id": "Marsh", "run_name": "Heron", "contact_email": "marsh@example.org", "results": [RESULT]}


def is_refused(content: str) -> bool:
    topics = (TopicRecord(number="1", task="question", text="Does rest help?"),)
    context = CheckContext(topics=topics, settings=BioGenSettings(), unknown_docnos=lambda docnos: set(docnos) - {"11"})
    return has_errors(list(RUN.check(io.BytesIO(content.encode()), context)))


def test_a_submission_is_one_json_document_with_a_root_object() -> None:
    """“Each submission will take the form of a JSON document, whose root object has the following entries”."""
    assert not is_refused(json.dumps(ROOT))
    assert not is_refused(json.dumps(ROOT, indent=2))
    assert is_refused(json.dumps([ROOT]))
    assert is_refused(json.dumps(ROOT) + "\n" + json.dumps(ROOT))


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(ROOT)[:-3],
        json.dumps({name: value for name, value in ROOT.items() if name != "results"}),
        json.dumps(ROOT | {"results": [RESULT | {"references": None}]}),
        json.dumps(ROOT | {"results": [RESULT | {"answer": ""}]}),
        json.dumps(ROOT | {"results": [RESULT | {"answer": 7}]}),
    ],
    ids=["cut off", "entry missing", "references null", "empty answer", "answer a number"],
)
def test_malformed_or_invalid_content_is_discarded(content: str) -> None:
    """“Submissions consisting of malformed or invalid content will be discarded.”"""
    assert is_refused(content)
