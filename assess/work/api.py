"""Assignments, and questions to the organiser."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.assignments import access as assignments_access
from assess.assignments.domain.assignments import (
    finish_assignment,
    open_assignment,
    reopen_assignment,
    return_assignment,
)
from assess.assignments.domain.leases import return_lapsed, take_up_again
from assess.assignments.domain.questions_to_organiser import answer_question, ask_organiser
from assess.assignments.models import Assignment, HelpRequest
from assess.assignments.queries.work_items import handle_of
from assess.base.errors import NotFound
from assess.campaigns.models import JUDGES, Role
from assess.campaigns.seats import Seat
from assess.topics import access as topics_access
from assess.web.api import SeatViewSet, checked, filter_parameters, narrowed
from assess.web.known_values import require_known
from assess.web.made_from import BeforeIn
from assess.web.scopes import JUDGE, ORGANISE
from assess.work.bulk import ACTS, act_on_selection, preview, selection_named
from assess.work.domain import (
    assign_seconds,
    balance_work,
    checked_sample,
    hand_out_assignments,
    hand_over,
    take_from_stack,
)

# Questions that assessors asked, for organisers.


class AnswerIn(BeforeIn):
    """The organiser's answer; `excuse` frees the assessor from judging the item."""

    answer = serializers.CharField()
    excuse = serializers.BooleanField(required=False, default=False)


class QuestionAnswerOut(serializers.ModelSerializer[HelpRequest]):
    """A question and its answer."""

    class Meta:
        model = HelpRequest
        fields = ["id", "assignment", "item", "text", "answer", "excused", "asked_at", "answered_at"]


class HelpViewSet(SeatViewSet):
    """Questions that assessors asked, for organisers."""

    serializer_class = QuestionAnswerOut

    @extend_schema(responses=QuestionAnswerOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """List all questions, newest first."""
        seat = self.seat(Role.ORGANISER)
        return self.paged(HelpRequest.objects.filter(assignment__campaign=seat.campaign), QuestionAnswerOut)

    @extend_schema(request=AnswerIn, responses=QuestionAnswerOut)
    @action(detail=True, methods=["post"])
    def answer(self, request: Request, slug: str, pk: int) -> Response:
        """Answer a question."""
        found = assignments_access.access_help_request(self.seat(Role.ORGANISER), pk)
        return Response(
            QuestionAnswerOut(answer_question(actor=self.user, request=found, **checked(AnswerIn, request))).data
        )


# The bodies and answers of calls about work: assignments, items, judgments, questions.


class ItemNumber(serializers.IntegerField):
    """The number by which an assessor knows an item in this assignment. `source` gives the item's id."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"read_only": True, **kwargs})

    def to_representation(self, value: int) -> int:
        """Return the item's number in this assignment."""
        return handle_of(self.context["assignment"], int(value))


class AssignmentOut(serializers.ModelSerializer[Assignment]):
    """An assignment. Organisers see whose it is; assessors see only their own.

    A started assignment has `done_at` if it was done before and then reopened because items were added.
    """

    topic = serializers.CharField(source="topic.number", read_only=True)
    assessor = serializers.CharField(source="assessor.username", read_only=True)

    class Meta:
        model = Assignment
        fields = ["id", "topic", "stage", "assessor", "role", "state", "started_at", "done_at"]


class AssignmentIn(serializers.Serializer[Any]):
    """Work to hand out."""

    topic = serializers.CharField()
    stage = serializers.CharField()
    assessor = serializers.CharField()
    role = serializers.CharField(required=False, default=Assignment.Role.PRIMARY)


class SecondIn(serializers.Serializer[Any]):
    """A sample of the topics for second assessors: a `share` (0 to 1), a `number`, or neither for all topics."""

    stages = serializers.ListField(child=serializers.CharField())
    share = serializers.FloatField(required=False, default=None, allow_null=True)
    number = serializers.IntegerField(required=False, default=None, allow_null=True)
    seed = serializers.IntegerField(required=False, default=1, min_value=0)


class BulkIn(serializers.Serializer[Any]):
    """An act on many assignments: `hand-out`, `hand-over`, `take-back` or `reopen`. It is done to all of them or to
    none.

    `pieces` are ids of assignments. `topics` and `stages` select all assignments in them that the act can be done to,
    and `of` narrows the selection to one person's. `to` and `role` say who gets the work that is handed out or over.
    With `dry_run` nothing is changed, and `refused` says what would be refused.
    """

    act = serializers.ChoiceField(choices=list(ACTS))
    pieces = serializers.ListField(child=serializers.IntegerField(), required=False, default=list)
    topics = serializers.ListField(child=serializers.CharField(), required=False, default=list)
    stages = serializers.ListField(child=serializers.CharField(), required=False, default=list)
    of = serializers.CharField(required=False, default="", allow_blank=True)
    to = serializers.CharField(required=False, default="", allow_blank=True)
    role = serializers.CharField(required=False, default=Assignment.Role.PRIMARY)
    dry_run = serializers.BooleanField(required=False, default=False)


class RefusedPieceOut(serializers.Serializer[Any]):
    """An assignment for which the act is refused, and the reason."""

    piece = serializers.CharField()
    reason = serializers.CharField()


class BulkOut(serializers.Serializer[Any]):
    """The assignments that were changed (or would be), and those that would be refused."""

    done = AssignmentOut(many=True)
    refused = RefusedPieceOut(many=True)


class HandOverIn(serializers.Serializer[Any]):
    """The person who continues an assignment."""

    to = serializers.CharField()


class TakeIn(serializers.Serializer[Any]):
    """The role in which a topic is taken from the stack: second or, if the campaign allows it, primary."""

    role = serializers.CharField(required=False, default=Assignment.Role.SECOND)


class AskedOut(QuestionAnswerOut):
    """One's own question with its answer; `item` is the number of the item in this assignment."""

    item = ItemNumber(source="item_id", allow_null=True)


class HelpIn(serializers.Serializer[Any]):
    """A question about an item, or about the whole topic if `item` is null."""

    item = serializers.IntegerField(required=False, default=None, allow_null=True)
    text = serializers.CharField()
    client_key = serializers.UUIDField()


FILTERS = {"state": "state", "stage": "stage", "topic": "topic__number", "assessor": "assessor__username"}


class AssignmentViewSet(SeatViewSet):
    """Assignments: all of them for organisers, one's own for assessors."""

    serializer_class = AssignmentOut
    scopes = {
        **dict.fromkeys(("take", "again", "ask", "finish", "open"), (JUDGE,)),
        **dict.fromkeys(("give_back", "reopen"), (JUDGE, ORGANISE)),  # assessors: their own; organisers: anybody's
    }

    @extend_schema(responses=AssignmentOut(many=True), parameters=filter_parameters(*FILTERS))
    def list(self, request: Request, slug: str) -> Response:
        """List the assignments that the caller may see."""
        seat = self.seat()
        require_known(request, seat, "stage", "topic", "assessor")
        return_lapsed(campaign=seat.campaign)
        return self.paged(narrowed(request, assignments_access.access_assignments(seat), FILTERS), AssignmentOut)

    @extend_schema(request=AssignmentIn, responses={201: AssignmentOut})
    def create(self, request: Request, slug: str) -> Response:
        """Hand out a stage of a topic."""
        seat = self.seat(Role.ORGANISER)
        values = checked(AssignmentIn, request)
        assessor = _member(values["assessor"])
        topic = topics_access.access_topic(seat, values["topic"])
        (made,) = hand_out_assignments(
            actor=self.user,
            campaign=seat.campaign,
            pieces=[(topic, values["stage"])],
            assessor=assessor,
            role=values["role"],
        )
        return Response(AssignmentOut(made).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=None, responses={201: AssignmentOut(many=True)})
    @action(detail=False, methods=["post"], pagination_class=None)
    def balance(self, request: Request, slug: str) -> Response:
        """Hand out evenly every stage that has no primary assessor; the answer lists the new assignments."""
        made = balance_work(actor=self.user, campaign=self.seat(Role.ORGANISER).campaign)
        return Response(AssignmentOut(made, many=True).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=SecondIn, responses={201: AssignmentOut(many=True)})
    @action(detail=False, methods=["post"], pagination_class=None)
    def second(self, request: Request, slug: str) -> Response:
        """Hand out a sample of the topics, or all of them, to second assessors; the answer lists the new
        assignments.
        """
        seat = self.seat(Role.ORGANISER)
        values = checked(SecondIn, request)
        sample = checked_sample(share=values["share"], number=values["number"], seed=values["seed"])
        made = assign_seconds(actor=self.user, campaign=seat.campaign, stages=values["stages"], sample=sample)
        return Response(AssignmentOut(made, many=True).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=BulkIn, responses=BulkOut)
    @action(detail=False, methods=["post"], pagination_class=None)
    def bulk(self, request: Request, slug: str) -> Response:
        """Hand out, hand over, take back or reopen many assignments: all that were chosen, or none (`some-refused`)."""
        campaign = self.seat(Role.ORGANISER).campaign
        values = checked(BulkIn, request)
        chosen = selection_named(
            campaign, pieces=values["pieces"], topics=values["topics"], stages=values["stages"], of=values["of"]
        )
        do = preview if values["dry_run"] else act_on_selection
        to = _member(values["to"]) if values["to"] else None
        outcome = do(
            actor=self.user, campaign=campaign, act=values["act"], selection=chosen, to=to, role=values["role"]
        )
        refused = [{"piece": piece.name, "reason": reason} for piece, reason in outcome.refused]
        return Response(BulkOut({"done": outcome.made, "refused": refused}).data)

    @extend_schema(request=TakeIn, responses={201: AssignmentOut(many=True)})
    @action(detail=False, methods=["post"], pagination_class=None)
    def take(self, request: Request, slug: str) -> Response:
        """Take the next topic from the stack, with all its stages that have to be done."""
        seat = self.seat(*JUDGES)
        made = take_from_stack(actor=self.user, campaign=seat.campaign, **checked(TakeIn, request))
        return Response(AssignmentOut(made, many=True).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=AssignmentOut)
    def retrieve(self, request: Request, slug: str, pk: int) -> Response:
        """Return one assignment."""
        assignment = assignments_access.access_assignments(self.seat()).filter(pk=pk).first()
        if assignment is None:
            raise NotFound
        return Response(AssignmentOut(assignment).data)

    @extend_schema(request=None, responses=AssignmentOut)
    @action(detail=True, methods=["post"])
    def open(self, request: Request, slug: str, pk: int) -> Response:
        """Open the assignment and start it."""
        return Response(AssignmentOut(open_assignment(actor=self.user, assignment=self._mine(pk))).data)

    @extend_schema(request=None, responses=AssignmentOut)
    @action(detail=True, methods=["post"])
    def finish(self, request: Request, slug: str, pk: int) -> Response:
        """Mark the assignment as done."""
        return Response(AssignmentOut(finish_assignment(actor=self.user, assignment=self._mine(pk))).data)

    @extend_schema(request=None, responses=AssignmentOut)
    @action(detail=True, methods=["post"])
    def reopen(self, request: Request, slug: str, pk: int) -> Response:
        """Reopen one's own finished assignment or, as organiser, anybody's."""
        seat = self.seat()
        assignment = self._any(seat, pk) if seat.is_organiser else self._mine(pk)
        return Response(AssignmentOut(reopen_assignment(actor=self.user, assignment=assignment)).data)

    @extend_schema(request=None, responses=AssignmentOut)
    @action(detail=True, methods=["post"], url_path="return")
    def give_back(self, request: Request, slug: str, pk: int) -> Response:
        """Give one's own assignment back or, as organiser, take one back."""
        assignment = self._any(self.seat(), pk)
        return Response(AssignmentOut(return_assignment(actor=self.user, assignment=assignment)).data)

    @extend_schema(request=None, responses=AssignmentOut)
    @action(detail=True, methods=["post"])
    def again(self, request: Request, slug: str, pk: int) -> Response:
        """Take up again an assignment that went back by itself, as long as nobody else has it."""
        assignment = assignments_access.access_own_assignment(self.seat(), pk)
        return Response(AssignmentOut(take_up_again(actor=self.user, assignment=assignment)).data)

    @extend_schema(request=HandOverIn, responses={201: AssignmentOut})
    @action(detail=True, methods=["post"], url_path="hand-over", url_name="hand-over")
    def hand_over(self, request: Request, slug: str, pk: int) -> Response:
        """Hand the assignment over to another assessor, who continues it; the answer is their assignment."""
        assignment = self._any(self.seat(Role.ORGANISER), pk)
        to = _member(checked(HandOverIn, request)["to"])
        made = hand_over(actor=self.user, assignment=assignment, to=to)
        return Response(AssignmentOut(made).data, status=status.HTTP_201_CREATED)

    @extend_schema(methods=["get"], responses=AskedOut(many=True))
    @extend_schema(methods=["post"], request=HelpIn, responses={201: AskedOut})
    @action(detail=True, methods=["get", "post"])
    def ask(self, request: Request, slug: str, pk: int) -> Response:
        """Return one's own questions in this assignment with the answers, newest first; or ask the organiser."""
        assignment = self._mine(pk)
        if request.method == "GET":
            return self.paged(assignment.help_requests.order_by("-id"), AskedOut, assignment=assignment)
        values = checked(HelpIn, request)
        item = assignments_access.access_work_item(assignment, values["item"]) if values["item"] is not None else None
        made = ask_organiser(
            actor=self.user, assignment=assignment, item=item, text=values["text"], client_key=values["client_key"]
        )
        return Response(AskedOut(made, context={"assignment": assignment}).data, status=status.HTTP_201_CREATED)

    @staticmethod
    def _any(seat: Seat, pk: int) -> Assignment:
        """Return an assignment that the seat may see. Raise NotFound if there is none."""
        found = assignments_access.access_assignments(seat).filter(pk=pk).first()
        if found is None:
            raise NotFound
        found.campaign = seat.campaign
        return found

    def _mine(self, pk: int) -> Assignment:
        return assignments_access.access_assignment(self.seat(), pk)


def _member(username: str) -> User:
    user = User.objects.filter(username=username).first()
    if user is None:
        raise NotFound("Nobody here has this user name. Send them an invitation instead.")
    return user
