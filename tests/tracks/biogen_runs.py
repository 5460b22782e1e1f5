"""Runs of BioGen, and what they are checked against."""

from __future__ import annotations

import io
import json

from assess.protocol import CheckContext, RunForm, TopicRecord
from tracks.biogen2024.settings import BioGenSettings

PMIDS = {"11", "12", "13", "14"}


def topics(*numbers: str) -> tuple[TopicRecord, ...]:
    return tuple(TopicRecord(number=number, task="question", text="Does rest help?") for number in numbers or ("1",))


def context(form: RunForm | None = None, **settings: object) -> CheckContext:
    return CheckContext(
        topics=topics(),
        settings=BioGenSettings.from_mapping(settings),
        unknown_docnos=lambda docnos: set(docnos) - PMIDS,
        form=form,
    )


def of_2025(*sentences: tuple[str, object], topic: object = "1", **more: object) -> io.BytesIO:
    responses = [{"text": text, "citations": citations} for text, citations in sentences]
    metadata = {"team_id": "Heath", "run_id": "Kite", "topic_id": topic}
    return io.BytesIO(json.dumps({"metadata": metadata, "responses": responses, **more}).encode() + b"\n")
