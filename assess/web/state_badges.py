"""The states of all objects as pages show them: a sign, a tone and words, so that nobody depends on the colour."""

from __future__ import annotations

from django.utils.translation import gettext_noop

BADGES = {
    "open": ("○", "", gettext_noop("open")),
    "waiting": ("◌", "", gettext_noop("waiting")),
    "started": ("◐", "accent", gettext_noop("started")),
    "grown": ("↻", "warn", gettext_noop("open again")),
    "running": ("◐", "accent", gettext_noop("running")),
    "done": ("●", "good", gettext_noop("done")),
    "empty": ("∅", "", gettext_noop("nothing to judge")),
    "returned": ("↩", "warn", gettext_noop("given back")),
    "failed": ("✕", "bad", gettext_noop("failed")),
    "stopped": ("■", "warn", gettext_noop("stopped")),
    "lost": ("✕", "bad", gettext_noop("worker lost")),
    "judged": ("●", "good", gettext_noop("judged")),
    "carried": ("◐", "accent", gettext_noop("carried over")),
    "flagged": ("⚑", "warn", gettext_noop("question asked")),
    "excused": ("⊘", "", gettext_noop("excused")),
    "checking": ("◐", "accent", gettext_noop("being checked")),
    "accepted": ("✓", "good", gettext_noop("accepted")),
    "rejected": ("✕", "bad", gettext_noop("rejected by the checker")),
    "withdrawn": ("⊘", "", gettext_noop("withdrawn")),
    "setup": ("○", "", gettext_noop("setting up")),
    "judging": ("◐", "accent", gettext_noop("judging")),
    "frozen": ("❄", "warn", gettext_noop("frozen")),
    "released": ("✓", "good", gettext_noop("released")),
    "superseded": ("⊘", "", gettext_noop("superseded")),
    "draft": ("✎", "", gettext_noop("draft")),
    "sent": ("→", "accent", gettext_noop("sent")),
    "back": ("↩", "warn", gettext_noop("sent back")),
    "ok": ("✓", "good", gettext_noop("page and text")),
    "text-only": ("≡", "warn", gettext_noop("text only")),
    "blank": ("□", "warn", gettext_noop("shows nothing without scripts")),
}
"""state -> sign, tone, words"""


def badge_of(state: str) -> tuple[str, str, str]:
    """Return the sign, tone and words of a state. An unknown state is shown by its own name, behind a dot.

    >>> badge_of("judged"), badge_of("elsewhere")
    (('●', 'good', 'judged'), ('·', '', 'elsewhere'))
    """
    return BADGES.get(state, ("·", "", state))
