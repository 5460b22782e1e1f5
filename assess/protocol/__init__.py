"""The records that a track is made of. Imports no Django.

A *track* is one evaluation (TAC 2008 QA, …). Everything special about it stands in one module of
`tracks/`, as values of the classes below; everything else is shared. The site finds the tracks by the
setting ``ASSAY_TRACKS`` and never by name, so a track can be added without touching `assess` or
`nuggets`. The command line (`python -m tracks`) uses the same records without Django.

Files and tasks are apart on purpose: one file of questions can serve several tasks (TAC's rigid and
squishy questions), and one run file can answer them all.
"""

from assess.protocol.files import (
    BundledRun,
    FormField,
    JudgmentFile,
    Lengths,
    Ranking,
    RunBundle,
    RunContent,
    Submission,
    TopicFile,
)
from assess.protocol.given import UNSURE, as_word, compared_words, given_problem, given_words
from assess.protocol.judging import (
    LIKENESS,
    MAJORITY,
    MEAN,
    NONE,
    OFFERED,
    POOL,
    RANDOM,
    REQUIRED,
    Criterion,
    Grade,
    KnownAnswer,
    Needs,
    PoolRecipe,
    Practice,
    Said,
    Stage,
    StageChecks,
    Task,
    Unsure,
    asked_criteria,
    is_plain,
)
from assess.protocol.records import (
    FURTHER,
    CheckContext,
    CitationRecord,
    ItemRecord,
    RunForm,
    SegmentRecord,
    TopicRecord,
)
from assess.protocol.results import ByTopic, Export, MeasureColumn, Scoring
from assess.protocol.track import (
    ContextPart,
    DraftContent,
    Drafting,
    DraftPart,
    Findings,
    GivenTwice,
    Track,
    Wording,
    named_wordings,
)
from assess.protocol.work import Grading, Picking, Work
from scoring.explained import About, Explain, Explanation, Step

__all__ = [
    "FURTHER",
    "LIKENESS",
    "MAJORITY",
    "MEAN",
    "NONE",
    "OFFERED",
    "POOL",
    "RANDOM",
    "REQUIRED",
    "UNSURE",
    "About",
    "BundledRun",
    "ByTopic",
    "CheckContext",
    "CitationRecord",
    "ContextPart",
    "Criterion",
    "DraftContent",
    "DraftPart",
    "Drafting",
    "Explain",
    "Explanation",
    "Export",
    "Findings",
    "FormField",
    "GivenTwice",
    "Grade",
    "Grading",
    "ItemRecord",
    "JudgmentFile",
    "KnownAnswer",
    "Lengths",
    "MeasureColumn",
    "Needs",
    "Picking",
    "PoolRecipe",
    "Practice",
    "Ranking",
    "RunBundle",
    "RunContent",
    "RunForm",
    "Said",
    "Scoring",
    "SegmentRecord",
    "Stage",
    "StageChecks",
    "Step",
    "Submission",
    "Task",
    "TopicFile",
    "TopicRecord",
    "Track",
    "Unsure",
    "Wording",
    "Work",
    "as_word",
    "asked_criteria",
    "compared_words",
    "given_problem",
    "given_words",
    "is_plain",
    "named_wordings",
]
