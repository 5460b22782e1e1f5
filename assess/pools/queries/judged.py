"""What is judged of a ranked kind, as pools ask for it: by document, relevant or not."""

from __future__ import annotations

from collections.abc import Iterable

from assess.campaigns.models import Campaign
from assess.campaigns.tracks import settings_of, stage_of
from assess.judging.queries.current import official_judgments
from assess.protocol import Stage, Task


def judging_stage(campaign: Campaign, task: Task, kind: str) -> Stage | None:
    """The first stage that judges items of this kind by a criterion, with the criteria asked; None: no stage does."""
    for stage in task.stages:
        if stage.item_kind == kind and stage.criteria:
            return stage_of(campaign, stage.key)[1]
    return None


def relevant_level(campaign: Campaign, given: int | None = None) -> int:
    """The lowest grade that counts as relevant: the one given, else the setting ``relevant_from``, else 1."""
    return given if given is not None else int(getattr(settings_of(campaign), "relevant_from", 1))


def judged_documents(
    campaign: Campaign, task: Task, kind: str, *, topics: Iterable[int] | None = None, as_of: int | None = None
) -> dict[str, dict[str, int]]:
    """Topic number -> item key -> official grade by the kind's first criterion. One query; ``topics`` (ids) narrows."""
    stage = judging_stage(campaign, task, kind)
    if stage is None or not stage.criteria:
        return {}
    rows = official_judgments(campaign, topics=topics, as_of=as_of).filter(
        criterion=stage.criteria[0].key, item__kind=kind, item__topic__task=task.key
    )
    found: dict[str, dict[str, int]] = {}
    for topic, key, value in rows.order_by().values_list("item__topic__number", "item__key", "value").iterator(5_000):
        if value is not None:
            found.setdefault(topic, {})[key] = value
    return found
