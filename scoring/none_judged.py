"""Warns of meaningless figures: no document of a run is judged (as when its ids are of another kind), or some are
written otherwise than in the judgments or in other runs, no document is relevant, or a mean is over only some of the
topics.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from unicodedata import normalize

from scoring.measures.spec import ChosenMeasure
from scoring.reading.opening import excerpt_of
from scoring.reading.plain_names import plain_name
from scoring.records import Issue
from scoring.wording import counted, counted_of


def none_judged(
    ranked: Iterable[tuple[str, str]], grades: Mapping[str, Mapping[str, int]], *, run: str = "this run"
) -> Issue | None:
    r"""Return a warning if none of the (topic, docno) pairs is judged. It names the first docnos of the run and of the
    judgments.

    Pairs of unjudged topics are ignored. The pairs are read only up to the first that is judged. Return None if there
    is one, or if no topic of the pairs is judged.

    >>> none_judged([("1", "a#0")], {"1": {"a": 2}}).message
    'No document of this run is judged: are these the same ids? For topic 1 the run has a#0, and the judgments have a.'
    >>> "other code points" in none_judged([("1", "e\u0301")], {"1": {"\u00e9": 2}}).message
    True
    """
    first: tuple[str, str, str] | None = None
    topic, known = "", grades.get("", {})
    for of_topic, docno in ranked:
        if of_topic != topic:  # grades may be packed: unpack them once for each topic
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
    if normalize("NFC", first[1]) == normalize("NFC", first[2]):
        message += " They look alike and are other code points: write both in one form of Unicode (NFC)."
    return Issue(where="", code="none-judged", message=message, severity="warning")


def none_relevant(grades: Mapping[str, Mapping[str, int]], measures: Iterable[ChosenMeasure]) -> Iterator[Issue]:
    """Yield a warning for each lowest relevant grade of these measures that is higher than every grade in the
    judgments. Measures without such a grade are left out, but for nDCG, which needs a grade of 1.

    >>> from scoring.measures import parse
    >>> [each.message for each in none_relevant({"1": {"a": 1}}, [parse("AP(rel=2)"), parse("P(rel=2)@5")])]
    ['No document is judged 2 or more, so AP(rel=2), P(rel=2)@5 can be above 0 for no run. The highest grade is 1.']
    """
    highest = max((grade for of_topic in grades.values() for grade in of_topic.values()), default=0)
    beyond: dict[int, list[str]] = {}
    for each in measures:
        has_level = any(one.name == "rel" for one in each.measure.parameters)
        lowest = int(each["rel"]) if has_level else 1
        if lowest > highest and (has_level or each.measure.name == "nDCG"):
            beyond.setdefault(lowest, []).append(str(each))
    for lowest, names in beyond.items():
        shortened = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        message = (
            f"No document is judged {lowest} or more, so {shortened} can be above 0 for no run. The highest grade is "
            f"{highest}."
        )
        yield Issue(where="", code="none-relevant", message=message, severity="warning")


def apart(
    rankings: Mapping[str, Mapping[str, float]], grades: Mapping[str, Mapping[str, int]], *, qrels: str
) -> Iterator[Issue]:
    r"""Yield an error if the run and the judgments in ``qrels`` have no topic in common. Otherwise yield a warning if
    no document of the run is judged, or if an unjudged one is written like a relevant one, but for case, signs that
    nobody sees, or an ending such as .xml.

    >>> [each.code for each in apart({"1": {"b": 1.0, "A\u200b.xml": 2.0}}, {"1": {"a": 1, "b": 0}}, qrels="")]
    ['written-otherwise']
    """
    shared = [topic for topic in rankings if topic in grades]
    if not shared:
        message = f"No topic of the run is judged in {qrels}. Check that the two belong together."
        message += written_otherwise(rankings, grades)
        yield Issue(where="", code="no-common-topic", message=message)
    elif all(grades[topic].keys().isdisjoint(rankings[topic]) for topic in shared):
        pairs = ((topic, docno) for topic in shared for docno in rankings[topic])
        if issue := none_judged(pairs, grades):
            yield issue
    else:
        yield from islice(_unlike(rankings, grades, shared), 1)


LOOKED_AT = 5
"""How many of the first documents of a topic are compared with those judged …"""
TOPICS_LOOKED_AT = 25
"""… and in how many topics at most: ids of two spellings differ everywhere, and a run is scored in milliseconds."""


def _unlike(
    rankings: Mapping[str, Mapping[str, float]], grades: Mapping[str, Mapping[str, int]], shared: Iterable[str]
) -> Iterator[Issue]:
    """Yield a warning for each document among the first that is unjudged and written almost like a relevant one that
    the run lacks.
    """
    unjudged = ((topic, [each for each in islice(rankings[topic], LOOKED_AT) if each not in grades[topic]])
                for topic in shared)  # fmt: skip
    for topic, docnos in islice((pair for pair in unjudged if pair[1]), TOPICS_LOOKED_AT):
        plain = {
            plain_name(each): each for each, grade in grades[topic].items() if grade > 0 and each not in rankings[topic]
        }
        for docno in docnos:
            if (other := plain.get(plain_name(docno))) is not None:
                message = (
                    f"For topic {excerpt_of(topic)} the run has {excerpt_of(docno)}, which is not judged, and the "
                    f"judgments have {excerpt_of(other)}: write both alike."
                )
                yield Issue(where="", code="written-otherwise", message=message, severity="warning")


def written_apart(lists: Iterable[tuple[str, Mapping[str, Sequence[str]]]]) -> Iterator[tuple[str, Issue]]:
    """Yield (name, warning) for each list of documents, given as (name, topic -> docnos), in which a topic or one of
    the first documents is written almost as in a list before it.

    >>> [each.message for _, each in written_apart([("a", {"1": "D"}), ("b", {"01": "D"}), ("c", {"1": "d"})])]
    ['It has topic 01, and a has 1: write both alike.', 'For topic 1 it has d, and a has D: write both alike.']
    >>> [each.message for _, each in written_apart([("a", {"1": "D"}), ("b", {"q1": "D"})])]
    ['It has none of the topics before it: q1, not 1. Check that they belong together.']
    """
    topics: dict[str, str] = {}
    docnos: dict[str, dict[str, str]] = {}
    for name, found in lists:
        of_topics = (
            (f"For topic {excerpt_of(topic)} it has ", islice(ranked, LOOKED_AT), ranked, docnos[topic])
            for topic, ranked in islice(found.items(), TOPICS_LOOKED_AT)
            if topic in docnos
        )
        for start, names, own, known in (("It has topic ", found, found, topics), *of_topics):
            if (pair := _alike(names, own, known)) is not None:
                message = (
                    f"{start}{excerpt_of(pair[0])}, and {known[pair[1]]} has {excerpt_of(pair[1])}: write both alike."
                )
                yield name, Issue(where="", code="written-otherwise", message=message, severity="warning")
                break
        else:
            if found and topics and topics.keys().isdisjoint(found):
                shown = f"{excerpt_of(next(iter(found)))}, not {excerpt_of(next(iter(topics)))}"
                message = f"It has none of the topics before it: {shown}. Check that they belong together."
                yield name, Issue(where="", code="no-common-topic", message=message, severity="warning")
        for topic, ranked in found.items():
            topics.setdefault(topic, name)
            of_topic = docnos.setdefault(topic, {})
            of_topic.update((each, name) for each in ranked if each not in of_topic)


def _alike(names: Iterable[str], own: Collection[str], known: Collection[str]) -> tuple[str, str] | None:
    """Return the first of the names that is unknown and reads like a known one that is not ``own``, with that one."""
    unknown = [each for each in names if each not in known]
    plain = {plain_name(each): each for each in known} if unknown else {}
    pairs = ((each, plain[plain_name(each)]) for each in unknown if plain_name(each) in plain)
    return next((pair for pair in pairs if pair[1] not in own), None)


def left_out(
    rankings: Mapping[str, object], grades: Mapping[str, object], *, option: str = "complete=True"
) -> Iterator[Issue]:
    """Yield a warning if a run lacks some judged topics. ``option`` is the option, as people write it, that makes these
    topics count 0.

    >>> next(left_out({"1": {}}, {"1": {}, "2": {}, "3": {}})).message.partition(".")[0]
    'The run leaves out 2 of 3 judged topics: means are over the others'
    """
    if missing := len(grades.keys() - rankings.keys()):
        message = (
            f"The run leaves out {missing:,} of {counted(len(grades), 'judged topic')}: means are over the others. "
            f"With {option} a topic that is left out counts 0."
        )
        message += written_otherwise(rankings, grades)
        yield Issue(where="", code="left-out", message=message, severity="warning")


def runs_left_out(order: Collection[str], shared: Collection[str], *, other: str) -> Iterator[Issue]:
    """Yield a warning if an order of runs has some that are not ``shared`` with another order, called ``other``.

    >>> next(runs_left_out(["a", "b", "c"], {"a", "b"}, other="b.txt")).message
    '1 of 3 runs is not in b.txt and left out: c.'
    """
    if missing := [run for run in order if run not in shared]:
        message = (
            f"{counted_of(len(missing), len(order), 'run', 'is', 'are')} not in {other} and left out: {missing[0]}"
        )
        more = " …" if len(missing) > 1 else "."
        yield Issue(where="", code="left-out", severity="warning", message=message + more)


def written_otherwise(topics: Mapping[str, object], judged: Mapping[str, object]) -> str:
    r"""Return a sentence about a topic of a run whose name is that of a judged topic, written in another way. Return ""
    if there is none.

    >>> written_otherwise({"01": {}}, {"1": {}})
    ' The run has topic 01, and the judgments have 1: write both alike.'
    >>> [bool(written_otherwise({each: {}}, {"a1": {}, "\u00e9": {}})) for each in ("A1", "e\u0301", "a2", "a1")]
    [True, True, False, False]
    """
    if (pair := _alike(topics, topics, judged)) is None:
        return ""
    return f" The run has topic {excerpt_of(pair[0])}, and the judgments have {excerpt_of(pair[1])}: write both alike."


def labels_alike(labels: Iterable[str]) -> Iterator[Issue]:
    """Yield a warning for labels that differ only in case, and one for labels such as NA, which spreadsheet tools write
    where nothing was judged. Each counts as a label of its own.

    >>> [each.message.partition(":")[0] for each in labels_alike(["no", "yes", "Yes", "NA"])]
    ['“NA” counts as a label', '“Yes” and “yes” count as two labels']
    """
    plain: dict[str, str] = {}
    for each in sorted(labels):
        if (other := plain.setdefault(each.casefold(), each)) != each:
            message = f"“{excerpt_of(other)}” and “{excerpt_of(each)}” count as two labels: write both alike."
            yield Issue(where="", code="labels-alike", message=message, severity="warning")
        if each.casefold() in ("na", "nan", "n/a", "<na>"):
            message = f"“{excerpt_of(each)}” counts as a label: take out its lines if nothing was judged there."
            yield Issue(where="", code="labels-alike", message=message, severity="warning")
