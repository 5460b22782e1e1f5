"""Guesses what columns and lines contain, from their header, or from the number and content of the columns."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from scoring.file_kinds.names import ASKS, GRADES, IDS, TEXTS, TOPIC_IDS
from scoring.file_kinds.shapes import NOTHING, Contents, Shape, held

_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_REAL = re.compile(r"[+-]?(?:[0-9]++[.,]?[0-9]*+|[.,][0-9]++)(?:[eE][+-]?[0-9]+)?")
_MEASURE = re.compile(
    r"(?:all_)?(?:num_|map|gm_map|Rprec|bpref|recip_rank|P_|P@|ndcg|nDCG|AP|MAP|MRR|RR|R@|recall|iprec|runid|F|NR|NP)"
)
_NAME = re.compile(r"(?=[^\W_])\S+")
_MOST = 0.8  # the share of lines that must fit a rule, since some may be broken


def contents_of_columns(shape: Shape) -> Contents:
    """Return what columns or lines of text probably contain, or `NOTHING` if there are none."""
    if shape.header:
        return _of_header(shape)
    return _of_columns(shape) if shape.rows else NOTHING


def _of_header(shape: Shape) -> Contents:
    names = {name.strip('"#').lower() for name in shape.header}
    shown = f"columns with the header {', '.join(shape.header)[:100]}"
    if {"claimid", "predictions"} <= names:
        return held("labels of claims (Context25)", "answers")
    if {"annotation", "auto_assessment", "nugget_id", "run_tag", "gpt4-score", "gpt4-label"} & names:
        return held(shown, "grades", "nuggets")
    documents, topics = (
        names & IDS - {"id", "_id"} | names & {"corpus-id", "corpus_id"},
        names & TOPIC_IDS | names & {"query-id"},
    )
    if documents and topics and names & {"score", "relevance", "rel", "grade", "label", "judgment"}:
        if "rank" in names or names & {"run", "run_id", "run_tag", "tag"}:
            return held(f"a ranked run ({shown})", "run", formats=("run-table",))
        if names & GRADES:
            return held(f"qrels ({shown})", "qrels", formats=("beir-qrels",))
        if names & {"corpus-id", "corpus_id"} and _are_grades(
            [row[place] for place in _places(shape, "score") for row in shape.rows if len(row) > place]
        ):
            return held(f"qrels ({shown})", "qrels", formats=("beir-qrels",))
        return held(f"qrels ({shown})", "qrels", "run", formats=("beir-qrels", "run-table"))
    if documents and topics and "rank" in names:
        return held(f"a ranked run ({shown})", "run", formats=("run-table",))
    if names & (TEXTS | {"title", "url"}) and (documents or names & {"id", "_id"}):
        return held(f"documents ({shown})", "documents")
    if names & (ASKS | {"text"}) and (topics or names & {"id", "_id"}):
        return held(f"topics ({shown})", "topics", "documents")
    if names & IDS:
        return held(shown, "documents")
    return NOTHING


def _places(shape: Shape, name: str) -> list[int]:
    return [place for place, each in enumerate(shape.header) if each.strip('"#').lower() == name]


def _are_grades(values: list[str]) -> bool:
    """Return whether all values are whole numbers in the usual range of grades."""
    return bool(values) and all(re.fullmatch(r"-?[0-9]|10", value) for value in values)


def _of_columns(shape: Shape) -> Contents:
    width = shape.columns
    rows = [row for row in shape.rows if len(row) == width]
    asked = {6: _of_six, 5: _of_five, 4: _of_four, 3: _of_three, 2: _of_two, 1: _of_one}.get(width)
    found = asked(rows, shape) if asked is not None and len(rows) >= 0.6 * len(shape.rows) else None
    if found is not None and shape.is_table:
        found = _of_table(found, shape)
    return found or _of_lines(shape) or NOTHING


def _of_table(found: Contents, shape: Shape) -> Contents:
    """Return the contents of columns that a spreadsheet program wrote, with the formats for such tables and a phrase
    for the separator.
    """
    between = {",": "commas", ";": "semicolons", "|": "vertical bars"}.get(shape.separator)
    formats = {"trec-run": "run-table", "run-five": "run-table", "qrels": "beir-qrels", "qrels-three": "beir-qrels"}
    return replace(
        found,
        what=f"{found.what}, {f'between {between}' if between else 'each in quotes'}",
        formats=tuple(formats[name] for name in found.formats if name in formats),
    )


def _mostly(rows: list[tuple[str, ...]], column: int, pattern: re.Pattern[str]) -> bool:
    """Return whether most rows match a pattern in a column."""
    return sum(pattern.fullmatch(row[column]) is not None for row in rows) >= _MOST * len(rows)


def _is_one(rows: list[tuple[str, ...]], column: int) -> bool:
    """Return whether a column has the same value in most rows."""
    return Counter(row[column] for row in rows).most_common(1)[0][1] >= _MOST * len(rows)


def _of_six(rows: list[tuple[str, ...]], shape: Shape) -> Contents | None:
    del shape
    if _mostly(rows, 3, _WHOLE) and _mostly(rows, 4, _REAL) and _is_one(rows, 1):
        return held("a ranked run (topic Q0 docno rank score run-tag)", "run", formats=("trec-run",))
    return None


def _of_five(rows: list[tuple[str, ...]], shape: Shape) -> Contents | None:
    has_q0 = _mostly(rows, 1, re.compile("(?i)Q?0"))
    if has_q0 and _mostly(rows, 3, _WHOLE) and _mostly(rows, 4, _REAL):
        return held("a ranked run without a run tag (topic Q0 docno rank score)", "run", formats=("run-five",))
    if _mostly(rows, 2, _WHOLE) and _mostly(rows, 3, _REAL) and not has_q0 and _is_one(rows, 4):
        return held("a ranked run without Q0 (topic docno rank score run-tag)", "run", formats=("run-five",))
    if _mostly(rows, 2, _WHOLE) and _mostly(rows, 3, _WHOLE) and _mostly(rows, 4, _REAL):
        return held("judgments of a sampled pool (topic docno judgment method probability)", "qrels")
    if shape.separator == "\t" and _mostly(rows, 3, _WHOLE) and _are_ranks([(row[0], "", row[3]) for row in rows]):
        return held("a run of questions (topic team run rank question)", "questions")
    return None


def _of_four(rows: list[tuple[str, ...]], shape: Shape) -> Contents | None:
    if _mostly(rows, 3, re.compile(r"vital|okay")):
        return held("votes (topic number assessor vital|okay)", "votes")
    if _mostly(rows, 3, _WHOLE) and len(rows) > 1 and _are_ranks([(row[0], "", row[1]) for row in rows]):
        return held("ranked documents or qrels (four columns)", "document-list", "qrels", "matches")
    if _mostly(rows, 3, _WHOLE):
        if {row[1] for row in rows} <= {"0", "Q0", "q0"} or (_mostly(rows, 1, _WHOLE) and _is_one(rows, 1)):
            return held("qrels (topic iteration docno grade)", "qrels", formats=("qrels",))
        if _mostly(rows, 1, _WHOLE):
            return held("ranked documents or qrels (four columns)", "document-list", "qrels", "matches")
        return held("four columns that end in a whole number", "qrels", "matches", "scores", "values")
    if _mostly(rows, 3, _REAL) and {row[1] for row in rows} <= {"0", "Q0", "q0"}:
        return held("qrels whose grades are no whole numbers", "qrels")
    if _mostly(rows, 3, _REAL) and _are_ranks([(row[0], "", row[1]) for row in rows]):
        return held("ranked documents (qnum rank docid rsv)", "document-list")
    if _mostly(rows, 3, _REAL) and not _mostly(rows, 2, _WHOLE) and _mostly(rows, 1, _WHOLE):
        return held("scores or ranked documents (four columns)", "scores", "document-list")
    if _mostly(rows, 3, _REAL) and not _mostly(rows, 2, _WHOLE):
        return held("scores (run topic measure value)", "scores")
    if shape.separator == "\t" and _mostly(rows, 2, _WHOLE) and _mostly(rows, 3, _REAL):
        return held("a ranked run (qid, docid, rank, score)", "run", "matches", "values", formats=("run-five",))
    return None


def _of_three(rows: list[tuple[str, ...]], shape: Shape) -> Contents | None:
    if sum(_MEASURE.match(row[0]) is not None for row in rows) >= _MOST * len(rows):
        return held("figures of trec_eval (measure topic value)", "scores")
    if _mostly(rows, 2, _WHOLE):
        if shape.separator == "\t" and _are_ranks(rows):
            return held(
                "a ranked run of MS MARCO (qid, pid, rank)",
                "run",
                "values",
                "qrels",
                formats=("msmarco-run", "qrels-three"),
            )
        return held("three columns that end in a whole number", "values", "qrels", formats=("qrels-three",))
    if _mostly(rows, 2, re.compile("L[0-9]")):
        return held("qrels of NTCIR (topic docno L-grade)", "qrels", formats=("qrels-three",))
    if _mostly(rows, 2, _REAL):
        return held("three columns that end in a number", "values", "scores")
    return None


def _are_ranks(rows: list[tuple[str, ...]]) -> bool:
    """Return whether the third column holds ranks. It does if it begins at 1 and, in most rows, is one more than in the
    previous row of the same topic.
    """
    last: dict[str, int] = {}
    rising = 0
    for topic, _, written in rows:
        rank = int(written) if _WHOLE.fullmatch(written) else -1
        rising += rank == last.get(topic, 0) + 1
        last[topic] = rank
    return rising >= _MOST * len(rows)


def _of_two(rows: list[tuple[str, ...]], shape: Shape) -> Contents | None:
    if _mostly(rows, 1, _REAL):
        return held("two columns that end in a number", "scores", "values", "grades", "document-list")
    if shape.separator == "\t":
        return held("lines of a number, a tab and a text", "topics", "documents")
    return None


def _of_one(rows: list[tuple[str, ...]], shape: Shape) -> Contents | None:
    del shape
    if len(rows) > 1 and not any(set(row[0]) & set('<>{}[],;"') or not _NAME.fullmatch(row[0]) for row in rows):
        return held("names, one a line", "docnos")
    return None


_BY_LINE = (
    (re.compile(r"\S+\s+\S+\s+(?:vital|okay)\s+\S.*"), held("nuggets (topic number vital|okay text)", "nuggets")),
    (re.compile(r"PMID- ?[0-9]+.*"), held("PubMed records (MEDLINE)", "documents")),
    (re.compile(r"[0-9]+:\S.*"), held("topics (number:query)", "topics")),
)


def _of_lines(shape: Shape) -> Contents | None:
    """Return what the text of the first line, or of most lines, shows about the file, whatever its columns. Return None
    if it shows nothing.
    """
    lines = [line.rstrip("\r") for line in shape.text.lstrip("\ufeff").split("\n") if line.strip()][:50]
    if not lines:
        return None
    for pattern, found in _BY_LINE[1:2]:
        if pattern.fullmatch(lines[0]):
            return found
    for pattern, found in (_BY_LINE[0], _BY_LINE[2]):
        such = [line for line in lines if pattern.fullmatch(line)]
        if len(such) >= _MOST * len(lines) and ("topics" not in found.kinds or _are_apart(such)):
            return found
    return None


def _are_apart(lines: list[str]) -> bool:
    """Return whether the texts before the colon differ from each other in most lines. In verses of a chapter and in
    logs they are often equal.
    """
    return len({line.partition(":")[0] for line in lines}) >= _MOST * len(lines)
