"""The page of a campaign's members and of the links that invite people."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Case, Count, F, IntegerField, Q, Value, When
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess.assignments.domain.who_takes_work import set_takes_work
from assess.assignments.models import Assignment
from assess.assignments.own_teams import own_team_conflicts
from assess.assignments.queries.who_can_be_given_work import members_of
from assess.base.errors import Refused
from assess.campaigns.models import JUDGES, Campaign, Role
from assess.campaigns.seats import Seat, access_as_organiser
from assess.judging.models import Judgment
from assess.people.access import access_invitation, access_member
from assess.people.domain.invitations import INVITATION_DAYS, create_invitation, withdraw_invitation
from assess.people.domain.members import add_member, change_role, remove_member, role_values, why_kept
from assess.people.forms import InvitationForm, MemberForm, MemberRoleForm
from assess.people.queries import note_of_invitation, was_invited_by
from assess.practice.queries import practised_stages
from assess.web.page import render_page
from assess.web.requests import add_refusal, posted_yes_no
from assess.web.table import Column, choices_filter, csv_response, make_table

COLUMNS = (
    Column(key="name", label=gettext_lazy("Name"), value=lambda member: member.user.username, order="user__username"),
    Column(
        key="display",
        label=gettext_lazy("Display name"),
        value=lambda member: member.user.first_name,
        order="user__first_name",
    ),
    Column(key="role", label=gettext_lazy("Role"), order="role"),
    Column(key="team", label=gettext_lazy("Team"), order="team"),
    Column(key="note", label=gettext_lazy("Note"), value=lambda member: member.note or ""),
    Column(
        key="work",
        label=gettext_lazy("Work in hand"),
        value=lambda member: member.in_hand,
        order="in_hand",
        number=True,
    ),
    Column(
        key="done", label=gettext_lazy("Work done"), value=lambda member: member.finished, order="finished", number=True
    ),
    Column(
        key="takes",
        label=gettext_lazy("Takes work"),
        value=lambda member: "" if member.role not in JUDGES else "yes" if member.takes_work else "no more",
        order="takes_work",
    ),
    Column(key="judged", label=gettext_lazy("Judgments"), order="judged", number=True),
)
INVITATIONS_SHOWN = 10

FILTERS = (choices_filter("role", gettext_lazy("Role"), Role),)


@login_required
@require_safe
@never_cache
def people(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show members and open invitations."""
    return _page(request, access_as_organiser(request.user, slug))


@login_required
@require_POST
def member_add(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Give an account a role in the campaign."""
    seat = access_as_organiser(request.user, slug)
    form = MemberForm(request.POST, auto_id="member_%s")
    if not form.is_valid():
        return _page(request, seat, member_form=form)
    cleaned = form.cleaned_data
    user = User.objects.filter(username=cleaned["username"], is_active=True).first()
    if user is None:
        form.add_error("username", gettext("There is no account of this name. Invite the person by a link instead."))
        return _page(request, seat, member_form=form)
    try:
        add_member(actor=seat.user, campaign=seat.campaign, user=user, role=cleaned["role"], team=cleaned["team"])
    except Refused as refused:
        add_refusal(form, refused)
        return _page(request, seat, member_form=form)
    messages.success(
        request, gettext("%(user)s is %(label)s now.") % {"user": user, "label": Role(cleaned["role"]).label}
    )
    return redirect("people", slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def member_remove(request: HttpRequest, slug: str, membership_id: int) -> HttpResponse:
    """Say what removing a member does. When posted, remove the member."""
    seat = access_as_organiser(request.user, slug)
    member = access_member(seat, membership_id)
    if request.method == "POST":
        remove_member(actor=seat.user, campaign=seat.campaign, user=member.user, role=member.role)
        messages.success(
            request,
            gettext("%(user)s is no %(get_role_display)s any more.")
            % {"user": member.user, "get_role_display": member.get_role_display()},
        )
        return redirect("people", slug)
    member.campaign = seat.campaign
    return render_page(request, "assess/people/remove.html", seat, member=member, keeps=why_kept(member))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def member_role(request: HttpRequest, slug: str, membership_id: int) -> HttpResponse:
    """Give a member another role."""
    seat = access_as_organiser(request.user, slug)
    member = access_member(seat, membership_id)
    bound = request.method == "POST"
    form = MemberRoleForm(request.POST if bound else None, present=role_values(member))
    if bound and form.is_valid():
        try:
            change_role(
                actor=seat.user, campaign=seat.campaign, user=member.user, role=member.role, **form.cleaned_data
            )
        except Refused as refused:
            form.add_refusal(refused)
        else:
            messages.success(
                request,
                gettext("%(user)s is %(label)s now.")
                % {"user": member.user, "label": Role(form.cleaned_data["to"]).label},
            )
            return redirect("people", slug)
    status = 422 if form.errors else 200
    return render_page(request, "assess/people/role.html", seat, member=member, form=form, status=status)


@login_required
@require_POST
def member_takes_work(request: HttpRequest, slug: str, membership_id: int) -> HttpResponse:
    """Record whether a member takes more work."""
    seat = access_as_organiser(request.user, slug)
    member = access_member(seat, membership_id)
    takes = posted_yes_no(request, "takes")
    set_takes_work(actor=seat.user, campaign=seat.campaign, user=member.user, takes=takes)
    messages.success(
        request,
        (gettext("%(user)s takes work again.") if takes else gettext("%(user)s takes no more work."))
        % {"user": member.user},
    )
    return redirect("people", slug)


@login_required
@require_POST
@never_cache
def invitation_create(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Make an invitation and show its link, once."""
    seat = access_as_organiser(request.user, slug)
    form = InvitationForm(request.POST, auto_id="invitation_%s")
    if not form.is_valid():
        return _page(request, seat, invitation_form=form)
    try:
        _, token = create_invitation(actor=seat.user, campaign=seat.campaign, **form.cleaned_data)
    except Refused as refused:
        add_refusal(form, refused)
        return _page(request, seat, invitation_form=form)
    return _page(request, seat, link=request.build_absolute_uri(reverse("invitation", args=[token])))


@login_required
@require_POST
def invitation_withdraw(request: HttpRequest, slug: str, invitation_id: int) -> HttpResponse:
    """Withdraw an open invitation."""
    seat = access_as_organiser(request.user, slug)
    withdraw_invitation(actor=seat.user, invitation=access_invitation(seat, invitation_id))
    messages.success(request, gettext("The invitation is withdrawn. Its link leads nowhere now."))
    return redirect("people", slug)


def _page(
    request: HttpRequest,
    seat: Seat,
    *,
    member_form: MemberForm | None = None,
    invitation_form: InvitationForm | None = None,
    link: str = "",
) -> HttpResponseBase:
    work = Q(user__assignments__campaign=F("campaign"), user__assignments__topic__dropped=False)
    in_hand = work & Q(user__assignments__state__in=[Assignment.State.OPEN, Assignment.State.STARTED])
    rows = (
        members_of(seat.campaign)
        .select_related("user")
        .annotate(
            in_hand=Count("user__assignments", filter=in_hand),
            finished=Count("user__assignments", filter=work & Q(user__assignments__state=Assignment.State.DONE)),
            judged=_judgments_of_members(seat.campaign),
            note=note_of_invitation(),
            was_invited=was_invited_by(seat.user),
        )
    )
    table = make_table(
        request,
        rows,
        columns=COLUMNS,
        filters=FILTERS,
        search=("user__username", "user__first_name", "note", "team"),
        order="role",
    )
    if table.wants_csv:
        return csv_response(table, name="people.csv")
    invitations = seat.campaign.invitations.filter(accepted_at=None).select_related("created_by")
    shown = list(invitations[: INVITATIONS_SHOWN + 1])
    wrong = (member_form is not None and member_form.errors) or (invitation_form is not None and invitation_form.errors)
    return render_page(
        request,
        "assess/people/people.html",
        seat,
        table=table,
        judges=JUDGES,
        practised=practised_stages(seat.campaign),
        invitations=shown[:INVITATIONS_SHOWN],
        more_invitations=len(shown) > INVITATIONS_SHOWN,
        conflicts=own_team_conflicts(seat.campaign),
        now=timezone.now(),
        days=INVITATION_DAYS,
        link=link,
        member_form=member_form or MemberForm(auto_id="member_%s"),
        invitation_form=invitation_form or InvitationForm(auto_id="invitation_%s"),
        status=422 if wrong else 200,
    )


def _judgments_of_members(campaign: Campaign) -> Case:
    """Return an expression for the number of judgments of each member, including those changed since. One query.

    It counts the judgments of all members at once: a database that counts them member by member might read the whole
    ledger each time.
    """
    given = Judgment.objects.filter(assignment__campaign=campaign).order_by().values_list("assignment__assessor")
    counted = [When(user=person, then=Value(number)) for person, number in given.annotate(number=Count("*"))]
    return Case(*counted, default=Value(0), output_field=IntegerField())
