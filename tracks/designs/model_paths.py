"""Follow a path through the values of a design and through the models of its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from tracks.designs.described_work import design_model
from tracks.designs.places import Path, at


def value_at(values: Mapping[str, Any], path: Path) -> Any:
    """Return the value at a path, or None if nothing is there."""
    try:
        return at(values, path)
    except (KeyError, IndexError, TypeError):
        return None


def plain_path(loc: Sequence[str | int], kind: str, values: Mapping[str, Any]) -> Path:
    """Return the path of a member in the file for pydantic's path ``loc``, without the names of models in it.

    ``kind`` is the type of pydantic's error; for "missing" and "extra_forbidden" the member need not be in the values.
    """
    path: Path = ()
    for place, step in enumerate(loc):
        here = value_at(values, path) if path else values
        is_last = place == len(loc) - 1 and kind in ("missing", "extra_forbidden")
        is_entry = isinstance(here, list) and isinstance(step, int)
        if is_entry or (isinstance(here, dict) and (step in here or is_last)):
            path = (*path, step)
    return path


def members_at(values: Mapping[str, Any], path: Path) -> list[str]:
    """Return the members that the table at this path may have, or [] if no such table is known."""
    model = model_at(values, path)
    return member_names(model) if model is not None else []


def member_names(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def model_at(values: Mapping[str, Any], path: Path) -> type[BaseModel] | None:
    """Return the model of the table at this path of a design; None if the path leads to no table.

    It is found by following the annotations of the members along the path.
    """
    model: type[BaseModel] | None = design_model()
    for place, step in enumerate(path):
        if isinstance(step, int) or model is None:
            continue
        field = next((each for name, each in model.model_fields.items() if step in (name, each.alias)), None)
        if field is None:
            return None
        inside = list(_tables_in(field.annotation))
        here = value_at(values, path[: place + 1])
        entry = value_at(values, path[: place + 2]) if isinstance(here, list) else here
        tag = entry.get("work", entry.get("form")) if isinstance(entry, dict) else None
        model = next((each for each in inside if tag in tag_of(each)), inside[0] if inside else None)
    return model


def _tables_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in getattr(annotation, "__args__", ()):
        yield from _tables_in(inner)


def tag_of(model: type[BaseModel]) -> tuple[Any, ...]:
    """Return the words of `work` or `form` by which this table is chosen."""
    field = model.model_fields.get("work") or model.model_fields.get("form")
    return getattr(field.annotation, "__args__", ()) if field is not None else ()
