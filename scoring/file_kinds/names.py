"""The names that the field gives to members of objects and to columns."""

from __future__ import annotations

import re

_PARTS = re.compile(r"[_\s-]+|(?<=[a-z0-9])(?=[A-Z])")


def name_words(name: str) -> list[str]:
    """Return the words in a name, in lower case.

    >>> name_words("tweet_id"), name_words("queryText")
    (['tweet', 'id'], ['query', 'text'])
    """
    return [word.lower() for word in _PARTS.split(name)]


IDS = {"id", "_id", "docid", "docno", "doc_id", "pid", "cord_uid", "passage_id", "document_id", "pmid", "PMID",
       "corpus-id", "corpus_id"}  # fmt: skip
TOPIC_IDS = {"qid", "queryid", "topic_id", "request_id", "query_id", "narrative_id", "number", "num", "topic", "qa_id",
             "turn_id", "query-id"}  # fmt: skip
BEIR = {"query-id", "query_id"}
GRADES = {"judgment", "relevance", "rel", "grade", "label"}
TEXTS = {"text", "contents", "segment", "body", "abstract", "passage", "passage_text", "content", "raw"}
ASKS = {
    "query", "question", "title", "description", "desc", "narrative", "narr", "problem_statement", "background",
    "utterance", "raw_utterance", "user_utterance", "keyword", "topic_title",
}  # fmt: skip

HEADER_NAMES = frozenset({
    "query-id", "corpus-id", "query_id", "corpus_id", "qid", "queryid", "topic", "topic_id", "topicid", "docid",
    "doc_id", "docno", "pid", "passage_id", "score", "rank", "run", "run_id", "run_tag", "q0", "iteration", "iter",
    "relevance", "rel", "grade", "label", "cord_uid", "claimid", "predictions", "id", "_id", "number", "query",
    "text", "title", "contents", "sha", "url", "turn_id", "conv_id", "answer_id", "update_id", "nugget_id", "measure",
    "value", "judgment",
})  # fmt: skip
"""Names of columns in headers, in lower case."""
