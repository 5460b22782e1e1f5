"""Names of measures as trec_eval's users type them."""

from __future__ import annotations

import pytest

from scoring.measures import parse
from scoring.measures.ranked_values import refuse_uncomputed
from scoring.measures.spec import UnknownMeasure
from scoring.measures.trec_eval_names import NAMES, NOT_COMPUTED, measures_called


@pytest.mark.parametrize(
    ("text", "measures"),
    [
        ("map", ["AP"]),
        (" recip_rank ", ["RR"]),
        ("P_10", ["P@10"]),
        ("P.10", ["P@10"]),
        ("P.5,10", ["P@5", "P@10"]),
        ("P", [f"P@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]),
        ("ndcg_cut_10", ["nDCG@10"]),
        ("recall_1000", ["R@1000"]),
        ("map_cut.100", ["AP@100"]),
        ("success_1", ["Success@1"]),
        ("iprec_at_recall_0.10", ["IPrec@0.1"]),
        ("set_map", ["SetAP"]),
        ("MRR@10", ["RR@10"]),
        ("NDCG", ["nDCG"]),
        ("alpha-nDCG@20", ["alpha_nDCG@20"]),
        ("α_nDCG@20", ["alpha_nDCG@20"]),
        ("nDCG(dcg='exp-log2')@10", ["nDCG(exp=true)@10"]),
        ("nDCG(dcg=log2)@10", ["nDCG(exp=false)@10"]),
        ("AP(rel=2)@100", ["AP(rel=2)@100"]),
        ("gm_map", ["gm_map"]),
    ],
)
def test_names_are_understood(text: str, measures: list[str]) -> None:
    assert measures_called(text) == measures


def test_every_name_leads_to_measures_that_are_computed() -> None:
    for text in (each for name in NAMES for each in measures_called(name)):
        needs_cutoff = text in {"P", "R", "alpha_nDCG", "alpha_DCG"}
        refuse_uncomputed(parse(f"{text}@10" if needs_cutoff else text))


def test_all_trec_leaves_out_what_is_not_computed_alone() -> None:
    assert len(measures_called("all_trec")) == 64
    assert not NOT_COMPUTED & set(NAMES)


@pytest.mark.parametrize(
    ("text", "meant"), [("nDGC@10", "nDCG"), ("ndcg_cutt", "ndcg_cut"), ("mpa", "map"), ("nugetF", "nuggetF")]
)
def test_what_was_probably_meant_is_offered(text: str, meant: str) -> None:
    with pytest.raises(UnknownMeasure, match=f"did you mean {meant}"):
        parse(text)
