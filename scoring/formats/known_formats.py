"""Lists every file format that the library knows: ``FORMATS``. Code that needs only one format imports its module
instead.
"""

from __future__ import annotations

from scoring.formats import (
    answer_clusters,
    assessed_answers,
    citation_runs,
    context25_claims,
    context25_predictions,
    definition_judgments,
    definition_runs,
    definition_topics,
    diffir_runs,
    document_list,
    graded_nuggets,
    grades,
    ikat_runs,
    ikat_topics,
    json_ranked,
    judgments_jsonl,
    match_labels,
    neighbour_rankings,
    nist_qa,
    nugget_banks,
    nugget_files,
    nuggetizer,
    pool_tables,
    qrels,
    question_runs,
    rag_answers,
    rag_nuggets,
    report_verdicts,
    response_labels,
    tac_columns,
    tac_questions,
    tac_runs,
    trec_run,
    trec_topics,
    value_tables,
)
from scoring.formats.spec import Format
from scoring.records import AnswerClass, InstanceJudgment, ItemMatch, JudgedInstance, Nugget, NuggetVote, RankedDoc

_NIST = "trec.nist.gov, TREC QA 2005, README.list+other.results"
_OURS = "this project"
_TAC = "TAC 2008 QA guidelines"


def _format(name: str, label: str, source: str, layout: str, record: type, module: object, stem: str) -> Format:
    """Return the format of a module whose functions are called read_<stem> and write_<stem>."""
    read, write = getattr(module, f"read_{stem}"), getattr(module, f"write_{stem}")
    return Format(name=name, label=label, source=source, layout=layout, record=record, read=read, write=write)


FORMATS: tuple[Format, ...] = (
    qrels.FORMAT,
    trec_run.FORMAT,
    trec_topics.FORMAT,
    *json_ranked.FORMATS,
    *neighbour_rankings.FORMATS,
    *diffir_runs.FORMATS,
    *value_tables.FORMATS,
    *nugget_files.FORMATS,
    nuggetizer.FORMAT,
    *nugget_banks.FORMATS,
    *rag_answers.FORMATS,
    question_runs.FORMAT,
    citation_runs.FORMAT,
    rag_nuggets.FORMAT,
    graded_nuggets.FORMAT,
    report_verdicts.FORMAT,
    match_labels.FORMAT,
    assessed_answers.FORMAT,
    answer_clusters.FORMAT,
    grades.ITEM_GRADES,
    ikat_topics.FORMAT,
    ikat_runs.FORMAT,
    response_labels.FORMAT,
    grades.RESPONSE_GRADES,
    *context25_claims.FORMATS,
    *context25_predictions.FORMATS,
    *definition_topics.FORMATS,
    *definition_runs.FORMATS,
    *definition_judgments.FORMATS,
    _format(
        "document-list", "Documents ranked for each target", _TAC, "qnum rank docid rsv",
        RankedDoc, document_list, "document_list",
    ),
    _format(
        "tac-questions", "Questions of TAC 2008 QA", _TAC, "XML: target > q", object, tac_questions, "questions",
    ),
    _format(
        "list-judged", "Judged instances of runs", _NIST, "qid tag docid correctness distinct? string",
        JudgedInstance, nist_qa, "list_judged",
    ),
    _format(
        "other-judged", "Items of responses, then nuggets found in them", _NIST,
        "qid tag item docno string | qid tag item nugget", object, nist_qa, "other_judged",
    ),
    _format("answer-sets", "Final answer sets", _NIST, "qid answer-key label", AnswerClass, nist_qa, "answer_sets"),
    _format(
        "instances.tsv", "Judged instances of the pool", _OURS,
        "topic docno correctness answer-class answer-string", InstanceJudgment, pool_tables, "instances",
    ),
    _format(
        "answer-classes.tsv", "Answer classes", _OURS, "topic key found-by label",
        AnswerClass, pool_tables, "answer_classes",
    ),
    _format("nuggets.tsv", "Nuggets, escaped", _OURS, "topic number vital|okay text", Nugget, pool_tables, "nuggets"),
    _format("votes.tsv", "Votes, escaped", _OURS, "topic number assessor vital|okay", NuggetVote, pool_tables, "votes"),
    _format(
        "matches.tsv", "Nuggets found in items", _OURS, "topic nugget docno answer-string",
        ItemMatch, pool_tables, "matches",
    ),
    _format(
        "judgments.jsonl", "Everything that people said, to be replayed", _OURS,
        "JSON object: do, by, topic, …", object, judgments_jsonl, "judgments",
    ),
    Format(
        name="tac-run", label="Runs of TAC 2008 QA", source=_TAC, layout="qid run-tag docid answer-string",
        record=tac_columns.RunLine, read=tac_runs.parse_run,
    ),
)  # fmt: skip


def find_format(name: str) -> Format | None:
    """Return the format with this name, or None.

    >>> find_format("qrels").layout
    'topic iteration docno grade'
    >>> find_format("no-such-format") is None
    True
    """
    return next((known for known in FORMATS if known.name == name), None)
