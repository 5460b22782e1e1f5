"""The tables for stages of nuggets in a design: lists of nuggets, and their matches in texts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tracks.designs.members import Asked, Count, Gain, Key, Name, Press, Table
from tracks.designs.shape import ItemStage, SettleWord, StageBase


class Importance(Table):
    """The weight of vital or okay nuggets in W."""

    key: Key
    press: Press | None = None
    name: Name | None = None
    weight: Gain = 1


class NuggetStage(StageBase):
    """A stage with lists of nuggets. Assessors write the lists, or the lists are given."""

    work: Literal["nuggets"]
    lines: Literal["nuggets", "questions"] = "nuggets"
    importance: list[Importance] = Field(default_factory=list)
    sealed: bool = False
    settle: Literal["adjudicator", "fuse", "none"] = "none"
    most: Count | None = None
    references: Asked = "offered"
    file: str = ""
    frozen: bool = False


class Mark(Table):
    """A mark for a nugget in a text; ``value`` is the share of the nugget that it counts."""

    key: Key
    press: Press | None = None
    value: Gain
    wins: bool = False


class NoMark(Table):
    """The key for a nugget that is not in the text."""

    press: Press
    name: Name = "none"


class MatchStage(ItemStage):
    """A stage in which nuggets are matched in texts."""

    work: Literal["matches"]
    item: Literal["string", "response"] = "string"
    marks: list[Mark] = Field(default_factory=list)
    none: NoMark | None = None
    settle: SettleWord = "adjudicator"
