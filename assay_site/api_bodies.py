"""How the API reads bodies. Apart from `assay_site.api`, since the framework's views are made of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from scoring.reading.json_reading import BadJson, read_json


class PlainJSONParser(JSONParser):
    """Reads a body of JSON as files of JSON are read: what can't be stored, or is nested too deeply, is no JSON."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The value of the body; anything else is refused with the reason."""
        try:
            value: dict[str, Any] = read_json(stream.read())
        except BadJson as error:
            raise ParseError(f"The body is no JSON that can be used. {error}") from error
        return value
