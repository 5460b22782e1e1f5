"""The kind of work "matches", which is marking which nuggets an item contains."""

from __future__ import annotations

from django.urls import URLPattern, path

from assess.kinds.base import BENCH, WorkKind, accepts_acts
from nuggets.matches import agreement_questions
from nuggets.matches import pages as matches
from nuggets.matches.adjudicate import MARKS
from nuggets.matches.draft_uses import draft_uses, has_drafts
from nuggets.matches.export import (
    assigned,
    match_labels,
    matched_acts,
    matches_of,
    other_judged,
    reviews_of,
    run_pieces,
    topic_matches,
)
from nuggets.matches.models import ItemReview, NuggetMatch
from nuggets.matches.pages import page
from nuggets.matches.recent import recent_marks
from nuggets.matches.replay import record_matches, replay_matches
from nuggets.matches.tally import counted_matches, finished_since, missing_matches, tally_matches
from nuggets.matches.trace import find_marked_item, find_marks
from nuggets.options import Matching
from scoring.release.recorded_acts import Matched, Reviewed

URLS: tuple[URLPattern, ...] = (
    path(f"{BENCH}matches/", matches.mark, name="matches-mark"),
    path(f"{BENCH}responses/", matches.response, name="matches-response"),
    path(f"{BENCH}reviews/", matches.review, name="matches-review"),
)


KIND = WorkKind(
    options=Matching,
    page=page,
    urls=URLS,
    tally=tally_matches,
    counted=counted_matches,
    settled=finished_since,
    missing=missing_matches,
    ledgers=((NuggetMatch, "assignment"), (ItemReview, "assignment")),
    asks_pooled=True,
    adjudication=MARKS,
    accepts=accepts_acts(Matched, Reviewed),
    record_machine=record_matches,
    questions=(agreement_questions.MATCHES,),
    trace={"nugget": find_marks, "wording": find_marks, "item": find_marked_item},
    recent=recent_marks,
    replay=replay_matches,
    acts=matched_acts,
    draft_uses=draft_uses,
    has_drafts=has_drafts,
    collectors={
        "item_matches": topic_matches,
        "other_judged": other_judged,
        "matches_of": matches_of,
        "reviews_of": reviews_of,
        "assigned": assigned,
        "match_labels": match_labels,
        "run_pieces": run_pieces,
    },
)
