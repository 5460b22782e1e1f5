"""The files that a Context25 campaign exports, each written and read back in the same format."""

from __future__ import annotations

from assess.protocol import RECORDED_JUDGMENTS, Export
from scoring.formats.context25_claims import read_evidence_claims, read_grounding_claims
from scoring.formats.grades import read_item_grades, write_item_grades
from tracks.context25.files import DESCRIPTION, EVIDENCE, FIGURE, GROUNDING, SNIPPET
from tracks.context25.gold import (
    DESCRIPTION_RATINGS,
    EVIDENCE_GOLD,
    GROUNDING_GOLD,
    SNIPPET_RATINGS,
    write_evidence_gold,
    write_grounding_gold,
)

SUPPORT = "support"

EXPORTS = (
    Export(
        name=EVIDENCE_GOLD,
        label="Claims with their figures and tables, as they were released: annotated here, else as they came",
        collect="annotated_topics",
        options={"task": EVIDENCE, "kind": FIGURE, "criteria": (SUPPORT,)},
        write=write_evidence_gold,
        read=read_evidence_claims,
    ),
    Export(
        name=GROUNDING_GOLD,
        label="Claims with their snippets and descriptions, as they were released: annotated here, else as they came",
        collect="annotated_topics",
        options={"task": GROUNDING},
        write=write_grounding_gold,
        read=read_grounding_claims,
    ),
    Export(
        name=DESCRIPTION_RATINGS,
        label="Ratings of the descriptions of runs",
        collect="grades",
        options={"kind": DESCRIPTION},
        write=write_item_grades,
        read=read_item_grades,
    ),
    Export(
        name=SNIPPET_RATINGS,
        label="Ratings of the snippets of runs",
        collect="grades",
        options={"kind": SNIPPET},
        write=write_item_grades,
        read=read_item_grades,
    ),
    RECORDED_JUDGMENTS,
)
