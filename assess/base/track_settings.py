"""The settings of a campaign's track, read from a form, from JSON or from `--set key=value`. Doesn't import Django."""

from __future__ import annotations

import types
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from typing import Any, Self, TypeVar, get_args, get_origin, get_type_hints

Value = TypeVar("Value")

TRUE_WORDS = frozenset({"true", "yes", "on", "1"})
FALSE_WORDS = frozenset({"false", "no", "off", "0"})


class SettingsError(ValueError):
    """Settings that can't be used. ``problems`` maps each field's name to a sentence for the person."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        super().__init__("; ".join(f"{name}: {problem}" for name, problem in self.problems.items()))


def noop(text: str) -> str:
    """Mark a text of this module for gettext, by which pages translate it: tracks are read without Django."""
    return text


class Change(StrEnum):
    """How long a setting may be changed. Each field's metadata has one of these members, whose value is the guides'
    text for it.

    A setting is ``FREE`` if no record's meaning depends on its value: it decides what is asked from now on, or how
    scores are computed. ``RUNS`` marks a setting that submitted runs depend on, ``JUDGMENTS`` one that recorded
    judgments depend on.
    """

    FREE = noop("any time")
    RUNS = noop("until runs are in")
    JUDGMENTS = noop("until something is judged")


def setting(
    default: Value,
    label: str,
    help_text: str,
    *,
    change: Change = Change.FREE,
    within: tuple[float, float] | None = None,
    words: Collection[str] = (),
    some_of: Collection[int] = (),
    **more: Any,
) -> Value:
    """Return a field of a track's settings, with its label and help in forms.

    `TrackSettings.not_allowed` refuses a number that is not ``within`` its bounds, a text that is none of the
    ``words``, and a tuple that is not some of the numbers ``some_of``, each once. ``more`` are further members of the
    metadata (see `TrackSettings`).
    """
    allowed: dict[str, Any] = {}
    if within is not None:
        allowed = {"within": within, "allowed": f"{within[0]:,} to {within[1]:,}"}
    elif words:
        allowed = {"words": words, "allowed": _listed(words, "or")}
    elif some_of:
        allowed = {"some_of": some_of, "allowed": f"one or more of {_listed(some_of, 'and')}"}
    return field(default=default, metadata={"change": change, "label": label, "help": help_text, **allowed, **more})


def _listed(values: Collection[object], last: str) -> str:
    """Return the values as a list in words, such as "1, 2 and 3"."""
    *others, end = map(str, values)
    return f"{', '.join(others)} {last} {end}"


def judge_each_field(what: str) -> bool:
    """Return the field `judge_each` of a track whose runs return ``what``: whether each response's items are judged by
    themselves.

    `Submission.own_kinds` names the kinds of these items. The default is no, which also holds for campaigns older than
    the field.
    """
    return setting(
        False,
        noop("Judge each response by itself"),
        f"What several runs returned alike ({what}) is judged for each of them; otherwise once for all.",
        change=Change.RUNS,
        before=False,
    )


def judged_topics_field(noun: str = "topics", example: str = "", *, default: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the field `judged_topics` of a track: the numbers of the topics to judge; a series includes its topics.

    `Task.topics_setting` names the field. If it is empty, all topics are judged, as they are in campaigns older than
    the field.
    """
    return setting(
        default,
        f"Judged {noun}",
        f"The {noun} that are judged and on which runs are compared{example}. Empty: all. Build the pools again after "
        "a change.",
        allowed=f"numbers of {noun}",
        before=[],
    )


def search_field(what: str = "documents") -> bool:
    """Return the field `search` of a track: whether assessors may search the campaign's documents, called ``what``."""
    return setting(True, "Search", f"Assessors may search the campaign's {what}.")


def list_order_share_field() -> float:
    """Return the field `list_order_share` of a track in which nuggets are matched with what runs returned.

    In this share of topics, drawn by their numbers, nuggets are offered in the order of the list; in the others, likely
    nuggets come first. Campaigns older than the field keep the order of the list.
    """
    return setting(
        0.1,
        noop("Topics in list order"),
        noop(
            "The share of topics in which nuggets stand in the order of the list, so that both orders can be compared; "
            "in the others those that are likely to be in what is judged come first."
        ),
        within=(0, 1),
        before=1.0,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class TrackSettings:
    """The base of every track's settings: a frozen dataclass whose fields all have defaults.

    A field is a str, int, float, bool, or a tuple of int or of str (words: topic numbers). Its ``metadata`` has
    "change", which says until when it may be changed (`Change`; by default until something is judged). It may have
    "label" and "help" for forms; what `setting` says is allowed; "before", the value in campaigns older than the field;
    "criterion", the key of the only criterion whose judgments depend on it; "own_page", true if it is set on a page of
    its own and not in the settings form; and "lines", true for text of several lines. A subclass with further
    rules has its own `problems`, which begins with `not_allowed`.
    """

    def problems(self) -> dict[str, str]:
        """Return field name -> what is wrong with its value and what to write instead; empty if all are valid."""
        return self.not_allowed()

    def not_allowed(self) -> dict[str, str]:
        """Return what is wrong with the values that their `setting` does not allow, by the field's name."""
        found = {}
        for each in fields(self):
            value, metadata = getattr(self, each.name), each.metadata
            if (within := metadata.get("within")) and not within[0] <= value <= within[1]:
                kind = "a number" if isinstance(each.default, float) else "a whole number"
                found[each.name] = f"This must be {kind} from {metadata['allowed']}."
            elif (words := metadata.get("words")) and value not in words:
                found[each.name] = f"Write {metadata['allowed']}."
            elif (some_of := metadata.get("some_of")) and not 0 < len(value) == len({*value} & {*some_of}):
                found[each.name] = f"Give {metadata['allowed']}, each once."
        return found

    @classmethod
    def from_mapping(cls, values: Mapping[str, object]) -> Self:
        """Return settings with these values and defaults for the rest; text is converted to each field's type.

        Raises `SettingsError` with every problem found: unknown names, values of the wrong type, and values that the
        track refuses.
        """
        known = cls._types()
        problems: dict[str, str] = {}
        converted: dict[str, Any] = {}
        for name, value in values.items():
            if name not in known:
                problems[name] = f"There is no such setting. The settings are: {', '.join(sorted(known))}."
                continue
            try:
                converted[name] = _convert(value, known[name])
            except (TypeError, ValueError, OverflowError):
                problems[name] = f"{_excerpt(value)} is not {_kind(known[name])}."
        settings = cls(**converted)
        problems.update({name: text for name, text in settings.problems().items() if name not in problems})
        if problems:
            raise SettingsError(problems)
        return settings

    @classmethod
    @cache
    def _types(cls) -> dict[str, Any]:
        """Return the type of each field. It is cached, since reading annotations is slower than everything else
        here.
        """
        hints = get_type_hints(cls)
        return {each.name: hints[each.name] for each in fields(cls)}

    @classmethod
    def from_stored(cls, values: Mapping[str, object]) -> Self:
        """Return settings from the values that a campaign or a release stores, completed by `with_later`.

        Raises what `from_mapping` raises.
        """
        return cls.from_mapping(cls.with_later(values))

    @classmethod
    def with_later(cls, values: Mapping[str, object]) -> dict[str, object]:
        """Return stored settings, completed by the fields that were added to the track later.

        A campaign or release stores all fields of its time. A later field gets the value "before" of its metadata. If
        no values are stored, nothing is added.
        """
        before = {each.name: each.metadata["before"] for each in fields(cls) if "before" in each.metadata}
        return {**before, **values} if values else {}

    @classmethod
    def names_changed(cls, change: Change) -> tuple[str, ...]:
        """Return the names of the fields with this `Change`, in order."""
        given = {each.name: each.metadata.get("change", Change.JUDGMENTS) for each in fields(cls)}
        return tuple(name for name, until in given.items() if until == change)

    @classmethod
    def criterion_of(cls, name: str) -> str:
        """Return the key of the only criterion whose judgments depend on the field; "" if all judgments may."""
        (found,) = (each for each in fields(cls) if each.name == name)
        return str(found.metadata.get("criterion", ""))

    def as_mapping(self) -> dict[str, Any]:
        """Return the settings as JSON values, which `from_mapping` can read."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def choice_of(word: str) -> tuple[str, str]:
    """Return a topic's number and the choice for it, from a word `number=choice`; a number may contain "=" itself.

    >>> choice_of("a=b=first")
    ('a=b', 'first')
    """
    number, _, choice = word.rpartition("=")
    return number, choice


def _convert(value: object, hint: Any) -> Any:
    """Return the value as the field's type.

    Raises `TypeError`, `ValueError` or `OverflowError` for a value that can't be converted without loss.
    """
    if get_origin(hint) is tuple:
        parts = value.replace(",", " ").split() if isinstance(value, str) else value
        if not isinstance(parts, list | tuple):
            raise TypeError(value)
        return tuple(_convert(part, get_args(hint)[0]) for part in parts)
    if isinstance(hint, types.UnionType):
        raise TypeError(f"settings fields of type {hint} are not supported")
    if hint is bool:
        return _convert_bool(value)
    if isinstance(value, bool):
        raise TypeError(value)
    if hint is str:
        return _require(value, str)
    if hint is int:
        return int(value.strip()) if isinstance(value, str) else _require(value, int)
    return float(value.strip()) if isinstance(value, str) else float(_require(value, (int, float)))


def _convert_bool(value: object) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().casefold() if isinstance(value, str) else ""
    if word not in TRUE_WORDS | FALSE_WORDS:
        raise ValueError(value)
    return word in TRUE_WORDS


def _require(value: object, kind: type | tuple[type, ...]) -> Any:
    if not isinstance(value, kind):
        raise TypeError(value)
    return value


def _excerpt(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _kind(hint: Any) -> str:
    if get_origin(hint) is tuple:
        return (
            "a list of words, such as 1.1,1.2" if get_args(hint)[0] is str else "a list of whole numbers, such as 1,2"
        )
    return {bool: "yes or no (true or false)", int: "a whole number", float: "a number", str: "text"}[hint]
