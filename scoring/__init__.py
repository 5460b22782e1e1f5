"""File formats, run checks, pooling, measures and statistics. Pure: no Django, no database, no network.

From Python: `import scoring`, then for example `scoring.rank("qrels.txt", "run.txt", ["nDCG@10", "AP"])`.

rank                          scores of runs
compare, correlate            tests of pairs of runs; how alike two orders of runs are
agree                         agreement of judges
pool                          a pool of runs
nuggets                       scores by nuggets
verify, read_release          check a release; its tables as frames
read_run, read_qrels, read_judgments, read_scores, and write_… of the same
                              files in and out

`help(scoring.rank)` says what each takes and gives; docs/researchers.md has examples. All of them are in
`scoring.front`.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoring.front.calls import (
        agree,
        compare,
        correlate,
        nuggets,
        pool,
        rank,
        read_judgments,
        read_qrels,
        read_release,
        read_run,
        read_scores,
        verify,
        write_judgments,
        write_qrels,
        write_run,
        write_scores,
    )
    from scoring.front.errors import InputError, InputWarning
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
    "read_judgments",
    "read_qrels",
    "read_release",
    "read_run",
    "read_scores",
    "verify",
    "write_judgments",
    "write_qrels",
    "write_run",
    "write_scores",
]


def __getattr__(name: str) -> Any:
    """Load a name of the Python interface when it is first used, since most modules that import this package use none
    of these names. Raises ModuleNotFoundError if pandas is missing, as it is in the smallest installation, and
    AttributeError for any other name.
    """
    if name not in __all__:
        raise AttributeError(f"module 'scoring' has no attribute {name!r}")
    if find_spec("pandas") is None:
        raise ModuleNotFoundError(
            "`import scoring` returns frames of pandas, which is not installed: pip install pandas"
        )
    from scoring.front import calls

    return getattr(calls, name)


def __dir__() -> list[str]:
    """Return the names in this module, including those of the Python interface."""
    return sorted({*globals(), *__all__})
