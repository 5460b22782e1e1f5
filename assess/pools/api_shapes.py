"""What calls about pools take and answer with."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from assess.items.models import Pool
from assess.pools.domain.strategy import WHOLE, WORDS


class PoolOut(serializers.ModelSerializer[Pool]):
    """A pool: the same runs give the same digest."""

    class Meta:
        model = Pool
        fields = ["id", "task", "recipe", "digest", "created_at"]


class StratumIn(serializers.Serializer[Any]):
    """Documents to this best rank (or of so many runs) that are in no stratum before, sampled at this rate."""

    bound = serializers.IntegerField()
    rate = serializers.FloatField()


class DepthIn(serializers.Serializer[Any]):
    """A depth for the runs of a priority."""

    priority = serializers.IntegerField()
    depth = serializers.IntegerField()


class ListedIn(serializers.Serializer[Any]):
    """A document that comes in whatever runs say."""

    topic = serializers.CharField()
    docno = serializers.CharField()


class PoolIn(serializers.Serializer[Any]):
    """What to pool. `drop_judged` lets judged items leave the pool.

    `strategy` and the numbers that it has say how documents of ranked lists are selected, as `build_pool` takes them;
    "whole" is what the track pools by itself. `lists` takes the first so many of every topic's document list, too.
    """

    task = serializers.CharField()
    priorities = serializers.ListField(
        child=serializers.IntegerField(), required=False, default=None, allow_null=True, max_length=100
    )
    drop_judged = serializers.BooleanField(required=False, default=False)
    strategy = serializers.ChoiceField(choices=WORDS, required=False, default=WHOLE)
    depth = serializers.IntegerField(required=False, allow_null=True)
    depths = DepthIn(many=True, required=False)
    budget = serializers.IntegerField(required=False, allow_null=True)
    k = serializers.IntegerField(required=False, allow_null=True)
    p = serializers.FloatField(required=False, allow_null=True)
    combine = serializers.ChoiceField(choices=["sum", "max"], required=False)
    strata = StratumIn(many=True, required=False)
    strata_by = serializers.ChoiceField(choices=["rank", "runs"], required=False)
    seed = serializers.IntegerField(required=False, allow_null=True)
    batch = serializers.IntegerField(required=False, allow_null=True)
    relevant_from = serializers.IntegerField(required=False, allow_null=True)
    lists = serializers.IntegerField(required=False, allow_null=True)
    union = ListedIn(many=True, required=False)
    minus_judged = serializers.BooleanField(required=False, default=False)


class TopicSizeOut(serializers.Serializer[Any]):
    """How many items of a topic are pooled, in how many documents."""

    number = serializers.CharField()
    items = serializers.IntegerField()
    documents = serializers.IntegerField()


class RunSizeOut(serializers.Serializer[Any]):
    """How many pooled items a run returned, and how many that no other run did."""

    tag = serializers.CharField()
    team = serializers.CharField()
    priority = serializers.IntegerField(allow_null=True)
    items = serializers.IntegerField()
    unique = serializers.IntegerField()


class KindSizeOut(serializers.Serializer[Any]):
    """How many items of a kind are pooled."""

    kind = serializers.CharField()
    items = serializers.IntegerField()


class PoolSummaryOut(serializers.Serializer[Any]):
    """A pool in numbers."""

    pool = PoolOut()
    items = serializers.IntegerField()
    kinds = KindSizeOut(many=True)
    topics = TopicSizeOut(many=True)
    runs = RunSizeOut(many=True)


class TopicPlanOut(serializers.Serializer[Any]):
    """How many documents a topic's pool has to each depth."""

    number = serializers.CharField()
    sizes = serializers.ListField(child=serializers.IntegerField())


class BroughtOut(serializers.Serializer[Any]):
    """What a run brings, and what no other run does."""

    name = serializers.CharField()
    documents = serializers.IntegerField()
    alone = serializers.IntegerField()


class OverlapOut(serializers.Serializer[Any]):
    """What two runs both bring, what either does, and the share."""

    first = serializers.CharField()
    second = serializers.CharField()
    both = serializers.IntegerField()
    either = serializers.IntegerField()
    share = serializers.FloatField(allow_null=True)


class PlanOut(serializers.Serializer[Any]):
    """Pools by depth before one is made; runs and overlaps to `depth`. `hours` is by depth, at `seconds` a document."""

    depth = serializers.IntegerField(allow_null=True)
    depths = serializers.ListField(child=serializers.IntegerField())
    totals = serializers.ListField(child=serializers.IntegerField())
    hours = serializers.ListField(child=serializers.FloatField())
    seconds = serializers.FloatField()
    topics = TopicPlanOut(many=True)
    runs = BroughtOut(many=True)
    overlaps = OverlapOut(many=True)


class TeamQualityOut(BroughtOut):
    """What a team brings, and what no other team does; the relevant ones among them."""

    relevant = serializers.IntegerField()
    relevant_alone = serializers.IntegerField()


class RunQualityOut(serializers.Serializer[Any]):
    """A run's unjudged shares at each k; its value and rank, and both without its team's own finds (null: unknown)."""

    run = serializers.CharField()
    team = serializers.CharField()
    unjudged = serializers.ListField(child=serializers.FloatField(allow_null=True))
    value = serializers.FloatField(allow_null=True)
    value_without = serializers.FloatField(allow_null=True)
    place = serializers.IntegerField(allow_null=True)
    place_without = serializers.IntegerField(allow_null=True)


class SettledOut(serializers.Serializer[Any]):
    """Kendall's tau-b with the ranking at the ledger point of an hour before, and its interval."""

    before = serializers.IntegerField()
    tau = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    runs = serializers.IntegerField()


class QualityOut(serializers.Serializer[Any]):
    """The newest pool of a task while it is judged. `scored_as_of` is the ledger point of values, ranks and tau."""

    as_of = serializers.IntegerField(allow_null=True)
    pooled = serializers.IntegerField()
    judged = serializers.IntegerField()
    relevant = serializers.IntegerField()
    ks = serializers.ListField(child=serializers.IntegerField())
    teams = TeamQualityOut(many=True)
    runs = RunQualityOut(many=True)
    growth = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    measure = serializers.CharField()
    scored_as_of = serializers.IntegerField(allow_null=True)
    settled = SettledOut(allow_null=True)
