"""`python -m tracks check --repair`: the mended run in a file of its own."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import BinaryIO, cast

from assess.protocol import CheckContext, Submission
from scoring.commands.shell import WrongCall
from scoring.repairs import NotRepairable, write_repaired


def write_repair(submission: Submission, file: BinaryIO, target: Path, context: CheckContext) -> None:
    """Write the mended run where there is anything to mend; what was, and what is left, goes to standard error."""
    if submission.repair is None:
        raise WrongCall("The track mends nothing in runs of this kind; leave --repair out.")
    if target.exists():
        raise WrongCall(f"--repair {target}: the file is there already. Name a new one.")
    file.seek(0)
    with tempfile.TemporaryFile() as mended:
        copy = cast(BinaryIO, mended)
        try:
            repairs = write_repaired(submission.repair(file), copy)
        except NotRepairable:
            repairs = []
        if not repairs:
            print("There is nothing that can be mended safely.", file=sys.stderr)
            return
        copy.seek(0)
        with target.open("xb") as out:
            shutil.copyfileobj(copy, out)
        copy.seek(0)
        left = Counter(issue.severity for issue in submission.issues(copy, context))
    for each in repairs:
        print(f"{target}: {each.count:,} × {each.message}", file=sys.stderr)
    notes = f", notes {left['note']:,}" if left["note"] else ""
    print(f"{target}: errors {left['error']:,}, warnings {left['warning']:,}{notes}", file=sys.stderr)
