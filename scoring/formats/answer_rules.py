"""A table of the rules that evaluations' checkers apply to runs of answers; ``any`` accepts what all of them accept.

Each entry follows the checker that its organisers published, so that both give a run the same verdict. Where guidelines
ask for more than the checker tests, a run that fails gets a warning. Codes beside those of `rag_answers`:

    rules            something that these rules ask of the form       uncited     (warning) references never cited
    duplicate        a second answer to a topic                       references  more than asked for
    unknown-topic    missing-topic                                    length      (warning) response_length is not that
    answer-length    too many words or characters                     unused      (note) members that nothing is made of
    run-tag-mismatch the run's name is not that of the form           unknown-docno  a reference is not in the list
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from scoring.formats.answer_members import SENTENCES
from scoring.reading.json_reading import kind_of
from scoring.reading.opening import excerpt_of
from scoring.records import Severity

PLACES, IDS, VALUES = "numbers", "ids", "an object"
"""The ways in which a sentence may cite."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerRules:
    """The rules of an evaluation's checker: what each object of a run must have, and how severe other problems are.

    ``names`` are the metadata members that must be present, and ``texts`` those that must be texts; with ``only``, no
    others are allowed. ``topic`` is where the topic must be given. Members in ``alike`` must have the same value in all
    objects. ``ways`` are the ways in which sentences may cite; each sentence must use one of them. If ``ways`` is
    empty, citations are not checked.
    """

    label: str
    source: str = ""
    topic: str = ""
    topic_is_text: bool = False
    names: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    only: bool = False
    choices: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    alike: tuple[str, ...] = ()
    references: type | None = None
    words: int = 0  # the most that the guideline allows in an answer; 0: any number
    most_references: int = 0
    ways: tuple[str, ...] = (PLACES, IDS, VALUES)
    one_way: bool = False
    citations: int = 0
    sentence: tuple[str, ...] = ()
    blank_lines: bool = True
    nothing: bool = False  # an empty file passes if no topics are asked
    elsewhere: Severity = "warning"  # a citation that is not in the references
    repeated: Severity = "error"
    missing: Severity = "warning"
    too_long: Severity = "warning"
    too_many: Severity = "warning"  # references
    reference_twice: Severity = "warning"
    reference_form: str = ""  # a warning if a reference has another form


RULES: dict[str, AnswerRules] = {
    "any": AnswerRules(label="what any of the checkers lets through", ways=()),
    "rag-2024": AnswerRules(
        label="TREC RAG 2024",
        source="castorini, check_rag_gen.py",
        words=400,
        most_references=20,
        names=("run_id", "topic_id", "topic", "references", "response_length", "answer"),
        ways=(PLACES,),
        references=list,
        elsewhere="error",
        too_many="error",
        reference_twice="error",
        reference_form=r"msmarco_v2\.1_doc_[0-9]+_[0-9]+#[0-9]+_[0-9]+",
    ),
    "rag-2025": AnswerRules(
        label="TREC RAG 2025",
        source="isoboroff/submit-system",
        words=400,
        most_references=100,
        topic="metadata.narrative_id",
        names=("team_id", "run_id", "narrative_id"),
        choices={"type": ("manual", "automatic")},
        ways=(PLACES, IDS),
        one_way=True,
        references=list,
        elsewhere="error",
        repeated="warning",
        reference_form=r"msmarco_v2\.1_doc_[0-9]+_[0-9]+#[0-9]+_[0-9]+",
    ),
    "rag-2026": AnswerRules(
        label="TREC RAG 2026",
        source="TREC-RAG/trec-rag-skills v0.6",
        words=1024,
        topic="metadata.narrative_id",
        names=("team_id", "run_id", "narrative_id", "narrative", "run_desc"),
        ways=(PLACES, IDS),
        citations=3,
        references=list,
        elsewhere="error",
        missing="error",
        too_long="error",
    ),
    "ragtime": AnswerRules(
        label="RAGTIME, and what shares its validator",
        source="hltcoe/rag-run-validator at 81c8565",
        topic="metadata.topic_id",
        topic_is_text=True,
        names=("team_id", "run_id", "topic_id"),
        texts=("team_id", "run_id"),
        ways=(IDS, VALUES),
        references=list,
        blank_lines=False,
        nothing=True,
        repeated="warning",
        missing="error",
    ),
    "dragun-2025": AnswerRules(
        label="DRAGUN 2025, reports",
        source="isoboroff/submit-system, trec_dragun_validate.py task2",
        words=250,
        topic="metadata.topic_id",
        names=("team_id", "run_id", "topic_id", "type", "use_starter_kit"),
        only=True,
        choices={"type": ("automatic", "manual"), "use_starter_kit": (0, 1)},
        alike=("team_id", "run_id", "type", "use_starter_kit"),
        ways=(IDS,),
        citations=3,
        missing="error",
        too_long="error",
    ),
    "ikat-2025": AnswerRules(
        label="iKAT 2025",
        source="isoboroff/submit-system, validate_trec_ikat25.py",
        words=250,
        most_references=1000,
        topic="turn_id",
        names=("team_id", "run_id", "run_type"),
        choices={"run_type": ("automatic", "manual", "generation-only")},
        ways=(VALUES,),
        references=dict,
        sentence=("ptkb_provenance",),
        elsewhere="error",
        repeated="warning",
        missing="error",
        reference_form=r"clueweb22-en[0-9]{4}-[0-9]{2}-[0-9]{5}:[0-9]+",
    ),
    "biogen-2025": AnswerRules(
        label="BioGen 2025, task B",
        source="isoboroff/submit-system, task_b_validation.py",
        words=250,
        topic="metadata.topic_id",
        names=("team_id", "run_id", "topic_id"),
        texts=("team_id", "run_id"),
        missing="error",
    ),
}
"""The rules by key, as in the setting `run_rules` of a campaign."""


class RuleCheck:
    """Checks the form of one run's objects against a set of rules."""

    def __init__(self, rules: AnswerRules) -> None:
        self.rules = rules
        self.first: dict[str, object] = {}
        self.way = ""

    def broken(self, written: Mapping[str, Any]) -> Iterator[str]:
        """Yield a sentence for each rule that an object breaks."""
        given = written.get("metadata")
        about: Mapping[str, Any] = written  # if the rules don't name any metadata
        if self.rules.topic:
            about = given if isinstance(given, dict) else {}
        yield from self._names(about)
        if self.rules.topic and not _is_at(self.rules.topic, written):
            yield f"The topic must be named as “{self.rules.topic}”."
        elif self.rules.topic_is_text and not isinstance(about.get("topic_id"), str):
            yield f"“metadata.topic_id” must be a text, not {kind_of(about.get('topic_id'))}. Put it in quotes."
        references = written.get("references")
        if self.rules.references is not None and not isinstance(references, self.rules.references):
            wanted = "a list" if self.rules.references is list else "an object of ids and scores"
            yield f"“references” must be {wanted}; it is {'missing' if references is None else kind_of(references)}."
        name = next((each for each in SENTENCES if each in written), SENTENCES[0])
        sentences = written.get(name)
        for place, sentence in enumerate(sentences if isinstance(sentences, list) else ()):
            if isinstance(sentence, dict):
                yield from self._sentence(f"{name}[{place}]", sentence)

    def _names(self, about: Mapping[str, Any]) -> Iterator[str]:
        for each in self.rules.names:
            if each not in about:
                yield f"“{each}” is missing. Add it."
            elif each in self.rules.texts and not isinstance(about[each], str):
                yield f"“{each}” must be a text, not {kind_of(about[each])}. Put it in quotes."
        for each in about if self.rules.only else ():
            if each not in self.rules.names:
                yield f"“{excerpt_of(each, length=40)}” has no place in the metadata. Remove it."
        for each, choices in self.rules.choices.items():
            if each in about and about[each] not in choices:
                found = excerpt_of(str(about[each]), length=40)
                yield f"“{each}” must be {' or '.join(map(str, choices))}, not {found}."
        for each in self.rules.alike:
            if each in about and self.first.setdefault(each, about[each]) != about[each]:
                found = excerpt_of(str(about[each]), length=40)
                yield f"“{each}” must be the same throughout, but it is {found} here."

    def _sentence(self, place: str, sentence: Mapping[str, Any]) -> Iterator[str]:
        for each in self.rules.sentence:
            if each not in sentence:
                yield f"“{place}.{each}” is missing. Add it."
        citations = sentence.get("citations")
        if not self.rules.ways:
            return
        if not isinstance(citations, list | dict):
            yield f"“{place}.citations” must be a list or an object; it is {kind_of(citations)}."
            return
        if self.rules.citations and len(citations) > self.rules.citations:
            yield f"“{place}.citations” has {len(citations)} entries; it may have {self.rules.citations}."
        found = (
            (VALUES,) if isinstance(citations, dict) else (PLACES if type(each) is int else IDS for each in citations)
        )
        for way in dict.fromkeys(found):
            self.way = self.way or way
            if way not in self.rules.ways:
                yield f"“{place}.citations” has {way}; it must be {' or '.join(self.rules.ways)}."
            elif self.rules.one_way and way != self.way:
                yield f"“{place}.citations” has {way}, but the run began with {self.way}. Use one of them."


def _is_at(path: str, written: Mapping[str, Any]) -> bool:
    value: Any = written
    for each in path.split("."):
        value = value.get(each) if isinstance(value, dict) else None
    return value is not None
