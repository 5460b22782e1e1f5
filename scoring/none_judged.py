"""Whether any document that a run returns is judged: if none is, its ids may be of another kind than the judgments'."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from scoring.reading import excerpt_of
from scoring.records import Issue


def none_judged(
    ranked: Iterable[tuple[str, str]], grades: Mapping[str, Mapping[str, int]], *, run: str = "this run"
) -> Issue | None:
    """Return a warning where none of the (topic, docno) pairs is judged, with the first ids of both sides.

    Pairs of topics that nobody judged say nothing. The pairs are looked at up to the first that is judged.

    >>> none_judged([("1", "a#0")], {"1": {"a": 2}}).message
    'No document of this run is judged: are these the same ids? For topic 1 the run has a#0, and the judgments have a.'
    """
    first: tuple[str, str, str] | None = None
    topic, known = "", grades.get("", {})
    for of_topic, docno in ranked:
        if of_topic != topic:  # grades may be packed, and are unpacked once a topic
            topic, known = of_topic, grades.get(of_topic, {})
        if docno in known:
            return None
        if known and first is None:
            first = topic, docno, next(iter(known))
    if first is None:
        return None
    shown = [excerpt_of(each, length=60) for each in first]
    message = (
        f"No document of {run} is judged: are these the same ids? For topic {shown[0]} the run has {shown[1]}, and "
        f"the judgments have {shown[2]}."
    )
    return Issue(where="", code="none-judged", message=message, severity="warning")


def apart(
    rankings: Mapping[str, Mapping[str, float]], grades: Mapping[str, Mapping[str, int]], *, qrels: str
) -> Iterator[Issue]:
    """Return an error where a run has no topic that is judged in ``qrels``, a warning where no document of it is."""
    shared = [topic for topic in rankings if topic in grades]
    if not shared:
        message = f"No topic of the run is judged in {qrels}. Check that the two belong together."
        yield Issue(where="", code="no-common-topic", message=message)
    elif all(grades[topic].keys().isdisjoint(rankings[topic]) for topic in shared):
        pairs = ((topic, docno) for topic in shared for docno in rankings[topic])
        if issue := none_judged(pairs, grades):
            yield issue
