"""Commands as the shell meets them."""

from __future__ import annotations

import io

from django.core.management import CommandError, call_command


def run_command(*arguments: object) -> tuple[int, str, str]:
    """(exit status, standard output, standard error with the sentence of a refusal)."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command(*map(str, arguments), stdout=out, stderr=err)
    except CommandError as error:
        return error.returncode, out.getvalue(), err.getvalue() + str(error)
    return 0, out.getvalue(), err.getvalue()
