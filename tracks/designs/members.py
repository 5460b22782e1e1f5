"""Types for the members of a design: names, keys and numbers, and the base class of its tables."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[
    str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$")
]
"""One line that is not blank."""
_CONTROLS = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f"
Ask = Annotated[str, Field(min_length=1, max_length=200, pattern=rf"^[^{_CONTROLS}]*[^\x00-\x20\x7f][^{_CONTROLS}]*$")]
Text = Annotated[str, Field(pattern=rf"^[^{_CONTROLS}]*$")]
Key = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=50)]
Press = Annotated[str, Field(min_length=1, max_length=1, description="the key on the keyboard")]
Asked = Literal["none", "offered", "required"]
Colour = Literal["red", "orange", "yellow", "green", "blue", "purple", "grey"]
COLOURS: tuple[Colour, ...] = get_args(Colour)
"""Colours of grades, from the site's own light and dark palettes, since others may be hard to see."""
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Value = Annotated[int, Field(ge=-32_767, le=32_767)]
"""The recorded value of a grade. Databases store a small whole number, so decimals are stored in hundredths."""
_Gain = Field(ge=-100_000, le=100_000, allow_inf_nan=False)
Gain = Annotated[int, _Gain] | Annotated[float, _Gain]
"""A number that scores are computed with. Multiplied by a unit of up to 10,000, it still suits trec_eval."""
Scale = Annotated[str, Field(pattern=r"^-?[0-9]{1,4}-[0-9]{1,4}$")]


class Table(BaseModel):  # type: ignore[misc]
    """A table of a design, which has only the members that are named in its class."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
