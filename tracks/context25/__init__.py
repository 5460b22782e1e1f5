"""Context25 (SDProc 2025): which figures and tables support a scientific claim, and how its findings were obtained.

Evidence: systems rank the labels of figures and tables in a claim's paper; assessors pick those that support it from
the page images. Grounding: systems give short descriptions of what was measured, how and from whom, with verbatim
snippets of the paper; assessors write such descriptions with quotes, and rate those of the top systems.

Gold that was released with the claims is stored with the topics, hidden from assessors. It counts for each claim that
was not annotated here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assess.protocol import (
    ContextPart,
    Criterion,
    GivenTwice,
    Grading,
    Picking,
    PoolRecipe,
    Ranking,
    Scoring,
    Stage,
    Submission,
    Task,
    TopicFile,
    TopicRecord,
    Track,
    scale,
)
from nuggets.options import NuggetWriting
from scoring.formats.context25_claims import read_evidence_claims, read_grounding_claims
from scoring.formats.context25_predictions import read_evidence_answers, read_grounding_answers
from scoring.release.phrases import Phrase
from scoring.run_tags import unchanged
from tracks.context25.checks import OF_CLAIMS, check_evidence, check_grounding
from tracks.context25.exports import EXPORTS, SUPPORT
from tracks.context25.files import (
    DESCRIPTION,
    EVIDENCE,
    FIGURE,
    GROUNDING,
    SNIPPET,
    citekey_of,
    evidence_claim,
    figure_items,
    grounding_claim,
    proper_label,
    published_form,
    read_evidence_segments,
    read_evidence_topics,
    read_figures,
    read_grounding_segments,
    read_grounding_topics,
    write_evidence_topics,
    write_grounding_topics,
)
from tracks.context25.gold import COUNTING, GOLD_FILES, build_gold, claim_topics, findings_given, gold_name, load_gold
from tracks.context25.scores import MEASURES, explain_run, score_run
from tracks.context25.settings import Context25Settings

MOST_FIGURES = 10


FIGURES = Task(
    key=EVIDENCE,
    label="Evidence",
    topics_setting="judged_topics",
    pooling=(PoolRecipe(kind=FIGURE, depth_setting="figure_depth", items=figure_items),),
    stages=(
        Stage(
            key="figures",
            label="Pick figures",
            work=Picking(
                criteria=(
                    Criterion(
                        key=SUPPORT,
                        question="Which figures or tables show the result that the claim states?",
                        help="The most important one first; the part of a figure where one part is enough.",
                        ranks=MOST_FIGURES,
                    ),
                ),
                normalise=proper_label,
            ),
            help="Pick the figures and tables that support the claim, the most important one first. A label is FIG or "
            "TAB with a number, such as FIG 1A, TAB 3, or FIG S4B for a supplementary figure.",
            item_kind=FIGURE,
            second=True,
            noun="figure or table",
        ),
    ),
)

CONTEXT = Task(
    key=GROUNDING,
    label="Grounding",
    topics_setting="judged_topics",
    pooling=(
        PoolRecipe(
            kind=DESCRIPTION,
            priorities_setting="rated_priorities",
            best_setting="rated_runs",
            measure_setting="rated_by",
        ),
        PoolRecipe(
            kind=SNIPPET,
            priorities_setting="rated_priorities",
            best_setting="rated_runs",
            measure_setting="rated_by",
        ),
    ),
    stages=(
        Stage(
            key="context",
            label="Ground the claim",
            work=NuggetWriting(
                groups=(("what", "What was measured"), ("how", "How"), ("who", "From whom")),
                asks_importance=False,
                asks_group=True,
                asks_quotes=True,
            ),
            help="Write short descriptions of what was measured, how and from whom, with quotes of the paper; freeze "
            "the list when each has its type.",
            noun="description",
        ),
        Stage(
            key="rate-descriptions",
            label="Rate descriptions",
            work=Grading(
                criteria=(
                    Criterion(
                        key="description-correct",
                        question="Is the description correct?",
                        level="ordinal",
                        grades=scale(
                            ("wrong", "It is wrong, or not about the study behind this claim."),
                            ("in part", "Some of it is right."),
                            ("correct", "It says rightly what was measured, how, or from whom."),
                            first_key=1,
                        ),
                    ),
                    Criterion(
                        key="description-specific",
                        question="Is it specific enough?",
                        level="ordinal",
                        grades=scale(
                            ("vague", "It would fit many studies."),
                            ("in part", "Something that matters is missing."),
                            ("specific", "It is enough to judge whether studies can be compared."),
                            first_key=1,
                        ),
                    ),
                )
            ),
            help="Judge whether each description is correct and specific enough.",
            item_kind=DESCRIPTION,
            second=True,
        ),
        Stage(
            key="rate-snippets",
            label="Rate snippets",
            work=Grading(
                criteria=(
                    Criterion(
                        key="snippet-relevant",
                        question="Does the quote say what was measured, how, or from whom, for this claim?",
                        level="ordinal",
                        grades=scale(
                            ("no", "It says none of these, or is not in the paper."),
                            ("in part", "It says so in part, or only as background."),
                            ("yes", "It says so."),
                            first_key=1,
                        ),
                    ),
                )
            ),
            help="Decide for each quote whether it tells how this claim was found out.",
            item_kind=SNIPPET,
            second=True,
        ),
    ),
)


def topic_context(topic: TopicRecord, ancestors: tuple[TopicRecord, ...]) -> Iterator[ContextPart]:
    """Yield what assessors see about the claim: its data set, its paper, and its other wordings. Nothing of the gold is
    included.
    """
    del ancestors
    lines = [(Phrase("Data set"), topic.fields.get("dataset", "")), (Phrase("Paper"), citekey_of(topic))]
    earlier = evidence_claim(topic).earlier if topic.task == EVIDENCE else grounding_claim(topic).earlier
    lines += [
        (Phrase("Also worded"), text) for text in dict.fromkeys(each.claim for each in earlier) if text != topic.text
    ]
    if given := tuple((label, text) for label, text in lines if text):
        yield ContextPart(heading=Phrase("About the claim"), lines=given)


TRACK = Track(
    key="context25",
    label="Context25: evidence and grounding of scientific claims",
    source="Context25 shared task, Workshop on Scholarly Document Processing (SDProc) 2025",
    settings=Context25Settings,
    topic_files=(
        TopicFile(
            key="evidence",
            label="Claims for the evidence task",
            help='JSON: a list of {"id", "claim", "dataset", "findings", "necessary_pages", "figures_tables"}.',
            file_names=("task1-train-dev.json", "task1*.json"),
            read=read_evidence_topics,
            write=write_evidence_topics,
            name="task1.json",
            shapes=frozenset({(EVIDENCE, False)}),
            begin=read_evidence_claims,
        ),
        TopicFile(
            key="grounding",
            label="Claims for the grounding task",
            help='JSON: a list of {"id", "claim", "citekey", "context", "dataset", "entity_labels"}.',
            file_names=("task2-train-dev.json", "task2*.json"),
            read=read_grounding_topics,
            write=write_grounding_topics,
            name="task2.json",
            shapes=frozenset({(GROUNDING, False)}),
            begin=read_grounding_claims,
        ),
    ),
    submissions=(
        Submission(
            key=EVIDENCE,
            label="Evidence run",
            help="CSV with a header: claim id, and its figure and table labels, best first, without blanks between: "
            'id,"FIG 1,TAB 1".',
            tasks=(EVIDENCE,),
            check=check_evidence,
            read=read_evidence_segments,
            rankings=(Ranking(kind=FIGURE, read=read_figures, is_document=False),),
            form=published_form,
            records=read_evidence_answers,
            topic_codes=OF_CLAIMS,
            rename=unchanged,
            file_names=("runs/good/*.csv", "runs/*.csv", "expected/*.csv"),
        ),
        Submission(
            key=GROUNDING,
            label="Grounding run",
            help='JSON: a list of {"id", "labels": [description], "context": [verbatim snippet]}.',
            tasks=(GROUNDING,),
            check=check_grounding,
            lists=("documents",),
            read=read_grounding_segments,
            own_kinds=(DESCRIPTION, SNIPPET),
            segment_noun="text",
            form=published_form,
            records=read_grounding_answers,
            topic_codes=OF_CLAIMS,
            is_whole=True,
            rename=unchanged,
            file_names=("runs/good/*.json", "runs/*.json", "expected/task2_first*.json"),
        ),
    ),
    tasks=(FIGURES, CONTEXT),
    exports=EXPORTS,
    scoring=Scoring(
        measures=MEASURES,
        gold_files=GOLD_FILES,
        build=build_gold,
        load=load_gold,
        score=score_run,
        explain=explain_run,
        gold_name=gold_name,
        topics=claim_topics,
    ),
    document_formats=("full-texts", "text", "image"),
    document_files=("documents*", "pages", "full-texts*.json"),
    context=topic_context,
    given_twice=GivenTwice(
        noun="claim",
        setting="claims_twice",
        chosen_setting="claims_chosen",
        findings=findings_given,
        choices=COUNTING,
    ),
    guidelines=Path(__file__).with_name("guidelines.md").read_text(encoding="utf-8"),
)
