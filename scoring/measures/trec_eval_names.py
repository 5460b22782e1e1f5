"""Translates trec_eval's names of measures (`map`, `P_10`, `ndcg_cut.10,20`, `all_trec`) and the further spellings of
ir-measures.

trec_eval writes a parameter after a dot in calls (`-m P.10`) and after an underscore in its output (`P_10`). Both forms
are accepted, and a family without a parameter means its usual cutoffs. Source: trec_eval 9.0, `-h -m`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_PLAIN = {
    "map": "AP",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "infAP": "infAP",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_q": "NumQ",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    "set_map": "SetAP",
}
_RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_FAMILIES: Mapping[str, tuple[str, tuple[float, ...]]] = {
    "P": ("P", _RANKS),
    "recall": ("R", _RANKS),
    "ndcg_cut": ("nDCG", _RANKS),
    "map_cut": ("AP", _RANKS),
    "success": ("Success", (1, 5, 10)),
    "iprec_at_recall": ("IPrec", tuple(tenth / 10 for tenth in range(11))),
}
_SETS: Mapping[str, tuple[str, ...]] = {
    "official": ("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "Rprec", "bpref", "recip_rank",
                 "iprec_at_recall", "P"),
    "set": ("num_q", "num_ret", "num_rel", "num_rel_ret", "set_P", "set_recall", "set_F", "set_map"),
    "all_trec": ("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "Rprec", "bpref", "recip_rank",
                 "iprec_at_recall", "P", "recall", "infAP", "set_P", "set_recall", "set_map", "set_F", "ndcg",
                 "ndcg_cut", "map_cut", "success"),
}  # fmt: skip
NOT_COMPUTED = {
    "gm_map", "gm_bpref", "11pt_avg", "Rprec_mult", "utility", "relstring", "relative_P", "set_relative_P", "ndcg_rel",
    "Rndcg", "binG", "G", "num_nonrel_judged_ret", "runid",
}  # fmt: skip
"""Measures of trec_eval that nothing here computes. `all_trec` and similar sets leave them out."""

_LIBRARY = {
    "MAP": "AP", "MRR": "RR", "NDCG": "nDCG", "Precision": "P", "Recall": "R", "RPrec": "Rprec", "BPref": "Bpref",
    "α_nDCG": "alpha_nDCG", "α_DCG": "alpha_DCG", "alpha-nDCG": "alpha_nDCG", "alpha-DCG": "alpha_DCG",
    "MAP_IA": "AP_IA", "SetRelP": "SetP",
}  # fmt: skip
_IN_OTHER_LETTERS = {name.casefold(): measure for name, measure in _LIBRARY.items()}
"""The same names in small letters, as in "recall@5" and "mrr@10"."""

NAMES = (*(name for name in _LIBRARY if name.isascii()), *_SETS, *_FAMILIES, *_PLAIN)


def measures_called(text: str) -> list[str]:
    """Return the measures that a name of trec_eval or ir-measures stands for, in the spelling used here. Any other text
    is returned without the blanks around it.

    >>> measures_called("map"), measures_called("P.5,10"), measures_called("ndcg_cut_10"), measures_called("AP(rel=2)")
    (['AP'], ['P@5', 'P@10'], ['nDCG@10'], ['AP(rel=2)'])
    """
    text = text.strip()
    if text in _SETS:
        return [name for each in _SETS[text] for name in measures_called(each)]
    if text in _PLAIN:
        return [_PLAIN[text]]
    shape = re.fullmatch(r"([A-Za-z_]+?)(?:[._](\d[\d.]*(?:,\d[\d.]*)*))?", text, re.ASCII)
    if shape is not None and shape[1] in _FAMILIES:
        name, usual = _FAMILIES[shape[1]]
        chosen = shape[2].split(",") if shape[2] else [f"{each:g}" for each in usual]
        return [f"{name}@{_shortest(each)}" for each in chosen]
    return [_library_spelling(text)]


def _shortest(number: str) -> str:
    """Return a number without zeros after its decimals: "0.10" becomes "0.1", and "10" stays."""
    return number.rstrip("0").rstrip(".") if "." in number else number


def _library_spelling(text: str) -> str:
    """Return one of ir-measures' names in the spelling used here. This includes the parameter by which ir-measures
    chooses the formula of gains.
    """
    shape = re.match(r"[^(@\s]+", text)
    name = shape.group() if shape else text
    rest = text[len(name) :]
    rest = re.sub(r"""dcg\s*=\s*(['"]?)exp-log2\1""", "exp=true", rest)
    rest = re.sub(r"""dcg\s*=\s*(['"]?)log2\1""", "exp=false", rest)
    return _LIBRARY.get(name, _IN_OTHER_LETTERS.get(name.casefold(), name)) + rest
