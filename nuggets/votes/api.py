"""Votes on nuggets."""

from __future__ import annotations

from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.assignments.access import access_work, held_work, reading_click
from assess.ledger.models import How
from assess.web.api import checked
from assess.web.batches import AnswerOut, answer_each
from assess.web.shapes import RowSerializer
from nuggets.votes.current import own_votes
from nuggets.votes.models import NuggetVote
from nuggets.votes.record import add_vote
from nuggets.writing.access import access_counting_list, access_nugget
from nuggets.writing.assignment_calls import AssignmentViewSet, KeyIn


class VoteOut(RowSerializer[NuggetVote]):
    """One row of the ledger of votes."""

    nugget = serializers.IntegerField(source="nugget.number", read_only=True)

    class Meta:
        model = NuggetVote
        fields = ["id", "nugget", "importance", "client_key", "created_at"]


class OwnVoteOut(serializers.Serializer[Any]):
    """The caller's current vote on a nugget."""

    nugget = serializers.IntegerField(source="number")
    importance = serializers.CharField()


class VoteIn(KeyIn):
    """A vote, which is vital or okay. The value null takes an earlier vote back. `list` is the one that the voter read:
    the vote is refused if the nugget means something else on the list that counts now.
    """

    nugget = serializers.IntegerField()
    list = serializers.IntegerField(source="nugget_list", required=False, default=None, allow_null=True)
    importance = serializers.CharField(allow_null=True)


class VotesIn(serializers.Serializer[Any]):
    """From 1 to 500 votes in the caller's own assignment. If an entry is repeated, the same row is returned."""

    entries = VoteIn(many=True)


class VoteAnswerOut(AnswerOut):
    """The result for one vote."""

    saved = VoteOut(allow_null=True)


@extend_schema_serializer(many=False)
class VoteAnswersOut(serializers.Serializer[Any]):
    """One answer for each entry, in order."""

    answers = VoteAnswerOut(many=True)


class VoteViewSet(AssignmentViewSet):
    """Votes on the nuggets of the frozen list."""

    serializer_class = VoteOut

    @extend_schema(responses=OwnVoteOut(many=True))
    def list(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """The current votes of the caller, and of those whose work the caller continues. No others are shown."""
        assignment = self.mine()
        found = access_counting_list(assignment)
        return self.paged(own_votes(found, assignment), OwnVoteOut)

    @extend_schema(request=VoteIn, responses={201: VoteOut})
    def create(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Add a vote. If the key is repeated, the first row is returned."""
        with reading_click(self.user, slug, assignment_pk):
            values = checked(VoteIn, request)
        return Response(self._saved(slug, assignment_pk, values), status=status.HTTP_201_CREATED)

    @extend_schema(request=VotesIn, responses={200: VoteAnswersOut})
    @action(detail=False, methods=["post"])
    def batch(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Cast several votes, each on its own: a refused entry does not stop the others from being saved."""
        access_work(self.user, slug, assignment_pk)
        return answer_each(request, VoteIn, partial(self._saved, slug, assignment_pk))

    def _saved(self, slug: str, assignment_pk: int, values: dict[str, Any]) -> dict[str, Any]:
        """Add one vote, and return the members of the answer. Refuse an unknown nugget, and what `add_vote` refuses."""
        with held_work(self.user, slug, assignment_pk) as held:
            sent = NuggetVote.objects.filter(client_key=values["client_key"])
            nugget = access_nugget(access_counting_list(held.assignment), values.pop("nugget"), sent=sent)
            row = add_vote(actor=self.user, held=held, nugget=nugget, how=How.API, **values)
        return dict(VoteOut(row).data)
