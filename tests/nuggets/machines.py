"""What the state machines of nugget work share."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine

from assess.campaigns.queries import ledger_point
from tests import factories
from tests.nuggets.keys import key

QUICK = settings(
    max_examples=8,
    stateful_step_count=12,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


class Machine(RuleBasedStateMachine):
    """What all machines share: a transaction that is taken back, keys that never repeat, and the memory of points."""

    def __init__(self) -> None:
        super().__init__()
        self.keys = 0
        self.points: dict[int, Any] = {}
        self.atomic = transaction.atomic()
        self.atomic.__enter__()
        people = [User(username=name, password="!") for name in ("organiser", "author", "other")]  # hashing takes long
        organiser, self.author, self.other = User.objects.bulk_create(people)
        self.campaign = factories.campaign(organiser=organiser)
        texts = ["cheap", "light", "kind"]
        self.rigid = self.campaign.topics.get(number="1.1")
        self.squishy = self.campaign.topics.get(number="1.2")
        self.rigid_items = factories.pooled(self.rigid, texts)
        self.squishy_items = factories.pooled(self.squishy, texts)

    def as_of(self, point: int) -> Any:
        """What a query says was current at a ledger point; machines without such a query remember none."""
        raise NotImplementedError

    def teardown(self) -> None:
        """In the end every point that was remembered still gives what was current then; then all is taken back."""
        for point, state in self.points.items():
            assert self.as_of(point) == state, point
        transaction.set_rollback(True)
        self.atomic.__exit__(None, None, None)

    def key(self) -> Any:
        self.keys += 1
        return key(f"state {self.keys}")

    def remember(self, state: Any) -> None:
        """What is current at this ledger point."""
        self.points[ledger_point(self.campaign)] = state
