"""Assignments, control items among them, items set aside, and the questions that assessors ask the organiser."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from assess.base.fields import CharField, JSONField, TextField
from assess.campaigns.models import Campaign
from assess.items.models import Item
from assess.topics.models import Topic


class Assignment(models.Model):
    """One stage of one topic, given to one assessor. ``seed`` determines the order of items, independently of runs.

    After ``lease_until`` it returns to the stack by itself and keeps that time; done assignments, and those that
    somebody gave back, have none. When judging is stopped, unfinished assignments get the state ``STOPPED``. A done
    assignment that was reopened because items were added keeps ``done_at``. ``taken_over`` is the assignment that this
    one continues, ``chain_start`` the first assignment of that chain of hand-overs; both are None without a hand-over.
    """

    class Role(models.TextChoices):
        PRIMARY = "primary", gettext_lazy("primary assessor")
        SECOND = "second", gettext_lazy("second assessor")
        ADJUDICATOR = "adjudicator", gettext_lazy("adjudicator")
        MACHINE = "machine", gettext_lazy("machine judge")

    class State(models.TextChoices):
        OPEN = "open", gettext_lazy("open")
        STARTED = "started", gettext_lazy("started")
        DONE = "done", gettext_lazy("done")
        RETURNED = "returned", gettext_lazy("given back")
        STOPPED = "stopped", gettext_lazy("stopped")

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="assignments")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="assignments")
    stage = CharField(max_length=50)
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments")
    role = CharField(max_length=12, choices=Role, default=Role.PRIMARY)
    state = CharField(max_length=10, choices=State, default=State.OPEN)
    seed = models.PositiveBigIntegerField()
    lease_until = models.DateTimeField(null=True, blank=True)
    taken_over = models.ForeignKey("self", on_delete=models.PROTECT, related_name="handed_over", null=True, blank=True)
    chain_start = models.ForeignKey("self", on_delete=models.PROTECT, related_name="chain", null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["topic__ordinal", "topic_id", "stage", "id"]
        indexes = [models.Index(fields=["topic", "stage", "assessor", "role"], name="work_of_person")]
        constraints = [
            models.UniqueConstraint(
                fields=["topic", "stage", "assessor"], condition=~Q(state="returned"), name="one_live_assignment"
            ),
            models.UniqueConstraint(
                fields=["topic", "stage"],
                condition=Q(role="primary") & ~Q(state="returned"),
                name="one_primary_a_stage",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stage} of {self.topic_id}"

    @property
    def chain_start_or_own_id(self) -> int:
        """The id of the first assignment in its chain of hand-overs: its own id without a hand-over."""
        return self.chain_start_id or self.pk

    @property
    def has_grown(self) -> bool:
        """Whether it was done and is open again because something was added to it (`recheck_done_work`)."""
        return self.state == self.State.STARTED and self.done_at is not None

    @property
    def shown_state(self) -> str:
        """The state that pages show: "grown" if it has grown, otherwise its state."""
        return "grown" if self.has_grown else self.state

    @property
    def has_lapsed(self) -> bool:
        """Whether it went back because its lease ran out, rather than being given back, taken away or handed over."""
        return self.state == self.State.RETURNED and self.lease_until is not None


class NoticesSeen(models.Model):
    """The ledger point up to which an assessor has confirmed reading a campaign's notices.

    It is stored here and not in the browser, so that nobody gets the same notice twice.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    point = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "user"], name="one_place_in_the_notices")]

    def __str__(self) -> str:
        return f"{self.user} up to {self.point}"


class ControlItem(models.Model):
    """An item added unannounced to an assignment: either one judged before, or one whose answer is known.

    ``item`` is a copy of that item. ``expected`` maps criteria to the known values; if it is empty, the item is
    compared with the assessor's own first judgment of the repeated item. It is shown as item number ``place`` of the
    assignment, from 1.
    """

    class Kind(models.TextChoices):
        REPEAT = "repeat", gettext_lazy("judged before")
        GOLD = "gold", gettext_lazy("answer known")

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="control_items")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="control_items")
    kind = CharField(max_length=6, choices=Kind)
    expected = JSONField(default=dict, blank=True)
    place = models.PositiveIntegerField()

    class Meta:
        ordering = ["assignment", "place", "id"]
        constraints = [models.UniqueConstraint(fields=["assignment", "item"], name="planted_once")]

    def __str__(self) -> str:
        return f"{self.kind} in {self.assignment_id}"


class AsideReason(models.TextChoices):
    """Why an item is set aside."""

    LATER = "later", gettext_lazy("for later")
    APART = "apart", gettext_lazy("judged by itself, not with those like it")


class SetAside(models.Model):
    """An item that an assessor set aside: for later, until it is judged, or apart from similar ones. Never exported."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="set_aside")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="+")
    why = CharField(max_length=5, choices=AsideReason, default=AsideReason.LATER)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["assignment", "item", "why"], name="set_aside_once")]

    def __str__(self) -> str:
        return f"{self.item_id} in {self.assignment_id}"


class DecidedLater(models.Model):
    """A disagreement that an adjudicator set aside for later; this holds until it is decided. Never exported.

    ``thing`` is its name inside the site, within one criterion of one stage.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="+")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    stage = CharField(max_length=50)
    criterion = CharField(max_length=50)
    thing = CharField(max_length=50)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "person", "stage", "criterion", "thing"], name="decided_later_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.stage}: {self.thing}"


class HelpRequest(models.Model):
    """An assessor's question to the organiser about an item or a topic that they can't judge. Never exported."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="help_requests")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="help_requests", null=True, blank=True)
    text = TextField()
    client_key = models.UUIDField(unique=True)
    asked_at = models.DateTimeField(auto_now_add=True)
    answer = TextField(blank=True)
    excused = models.BooleanField(default=False)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.text[:80]
