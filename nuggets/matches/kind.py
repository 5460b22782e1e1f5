"""Marking which nuggets an item contains: the kind of work "matches"."""

from __future__ import annotations

from assess.kinds.base import WorkKind, accepts_deeds
from nuggets.matches import questions as judge_values
from nuggets.matches.adjudicate import MARKS
from nuggets.matches.export import assigned, item_matches, match_labels, matched_deeds, other_judged, run_pieces
from nuggets.matches.machine import record_matches
from nuggets.matches.models import ItemReview, NuggetMatch
from nuggets.matches.owned import matches_of, reviews_of
from nuggets.matches.pages import page
from nuggets.matches.replay import replay_matches
from nuggets.matches.tally import missing_matches, tally_matches
from nuggets.matches.trace import find_marked_item, find_marks
from nuggets.matches.urls import URLS
from scoring.deeds import Matched, Reviewed

KIND = WorkKind(
    key="matches",
    page=page,
    urls=URLS,
    tally=tally_matches,
    missing=missing_matches,
    ledgers=((NuggetMatch, "assignment"), (ItemReview, "assignment")),
    asks_pooled=True,
    adjudication=MARKS,
    accepts=accepts_deeds(Matched, Reviewed),
    record_machine=record_matches,
    questions=(judge_values.MATCHES,),
    trace={"nugget": find_marks, "wording": find_marks, "item": find_marked_item},
    replay=replay_matches,
    deeds=matched_deeds,
    collectors={
        "item_matches": item_matches,
        "other_judged": other_judged,
        "matches_of": matches_of,
        "reviews_of": reviews_of,
        "assigned": assigned,
        "match_labels": match_labels,
        "run_pieces": run_pieces,
    },
)
