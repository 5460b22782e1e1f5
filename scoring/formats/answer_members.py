"""The names of the members of answers in the JSON form that several tracks share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.formats.unused_members import UnusedMembers

TOPICS = ("topic_id", "narrative_id", "request_id", "qa_id", "turn_id", "qid")
"""The members that may name the topic, in the order in which they are tried."""
SENTENCES = ("responses", "answer", "sentences")
"""The members that may hold the sentences, in the order in which they are tried."""
USED = frozenset(
    {"metadata", "references", "response_length", "topic", "run_id", "team_id", "narrative", *TOPICS, *SENTENCES}
)
USED_OF_SENTENCES = frozenset({"text", "citations"})


def look_for_unused(written: Mapping[str, Any], unused: UnusedMembers) -> None:
    """Count the members of an answer and of its sentences that Assay does not use."""
    unused.look(written, USED)
    for name in SENTENCES:
        sentences = written.get(name)
        for each in sentences if isinstance(sentences, list) else ():
            if isinstance(each, dict) and not each.keys() <= USED_OF_SENTENCES:
                unused.look(each, USED_OF_SENTENCES, inside=f"{name}.")


def cited_places(written: Mapping[str, Any]) -> set[int]:
    """Return the places in its references that the sentences of a readable answer cite."""
    of_sentences = next((written[name] for name in SENTENCES if name in written), None) or ()
    cited = (one for each in of_sentences if isinstance(each, dict) for one in each.get("citations") or ())
    return {one for one in cited if type(one) is int and one < len(written.get("references") or ())}
