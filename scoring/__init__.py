"""File formats, run checks, pooling, measures and statistics. Pure: no Django, no database, no network.

From Python: `import scoring`, then `scoring.rank(qrels, runs, ["nDCG@10", "AP"])`, and whatever `scoring.front` offers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoring.front.calls import (
        agree,
        compare,
        correlate,
        nuggets,
        pool,
        rank,
        read_qrels,
        read_release,
        read_run,
        verify,
        write_qrels,
        write_run,
        write_scores,
    )
    from scoring.front.inputs import InputError, InputWarning
    from scoring.measures.spec import UnknownMeasure

__all__ = [
    "InputError",
    "InputWarning",
    "UnknownMeasure",
    "agree",
    "compare",
    "correlate",
    "nuggets",
    "pool",
    "rank",
    "read_qrels",
    "read_release",
    "read_run",
    "verify",
    "write_qrels",
    "write_run",
    "write_scores",
]


def __getattr__(name: str) -> Any:
    """Load a name that the front offers when it is first asked for, since most modules that import this package need
    none of them.
    """
    if name not in __all__:
        raise AttributeError(f"module 'scoring' has no attribute {name!r}")
    from scoring.front import calls

    return getattr(calls, name)


def __dir__() -> list[str]:
    """What the front offers."""
    return sorted({*globals(), *__all__})
