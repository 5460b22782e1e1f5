"""The list of measures, and where each is declared."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import scoring.measures
from scoring.measures import MEASURES
from scoring.measures.spec import Measure

FOLDER = Path(scoring.measures.__file__).parent


def test_each_measure_is_declared_in_one_module_of_its_family() -> None:
    modules = [import_module(f"scoring.measures.{found.name}") for found in iter_modules([str(FOLDER)])]
    families: list[tuple[Measure, ...]] = [module.MEASURES for module in modules if hasattr(module, "MEASURES")]
    assert sorted((each for family in families for each in family), key=lambda each: each.name) == sorted(
        MEASURES, key=lambda each: each.name
    )
    names = [{measure.family for measure in family} for family in families]
    assert sorted(map(len, names)) == [1] * len({measure.family for measure in MEASURES})


def test_the_list_itself_declares_no_measure() -> None:
    calls = [
        each for each in ast.walk(ast.parse((FOLDER / "__init__.py").read_text("utf-8"))) if isinstance(each, ast.Call)
    ]
    assert [each.lineno for each in calls if isinstance(each.func, ast.Name) and each.func.id == "Measure"] == []
