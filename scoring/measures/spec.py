"""Defines what a measure is: a name with parameters, declared separately from its computation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

Number = int | float | bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameter:
    """One parameter of a measure, from ``low`` to ``high`` inclusive (None: no bound).

    If the default is a bool, only true and false are allowed; if it is an int, only whole numbers are.
    """

    name: str
    default: Number
    help: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure:
    """One measure, before its parameters are chosen.

    ``cutoff`` says whether "@k" may follow its name ("no", "may", "must"); "recall" means that "@x" names a share from
    0 to 1. ``high`` is None if the measure has no upper bound. If ``total`` is true, the values of topics are summed,
    otherwise they are averaged. ``subtopics`` says that the measure needs judgments of subtopics.
    """

    name: str
    family: Literal["ranked", "nuggets", "lists", "series", "holistic", "citations", "labels", "text", "graded"]
    label: str
    source: str
    parameters: tuple[Parameter, ...] = ()
    cutoff: Literal["no", "may", "must", "recall"] = "no"
    total: bool = False
    subtopics: bool = False
    low: float = 0.0
    high: float | None = 1.0
    higher_is_better: bool = True
    edge_cases: str = ""

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter with this name, or None."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class ChosenMeasure:
    """A measure with a value for every parameter. ``str()`` writes only the values that differ from the defaults."""

    measure: Measure
    values: tuple[tuple[str, Number], ...]
    cutoff: int | None = None
    recall: float | None = None

    def __getitem__(self, name: str) -> Number:
        return dict(self.values)[name]

    def __str__(self) -> str:
        chosen = [
            f"{name}={_written(value)}"
            for name, value in self.values
            if (parameter := self.measure.parameter(name)) is None or parameter.default != value
        ]
        inside = f"({','.join(chosen)})" if chosen else ""
        at = self.cutoff if self.recall is None else self.recall
        return self.measure.name + inside + (f"@{_written(at)}" if at is not None else "")


class UnknownMeasure(ValueError):
    """Raised when a text does not name a measure, or gives a measure parameters or a cutoff that it can't have. The
    message is for the person.
    """


_SHAPE = re.compile(r"\s*([A-Za-z_][\w-]*)\s*(?:\(([^()]*)\))?\s*(?:@\s*(\d{1,7}(?:\.\d{1,9})?))?\s*", re.ASCII)


def _written(value: Number) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if float(value).is_integer() else repr(value)


def _number(parameter: Parameter, text: str) -> Number:
    """Return the value written for this parameter. Raises UnknownMeasure, which says what is allowed."""
    if isinstance(parameter.default, bool):
        if text.lower() not in {"true", "false"}:
            raise UnknownMeasure(f"{parameter.name} must be true or false, not “{text}”")
        return text.lower() == "true"
    try:
        value: Number = int(text) if re.fullmatch(r"[+-]?\d{1,15}", text, re.ASCII) else float(text)
    except ValueError:
        raise UnknownMeasure(f"{parameter.name} must be a number, not “{text}”") from None
    if isinstance(parameter.default, int) and not isinstance(value, int):
        raise UnknownMeasure(f"{parameter.name} must be a whole number, not “{text}”")
    if not float("-inf") < value < float("inf"):
        raise UnknownMeasure(f"{parameter.name} must be a finite number, not “{text}”")
    if (parameter.low is not None and value < parameter.low) or (parameter.high is not None and value > parameter.high):
        bounds = f"at least {parameter.low}" if parameter.high is None else f"in {parameter.low}..{parameter.high}"
        raise UnknownMeasure(f"{parameter.name} must be {bounds}, not {text}")
    return value


def _choices(measure: Measure, text: str) -> dict[str, Number]:
    """Return the parameters written between the brackets. Raises UnknownMeasure for an unknown parameter, a wrong
    value, or one given twice.
    """
    given: dict[str, Number] = {}
    for piece in text.split(",") if text.strip() else ():
        name, equals, value = (part.strip() for part in piece.partition("="))
        parameter = measure.parameter(name)
        if not equals or parameter is None:
            known = ", ".join(each.name for each in measure.parameters) or "none"
            raise UnknownMeasure(
                f"{measure.name} has no parameter “{piece.strip()}”; write name=value (it has: {known})"
            )
        if name in given:
            raise UnknownMeasure(f"{measure.name}: {name} is given twice")
        given[name] = _number(parameter, value)
    return given


def parse_measure(text: str, known: tuple[Measure, ...], *, others: Iterable[str] = ()) -> ChosenMeasure:
    """Return the known measure that a text such as "nDCG@10" or "nuggetF(beta=3)" names.

    A name in other capitals is accepted if only one measure can be meant. Parameters that the text leaves out get their
    defaults. Raises UnknownMeasure if there is no such measure, or if it can't have these parameters or this cutoff.
    The error suggests the most similar name, for which ``others`` are names that the caller accepts as well.
    """
    shape = _SHAPE.fullmatch(text)
    measure = next((each for each in known if shape and each.name == shape[1]), None)
    if measure is None and shape is not None:  # written in other letters, if only one measure can be meant
        alike = [each for each in known if each.name.casefold() == shape[1].casefold()]
        measure = alike[0] if len(alike) == 1 else None
    if shape is None or measure is None:
        raise UnknownMeasure(f"no measure is called “{text.strip()}”{_nearest(text, known, others)}")
    given = _choices(measure, shape[2] or "")
    values = tuple((each.name, given.get(each.name, each.default)) for each in measure.parameters)
    cutoff, recall = _cutoff(measure, shape[3])
    return ChosenMeasure(measure=measure, values=values, cutoff=cutoff, recall=recall)


def _nearest(text: str, known: tuple[Measure, ...], others: Iterable[str]) -> str:
    """Return a phrase that suggests the most similar name, or says where all names are listed."""
    asked = re.split(r"[(@]", text.strip())[0]
    names = {name.casefold(): name for name in (*others, *(each.name for each in known))}
    near = get_close_matches(asked.casefold(), names, n=1)
    return f"; did you mean {names[near[0]]}?" if near else "; `python -m scoring measures` lists them"


def _cutoff(measure: Measure, text: str | None) -> tuple[int | None, float | None]:
    """Return (rank, recall) from the text after the @. The measure decides which of the two it is, and the other is
    None. Raises UnknownMeasure for a wrong cutoff, a missing one, or one that the measure can't have.
    """
    needed = {"no": False, "must": True, "recall": True}.get(measure.cutoff, text is not None)
    if needed != (text is not None):
        example = measure.name + {"no": "", "recall": "@0.1"}.get(measure.cutoff, "@10")
        raise UnknownMeasure(f"{measure.name} {'takes no' if measure.cutoff == 'no' else 'needs a'} cutoff: {example}")
    if text is None:
        return None, None
    if measure.cutoff == "recall":
        if float(text) > 1:
            raise UnknownMeasure(f"{measure.name}: what stands after the @ is a recall from 0 to 1, not {text}")
        return None, float(text)
    if "." in text or int(text) == 0:
        raise UnknownMeasure(f"{measure.name}: the cutoff must be a whole number, at least 1")
    return int(text), None
