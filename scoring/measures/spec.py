"""What a measure is to the rest of the house: a name with parameters, declared apart from how it is computed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Number = int | float | bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameter:
    """One setting of a measure. A bool default means that only true and false are allowed."""

    name: str
    default: Number
    help: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure:
    """One measure, before its parameters are chosen.

    ``cutoff`` says whether "@k" may follow its name ("no", "may", "must"). ``high`` is None where the
    measure has no upper bound.
    """

    name: str
    family: Literal["ranked", "nuggets", "lists", "series", "holistic", "citations", "labels", "text"]
    label: str
    source: str
    parameters: tuple[Parameter, ...] = ()
    cutoff: Literal["no", "may", "must"] = "no"
    low: float = 0.0
    high: float | None = 1.0
    higher_is_better: bool = True
    edge_cases: str = ""

    def parameter(self, name: str) -> Parameter | None:
        """The parameter with this name, or None."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class ChosenMeasure:
    """A measure with every parameter given. ``str()`` writes only what differs from the defaults."""

    measure: Measure
    values: tuple[tuple[str, Number], ...]
    cutoff: int | None = None

    def __getitem__(self, name: str) -> Number:
        return dict(self.values)[name]

    def __str__(self) -> str:
        chosen = [
            f"{name}={_written(value)}"
            for name, value in self.values
            if (parameter := self.measure.parameter(name)) is None or parameter.default != value
        ]
        inside = f"({','.join(chosen)})" if chosen else ""
        return self.measure.name + inside + (f"@{self.cutoff}" if self.cutoff is not None else "")


class UnknownMeasure(ValueError):
    """The text names no measure, or one with parameters it does not have. The message is for the person."""


_SHAPE = re.compile(r"\s*([A-Za-z_][\w-]*)\s*(?:\(([^()]*)\))?\s*(?:@\s*(\d{1,7}))?\s*", re.ASCII)


def _written(value: Number) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if float(value).is_integer() else repr(value)


def _number(parameter: Parameter, text: str) -> Number:
    """The value written for this parameter, or UnknownMeasure with what is allowed."""
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
    """The parameters written between the brackets; each at most once."""
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


def parse_measure(text: str, known: tuple[Measure, ...]) -> ChosenMeasure:
    """The measure that "nDCG@10" or "nuggetF(beta=3)" names, among those known; UnknownMeasure if none."""
    shape = _SHAPE.fullmatch(text)
    measure = next((each for each in known if shape and each.name == shape[1]), None)
    if shape is None or measure is None:
        raise UnknownMeasure(f"no measure is called “{text.strip()}”; `python -m scoring measures` lists them")
    given = _choices(measure, shape[2] or "")
    cutoff = int(shape[3]) if shape[3] else None
    if (cutoff is None) != (measure.cutoff == "no") and measure.cutoff != "may":
        example = measure.name if measure.cutoff == "no" else f"{measure.name}@10"
        raise UnknownMeasure(f"{measure.name} {'takes no' if measure.cutoff == 'no' else 'needs a'} cutoff: {example}")
    if cutoff == 0:
        raise UnknownMeasure(f"{measure.name}: the cutoff must be at least 1")
    values = tuple((each.name, given.get(each.name, each.default)) for each in measure.parameters)
    return ChosenMeasure(measure=measure, values=values, cutoff=cutoff)
