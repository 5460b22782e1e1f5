"""Votes on nuggets."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from assess.assignments.access import held_work
from assess.ledger.models import How
from assess.web.api import checked
from assess.web.shapes import RowSerializer
from nuggets.votes.current import own_votes
from nuggets.votes.models import NuggetVote
from nuggets.votes.record import add_vote
from nuggets.writing.access import access_counting_list, access_nugget
from nuggets.writing.api import AssignmentViewSet, CastOut, KeyIn


class VoteOut(RowSerializer[NuggetVote]):
    """One row of the ledger of votes."""

    nugget = serializers.IntegerField(source="nugget.number", read_only=True)

    class Meta:
        model = NuggetVote
        fields = ["id", "nugget", "importance", "client_key", "created_at"]


class VoteIn(KeyIn):
    """vital or okay; null takes the vote back."""

    nugget = serializers.IntegerField()
    importance = serializers.CharField(allow_null=True)


class VoteViewSet(AssignmentViewSet):
    """Votes on the nuggets of the frozen list."""

    serializer_class = VoteOut

    @extend_schema(operation_id="votes_list", responses=CastOut(many=True))
    def list(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """One's own current votes; nobody else's are shown."""
        assignment = self.mine()
        found = access_counting_list(assignment)
        return self.paged(own_votes(found, assignment), CastOut)

    @extend_schema(request=VoteIn, responses={201: VoteOut})
    def create(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Vote. The same key again answers with the first row."""
        with held_work(self.user, slug, assignment_pk) as held:
            values = checked(VoteIn, request)
            nugget = access_nugget(access_counting_list(held.assignment), values.pop("nugget"))
            row = add_vote(actor=self.user, held=held, nugget=nugget, how=How.API, **values)
        return Response(VoteOut(row).data, status=status.HTTP_201_CREATED)
