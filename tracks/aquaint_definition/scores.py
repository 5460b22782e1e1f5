"""The scores of a run for definition questions: for each question, by each assessor, and their means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from random import Random

from assess.protocol import About, Explain, MeasureColumn, RunContent, Step
from scoring.folding import answer_key, count_characters
from scoring.formats.definition_judgments import HolisticScores, Pair
from scoring.measures.holistic import HIGHEST, explain_holistic, holistic_score
from scoring.measures.nuggets import nugget_score, nuggets_of_own_parts, returned_nuggets
from scoring.measures.nuggets_explained import nugget_node
from scoring.own_items import own_key
from scoring.records import Score
from scoring.release.explained import Account, Node, Nodes, Parts, Values, explained_by, mean_node, scores_of, values_of
from scoring.release.formulas import exact, show, shown, sum_formula
from scoring.release.phrases import Phrase
from tracks.aquaint_definition.files import RESPONSE, STRING, response_key
from tracks.aquaint_definition.gold import OWNERS, PANEL, Gold, PanelGold
from tracks.aquaint_definition.settings import AquaintDefinitionSettings

ALL = "all"
SECONDARY = "_secondary"
NAMES = {"author": "author", "other": "other assessor", "contractor": "contractor"}
_WHO = {"author": Phrase("the author"), "other": Phrase("the other assessor"), "contractor": Phrase("the contractor")}


def _columns() -> Iterator[MeasureColumn]:
    for owner in OWNERS:
        yield MeasureColumn(
            key=f"F_{owner}",
            label=f"F, {NAMES[owner]}",
            help=f"F of nugget recall and precision with the setting beta (the pilot's: 5), by the {NAMES[owner]}.",
            official=owner == "author",
            group="F",
        )
    for owner in OWNERS:
        yield MeasureColumn(
            key=f"F{SECONDARY}_{owner}",
            label=f"F, second beta, {NAMES[owner]}",
            help=f"The same with the setting beta_secondary (the pilot's: 2), by the {NAMES[owner]}.",
            group="F, second beta",
        )
    for who in PANEL:
        yield MeasureColumn(
            key=f"holistic_{who}",
            label=f"Holistic, {NAMES[who]}",
            help=f"5 C + 0.5 C O of the content and organization that the {NAMES[who]} gave, from 0 to 100.",
            group="Holistic",
        )
    for who in PANEL:
        for part in ("content", "organization"):
            yield MeasureColumn(
                key=f"{part}_{who}",
                label=f"{part.capitalize()}, {NAMES[who]}",
                help=f"{part.capitalize()} of the response, from 0 to 10, by the {NAMES[who]}.",
                group="Content and organization",
                ranks=False,
            )
    for owner in OWNERS:
        for key, text in (("NR", "vital nuggets returned over those on the list"), ("NP", "100 characters a nugget")):
            yield MeasureColumn(
                key=f"{key}_{owner}",
                label=f"{key}, {NAMES[owner]}",
                help=f"Nugget {'recall' if key == 'NR' else 'precision'}: {text}, by the {NAMES[owner]}.",
                group="Recall and precision",
                ranks=False,
            )
    yield MeasureColumn(
        key="length",
        label="Length",
        help="Non-white-space characters of the response; the mean over all questions.",
        group="Length",
        ranks=False,
    )


MEASURES = tuple(_columns())
NUGGET_MEASURES = ("F", "NR", "NP")

Strings = Sequence[tuple[str, str]]  # (docno, text) of a response, in the order submitted


def score_run(gold: Gold, run: str, content: RunContent | None, settings: AquaintDefinitionSettings) -> Iterator[Score]:
    """Yield all values of one run: those of the questions, in the order of the file, and then those of "all".

    If an assessor did not judge a question, the run has no value by that assessor for it. If the run did not answer a
    judged question, its value is 0. ``content`` may be None if the gold contains the responses.
    """
    return scores_of(run_nodes(gold, run, content, settings), run=run)


def explain_run(gold: Gold, run: str, content: RunContent | None, settings: AquaintDefinitionSettings) -> Explain:
    """Return a function that explains a value of `score_run`, given its topic and measure: the formula filled in, and
    the rows behind it. The topic is a question or "all". The function returns None if there is no such value.
    """
    return explained_by(run_nodes(gold, run, content, settings), run=run)


def run_nodes(
    gold: Gold, run: str, content: RunContent | None, settings: AquaintDefinitionSettings
) -> tuple[Nodes, Nodes]:
    """Return the values of one run: those of its questions, and those over all questions."""
    strings = _strings(gold, run, content)
    questions: dict[str, dict[str, Node]] = {}
    for topic in gold.topics:
        response = Response(run=run, topic=topic.number, strings=strings.get(topic.number, ()), settings=settings)
        nodes: dict[str, Node] = {}
        for owner in OWNERS:
            if topic.number in gold.panels[owner]:
                nodes |= _nugget_nodes(gold.panels[owner][topic.number], owner, response)
        nodes |= _holistic_nodes(gold.holistic.get(topic.number, {}), response)
        nodes["length"] = _length_node(response)
        questions[topic.number] = {column.key: nodes[column.key] for column in MEASURES if column.key in nodes}
    return questions, over_questions(values_of(questions))


def over_questions(questions: Values) -> Nodes:
    """Return the means of a run. NR and NP are averaged only over questions where F is defined, so that all means are
    over the same questions.
    """
    nodes = {}
    for measure in (column.key for column in MEASURES):
        needed = f"F_{measure[3:]}" if measure[:3] in ("NR_", "NP_") else measure
        values = {
            topic: of_topic[measure] if of_topic[needed] is not None else None
            for topic, of_topic in questions.items()
            if measure in of_topic
        }
        if values:
            parts = Parts(values=values, measure=measure, label=Phrase("Questions"), noun=Phrase("question"))
            nodes[measure] = mean_node(measure, parts)
    return {ALL: nodes}


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """A run's response to one question."""

    run: str
    topic: str
    strings: Strings
    settings: AquaintDefinitionSettings

    @property
    def length(self) -> int:
        """Return the number of characters that are not white space."""
        return sum(count_characters(text) for _, text in self.strings)

    def item_keys(self) -> list[str]:
        """Return the keys of the strings' items, in order."""
        keys = [answer_key(text, docno) for docno, text in self.strings]
        if not self.settings.judge_each:
            return keys
        return [own_key(key, self.run, keys[:place].count(key)) for place, key in enumerate(keys, start=1)]


def _strings(gold: Gold, run: str, content: RunContent | None) -> dict[str, Strings]:
    """Return question -> (docno, text) of each string. The strings are read from the run's file or, if there is none,
    from the gold.
    """
    if content is None:
        kept = gold.responses.get(run, {})
        return {topic: tuple((item.docno, item.text) for item in items) for topic, items in kept.items()}
    found: dict[str, list[tuple[str, str]]] = {}
    for segment in content.segments():
        found.setdefault(segment.topic, []).append((segment.docno, segment.text))
    return {topic: tuple(strings) for topic, strings in found.items()}


# ---------------------------------------------------------------- nuggets


def _nugget_nodes(panel: PanelGold, owner: str, response: Response) -> dict[str, Node]:
    """Return NR, NP and F by one assessor's nuggets. There are two F values, one for each beta."""
    settings, run = response.settings, response.run
    by_item = panel.marks.get(run, {})
    by_item = {item: marks for item, marks in by_item.items() if item <= len(response.strings)}  # others do not fit
    found = [mark for marks in by_item.values() for mark in marks]
    returned = nuggets_of_own_parts(found) if settings.own_parts else returned_nuggets(found, panel.parts)
    strings = [(docno, text, by_item.get(place, ())) for place, (docno, text) in enumerate(response.strings, start=1)]
    length, nodes = response.length, {}
    for beta, measures in ((settings.beta, NUGGET_MEASURES), (settings.beta_secondary, ("F" + SECONDARY,))):
        score = nugget_score(panel.weights, returned, length, beta=beta, allowance=settings.allowance)
        for measure in measures:
            nodes[f"{measure}_{owner}"] = nugget_node(
                score,
                topic=response.topic,
                measure=measure,
                nuggets=panel.nuggets,
                votes=(),
                weights=panel.weights,
                strings=lambda: strings,
                beta=beta,
                allowance=settings.allowance,
                owner=Phrase("author") if owner == "author" else Phrase("other assessor"),
                role="primary" if owner == "author" else "second",
                item_kind=STRING,
                item_keys=response.item_keys,
                is_voted=False,
            )
    return nodes


def _length_node(response: Response) -> Node:
    value = Fraction(response.length)

    def account() -> Account:
        counts = [count_characters(text) for _, text in response.strings]
        step = Step(
            label=Phrase("Strings"),
            value=str(len(counts)),
            header=(Phrase("string"), Phrase("document"), Phrase("characters"), Phrase("answer-text")),
            rows=tuple(
                (str(place), docno, str(count), text)
                for place, (count, (docno, text)) in enumerate(zip(counts, response.strings, strict=True), start=1)
            ),
            about=tuple(About(kind="item", topic=response.topic, name=STRING, key=key) for key in response.item_keys()),
        )
        formula = Phrase("length = {value} characters that are not white space, in the rows below", value=show(value))
        return Account(formula=formula, steps=(step,), arithmetic=sum_formula(counts))

    return Node(value=value, account=account)


# ---------------------------------------------------------------- holistic scores


def _holistic_nodes(of_topic: Mapping[str, HolisticScores], response: Response) -> dict[str, Node]:
    """Return the scores of this response by each assessor who scored responses to the question.

    An empty response without a score has 0, since nobody could score it. Any other response without a score is
    undefined.
    """
    nodes: dict[str, Node] = {}
    for who in PANEL:
        if not any(getattr(scores, who) != (None, None) for scores in of_topic.values()):
            continue
        is_listed = response.run in of_topic
        pair: Pair = getattr(of_topic[response.run], who) if is_listed else (None, None)
        content, organization = (0, 0) if pair == (None, None) and not response.strings else pair
        both = content is not None and organization is not None
        values = {
            "holistic": holistic_score(content or 0, organization or 0) if both else None,
            "content": None if content is None else Fraction(content),
            "organization": None if organization is None else Fraction(organization),
        }
        for kind, value in values.items():
            account = partial(_holistic_account, kind, who, values, response, is_listed)
            nodes[f"{kind}_{who}"] = Node(value=value, account=account)
    return nodes


def _holistic_account(
    kind: str, who: str, values: Mapping[str, Fraction | None], response: Response, is_listed: bool
) -> Account:
    """Return the account of a holistic value. ``is_listed`` says whether the file of scores has the response."""
    value, content, organization = values[kind], values["content"], values["organization"]
    of_both = kind == "holistic" and content is not None and organization is not None
    formula: str
    if value is None:
        formula = Phrase("undefined: {who} did not score this response", who=_WHO[who])
    elif not response.strings and not is_listed:
        formula = Phrase("{measure} = 0, since nothing was returned for this question", measure=f"{kind}_{who}")
    elif of_both:
        formula = explain_holistic(int(content or 0), int(organization or 0))
    else:
        formula = Phrase("{measure} = {value}, as {who} gave it", measure=kind, value=show(value), who=_WHO[who])
    arithmetic = "" if value is None else exact(value)
    if of_both:
        arithmetic = f"5 × {exact(content or 0)} + {exact(content or 0)} × {exact(organization or 0)} / 2"
    rows = ((Phrase("content"), shown(content)), (Phrase("organization"), shown(organization)))
    key = response_key([text for _, text in response.strings])
    is_own = response.settings.judge_each or (not response.strings and is_listed)
    name = own_key(key, response.run) if is_own else key
    item = About(kind="item", topic=response.topic, name=RESPONSE, key=name) if response.strings or is_own else None
    step = Step(
        label=Phrase("What {who} gave", who=_WHO[who]),
        value="",
        header=(Phrase("criterion"), Phrase("0 to 10")),
        rows=rows,
        about=(item, item),
    )
    return Account(formula=formula, steps=(step,), arithmetic=arithmetic)


def chance(dice: Random) -> float:
    """Return the holistic score of a response whose content and organization are drawn at random from 0 to 10, as in
    the pilot's control.
    """
    return float(holistic_score(dice.randint(0, HIGHEST), dice.randint(0, HIGHEST)))
