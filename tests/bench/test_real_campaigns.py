"""The campaigns of real size, at a fiftieth of it: by the rules of the house, and of the size that they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from assess.adjudication.queries.disagreements import stages_to_settle, undecided
from assess.campaigns.models import Campaign
from assess.items.models import PoolItem
from assess.judging.models import Judgment
from assess.organising.queries.freezing import freeze_state
from bench.real_campaigns import SHAPES, Nuggets, Ranked, end_work, freeze, make
from nuggets.models import ItemReview, NuggetMatch

pytestmark = pytest.mark.django_db
SHARE = 0.02


@pytest.mark.parametrize("name", SHAPES)
def test_it_is_judged_by_the_rules_and_can_be_frozen(name: str) -> None:
    shape = SHAPES[name].smaller(SHARE)
    campaign = make(name, shape=shape)
    pooled = PoolItem.objects.filter(pool__campaign=campaign).count()
    if isinstance(shape, Ranked):
        assert pooled == shape.topics * shape.pooled
        assert Judgment.objects.count() == pooled * (2 if shape.disagree else 1)
        assert undecided(campaign, stages_to_settle(campaign)) == shape.disagree
    else:
        assert pooled == ItemReview.objects.count() == shape.topics * shape.runs * shape.strings
        assert NuggetMatch.objects.count() == shape.matches
    assert [issue.code for issue in freeze_state(campaign).errors] == ["not-done"]
    end_work(campaign, every=True)
    assert freeze_state(campaign).errors == ()
    freeze(name)
    assert Campaign.objects.get(slug=name).state == Campaign.State.FROZEN
    assert make(name).pk == campaign.pk


def test_the_full_sizes_are_those_of_the_real_ones() -> None:
    robust, tac = SHAPES["robust"], SHAPES["tac"]
    assert isinstance(robust, Ranked) and isinstance(tac, Nuggets)
    assert robust.topics * robust.pooled * 2 == 156_000
    strings, edits, votes = (
        tac.topics * tac.runs * tac.strings,
        tac.topics * (tac.nuggets + 1),
        tac.topics * tac.nuggets * tac.voters,
    )
    assert strings + edits + votes + tac.matches == 635_355


def test_a_real_one_comes_from_its_files(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "topics.txt").write_text("301\torganized crime\n302\tpolio\n")
    (tmp_path / "runs" / "one.txt").write_text("301 Q0 A1 1 2.0 one\n301 Q0 A2 2 1.0 one\n302 Q0 A3 1 1.0 one\n")
    (tmp_path / "qrels.txt").write_text("301 0 A1 1\n301 0 A2 0\n302 0 A3 2\n")
    campaign = make("covid", shape=SHAPES["covid"].smaller(SHARE), real=tmp_path)
    assert sorted(Judgment.objects.values_list("item__docno", "value")) == [("A1", 1), ("A2", 0), ("A3", 2)]
    assert campaign.memberships.filter(user__username="assessor1").exists()
