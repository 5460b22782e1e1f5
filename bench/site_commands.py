"""The commands of a campaign that people call again and again, with their arguments: those that read, and a few more.

Left out are commands that put something in (they have benchmarks of their own, or are called once), and those that
take the campaign a step further.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMMAND = "manage.py "
"""How the label of each command begins."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command and its arguments; a ``{}`` in one becomes a new path each time. ``of`` tells it from its like."""

    name: str
    arguments: tuple[str, ...]
    of: str = ""

    @property
    def label(self) -> str:
        """The name of the command as it is typed, and what tells it from its like; without its other arguments."""
        return f"{COMMAND}{self.name} {self.of}".rstrip()


def campaign_commands(campaign: Any) -> Iterator[Command]:
    """Yield every such command. One for which the campaign has nothing is among them, and refuses when it is called."""
    from assess.base.files import stored_path
    from assess.campaigns.queries import track_of
    from assess.kinds.agreement_questions import questions_of

    slug = campaign.slug
    yield Command("progress", (slug,))
    for question in questions_of(campaign):
        asked = ("--stage", question.stage, "--criterion", question.criterion)
        for judges in (("primary", "second"), ("official", "primary")):
            yield Command("agreement", (slug, *asked, "--judges", *judges), f"{question.stage} {' '.join(judges)}")
    yield Command("disagreements", (slug,))
    for name in ("score", "compare_runs", "stability", "consistency", "build_pool", "return_lapsed"):
        yield Command(name, (slug,))
    for stage in (stage for task in track_of(campaign).tasks for stage in task.stages if stage.work.key == "grade"):
        yield Command("plant", (slug, "--stage", stage.key, "--repeats", "5", "--dry-run"), stage.key)
    run = campaign.runs.order_by("pk").first()
    if run is not None:
        yield Command("check_run", (slug, str(stored_path(run.file))))
        yield Command("score_report", (slug, "{}", "--team", run.team))
    yield Command("export", (slug, "{}"))
    yield Command("backup", ("{}",))


def paths_in(command: Command, folder: Path, call: int) -> list[str]:
    """Return the arguments of a command, with a path in a folder, new at each ``call``, for each ``{}``."""
    return [str(folder / f"{command.name}-{call}") if each == "{}" else each for each in command.arguments]
