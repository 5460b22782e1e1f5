"""The states of everything as pages show them: a sign, a tone and words, so that nobody needs to see the colour."""

from __future__ import annotations

BADGES = {
    "open": ("○", "", "open"),
    "waiting": ("◌", "", "waiting"),
    "started": ("◐", "accent", "started"),
    "grown": ("↻", "warn", "open again"),
    "running": ("◐", "accent", "running"),
    "done": ("●", "good", "done"),
    "empty": ("∅", "", "nothing to judge"),
    "returned": ("↩", "warn", "given back"),
    "failed": ("✕", "bad", "failed"),
    "stopped": ("■", "warn", "stopped"),
    "lost": ("✕", "bad", "worker lost"),
    "judged": ("●", "good", "judged"),
    "carried": ("◐", "accent", "carried over"),
    "flagged": ("⚑", "warn", "question asked"),
    "excused": ("⊘", "", "excused"),
    "checking": ("◐", "accent", "being checked"),
    "accepted": ("✓", "good", "accepted"),
    "rejected": ("✕", "bad", "rejected by the checker"),
    "withdrawn": ("⊘", "", "withdrawn"),
    "setup": ("○", "", "setting up"),
    "judging": ("◐", "accent", "judging"),
    "frozen": ("❄", "warn", "frozen"),
    "released": ("✓", "good", "released"),
    "superseded": ("⊘", "", "superseded"),
    "draft": ("✎", "", "draft"),
    "sent": ("→", "accent", "sent"),
    "back": ("↩", "warn", "sent back"),
    "ok": ("✓", "good", "page and text"),
    "text-only": ("≡", "warn", "text only"),
    "blank": ("□", "warn", "shows nothing without scripts"),
}
"""state -> sign, tone, words"""


def badge_of(state: str) -> tuple[str, str, str]:
    """Sign, tone and words of a state; of one that has none the state itself, behind a dot.

    >>> badge_of("judged"), badge_of("elsewhere")
    (('●', 'good', 'judged'), ('·', '', 'elsewhere'))
    """
    return BADGES.get(state, ("·", "", state))
