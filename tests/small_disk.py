"""A disk of a few megabytes that can be filled, wherever tests run: a file system in memory where one may be mounted,
else the system's limit on the size of files, set for the processes that write."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

CHUNK = b"\0" * 65536
NEXT_TO_NOTHING = 4096


@dataclass(frozen=True)
class SmallDisk:
    """The folder ``path`` is on it. ``is_mounted``: it is a disk of its own."""

    path: Path
    is_mounted: bool
    writers: Callable[[], Iterable[int]]

    def fill(self) -> None:
        """From now on nothing more can be stored."""
        if not self.is_mounted:
            self._limit(NEXT_TO_NOTHING)
            return
        with (self.path / "filler").open("ab", buffering=0) as file:
            for size in (len(CHUNK), 4096, 1):
                try:
                    while file.write(CHUNK[:size]):
                        pass
                except OSError:
                    continue

    def free(self) -> None:
        """There is room again."""
        (self.path / "filler").unlink(missing_ok=True)
        if not self.is_mounted:
            self._limit(resource.RLIM_INFINITY)

    def _limit(self, size: int) -> None:
        for pid in self.writers():
            _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, most))


@contextmanager
def small_disk(path: Path, *, megabytes: int, writers: Callable[[], Iterable[int]]) -> Iterator[SmallDisk]:
    """The new folder ``path``, on a disk of its own where that may be had; ``writers`` says who writes to it."""
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "assay-test", str(path)]
    is_mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield SmallDisk(path=path, is_mounted=is_mounted, writers=writers)
    finally:
        if is_mounted:
            subprocess.run(["umount", "-l", str(path)], check=True)
