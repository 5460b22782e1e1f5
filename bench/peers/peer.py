"""What is asked of a peer: how it is installed, made ready and served, and how it saves and shows an item."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a peer lies: its Python, the folder of its data, and the port of 127.0.0.1 at which it is served."""

    python: Path
    data: Path
    port: int

    def program(self, name: str) -> str:
        """Return the path of a program of its environment."""
        return str(self.python.with_name(name))

    def run(self, command: Sequence[str], environment: dict[str, str]) -> str:
        """Run a program of the peer to its end, and return what it printed; raises PeerError where it fails."""
        done = subprocess.run(
            command, env={**os.environ, **environment}, capture_output=True, text=True, check=False, cwd=self.data
        )
        if done.returncode:
            said = done.stderr.strip().splitlines() or ["it said nothing"]
            raise PeerError(f"{Path(command[0]).name} ended with status {done.returncode}: {said[-1]}")
        return done.stdout


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """A project with items: the headers of each request, and the paths and bodies that save and show the n-th item."""

    headers: dict[str, str]
    save: Callable[[int], tuple[str, str]]
    show: Callable[[int], str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Peer:
    """One other tool. ``make_ready`` comes before it is served, ``fill`` while it is; ``path`` is first asked for."""

    name: str
    make_ready: Callable[[Place], None]
    served: Callable[[Place], tuple[list[str], dict[str, str]]]
    path: str
    fill: Callable[[Place, int], Work]

    @property
    def requirements(self) -> Path:
        """The file of the versions that are installed, all of them pinned."""
        return FOLDER / f"{self.name}.txt"


class PeerError(Exception):
    """A peer can't be installed or made ready, with the reason."""


def install(requirements: Path, place: Path, *options: str) -> Path:
    """Make an environment with these versions in ``place``, unless it is there already, and return its Python.

    ``options`` are those of `uv pip install`. Raises PeerError where that fails.
    """
    python, stamp = place / "bin" / "python", place / "installed.txt"
    pinned = requirements.read_text(encoding="utf-8")
    if stamp.exists() and stamp.read_text(encoding="utf-8") == pinned:
        return python
    uv = [sys.executable, "-m", "uv", "--quiet"]
    for command in (
        ["venv", "--clear", str(place)],
        ["pip", "install", "--python", str(python), *options, "-r", str(requirements)],
    ):
        done = subprocess.run([*uv, *command], capture_output=True, text=True, check=False)
        if done.returncode:
            said = " ".join(done.stderr.split())
            raise PeerError(f"could not be installed: {said[:200]}")
    stamp.write_text(pinned, encoding="utf-8")
    return python
