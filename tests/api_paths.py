"""Paths of the API that lead somewhere, and who asks for them."""

from __future__ import annotations

import re

PERSONS = ("organiser", "assessor", "second_assessor", "superuser")  # among them, somebody may do each
REFUSED = (401, 403, 404, 405)


def real_paths(templates: set[str], addresses: dict[str, str]) -> dict[str, dict[str, str]]:
    """What to put into each path so that it leads somewhere: each address belongs to its plainest template."""
    found: dict[str, dict[str, str]] = {}
    for address in (each.split("?")[0] for each in addresses.values()):
        for template in sorted(templates, key=lambda each: each.count("{")):
            match = re.fullmatch(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", template), address)
            if match:
                found.setdefault(template, match.groupdict())
                break
    return found
