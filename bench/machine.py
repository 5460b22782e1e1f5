"""Describe the machine on which figures are taken, and the commit of the code."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sqlite3
import subprocess
from pathlib import Path


def describe_machine() -> list[tuple[str, str]]:
    """Return (what, description) for the processor, the memory, the system and the versions that figures depend on."""
    found = Path("/proc/cpuinfo")
    processor = re.search(r"model name\s*:\s*(.+)", found.read_text()) if found.exists() else None
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return [
        ("processor", f"{processor[1] if processor else platform.machine()}, {os.cpu_count()} cores"),
        ("memory", f"{memory:.0f} GB"),
        ("system", f"{platform.system()} {platform.release()}"),
        ("Python", platform.python_version()),
        ("SQLite", sqlite3.sqlite_version),
        ("PostgreSQL", _postgresql()),
    ]


def commit(root: Path) -> str:
    """Return the short hash of the commit, with "and changes" if the measured code differs from it. Return "unknown"
    without git.
    """
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return "unknown"
    head = subprocess.check_output([git, "rev-parse", "--short=10", "HEAD"], cwd=root, text=True).strip()
    # What the page says is no part of what it measures.
    changed = subprocess.check_output(
        [git, "status", "--porcelain", "--", ".", ":!docs", ":!bench/measured"], cwd=root, text=True
    )
    return f"{head} and changes" if changed.strip() else head


def _postgresql() -> str:
    servers = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
    if not servers:
        return "not installed"
    return subprocess.check_output([servers[-1], "--version"], text=True).split()[2]
