"""How the API reads bodies. It is apart from `assay_site.api` because the framework loads both for its own views."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from scoring.reading.json_reading import BadJson, read_json


class PlainJSONParser(JSONParser):
    """Reads a JSON body by the same rules as JSON files: it refuses values that can't be stored or are nested too
    deeply.
    """

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the value of the body. Refuses a body that can't be used, with the reason."""
        try:
            value: dict[str, Any] = read_json(stream.read())
        except BadJson as error:
            raise ParseError(f"The body is no JSON that can be used. {error}") from error
        return value
