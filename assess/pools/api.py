"""Pools: planned, built by a strategy, given in numbers, and examined while they are judged. For organisers."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.base.errors import Invalid
from assess.campaigns.models import Campaign, Role
from assess.campaigns.queries import LATELY, settings_of, track_of
from assess.campaigns.seats import Seat
from assess.items.models import Pool
from assess.jobs.api import JobOut
from assess.jobs.models import Job
from assess.pools import access as pools_access
from assess.pools.domain.building import task_named
from assess.pools.domain.planning import DEPTHS, TopicSizes, measured_pace, plan_numbers, require_read, task_rankings
from assess.pools.domain.quality import KS, quality_at_hand, quality_input
from assess.pools.domain.ranking_checks import Settled, checks_at_hand
from assess.pools.domain.start_jobs import start_pool
from assess.pools.domain.strategy import DEEPEST, WHOLE, WORDS, Selection, make_selection
from assess.pools.domain.summaries import summary_at_hand
from assess.pools.queries import KindSize, PoolSummary, RunSize, TopicSize
from assess.protocol import Task, ranked_recipe
from assess.web.api import SeatViewSet, checked, filter_parameters, narrowed, query_text
from assess.web.known_values import require_known
from assess.web.shapes import DataSerializer
from assess.web.turns import takes_turns
from scoring.pooling.analysis import Contribution, Overlap

# The bodies and answers of calls about pools.


class PoolOut(serializers.ModelSerializer[Pool]):
    """A pool: the same runs give the same digest."""

    class Meta:
        model = Pool
        fields = ["id", "task", "recipe", "digest", "created_at"]


class StratumIn(serializers.Serializer[Any]):
    """The documents up to this best rank (or number of runs) that are in no earlier stratum, sampled at this rate."""

    bound = serializers.IntegerField()
    rate = serializers.FloatField()


class DepthIn(serializers.Serializer[Any]):
    """The depth for runs of a priority."""

    priority = serializers.IntegerField()
    depth = serializers.IntegerField()


class ListedIn(serializers.Serializer[Any]):
    """A document that is pooled whether or not runs return it."""

    topic = serializers.CharField()
    docno = serializers.CharField()


class PoolIn(serializers.Serializer[Any]):
    """What to pool. `drop_judged` allows judged items to leave the pool.

    `strategy` and its numbers say how documents of ranked lists are selected, as `build_pool` takes them; "whole" is
    the track's own way. `lists` is the number of documents that are also taken from the top of every topic's document
    list.
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


class TopicSizeOut(DataSerializer):
    """The number of pooled items of a topic, and of their documents."""

    class Meta:
        of = TopicSize
        fields = ("number", "items", "documents")


class RunSizeOut(DataSerializer):
    """The number of pooled items that a run returned, and of those that no other run returned."""

    class Meta:
        of = RunSize
        fields = ("tag", "team", "priority", "items", "unique")


class KindSizeOut(DataSerializer):
    """The number of pooled items of a kind."""

    class Meta:
        of = KindSize
        fields = ("kind", "items")


class PoolSummaryOut(DataSerializer):
    """A pool in numbers."""

    pool = PoolOut()

    class Meta:
        of = PoolSummary
        fields = ("pool", "items", "kinds", "topics", "runs")


class TopicPlanOut(DataSerializer):
    """The number of documents in a topic's pool at each depth."""

    class Meta:
        of = TopicSizes
        fields = ("number", "sizes")


class RunContributionOut(DataSerializer):
    """The number of documents that a run contributes, and of those that no other run contributes."""

    class Meta:
        of = Contribution
        fields = ("name", "documents", "alone")


class OverlapOut(DataSerializer):
    """The number of documents that two runs both contribute, the number that either contributes, and the first as a
    share of the second.
    """

    class Meta:
        of = Overlap
        fields = ("first", "second", "both", "either", "share")


class PlanOut(serializers.Serializer[Any]):
    """The sizes of a pool at each depth, before it is built. Runs and overlaps are counted down to `depth`.

    `hours` is the time that judging takes at each depth, at `seconds` a document.
    """

    depth = serializers.IntegerField(allow_null=True)
    depths = serializers.ListField(child=serializers.IntegerField())
    totals = serializers.ListField(child=serializers.IntegerField())
    hours = serializers.ListField(child=serializers.FloatField())
    seconds = serializers.FloatField()
    topics = TopicPlanOut(many=True)
    runs = RunContributionOut(many=True)
    overlaps = OverlapOut(many=True)


class TeamQualityOut(RunContributionOut):
    """The number of documents that a team contributes, and of those that no other team contributes, each with the
    number of relevant ones among them.
    """

    relevant = serializers.IntegerField()
    relevant_alone = serializers.IntegerField()


class RunQualityOut(serializers.Serializer[Any]):
    """A run's unjudged share at each k, and its value and rank with and without the documents that only its team found.

    Null means unknown.
    """

    run = serializers.CharField()
    team = serializers.CharField()
    unjudged = serializers.ListField(child=serializers.FloatField(allow_null=True))
    value = serializers.FloatField(allow_null=True)
    value_without = serializers.FloatField(allow_null=True)
    place = serializers.IntegerField(allow_null=True)
    place_without = serializers.IntegerField(allow_null=True)


class SettledRankingOut(DataSerializer):
    """Kendall's tau-b between the current ranking and the ranking an hour ago (a ledger point), with its interval."""

    class Meta:
        of = Settled
        fields = ("before", "tau", "low", "high", "runs")


class QualityOut(serializers.Serializer[Any]):
    """The newest pool of a task while it is judged. `scored_as_of` is the ledger point of the values, ranks and tau."""

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
    settled = SettledRankingOut(allow_null=True)


# The calls.

ORGANISER = Role.ORGANISER
SECONDS_AN_HOUR = 3600


class PoolViewSet(SeatViewSet):
    """Pools, for organisers."""

    serializer_class = PoolOut

    @extend_schema(responses=PoolOut(many=True), parameters=filter_parameters("task"))
    def list(self, request: Request, slug: str) -> Response:
        """List all pools, newest first. The newest pool of a task is the one that counts."""
        seat = self.seat(ORGANISER)
        require_known(request, seat, "task")
        return self.paged(narrowed(request, seat.campaign.pools.all(), {"task": "task"}), PoolOut)

    @extend_schema(request=PoolIn, responses={201: PoolOut, 202: JobOut})
    def create(self, request: Request, slug: str) -> Response:
        """Build the pool of a task. Building the same pool again returns the existing one.

        Pools of large runs are built in the background: the answer is 202 with the job, which reports its result.
        """
        campaign = self.seat(ORGANISER).campaign
        values = checked(PoolIn, request)
        built = start_pool(
            actor=self.user,
            campaign=campaign,
            task=values["task"],
            priorities=values["priorities"],
            drop_judged=values["drop_judged"],
            selection=_selection(values),
        )
        if isinstance(built, Job):
            return Response(JobOut(built).data, status=status.HTTP_202_ACCEPTED)
        return Response(PoolOut(built).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=PoolSummaryOut)
    def retrieve(self, request: Request, slug: str, pk: int) -> Response:
        """Return a pool in numbers, by topic and by run."""
        found = pools_access.access_pool(self.seat(ORGANISER), pk)
        return Response(PoolSummaryOut(summary_at_hand(found, actor=self.user)).data)

    @extend_schema(responses=PlanOut, parameters=filter_parameters("task", "depth"))
    @action(detail=False)
    def plan(self, request: Request, slug: str) -> Response:
        """Return sizes by depth, contributions of runs, overlaps and hours for a task with ranked runs (default: the
        first).
        """
        campaign = self.seat(ORGANISER).campaign
        task = _task(campaign, query_text(request, "task"))
        return Response(PlanOut(_plan(campaign, task, query_text(request, "depth"))).data)

    @extend_schema(responses=QualityOut, parameters=filter_parameters("task"))
    @action(detail=False)
    @takes_turns
    def quality(self, request: Request, slug: str) -> Response:
        """Return how well the newest pool of a task with ranked runs serves them, while it is judged (default: the
        first such task).
        """
        seat = self.seat(ORGANISER)
        task = _task(seat.campaign, query_text(request, "task"))
        return Response(QualityOut(_quality(seat, task)).data)


def _selection(values: dict[str, Any]) -> Selection | None:
    said = dict(values)
    if "strata" in said:
        said["strata"] = tuple((each["bound"], each["rate"]) for each in said["strata"])
    if "depths" in said:
        said["depths"] = tuple((each["priority"], each["depth"]) for each in said["depths"])
    said["listed"] = tuple((each["topic"], each["docno"]) for each in said.get("union", ()))
    return make_selection(said)


def _task(campaign: Campaign, key: str) -> Task:
    """Return the named task; without a name, the first task with ranked runs, or else the first."""
    if key:
        return task_named(campaign, key)
    track = track_of(campaign)
    return next((task for task in track.tasks if ranked_recipe(track, task) is not None), track.tasks[0])


def _plan(campaign: Campaign, task: Task, text: str) -> dict[str, Any]:
    recipe = ranked_recipe(track_of(campaign), task)
    if text and not (text.isascii() and text.isdecimal() and 1 <= int(text) <= DEEPEST):
        raise Invalid(f"The depth must be a whole number from 1 to {DEEPEST:,}.")
    require_read(campaign, task)
    rankings = task_rankings(campaign, task)
    found: dict[str, Any] = {"depth": None, "depths": DEPTHS, "totals": [], "hours": [], "seconds": 0.0}
    if recipe is None or rankings is None:
        return {**found, "topics": [], "runs": [], "overlaps": []}
    numbers = sorted(campaign.topics.filter(task=task.key).values_list("number", flat=True))
    depth = int(text) if text else min(int(getattr(settings_of(campaign), recipe.depth_setting)), DEEPEST)
    plan, pace = plan_numbers(rankings, numbers, depth), measured_pace(campaign, task, recipe.kind)
    hours = [total * pace.seconds / SECONDS_AN_HOUR for total in plan.totals]
    found |= {"depth": depth, "totals": plan.totals, "hours": hours, "seconds": pace.seconds}
    return {**found, "topics": plan.topics, "runs": plan.runs, "overlaps": plan.overlaps}


def _quality(seat: Seat, task: Task) -> dict[str, Any]:
    campaign = seat.campaign
    require_read(campaign, task)
    stand = quality_input(campaign, task)
    found: dict[str, Any] = {"as_of": None, "pooled": 0, "judged": 0, "relevant": 0, "ks": KS, "growth": []}
    if stand is None:
        return {**found, "teams": [], "runs": [], "measure": "", "scored_as_of": None, "settled": None}
    seen = quality_at_hand(stand, actor=seat.user, within=LATELY)
    checks = checks_at_hand(stand, now=timezone.now()) if seen.judged else None
    moved = {each.run: each for each in checks.left_out} if checks is not None else {}
    names = ("value", "value_without", "place", "place_without")
    runs = [
        {
            "run": run,
            "team": stand.teams.get(run, ""),
            "unjudged": shares,
            **{name: getattr(moved.get(run), name, None) for name in names},
        }
        for run, shares in sorted(seen.unjudged.items())
    ]
    found |= {"as_of": seen.as_of, "pooled": seen.pooled, "judged": seen.judged, "relevant": seen.relevant}
    return {
        **found,
        "growth": seen.growth,
        "teams": seen.teams,
        "runs": runs,
        "measure": checks.measure if checks is not None else "",
        "scored_as_of": checks.as_of if checks is not None else None,
        "settled": checks.settled if checks is not None else None,
    }
