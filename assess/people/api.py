"""Members of a campaign, invitations, and the caller's own tokens."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.models import User
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.assignments.domain.who_takes_work import set_takes_work
from assess.assignments.queries.who_can_be_given_work import members_of
from assess.base.errors import NotFound
from assess.campaigns.models import JUDGES, Membership, Role
from assess.people import access
from assess.people.domain.acting_for import create_password_link, rename_member
from assess.people.domain.invitations import InvitedPerson, create_invitation, invite_many, withdraw_invitation
from assess.people.domain.members import add_member, change_role, remove_member
from assess.people.domain.tokens import create_token, revoke_token
from assess.people.models import ApiToken, Invitation
from assess.people.queries import note_of_invitation, tokens_of
from assess.web.api import OneNegotiation, SeatViewSet, checked
from assess.web.made_from import BeforeIn
from assess.web.scopes import JUDGE, ORGANISE, SCOPES, HeldToken
from assess.web.strict_calls import StrictCalls

ORGANISER = Role.ORGANISER


class MemberOut(serializers.ModelSerializer[Membership]):
    """A member and their role."""

    username = serializers.CharField(source="user.username", read_only=True)

    class Meta:
        model = Membership
        fields = ["username", "role", "team"]


class MemberListedOut(MemberOut):
    """A member, whether they can log in, and whether they take work.

    Closed accounts and those of published judgments can't log in. Organisers see `display_name` beside the account;
    `note` is that of the invitation with which the member came.
    """

    can_log_in = serializers.BooleanField(read_only=True)
    display_name = serializers.CharField(source="user.first_name", read_only=True)
    note = serializers.CharField(read_only=True, allow_null=True)

    class Meta(MemberOut.Meta):
        fields = [*MemberOut.Meta.fields, "display_name", "note", "can_log_in", "takes_work"]


class NameIn(BeforeIn):
    """A member's account by its current name, and its new login name and display name."""

    username = serializers.CharField()
    name = serializers.CharField(max_length=150)
    display_name = serializers.CharField(max_length=150, allow_blank=True)


class NameOut(serializers.Serializer[Any]):
    """The new names of an account."""

    username = serializers.CharField()
    display_name = serializers.CharField(source="first_name")


class PasswordLinkIn(serializers.Serializer[Any]):
    """The person for whom the link is made."""

    username = serializers.CharField()


class PasswordLinkOut(serializers.Serializer[Any]):
    """The link for a new password (`url`, which ends with its token), shown only once, and the time until which it
    works.
    """

    token = serializers.CharField()
    url = serializers.CharField()
    expires_at = serializers.DateTimeField()


class MemberIn(serializers.Serializer[Any]):
    """A person with an account, and their role."""

    username = serializers.CharField()
    role = serializers.CharField()
    team = serializers.CharField(required=False, default="", allow_blank=True)


class InvitationOut(serializers.ModelSerializer[Invitation]):
    """An invitation. Its token is shown only once, when it is made."""

    class Meta:
        model = Invitation
        fields = ["id", "role", "team", "note", "expires_at", "accepted_at"]


class InvitationIn(serializers.Serializer[Any]):
    """The role of an invited person, with a team and a note."""

    role = serializers.CharField()
    team = serializers.CharField(required=False, default="", allow_blank=True)
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=200)


class InvitationListIn(serializers.Serializer[Any]):
    """The people to invite, all or none. `client_key` makes the call safe to repeat: the second call is refused."""

    client_key = serializers.UUIDField()
    invitations = InvitationIn(many=True)


class InvitationMadeOut(serializers.Serializer[Any]):
    """A new invitation and the address to send to the invited person (`url`, which ends with the token), shown only
    once.
    """

    id = serializers.IntegerField()
    token = serializers.CharField()
    url = serializers.CharField()


class InvitationLinkOut(serializers.Serializer[Any]):
    """An invited person and the address to send to them (`url`, which ends with the token), shown only once."""

    role = serializers.CharField()
    team = serializers.CharField()
    note = serializers.CharField()
    token = serializers.CharField()
    url = serializers.CharField()


class RoleIn(BeforeIn):
    """A member's current role, and the role that replaces it."""

    username = serializers.CharField()
    role = serializers.CharField()
    to = serializers.CharField()
    team = serializers.CharField(required=False, default="", allow_blank=True)


class TakesWorkIn(serializers.Serializer[Any]):
    """Whether an assessor takes more work."""

    username = serializers.CharField()
    takes_work = serializers.BooleanField()


class MemberViewSet(SeatViewSet):
    """The campaign's members, for organisers."""

    serializer_class = MemberOut
    scopes = {"takes_work": (JUDGE, ORGANISE)}

    @extend_schema(responses=MemberListedOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """List the people who are members, without machine judges. Only members who can log in can be given work."""
        members = members_of(self.seat(ORGANISER).campaign).select_related("user")
        return self.paged(members.annotate(note=note_of_invitation()), MemberListedOut)

    @extend_schema(request=MemberIn, responses={201: MemberOut})
    def create(self, request: Request, slug: str) -> Response:
        """Give an account a role in the campaign. A closed account is refused like an unknown one."""
        seat = self.seat(ORGANISER)
        values = checked(MemberIn, request)
        user = _user(values.pop("username"), is_active=True)
        made = add_member(actor=self.user, campaign=seat.campaign, user=user, **values)
        return Response(MemberOut(made).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=RoleIn, responses=MemberOut)
    @action(detail=False, methods=["post"], url_path="change-role", url_name="change-role", pagination_class=None)
    def change_role(self, request: Request, slug: str) -> Response:
        """Give a member another role."""
        seat = self.seat(ORGANISER)
        values = checked(RoleIn, request)
        user = _user(values.pop("username"))
        return Response(MemberOut(change_role(actor=self.user, campaign=seat.campaign, user=user, **values)).data)

    @extend_schema(request=NameIn, responses=NameOut)
    @action(detail=False, methods=["post"], pagination_class=None)
    def rename(self, request: Request, slug: str) -> Response:
        """Give a member's account another login name and a display name."""
        seat = self.seat(ORGANISER)
        values = checked(NameIn, request)
        user = _user(values.pop("username"))
        return Response(NameOut(rename_member(actor=self.user, campaign=seat.campaign, user=user, **values)).data)

    @extend_schema(request=PasswordLinkIn, responses={201: PasswordLinkOut})
    @action(detail=False, methods=["post"], url_path="password-link", url_name="password-link", pagination_class=None)
    def password_link(self, request: Request, slug: str) -> Response:
        """Make a link with which a member sets a new password. Earlier links stop working."""
        seat = self.seat(ORGANISER)
        user = _user(checked(PasswordLinkIn, request)["username"])
        link, token = create_password_link(actor=self.user, campaign=seat.campaign, user=user)
        made = {"token": token, "url": _url(request, "new-password", token), "expires_at": link.expires_at}
        return Response(PasswordLinkOut(made).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=TakesWorkIn, responses={204: None})
    @action(detail=False, methods=["post"], url_path="takes-work", url_name="takes-work", pagination_class=None)
    def takes_work(self, request: Request, slug: str) -> Response:
        """Record whether somebody takes more work. Assessors do so for themselves, organisers for everybody."""
        seat = self.seat(ORGANISER, *JUDGES)
        values = checked(TakesWorkIn, request)
        user = self.user
        if values["username"] != user.username:
            seat, user = self.seat(ORGANISER), _user(values["username"])
        set_takes_work(actor=self.user, campaign=seat.campaign, user=user, takes=values["takes_work"])
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=MemberIn, responses={204: None})
    @action(detail=False, methods=["post"])
    def remove(self, request: Request, slug: str) -> Response:
        """End a membership. Refused for the last organiser, and while the member has work."""
        seat = self.seat(ORGANISER)
        values = checked(MemberIn, request)
        remove_member(actor=self.user, campaign=seat.campaign, user=_user(values["username"]), role=values["role"])
        return Response(status=status.HTTP_204_NO_CONTENT)


class InvitationViewSet(SeatViewSet):
    """Invitations, for organisers."""

    serializer_class = InvitationOut

    @extend_schema(responses=InvitationOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """List all invitations, newest first."""
        return self.paged(self.seat(ORGANISER).campaign.invitations.all(), InvitationOut)

    @extend_schema(request=InvitationIn, responses={201: InvitationMadeOut})
    def create(self, request: Request, slug: str) -> Response:
        """Make an invitation. Only this answer shows the address to send."""
        seat = self.seat(ORGANISER)
        made, token = create_invitation(actor=self.user, campaign=seat.campaign, **checked(InvitationIn, request))
        shown = {"id": made.pk, "token": token, "url": _url(request, "invitation", token)}
        return Response(InvitationMadeOut(shown).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=InvitationListIn, responses={201: InvitationLinkOut(many=True)})
    @action(detail=False, methods=["post"], pagination_class=None)
    def many(self, request: Request, slug: str) -> Response:
        """Invite many people, all or none. Only this answer shows the addresses to send."""
        seat = self.seat(ORGANISER)
        values = checked(InvitationListIn, request)
        rows = [InvitedPerson(line=line, **each) for line, each in enumerate(values["invitations"], start=1)]
        key = values["client_key"]
        made = invite_many(actor=self.user, campaign=seat.campaign, rows=rows, client_key=key, name="The call")
        links = [
            {
                "role": row.role,
                "team": row.team,
                "note": row.note,
                "token": token,
                "url": _url(request, "invitation", token),
            }
            for row, token in made
        ]
        return Response(InvitationLinkOut(links, many=True).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, slug: str, pk: int) -> Response:
        """Withdraw an unused invitation."""
        seat = self.seat(ORGANISER)
        withdraw_invitation(actor=self.user, invitation=access.access_invitation(seat, pk))
        return Response(status=status.HTTP_204_NO_CONTENT)


def _url(request: Request, page: str, token: str) -> str:
    return request.build_absolute_uri(reverse(page, args=[token]))


def _user(username: str, **which: bool) -> User:
    user = User.objects.filter(username=username, **which).first()
    if user is None:
        raise NotFound("Nobody here has this user name. Send them an invitation instead.")
    return user


# The caller's own tokens, which belong to no campaign.


class TokenOut(serializers.ModelSerializer[ApiToken]):
    """One of the caller's tokens, without its text. `last_used_at` may be an hour behind."""

    scopes = serializers.ListField(child=serializers.ChoiceField(choices=list(SCOPES)), source="scope_list")

    class Meta:
        model = ApiToken
        fields = ["id", "name", "scopes", "created_at", "expires_at", "last_used_at"]


class TokenMadeOut(TokenOut):
    """A new token with the text that programs send, which is shown only once."""

    token = serializers.CharField()

    class Meta(TokenOut.Meta):
        fields = [*TokenOut.Meta.fields, "token"]


class TokenIn(serializers.Serializer[Any]):
    """The purpose of the token, its scopes, and its lifetime in days (null: until it is revoked)."""

    name = serializers.CharField(max_length=100)
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=list(SCOPES)))
    days = serializers.IntegerField(required=False, allow_null=True, default=None)


class TokenViewSet(StrictCalls, viewsets.GenericViewSet[Any]):
    """The caller's own tokens. A call with a token can list them and revoke that token; anything else needs a login."""

    queryset = None
    filter_backends: list[Any] = []
    serializer_class = TokenOut
    content_negotiation_class = OneNegotiation

    @extend_schema(responses=TokenOut(many=True))
    def list(self, request: Request) -> Response:
        """List the tokens that are not revoked, newest first."""
        page = self.paginate_queryset(tokens_of(cast(User, request.user)))
        return self.get_paginated_response(TokenOut(page, many=True).data)

    @extend_schema(request=TokenIn, responses={201: TokenMadeOut})
    def create(self, request: Request) -> Response:
        """Make a token. Only this answer shows its text. Calls with a token are refused."""
        values = checked(TokenIn, request)
        made, text = create_token(actor=cast(User, request.user), by=_held(request), **values)
        return Response({**TokenOut(made).data, "token": text}, status=status.HTTP_201_CREATED)

    @extend_schema(request=None, responses={204: None})
    def destroy(self, request: Request, pk: int) -> Response:
        """Revoke a token. A call with a token can revoke only that token."""
        person = cast(User, request.user)
        revoke_token(actor=person, token=access.access_token(person, pk), by=_held(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


def _held(request: Request) -> HeldToken | None:
    return request.auth if isinstance(request.auth, HeldToken) else None
