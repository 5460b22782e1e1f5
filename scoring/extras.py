"""Handles packages that only some calls need: `pip install .` leaves them out, and an extra installs them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

TEXT = "text"
"""The packages that cut sentences, count tokens and compare texts: spaCy, its small English model, rouge-score."""


COLLECTIONS = "collections"
"""The packages that read and write Parquet and find documents in collections."""


class MissingExtra(ModuleNotFoundError):
    """Raised when a call needs a package of an extra that is not installed. The message names it and how to
    install it.
    """


@contextmanager
def importing(extra: str) -> Iterator[None]:
    """Run a block that may import packages of this extra. Raises MissingExtra if one is not installed.

    >>> with importing("text"):  # doctest: +NORMALIZE_WHITESPACE
    ...     import no_such_package
    Traceback (most recent call last):
    ...
    scoring.extras.MissingExtra: This needs no_such_package, which is not installed: pip install '.[text]' in Assay's \
    source, or 'FILE.whl[text]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        how = f"pip install '.[{extra}]' in Assay's source, or 'FILE.whl[{extra}]'"
        missing = f"This needs {error.name}, which is not installed: {how}"
        raise MissingExtra(missing, name=error.name) from error
