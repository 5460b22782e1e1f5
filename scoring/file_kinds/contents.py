"""Guesses what a file contains, from its form and from its members, tags or columns.

Every rule rests on conventions of the field: names that TREC's tracks and the tools around them use. If two kinds
cannot be told apart (a number, a tab and a text is a topic or a passage), both are named; if nothing decides, none is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from scoring.file_kinds.columns import contents_of_columns
from scoring.file_kinds.names import ASKS, BEIR, GRADES, IDS, TEXTS, TOPIC_IDS
from scoring.file_kinds.never_read import never_read
from scoring.file_kinds.shapes import JSON_FORMS, NOTHING, TAGGED_FORMS, Contents, Kind, Shape, held


def contents_of(shape: Shape) -> Contents:
    """Return what a file of this shape probably contains, or `NOTHING` if that is not known."""
    if (stranger := never_read(shape)) is not None:
        return stranger
    if shape.form in JSON_FORMS:
        return _of_json(shape)
    if shape.form in TAGGED_FORMS:
        return _of_tags(shape)
    if shape.form in ("columns", "text"):
        return contents_of_columns(shape)
    if shape.form == "warc":
        return held("a web archive (WARC)", "documents")
    if shape.form == "image":
        return held(shape.name, "documents")
    if shape.name == "a Parquet file":
        return held("a Parquet file", "documents")
    return NOTHING


# ---------------------------------------------------------------- JSON


def _of_json(shape: Shape) -> Contents:
    members = (inner for each in shape.values for inner in (each if isinstance(each, list) else [each]))
    objects = [each for each in members if isinstance(each, dict)]
    if not objects:
        return _of_plain_values(shape)
    first = objects[0]
    if shape.form == "json value":
        if isinstance(first.get("meta"), dict) and isinstance(first.get("queries"), list):
            meta = first["meta"]
            if meta.get("run2_name") is None or meta.get("run1_name") is None:
                which = 2 if meta.get("run1_name") is None and meta.get("run2_name") else 1
                return held("a ranked run shown by DiffIR", "run", formats=(f"diffir-{which}",))
            return held("two runs compared (DiffIR)", "comparison", formats=("diffir-1", "diffir-2"))
        for name in ("topics", "queries", "requests", "events"):
            inside = first.get(name)
            if isinstance(inside, list) and inside and isinstance(inside[0], dict):
                return held(f"topics (a JSON object with the list “{name}”)", "topics")
            if isinstance(inside, dict):
                return held(f"topics (a JSON object with the object “{name}”)", "topics")
        return _all_of_members(first) or _of_mapping(first) or NOTHING
    return _all_of_members(first) or NOTHING


def _of_plain_values(shape: Shape) -> Contents:
    if shape.values and shape.form == "json array" and all(isinstance(each, str) for each in shape.values):
        return held("a JSON list of names", "docnos", "requests")
    return NOTHING


def _all_of_members(one: Mapping[str, Any]) -> Contents | None:
    """Return what an object with these members may be, or None if there is no sign. The phrase describes the surest
    sign; the kinds and formats are those of all signs.
    """
    found = list(_of_members(one))
    if not found and TOPIC_IDS & one.keys() and {"answer", "response"} & one.keys() and not ASKS & one.keys():
        found = [held("answers by topic (JSON records)", "answers", formats=("answers-by-topic",))]
    found = found or list(_of_texts(one.keys(), one))[:1]
    if not found:
        return None
    kinds = dict.fromkeys(kind for each in found for kind in each.kinds)
    formats = dict.fromkeys(name for each in found for name in each.formats)
    return held(found[0].what, *kinds, formats=tuple(formats))


def _of_members(one: Mapping[str, Any]) -> Iterator[Contents]:
    """Yield the possible contents of an object, judged by members that are typical of a kind. The surest come first."""
    names = one.keys()
    metadata = one.get("metadata")
    has_metadata = isinstance(metadata, dict)
    if isinstance(one.get("do"), str):
        yield held("recorded judgments (judgments.jsonl)", "judgments")
    if "machine_generated_answers" in names:
        yield held("assessed answers (BioGen)", "assessments")
    if "nugget_bank" in names or "claim_bank" in names:
        yield held("nugget banks (NuggetBank)", "nuggets", "questions")
    if isinstance(one.get("nuggets"), list) or "nugget_list" in names or "nugget_dict" in names:
        yield held("nugget lists (JSON)", "nuggets")
    if "rubrics" in names or ("criteria" in names and "qid" in names) or ("items" in names and "query_id" in names):
        yield held("rubrics", "nuggets")
    if "run_name" in names or ("turns" in names and "run_type" in names):
        yield held("a run of responses by turns (iKAT 2023 and 2024)", "answers")
    answer = one.get("answer")
    if isinstance(answer, list) and answer and isinstance(answer[0], dict) and "supported_citations" in answer[0]:
        yield held("citations found for given answers (BioGen, task A)", "citations")
    elif ("responses" in names or "answer" in names or "sentences" in names) and (
        has_metadata or "references" in names or "run_id" in names
    ):
        yield held("a run of answers with citations (the common RAG shape)", "answers")
    if isinstance(one.get("ctxs"), list):
        what = "passages retrieved for questions (DPR)"
        yield held(what, "candidates", "documents", "run", formats=("dpr",))
    elif isinstance(one.get("positive_ctxs"), list):
        yield held(
            "questions with passages that answer them (DPR, for training)", "qrels", "documents", formats=("umbrela",)
        )
    listed = {"candidates", "results", "hits"} & names
    candidates = one[listed.pop()] if listed and ("query" in names or "qid" in names) else None
    if isinstance(candidates, list):
        is_judged = bool(candidates) and isinstance(candidates[0], dict) and not GRADES.isdisjoint(candidates[0])
        if is_judged:
            scored: tuple[Kind, ...] = ("run",) if {"score", "rank"} & candidates[0].keys() else ()
            formats = ("umbrela", *(("candidates",) if scored else ()))
            yield held("judged candidates (umbrela)", "candidates", "documents", "qrels", *scored, formats=formats)
        else:
            what = "ranked candidates with their texts (castorini)"
            yield held(what, "candidates", "documents", "run", formats=("candidates",))
    if "criterion" in names and "value" in names:
        yield held("official grades (grades.jsonl)", "grades")
    if "claim" in names:
        yield held("claims (Context25)", "claims", "topics")
    if "context" in names and "labels" in names and "id" in names:
        yield held("descriptions and snippets of claims (Context25)", "answers")
    if "judgment" in names and ("passage" in names or "prediction" in names):
        yield held("grades by umbrela", "qrels", formats=("umbrela",))
    if "username" in names and "rating" in names:
        yield held("judgments of auto-judge-annotate", "grades")
    if {"tasks", "key", "label"} <= names:
        yield held("a design file", "design")
    if BEIR & names and {"corpus-id", "corpus_id"} & names and type(one.get("score")) is int:
        yield held("qrels (JSON lines, BEIR's names)", "qrels", "run", formats=("umbrela", "candidates"))
    elif TOPIC_IDS & names and IDS & names and {"rank", "score"} & names:
        yield held("a ranked run (JSON lines, one document each)", "run", formats=("candidates",))
    if TOPIC_IDS & names and IDS - {"id", "_id"} & names and GRADES & names:
        yield held("qrels (JSON lines, one document each)", "qrels", formats=("umbrela",))


def _of_texts(names: Any, one: Mapping[str, Any]) -> Iterator[Contents]:
    """Yield the possible contents of an object with an id and texts: a topic, a document, or either. Its other members
    decide.
    """
    if {"pmid", "PMID"} & names and {"abstract", "title"} & names:
        yield held("PubMed records (JSON)", "documents")
    if "passage_text" in names or "segment" in names or "contents" in names or "cord_uid" in names:
        yield held("documents (JSON records)", "documents")
    turns = one.get("turn", one.get("turns"))
    if isinstance(turns, list) or "ptkb" in names or "user_utterance" in names or "raw_utterance" in names:
        yield held("topics of conversations (JSON)", "topics")
    if {"problem_statement", "background", "narrative", "desc", "narr", "description", "keyword"} & names and (
        (TOPIC_IDS | IDS) & names
    ):
        yield held("topics (JSON)", "topics", *(("documents",) if TEXTS & names else ()))
    if TOPIC_IDS & names and (ASKS | {"text"}) & names:
        yield held("topics (JSON)", "topics")
    if IDS & names and (TEXTS & names or "abstract" in names):
        yield held("topics or documents (JSON records with an id and a text)", "topics", "documents")
    if {"question", "query"} & names and {"answer", "answers"} & names:
        yield held("questions with their answers (JSON)", "topics")
    if IDS & names and ASKS & names:
        yield held("topics (JSON)", "topics", "documents")
    if names and TEXTS & names:
        yield held("documents (JSON records)", "documents", "topics")


_OF_ANSWERS = frozenset({"citations", "references", "sources", "docs", "documents", "answer", "response", "responses"})
"""Members of an answer whose name is its topic."""


def _of_mapping(whole: Mapping[str, Any]) -> Contents | None:
    """Return what a file is if it is one object whose members are named after topics, runs or documents. Return None
    for any other object.
    """
    if _are_measures(whole):
        return _FIGURES
    key, value = next(iter(whole.items()), ("", None))
    if isinstance(value, dict) and value:
        return _of_inner(value, [each for each in whole.values() if isinstance(each, dict)])
    if isinstance(value, list) and value:
        pair = value[0]
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], int | float):
            return held("a ranked run (JSON: topic → [docno, score])", "run", formats=("run-json",))
        if isinstance(pair, str) and pair in ("OR", "AND") and len(value) > 1:
            return held("nugget lists (JSON: question → answers)", "nuggets")
        if isinstance(pair, str) and " " in pair and key not in _NAMES:
            return held("lists of texts by their names (JSON: topic → texts)", "answers", formats=("answers-by-topic",))
        if isinstance(pair, str) and len(value) == 1 and len(whole) > 1 and not key.isidentifier():
            return None
    are_texts = len(whole) > 1 and all(isinstance(each, str) for each in whole.values())
    if are_texts and not (IDS | TOPIC_IDS) & whole.keys():
        return held("texts by their names (one JSON object)", "documents", "topics")
    return None


_NAMES = IDS | TOPIC_IDS | TEXTS | ASKS

_MAPPINGS = ("qrels-json", "run-mapping")


def _is_grade(value: float) -> bool:
    """Return whether a number may be a grade that was written with a decimal point, such as 2.0."""
    return value == int(value) and -2 <= value <= 10


def _is_fraction(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value) and not _is_grade(value)


def fraction_of(shape: Shape) -> float | None:
    """Return the first number in a mapping topic → docno → number that is no grade. Return None for any other file."""
    whole = shape.values[0] if shape.form == "json value" and shape.values else None
    topics = whole.values() if isinstance(whole, dict) else ()
    return next((each for topic in topics if isinstance(topic, dict) for each in topic.values() if _is_fraction(each)),
                None)  # fmt: skip


_MEASURES = re.compile(
    r"(?:gm_)?map(?:@\d+|_cut_\d+)?|ap(?:@\d+)?|rprec|bpref|infap|11pt_avg|num_(?:q|ret|rel|rel_ret|nonrel_judged_ret)"
    r"|p[_@]\d+|r@\d+|recall(?:[_@]\d+)?|ndcg(?:_cut)?(?:[_@]\d+)?|mrr(?:@\d+)?|rr(?:@\d+)?|recip_rank|success_\d+"
    r"|iprec_at_recall_[\d.]+|set_(?:p|recall|f|map|relative_p)|hits@\d+",
    re.IGNORECASE,
)
_AT_DEPTHS = re.compile(r"(?:p|r|hits|success)[_@]\d+", re.IGNORECASE)
_FIGURES = held("figures of measures (JSON)", "scores")


def _are_measures(names: Collection[str]) -> bool:
    """Return whether all names are names of measures. Return False if all of them are like “p_10”, since docnos and
    topics may look the same.
    """
    return all(map(_MEASURES.fullmatch, names)) and not all(map(_AT_DEPTHS.fullmatch, names))


def _of_inner(value: Mapping[str, Any], all_values: list[dict[str, Any]]) -> Contents | None:
    if _are_measures(value):
        return _FIGURES
    if {"answer", "response", "responses"} & value.keys() and not _OF_ANSWERS.isdisjoint(value):
        return held("answers by topic (JSON: topic → answer)", "answers", formats=("answers-by-topic",))
    inner = [each for topic in all_values for each in topic.values()]
    if inner and all(isinstance(each, int | float) and not isinstance(each, bool) for each in inner):
        if not any(map(_is_fraction, inner)):
            return held("qrels or a run (JSON: topic → docno → whole number)", "qrels", "run", formats=_MAPPINGS)
        return held("a ranked run (JSON: topic → docno → score)", "run", formats=("run-mapping",))
    first = next(iter(value.values()))
    if isinstance(value.get("contexts"), list):
        what = "passages retrieved for questions (DPR, pyserini)"
        return held(what, "candidates", "documents", "run", formats=("candidates",))
    if isinstance(first, dict) and "relevance" in first and "text" in first:
        return held("graded nuggets (JSON: turn → number → text and grade)", "nuggets")
    if isinstance(first, dict) and "nuggets" in first:
        return held("nuggets matched in responses (JSON)", "grades")
    if any(name.endswith("_cluster") for name in value):
        return held("clusters of answers (MedAESQA)", "assessments")
    if {"team", "priority", "automatic", "description"} & value.keys() or isinstance(value.get("fields"), dict):
        return held("forms of runs (runs/forms.json)", "forms")
    if {"passage_text", "title", "contents", "text", "abstract"} & value.keys() and isinstance(first, str):
        return held("records by their names (one JSON object)", "documents", "topics")
    if isinstance(first, str) and " " in first.strip():
        return held("responses by topic and run (JSON)", "answers")
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
    (re.compile(r"<DOC[\s>]", re.IGNORECASE), held("documents in SGML (<DOC>)", "documents")),
    (
        re.compile(r"<(?:PubmedArticle|MedlineCitation|PubmedBookArticle)[\s>]"),
        held("PubMed records (XML)", "documents"),
    ),
    (re.compile(r"<(?:top|topic|target|query)[\s>]|<num>", re.IGNORECASE), held("topics (tagged)", "topics")),
)


_PAGES = re.compile(r"</html>\s*<(?:!doctype\s+)?html", re.IGNORECASE)


def _of_tags(shape: Shape) -> Contents:
    tag = shape.tag.lower()
    if shape.form == "html" and _PAGES.search(shape.text):
        return Contents(
            what="several pages of HTML",
            kinds=("other",),
            way_on="Give each page a file of its own, or write them as records.",
        )
    if shape.form == "html":
        return held("a page of HTML", "documents")
    if tag in _DOCUMENTS:
        return held(_DOCUMENTS[tag], "documents")
    if tag in ("pyramid", "peerannotation"):
        return held("a pyramid of DucView (XML)", "nuggets")
    if tag in _TOPICS:
        return held(f"topics ({'XML' if shape.form == 'xml' else 'tagged'}, <{shape.tag}>)", "topics")
    if tag[:1].isdigit():
        return held("definitions or nuggets of the definition pilot (<1>)", "topics", "nuggets")
    return next((found for pattern, found in _INSIDE if pattern.search(shape.text)), NOTHING)
