"""The files that a TAC 2008 QA campaign exports, each written and read back in the same format."""

from __future__ import annotations

from assess.protocol import RECORDED_JUDGMENTS, Export
from scoring.formats.nist_qa import (
    read_answer_sets,
    read_list_judged,
    read_other_judged,
    write_answer_sets,
    write_list_judged,
    write_other_judged,
)
from scoring.formats.pool_tables import (
    read_answer_classes,
    read_instances,
    read_matches,
    read_nuggets,
    read_votes,
    write_answer_classes,
    write_instances,
    write_matches,
    write_nuggets,
    write_votes,
)
from tracks.tac2008_qa.files import read_topics, write_topics

EXPORTS = (
    Export(
        name="questions.xml",
        label="Questions: targets with their series",
        collect="topics",
        write=write_topics,
        read=read_topics,
    ),
    Export(
        name="instances.tsv",
        label="Judged instances of rigid list questions: topic docno correctness answer-class answer-string",
        collect="instance_judgments",
        write=write_instances,
        read=read_instances,
    ),
    Export(
        name="answer-classes.tsv",
        label="Final answer sets of rigid list questions: topic key found-by label",
        collect="answer_classes",
        write=write_answer_classes,
        read=read_answer_classes,
    ),
    Export(
        name="nuggets.tsv",
        label="Nugget lists of squishy list questions: topic number vital|okay text",
        collect="nuggets",
        write=write_nuggets,
        read=read_nuggets,
    ),
    Export(
        name="votes.tsv",
        label="Votes on nuggets, the author's included: topic number assessor vital|okay",
        collect="votes",
        write=write_votes,
        read=read_votes,
    ),
    Export(
        name="matches.tsv",
        label="Nuggets found in [answer-string, docid] pairs: topic nugget docno answer-string",
        collect="item_matches",
        write=write_matches,
        read=read_matches,
    ),
    Export(
        name="list_judged.txt",
        label="Rigid list judgments of each run, as NIST published them: qid tag docid correctness distinct? string",
        collect="list_judged",
        write=write_list_judged,
        read=read_list_judged,
    ),
    Export(
        name="otherjudged.txt",
        label="Squishy list items and nuggets of each run, as NIST published them: qid tag item-number nugget-number",
        collect="other_judged",
        write=write_other_judged,
        read=read_other_judged,
    ),
    Export(
        name="final-answer-sets.txt",
        label="Final answer sets to read: qid answer-key label",
        collect="answer_classes",
        write=write_answer_sets,
        read=read_answer_sets,
    ),
    RECORDED_JUDGMENTS,
)
