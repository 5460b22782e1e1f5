"""Addresses of the API, gathered from the apps."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.routers import SimpleRouter

from assess.api import campaigns, work

router = SimpleRouter()
router.register("campaigns", campaigns.CampaignViewSet, "api-campaign")
inside = r"campaigns/(?P<slug>[a-z0-9-]+)/"
router.register(inside + "guidelines", campaigns.GuidelineViewSet, "api-guideline")
router.register(inside + "members", campaigns.MemberViewSet, "api-member")
router.register(inside + "invitations", campaigns.InvitationViewSet, "api-invitation")
router.register(inside + "assignments", work.AssignmentViewSet, "api-assignment")
router.register(inside + "questions", work.HelpViewSet, "api-help")

urlpatterns: list[URLPattern | URLResolver] = [
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    *router.urls,
]
