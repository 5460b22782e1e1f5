"""Addresses of people and work: invitations, handing over, second assessors, what is planted and how they judge."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from assess.controls import views as plants
from assess.people.views import invitations
from assess.people.views import members as people
from assess.work.views import double_judging, handing_over

C = "c/<slug:slug>/"

urlpatterns: list[URLPattern | URLResolver] = [
    path(f"{C}people/<int:membership_id>/role/", people.member_role, name="member-role"),
    path(f"{C}people/<int:membership_id>/takes-work/", people.member_takes_work, name="member-takes-work"),
    path(f"{C}people/invitations/", invitations.invitations, name="invitations"),
    path(f"{C}people/invitations/list/", invitations.invitations_list, name="invitations-list"),
    path(f"{C}people/invitations/make/", invitations.invitations_make, name="invitations-make"),
    path(
        f"{C}assignments/<int:assignment_id>/hand-over/",
        handing_over.assignment_hand_over,
        name="assignment-hand-over",
    ),
    path(f"{C}assignments/second/", double_judging.double_judging, name="double-judging"),
    path(f"{C}assignments/plants/", plants.plants, name="plants"),
    path(f"{C}assignments/plants/remove/", plants.plants_remove, name="plants-remove"),
    path(f"{C}people/consistency/", plants.consistency, name="consistency"),
    path(f"{C}people/consistency/plot/", plants.consistency_plot, name="consistency-plot"),
    path(f"{C}settings/work/", handing_over.work_rules, name="work-rules"),
]
