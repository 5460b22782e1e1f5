"""Check that a nugget found in a response fits the run's strings and the list, by one rule for site and scores."""

from __future__ import annotations

from collections.abc import Container, Sequence

from scoring.records import NuggetPiece, ResponseItem


def why_no_mark(
    piece: NuggetPiece, *, items: Sequence[ResponseItem], numbers: Container[int], owner: str
) -> tuple[str, str]:
    """Return the code and the sentence for a mark that does not fit, or ("", "") if it fits.

    ``items`` are the strings that the run returned for the question, in order. ``numbers`` are the numbers of the
    nuggets on the list of ``owner``.
    """
    if not 1 <= piece.item <= len(items):
        message = f"Run {piece.run} has {len(items)} strings for question {piece.topic}, not {piece.item}."
        return "no-item", f"{message} Correct the item's number."
    if piece.number not in numbers:
        message = f"There is no nugget {piece.number} on the {owner}'s list of question {piece.topic}."
        return "unknown-nugget", f"{message} Add it there."
    docno = items[piece.item - 1].docno
    if piece.docno != docno:
        return (
            "docid-differs",
            f"The string is from {docno or 'no document'}, not from {piece.docno or 'none'}. Correct one.",
        )
    return "", ""
