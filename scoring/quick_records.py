"""Makes records that a program creates by the million: frozen for the type checker, and created in a third of the time.

All other records are plain frozen dataclasses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as quick_record
else:
    from dataclasses import dataclass

    def quick_record(*, frozen: bool, **options: bool):
        """Return a decorator like ``@dataclass(frozen=True, …)``, but one that does not refuse assignments at run time.

        The type checker still refuses to change such a record. Having Python refuse it, too, takes three times as long
        for each new record (2.9 against 1.0 µs for eleven fields), since every field is then set by a call.
        """
        return dataclass(unsafe_hash=frozen, **options)


__all__ = ["quick_record"]
