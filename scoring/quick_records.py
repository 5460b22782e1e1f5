"""Records of which a program makes a million: as frozen for who writes the code, and made in a third of the time.

All others are plain frozen dataclasses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as quick_record
else:
    from dataclasses import dataclass

    def quick_record(*, frozen: bool, **options: bool):
        """Return what ``@dataclass(frozen=True, …)`` does, without the look at each assignment while a program runs.

        The type checker refuses to change such a record. To have Python refuse it, too, takes three times as long for
        each record that is made (2.9 against 1.0 µs for eleven members), since every member is set by a call.
        """
        return dataclass(unsafe_hash=frozen, **options)


__all__ = ["quick_record"]
