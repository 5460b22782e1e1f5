"""What a page showed when somebody clicked, against what stands now."""

from __future__ import annotations

from dataclasses import dataclass

from assess.base.errors import Conflict

UNSEEN = (
    "Something newer was saved of this in another window, and nothing was overwritten. Look at what stands there now, "
    "and say it again if you still mean it."
)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page showed of what it changes, as JSON values. The API, files and plain forms say nothing of it."""

    value: object


def require_seen(*, shown: Shown | None, stands: object) -> None:
    """Refuse (`Conflict` with the code "unseen") a change of what looks otherwise than the page showed it."""
    if shown is not None and shown.value != stands:
        raise Conflict(UNSEEN, code="unseen")
