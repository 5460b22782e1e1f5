"""Six runs: three rank figures and tables, three describe and quote. Each errs in its own way."""

from __future__ import annotations

import json
from typing import Any

from bench.context25_demo.claims import KERB, LAKE, QUIZ, SALT, SHOWN, WARM, WIND

HEADER = "claimid,predictions"

EVIDENCE_RUNS: dict[str, list[tuple[str, str]]] = {
    "Anchor": [
        (LAKE, "FIG 1B,FIG 1A"), (WIND, "TAB 1,FIG 2"), (WARM, "FIG 1"), (SALT, "FIG 2B,FIG 2A,FIG 2"),
        (KERB, "TAB 2"), (QUIZ, "FIG 1"),
    ],
    "Bobbin": [  # blanks, small letters, a label twice, a label that is none
        (LAKE, "FIG 1, FIG 1B, FIG 1B"), (WIND, "Figure 2, Table 1"), (WARM, "FIG 10,FIG 1A,FIG 1B"),
        (SALT, "fig 2a, fig 2b"), (KERB, "the table of waiting times,TAB 1,TAB 2"), (QUIZ, "FIG 1, TAB 1"),
    ],
    "Cobalt": [  # leaves claims out, takes siblings, repeats a claim
        (LAKE, "FIG 2"), (LAKE, "FIG 1A,FIG 2,TAB 1,SUPP FIG S1"), (SALT, "FIG 10,FIG 1,FIG 2"), (KERB, ""),
        ("owl-1Aa", "FIG 3"),
    ],
}  # fmt: skip
"""Run tag -> rows of claim and labels."""

_KITES = (
    "We flew two kites, each with a thermometer on its line, one over the middle of the lake and one over the shore."
)
_RISE = (
    "The rise is the height of the dough in a straight glass, measured with a ruler every half hour for eight hours."
)
_FILMED = "We filmed 312 pigeons that crossed one of six streets on foot, over three weeks in spring."
_CLASSES = (
    "Two parallel classes of one school, 27 and 29 pupils aged thirteen, were taught the same unit on volcanoes by the "
    "same teacher."
)

GROUNDING_RUNS: dict[str, list[dict[str, Any]]] = {
    "Dahlia": [
        {
            "id": LAKE,
            "labels": ["air temperature over lake and shore, read every ten minutes", "thermometers on two kites"],
            "context": [_KITES + " (p. 1)", "The kites were held at 30 metres"],
        },
        {"id": WARM, "labels": ["height of the dough in a straight glass"], "context": [_RISE]},
        {
            "id": KERB,
            "labels": ["waiting time at the kerb", "312 filmed pigeons at six streets"],
            "context": [_FILMED, "We fitted a mixed model with the street as a random effect. (p. 4)"],
        },
        {"id": QUIZ, "labels": ["two classes of one school, 27 and 29 pupils"], "context": [_CLASSES]},
        {"id": SHOWN, "labels": ["Mann-Whitney test of test scores"], "context": ["Scores were compared"]},
    ],
    "Ember": [  # says much; one quote is none, one differs in white space; shares a text with Dahlia
        {
            "id": LAKE,
            "labels": ["thermometers on two kites", "weather", "some days in summer on which somebody flew kites"],
            "context": [_KITES, "Kites with thermometers were flown over the lake.", "the difference  was gone"],
        },
        {
            "id": WARM,
            "labels": ["bread", "rye doughs at 20 and at 26 degrees"],
            "context": ["The warm doughs doubled after three hours and a half. (p. 3)"],
        },
        {"id": KERB, "labels": ["a mixed model"], "context": ["Table 1 describes the streets.", _FILMED]},
        {"id": QUIZ, "labels": ["pupils aged thirteen"], "context": [_CLASSES, "A quiz a week."]},
        {"id": SHOWN, "labels": ["a test"], "context": ["Scores were compared with a Mann-Whitney test"]},
    ],
    "Fathom": [  # leaves claims out, repeats itself, gives empty lists
        {"id": LAKE, "labels": ["24 July days at one small lake"] * 2, "context": []},
        {"id": WARM, "labels": [], "context": [_RISE, _RISE, ""]},
    ],
}
"""Run tag -> answers."""

FORMS = {
    "Anchor": ("Alpaca", 1),
    "Bobbin": ("Badger", 1),
    "Cobalt": ("Alpaca", 2),
    "Dahlia": ("Alpaca", 1),
    "Ember": ("Badger", 1),
    "Fathom": ("Badger", 2),
}


def evidence_file(rows: list[tuple[str, str]]) -> str:
    """Return the CSV file of a run that ranks labels; a list of several stands in quotes."""
    lines = [f'{claim},"{labels}"' if "," in labels else f"{claim},{labels}" for claim, labels in rows]
    return "\n".join([HEADER, *lines]) + "\n"


def grounding_file(answers: list[dict[str, Any]]) -> str:
    """Return the JSON file of a run that describes and quotes."""
    return json.dumps(answers, indent=1, ensure_ascii=False) + "\n"


def forms_file() -> str:
    """Return the JSON file of what the submitters said of each run."""
    forms = {
        tag: {
            "tag": tag,
            "team": team,
            "priority": priority,
            "automatic": True,
            "description": "Made for the demonstration.",
        }
        for tag, (team, priority) in FORMS.items()
    }
    return json.dumps(forms, indent=2) + "\n"
