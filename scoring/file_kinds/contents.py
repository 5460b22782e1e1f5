"""What a file probably holds, by its form and by the members, tags or columns that it has.

Every rule says what it goes by in the field: names that TREC's tracks and the tools around them use. Where two kinds
cannot be told apart (a number, a tab and a text is a topic or a passage), both are said; where nothing tells, none.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from scoring.file_kinds.shapes import JSON_FORMS, TAGGED_FORMS, Shape

Kind = Literal[
    "run", "qrels", "topics", "answers", "nuggets", "documents", "claims", "judgments", "assessments", "grades",
    "docnos", "document-list", "matches", "votes", "values", "scores", "forms", "questions", "candidates", "requests",
    "design", "citations",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Contents:
    """What a file probably holds: a phrase for people, and all kinds that it may be, the likeliest first.

    There is none where nothing tells. ``formats`` are the names of formats of rankings and judgments that it may have.
    """

    what: str = ""
    kinds: tuple[Kind, ...] = ()
    formats: tuple[str, ...] = ()


def _is(what: str, *kinds: Kind, formats: tuple[str, ...] = ()) -> Contents:
    return Contents(what=what, kinds=kinds, formats=formats)


NOTHING = Contents()


def contents_of(shape: Shape) -> Contents:
    """What a file of this shape probably holds."""
    if shape.form in JSON_FORMS:
        return _of_json(shape)
    if shape.form in TAGGED_FORMS:
        return _of_tags(shape)
    if shape.form in ("columns", "text") and shape.rows:
        return _of_header(shape) if shape.header else _of_columns(shape)
    if shape.form == "columns" and shape.header:
        return _of_header(shape)
    if shape.form == "warc":
        return _is("a web archive (WARC)", "documents")
    if shape.form == "image":
        return _is(shape.name, "documents")
    if shape.name == "a Parquet file":
        return _is("a Parquet file", "documents")
    return NOTHING


# ---------------------------------------------------------------- JSON

_IDS = {"id", "_id", "docid", "docno", "doc_id", "pid", "cord_uid", "passage_id", "document_id", "pmid", "PMID"}
_TOPIC_IDS = {"qid", "topic_id", "request_id", "query_id", "narrative_id", "number", "num", "topic", "qa_id", "turn_id"}
_GRADES = {"judgment", "relevance", "rel", "grade", "label"}
_TEXTS = {"text", "contents", "segment", "body", "abstract", "passage", "passage_text", "content", "raw"}
_ASKS = {
    "query", "question", "title", "description", "desc", "narrative", "narr", "problem_statement", "background",
    "utterance", "raw_utterance", "user_utterance", "keyword", "topic_title",
}  # fmt: skip


def _of_json(shape: Shape) -> Contents:
    objects = [each for each in shape.values if isinstance(each, dict)]
    if not objects:
        return _of_plain_values(shape)
    first = objects[0]
    if shape.form == "json value":
        for name in ("topics", "queries", "requests", "events"):
            inside = first.get(name)
            if isinstance(inside, list) and inside and isinstance(inside[0], dict):
                return _is(f"topics (a JSON object with the list “{name}”)", "topics")
        members = next((found for found in _of_members(first) if found), None)
        return members or _of_mapping(first) or NOTHING
    return next((found for found in _of_members(first) if found), NOTHING)


def _of_plain_values(shape: Shape) -> Contents:
    if shape.values and shape.form == "json array" and all(isinstance(each, str) for each in shape.values):
        return _is("a JSON list of names", "docnos", "requests")
    return NOTHING


def _of_members(one: Mapping[str, Any]) -> Iterator[Contents | None]:
    """What an object with these members is, the surest signs first."""
    names = one.keys()
    metadata = one.get("metadata")
    has_metadata = isinstance(metadata, dict)
    if isinstance(one.get("do"), str):
        yield _is("recorded judgments (judgments.jsonl)", "judgments")
    if "machine_generated_answers" in names:
        yield _is("assessed answers (BioGen)", "assessments")
    if "nugget_bank" in names or "claim_bank" in names:
        yield _is("nugget banks (NuggetBank)", "nuggets", "questions")
    if isinstance(one.get("nuggets"), list) or "nugget_list" in names or "nugget_dict" in names:
        yield _is("nugget lists (JSON)", "nuggets")
    if "rubrics" in names or ("criteria" in names and "qid" in names) or ("items" in names and "query_id" in names):
        yield _is("rubrics", "nuggets")
    if "run_name" in names or ("turns" in names and "run_type" in names):
        yield _is("a run of responses by turns (iKAT 2023 and 2024)", "answers")
    answer = one.get("answer")
    if isinstance(answer, list) and answer and isinstance(answer[0], dict) and "supported_citations" in answer[0]:
        yield _is("citations found for given answers (BioGen, task A)", "citations")
    if ("responses" in names or "answer" in names or "sentences" in names) and (
        has_metadata or "references" in names or "run_id" in names
    ):
        yield _is("a run of answers with citations (the common RAG shape)", "answers")
    listed = {"candidates", "results", "hits"} & names
    if listed and ("query" in names or "qid" in names) and isinstance(one[listed.pop()], list):
        yield _is(
            "ranked candidates with their texts (castorini)",
            "candidates",
            "documents",
            "run",
            formats=("candidates", "umbrela"),
        )
    if "criterion" in names and "value" in names:
        yield _is("official grades (grades.jsonl)", "grades")
    if "claim" in names:
        yield _is("claims (Context25)", "claims", "topics")
    if "context" in names and "labels" in names and "id" in names:
        yield _is("descriptions and snippets of claims (Context25)", "answers")
    if "judgment" in names and ("passage" in names or "prediction" in names):
        yield _is("grades by umbrela", "qrels", formats=("umbrela",))
    if "username" in names and "rating" in names:
        yield _is("judgments of auto-judge-annotate", "grades")
    if {"tasks", "key", "label"} <= names:
        yield _is("a design file", "design")
    if _TOPIC_IDS & names and _IDS & names and {"rank", "score"} & names:
        yield _is("a ranked run (JSON lines, one document each)", "run", "qrels", formats=("candidates", "umbrela"))
    if (
        _TOPIC_IDS & names
        and _IDS - {"id", "_id"} & names
        and {"judgment", "relevance", "rel", "grade", "label"} & names
    ):
        yield _is("qrels (JSON lines, one document each)", "qrels", formats=("umbrela",))
    yield from _of_texts(names, one)


def _of_texts(names: Any, one: Mapping[str, Any]) -> Iterator[Contents | None]:
    """Topics and documents: both have an id and texts, and some members tell which of them it is."""
    if {"pmid", "PMID"} & names and {"abstract", "title"} & names:
        yield _is("PubMed records (JSON)", "documents")
    if "passage_text" in names or "segment" in names or "contents" in names or "cord_uid" in names:
        yield _is("documents (JSON records)", "documents")
    turns = one.get("turn", one.get("turns"))
    if isinstance(turns, list) or "ptkb" in names or "user_utterance" in names or "raw_utterance" in names:
        yield _is("topics of conversations (JSON)", "topics")
    if {"problem_statement", "background", "narrative", "desc", "narr", "description", "keyword"} & names and (
        (_TOPIC_IDS | _IDS) & names
    ):
        yield _is("topics (JSON)", "topics", *(("documents",) if _TEXTS & names else ()))
    if _TOPIC_IDS & names and (_ASKS | {"text"}) & names:
        yield _is("topics (JSON)", "topics")
    if _IDS & names and (_TEXTS & names or "abstract" in names):
        yield _is("topics or documents (JSON records with an id and a text)", "topics", "documents")
    if _IDS & names and _ASKS & names:
        yield _is("topics (JSON)", "topics", "documents")
    if names and _TEXTS & names:
        yield _is("documents (JSON records)", "documents", "topics")


def _of_mapping(whole: Mapping[str, Any]) -> Contents | None:
    """What one object is whose members are named by topics, runs or documents, or None where it is no such object."""
    key, value = next(iter(whole.items()), ("", None))
    if isinstance(value, dict) and value:
        return _of_inner(value, [each for each in whole.values() if isinstance(each, dict)])
    if isinstance(value, list) and value:
        pair = value[0]
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], int | float):
            return _is("a ranked run (JSON: topic → [docno, score])", "run", formats=("run-json",))
        if isinstance(pair, str) and pair in ("OR", "AND") and len(value) > 1:
            return _is("nugget lists (JSON: question → answers)", "nuggets")
        if isinstance(pair, str) and len(value) == 1 and len(whole) > 1 and not key.isidentifier():
            return None
    are_texts = len(whole) > 1 and all(isinstance(each, str) for each in whole.values())
    if are_texts and not (_IDS | _TOPIC_IDS) & whole.keys():
        return _is("texts by their names (one JSON object)", "documents", "topics")
    return None


_MAPPINGS = ("qrels-json", "run-mapping")


def _of_inner(value: Mapping[str, Any], all_values: list[dict[str, Any]]) -> Contents | None:
    inner = [each for topic in all_values for each in topic.values()]
    if inner and all(isinstance(each, int | float) and not isinstance(each, bool) for each in inner):
        if not any(isinstance(each, float) and math.isfinite(each) for each in inner):
            return _is("qrels or a run (JSON: topic → docno → whole number)", "qrels", "run", formats=_MAPPINGS)
        return _is("a ranked run (JSON: topic → docno → score)", "run", formats=("run-mapping",))
    first = next(iter(value.values()))
    if isinstance(first, dict) and "relevance" in first and "text" in first:
        return _is("graded nuggets (JSON: turn → number → text and grade)", "nuggets")
    if isinstance(first, dict) and "nuggets" in first:
        return _is("nuggets matched in responses (JSON)", "grades")
    if any(name.endswith("_cluster") for name in value):
        return _is("clusters of answers (MedAESQA)", "assessments")
    if {"team", "priority", "automatic", "description", "fields"} & value.keys():
        return _is("forms of runs (runs/forms.json)", "forms")
    if {"passage_text", "title", "contents", "text", "abstract"} & value.keys() and isinstance(first, str):
        return _is("records by their names (one JSON object)", "documents", "topics")
    if isinstance(first, str) and " " in first.strip():
        return _is("responses by topic and run (JSON)", "answers")
    return None


# ---------------------------------------------------------------- XML and SGML

_DOCUMENTS = {
    "doc": "documents in SGML (<DOC>)", "pubmedarticleset": "PubMed records (XML)",
    "pubmedarticle": "PubMed records (XML)",
    "medlinecitationset": "PubMed records (XML)", "medlinecitation": "PubMed records (XML)",
    "pubmedbookarticle": "PubMed records (XML)", "mediawiki": "pages of MediaWiki (XML)", "article": "a paper (XML)",
    "nitf": "news in NITF (XML)",
}  # fmt: skip
_TOPICS = {
    "top", "topic", "topics", "trecqa", "target", "query", "queries", "events", "event", "questions", "requests", "tops"
}  # fmt: skip
_INSIDE = (
    (re.compile(r"<DOC[\s>]", re.IGNORECASE), _is("documents in SGML (<DOC>)", "documents")),
    (
        re.compile(r"<(?:PubmedArticle|MedlineCitation|PubmedBookArticle)[\s>]"),
        _is("PubMed records (XML)", "documents"),
    ),
    (re.compile(r"<(?:top|topic|target|query)[\s>]|<num>", re.IGNORECASE), _is("topics (tagged)", "topics")),
)


def _of_tags(shape: Shape) -> Contents:
    tag = shape.tag.lower()
    if shape.form == "html":
        return _is("a page of HTML", "documents")
    if tag in _DOCUMENTS:
        return _is(_DOCUMENTS[tag], "documents")
    if tag in ("pyramid", "peerannotation"):
        return _is("a pyramid of DucView (XML)", "nuggets")
    if tag in _TOPICS:
        return _is(f"topics ({'XML' if shape.form == 'xml' else 'tagged'}, <{shape.tag}>)", "topics")
    if tag[:1].isdigit():
        return _is("definitions or nuggets of the definition pilot (<1>)", "topics", "nuggets")
    return next((found for pattern, found in _INSIDE if pattern.search(shape.text)), NOTHING)


# ---------------------------------------------------------------- columns

_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_REAL = re.compile(r"[+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?")
_MEASURE = re.compile(
    r"(?:all_)?(?:num_|map|gm_map|Rprec|bpref|recip_rank|P_|P@|ndcg|nDCG|AP|MAP|MRR|RR|R@|recall|iprec|runid|F|NR|NP)"
)
_NAME = re.compile(r"(?=[^\W_])\S+")
_MOST = 0.8  # share of lines that have what a rule asks of them, since some may be broken


def _of_header(shape: Shape) -> Contents:
    names = {name.strip('"#').lower() for name in shape.header}
    shown = f"columns with the header {', '.join(shape.header)[:100]}"
    if {"claimid", "predictions"} <= names:
        return _is("labels of claims (Context25)", "answers")
    if {"annotation", "auto_assessment", "nugget_id", "run_tag", "gpt4-score", "gpt4-label"} & names:
        return _is(shown, "grades", "nuggets")
    documents, topics = (
        names & _IDS - {"id", "_id"} | names & {"corpus-id", "corpus_id"},
        names & _TOPIC_IDS | names & {"query-id"},
    )
    if documents and topics and names & {"score", "relevance", "rel", "grade", "label", "judgment"}:
        if "rank" in names or names & {"run", "run_id", "run_tag", "tag"}:
            return _is(f"a ranked run ({shown})", "run", formats=("run-table",))
        if names & _GRADES:
            return _is(f"qrels ({shown})", "qrels", formats=("beir-qrels",))
        return _is(f"qrels ({shown})", "qrels", "run", formats=("beir-qrels", "run-table"))
    if documents and topics and "rank" in names:
        return _is(f"a ranked run ({shown})", "run", formats=("run-table",))
    if names & (_TEXTS | {"title", "url"}) and (documents or names & {"id", "_id"}):
        return _is(f"documents ({shown})", "documents", "topics")
    if names & (_ASKS | {"text"}) and (topics or names & {"id", "_id"}):
        return _is(f"topics ({shown})", "topics", "documents")
    if names & _IDS:
        return _is(shown, "documents")
    return NOTHING


def _of_columns(shape: Shape) -> Contents:
    rows = [row for row in shape.rows if len(row) == shape.columns]
    asked = {6: _of_six, 5: _of_five, 4: _of_four, 3: _of_three, 2: _of_two, 1: _of_one}.get(shape.columns)
    found = asked(rows, shape) if asked is not None and len(rows) >= 0.6 * len(shape.rows) else None
    return found or _of_lines(shape) or NOTHING


def _share(rows: list[tuple[str, ...]], column: int, pattern: re.Pattern[str]) -> bool:
    """Whether most rows have in a column what a pattern asks."""
    return sum(pattern.fullmatch(row[column]) is not None for row in rows) >= _MOST * len(rows)


def _is_one(rows: list[tuple[str, ...]], column: int) -> bool:
    """Whether a column says the same in most rows."""
    return Counter(row[column] for row in rows).most_common(1)[0][1] >= _MOST * len(rows)


def _of_six(rows: list[tuple[str, ...]], shape: Shape) -> Contents | None:
    del shape
    if _share(rows, 3, _WHOLE) and _share(rows, 4, _REAL) and _is_one(rows, 1):
        return _is("a ranked run (topic Q0 docno rank score run-tag)", "run", formats=("trec-run",))
    return None


def _of_five(rows: list[tuple[str, ...]], shape: Shape) -> Contents | None:
    if _share(rows, 2, _WHOLE) and _share(rows, 3, _WHOLE) and _share(rows, 4, _REAL):
        return _is("judgments of a sampled pool (topic docno judgment method probability)", "qrels")
    if shape.separator == "\t" and _share(rows, 3, _WHOLE) and _are_ranks([(row[0], "", row[3]) for row in rows]):
        return _is("a run of questions (topic team run rank question)", "questions")
    if _share(rows, 3, _WHOLE) and _share(rows, 4, _REAL):
        return _is("a ranked run without a run tag (topic Q0 docno rank score)", "run")
    return None


def _of_four(rows: list[tuple[str, ...]], shape: Shape) -> Contents | None:
    if _share(rows, 3, re.compile(r"vital|okay")):
        return _is("votes (topic number assessor vital|okay)", "votes")
    if _share(rows, 3, _WHOLE) and len(rows) > 1 and _are_ranks([(row[0], "", row[1]) for row in rows]):
        return _is("ranked documents or qrels (four columns)", "document-list", "qrels", "matches")
    if _share(rows, 3, _WHOLE):
        if {row[1] for row in rows} <= {"0", "Q0", "q0"} or (_share(rows, 1, _WHOLE) and _is_one(rows, 1)):
            return _is("qrels (topic iteration docno grade)", "qrels", "matches", formats=("qrels",))
        if _share(rows, 1, _WHOLE):
            return _is("ranked documents or qrels (four columns)", "document-list", "qrels", "matches")
        return _is("four columns that end in a whole number", "qrels", "matches", "scores", "values")
    if _share(rows, 3, _REAL) and _are_ranks([(row[0], "", row[1]) for row in rows]):
        return _is("ranked documents (qnum rank docid rsv)", "document-list")
    if _share(rows, 3, _REAL) and not _share(rows, 2, _WHOLE) and _share(rows, 1, _WHOLE):
        return _is("scores or ranked documents (four columns)", "scores", "document-list")
    if _share(rows, 3, _REAL) and not _share(rows, 2, _WHOLE):
        return _is("scores (run topic measure value)", "scores")
    if shape.separator == "\t" and _share(rows, 2, _WHOLE) and _share(rows, 3, _REAL):
        return _is("a ranked run (qid, docid, rank, score)", "run", "matches", "values")
    return None


def _of_three(rows: list[tuple[str, ...]], shape: Shape) -> Contents | None:
    if sum(_MEASURE.match(row[0]) is not None for row in rows) >= _MOST * len(rows):
        return _is("figures of trec_eval (measure topic value)", "scores")
    if _share(rows, 2, _WHOLE):
        if shape.separator == "\t" and _are_ranks(rows):
            return _is("a ranked run of MS MARCO (qid, pid, rank)", "run", "values", "qrels", formats=("msmarco-run",))
        return _is("three columns that end in a whole number", "values", "qrels", "run", "votes")
    if _share(rows, 2, _REAL):
        return _is("three columns that end in a number", "values", "run", "scores")
    return None


def _are_ranks(rows: list[tuple[str, ...]]) -> bool:
    """Whether the third column counts from 1 in each topic, in file order."""
    last: dict[str, int] = {}
    rising = 0
    for topic, _, written in rows:
        rank = int(written) if _WHOLE.fullmatch(written) else -1
        rising += rank == last.get(topic, 0) + 1
        last[topic] = rank
    return rising >= _MOST * len(rows)


def _of_two(rows: list[tuple[str, ...]], shape: Shape) -> Contents | None:
    if _share(rows, 1, _REAL):
        return _is("two columns that end in a number", "values", "grades", "document-list")
    if shape.separator == "\t":
        return _is("lines of a number, a tab and a text", "topics", "documents")
    return None


def _of_one(rows: list[tuple[str, ...]], shape: Shape) -> Contents | None:
    del shape
    if len(rows) > 1 and not any(set(row[0]) & set("<>{}[]") or not _NAME.fullmatch(row[0]) for row in rows):
        return _is("names, one a line", "docnos", "topics")
    return None


_BY_LINE = (
    (re.compile(r"\S+\s+\S+\s+(?:vital|okay)\s+\S.*"), _is("nuggets (topic number vital|okay text)", "nuggets")),
    (re.compile(r"PMID- ?[0-9]+.*"), _is("PubMed records (MEDLINE)", "documents")),
    (re.compile(r"[0-9]+:\S.*"), _is("topics (number:query)", "topics")),
)


def _of_lines(shape: Shape) -> Contents | None:
    """What most lines, or the first of them, say whatever columns they have."""
    lines = [line.rstrip("\r") for line in shape.text.lstrip("\ufeff").split("\n") if line.strip()][:50]
    if not lines:
        return None
    for pattern, found in _BY_LINE[1:2]:
        if pattern.fullmatch(lines[0]):
            return found
    for pattern, found in (_BY_LINE[0], _BY_LINE[2]):
        if sum(pattern.fullmatch(line) is not None for line in lines) >= _MOST * len(lines):
            return found
    return None
