"""The claims of both tasks, as they would be released; two have no gold, since they are to be annotated first."""

from __future__ import annotations

from bench.context25_demo.papers import BREAD, KITES, PIGEONS, QUIZZES
from scoring.formats.context25_claims import Entity, EvidenceClaim, GroundingClaim

LAKE, WIND, WARM, SALT, KERB, QUIZ = (
    "kite-7Qa2_x", "kite-9Lm4-b", "bread-3Xc8", "bread-5Vn1_", "pigeon-2Tz6", "quiz-8Hs0-q",
)  # fmt: skip
SHOWN = "quiz-4Kd5"

_LAKE = "Air over a lake was cooler than over the shore, but only in the afternoon"
_WARM = "Sourdough at 26 degrees rose faster than sourdough at 20 degrees"
_KERB = "Pigeons waited longer at the kerb when traffic was heavier"
_QUIZ = "Pupils who answered a weekly quiz remembered more after a month than pupils who reread a page"

EVIDENCE = (
    EvidenceClaim(
        id=LAKE,
        claim=_LAKE,
        dataset="weather",
        findings=("FIG 1B",),
        pages=("kites-p3.png", "kites-p4.png", "kites-p5.png"),
        candidates=("FIG 1", "FIG 1A", "FIG 1B", "FIG 2", "TAB 1", "SUPP FIG S1"),
    ),
    EvidenceClaim(
        id=WIND,
        claim="The difference between lake and shore did not depend on the wind",
        dataset="weather",
        findings=("TAB 1", "FIG 2"),
        pages=("kites-p4.png", "kites-p5.png", "kites-p6.png"),
        candidates=("FIG 1", "FIG 1A", "FIG 1B", "FIG 2", "TAB 1", "SUPP FIG S1"),
    ),
    EvidenceClaim(
        id=WARM,
        claim=_WARM,
        dataset="kitchen",
        findings=("FIG 1",),
        pages=("bread-p3.png", "bread-p4.png", "bread-p9.png"),
        candidates=("FIG 1", "FIG 1A", "FIG 1B", "FIG 2", "FIG 2(A,B)", "FIG 10"),
    ),
    EvidenceClaim(
        id=SALT,
        claim="Sourdough without salt rose faster at either temperature",
        dataset="kitchen",
        findings=("FIG 2A", "FIG 2B"),
        pages=("bread-p3.png", "bread-p4.png"),
        candidates=("FIG 1", "FIG 1A", "FIG 1B", "FIG 2", "FIG 2A", "FIG 2B", "FIG 10"),
    ),
    EvidenceClaim(
        id=KERB,
        claim=_KERB,
        dataset="street",
        findings=("TAB 2",),
        pages=("pigeons-p3.png", "pigeons-p4.jpg"),
        candidates=("TAB 1", "TAB 2", "FIG 1"),
    ),
    EvidenceClaim(id=QUIZ, claim=_QUIZ, dataset="school", pages=("quizzes-p3.png",)),
)

GROUNDING = (
    GroundingClaim(
        id=LAKE,
        claim=_LAKE,
        citekey=KITES,
        dataset="weather",
        snippets=(
            "We flew two kites, each with a thermometer on its line, one over the middle of the lake and one over the "
            "shore. (p. 1)",
            "Both thermometers were read every ten minutes from eight in the morning until eight in the evening on 24 "
            "days in July. (p. 2)",
        ),
        entities=(
            Entity(text="air temperature at 30 metres, read every ten minutes", kind="what"),
            Entity(text="two kites with thermometers, swapped every day", kind="how"),
            Entity(text="24 July days at one small lake", kind="who"),
        ),
    ),
    GroundingClaim(
        id=WARM,
        claim=_WARM,
        citekey=BREAD,
        dataset="kitchen",
        snippets=(
            "The rise is the height of the dough in a straight glass, measured with a ruler every half hour for eight "
            "hours. (p. 2)",
        ),
        entities=(
            Entity(text="height of the dough in a straight glass, every half hour", kind="what"),
            Entity(text="twelve rye doughs from one starter", kind="who"),
        ),
    ),
    GroundingClaim(
        id=KERB,
        claim=_KERB,
        citekey=PIGEONS,
        dataset="street",
        snippets=(
            "Waiting time runs from the moment when a pigeon reached the kerb until it stepped off.",
            "We fitted a mixed model with the street as a random effect. (p. 4)",
        ),
        entities=(
            Entity(text="seconds from reaching the kerb to stepping off", kind="what"),
            Entity(text="mixed model, street as random effect", kind="how"),
            Entity(text="312 filmed pigeons at six streets", kind="who"),
        ),
    ),
    GroundingClaim(id=QUIZ, claim=_QUIZ, citekey=QUIZZES, dataset="school"),
    GroundingClaim(
        id=SHOWN,
        claim="Many pupils reached the highest score",
        citekey=QUIZZES,
        dataset="school",
        snippets=("Scores were compared with a Mann-Whitney test, since many pupils reached the highest score.",),
        entities=(),
    ),
)
