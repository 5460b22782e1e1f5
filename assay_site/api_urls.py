"""Addresses of the API, gathered from the apps."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.urls import URLPattern, URLResolver, path
from django.views.decorators.csrf import csrf_exempt
from rest_framework.routers import SimpleRouter

from assess.adjudication import api as disagreements
from assess.analysis import api as statistics
from assess.controls import api as controls
from assess.documents.api import clusters as documents_clusters
from assess.documents.api import documents
from assess.documents.api import lists as documents_lists
from assess.documents.api import translations as documents_translations
from assess.jobs import api as jobs
from assess.kinds.grade import api as grade
from assess.machines import api as judges
from assess.organising.api import campaigns as organising_campaigns
from assess.organising.api import designs as organising_designs
from assess.organising.api import topics as organising_topics
from assess.organising.api import tracks as organising_tracks
from assess.people import api as people_api
from assess.pools import api as pools
from assess.practice import api as practice
from assess.progress import api as progress
from assess.releases import api as releases
from assess.releases import site_api as site_jobs
from assess.replay import api as replay
from assess.runs import api as runs
from assess.scores import api as results
from assess.topic_drafts import api as topic_drafts
from assess.topics import api as topics_api
from assess.user_agreements import api as user_agreements
from assess.webhooks import api as webhooks
from assess.work import api as work
from nuggets.classes import api as classes
from nuggets.matches import api as matches_api
from nuggets.votes import api as votes_api
from nuggets.writing import api as lists

router = SimpleRouter()
router.register("campaigns", organising_campaigns.CampaignViewSet, "api-campaign")
inside = r"campaigns/(?P<slug>[a-z0-9-]+)/"
router.register(inside + "guidelines", organising_campaigns.GuidelineViewSet, "api-guideline")
router.register(inside + "members", people_api.MemberViewSet, "api-member")
router.register(inside + "invitations", people_api.InvitationViewSet, "api-invitation")
router.register(inside + "jobs", jobs.JobViewSet, "api-job")
router.register(inside + "runs", runs.RunViewSet, "api-run")
router.register(inside + "pools", pools.PoolViewSet, "api-pool")
router.register(inside + "assignments", work.AssignmentViewSet, "api-assignment")
router.register(inside + "topic-drafts", topic_drafts.TopicDraftViewSet, "api-topic-draft")
router.register(inside + "practice", practice.PracticeViewSet, "api-practice")
router.register(inside + "control-items", controls.ControlItemViewSet, "api-control-item")
router.register(inside + "disagreements", disagreements.DisagreementViewSet, "api-disagreement")
router.register(inside + "machines", judges.MachineViewSet, "api-machine")
router.register(inside + "questions", work.HelpViewSet, "api-help")
router.register(inside + "progress", progress.ProgressViewSet, "api-progress")
router.register(inside + "exports", results.ExportViewSet, "api-export")
router.register(inside + "releases", releases.ReleaseViewSet, "api-release")
router.register(inside + "scores", results.ScoreViewSet, "api-score")
router.register(inside + "agreement", statistics.AgreementViewSet, "api-agreement")
router.register(inside + "stability", statistics.StabilityViewSet, "api-stability")
router.register(inside + "significance", statistics.SignificanceViewSet, "api-significance")
router.register(inside + "webhooks", webhooks.WebhookViewSet, "api-webhook")
of_kinds = SimpleRouter()  # calls of single kinds of work, under the addresses of assignments
of_kinds.register(inside + "assignments", grade.GradingViewSet, "api-assignment")
bench = inside + r"assignments/(?P<assignment_pk>[0-9]{1,18})/"
router.register(bench + "nugget-list", lists.NuggetListViewSet, "api-nugget-list")
router.register(bench + "responses", matches_api.ResponsesViewSet, "api-response")
router.register(bench + "matches", matches_api.MatchViewSet, "api-match")
router.register(bench + "reviews", matches_api.ReviewViewSet, "api-review")
router.register(bench + "votes", votes_api.VoteViewSet, "api-vote")
router.register(bench + "classes", classes.ClassViewSet, "api-class")

C = "campaigns/<slug:slug>/"
LIST: dict[str, Any] = {"get": "list", "post": "create"}
ONE: dict[str, Any] = {"get": "retrieve"}


@csrf_exempt
def describe(request: HttpRequest) -> HttpResponseBase:
    """Return the description of the API. The code that makes it is loaded on the first request."""
    from assay_site.api_description import DescriptionView

    return DescriptionView.as_view()(request)


# Docnos and topic numbers may contain slashes, so their addresses are written out.
urlpatterns: list[URLPattern | URLResolver] = [
    *of_kinds.urls,  # first, since every click asks for them
    path("schema/", describe, name="api-schema"),
    path("tracks/", organising_tracks.TrackViewSet.as_view({"get": "list"}), name="api-track-list"),
    path("tokens/", people_api.TokenViewSet.as_view(LIST), name="api-token-list"),
    path("tokens/<int:pk>/", people_api.TokenViewSet.as_view({"delete": "destroy"}), name="api-token"),
    path("imports/", site_jobs.ImportViewSet.as_view(LIST), name="api-import-list"),
    path("imports/<int:pk>/", site_jobs.ImportViewSet.as_view(ONE), name="api-import"),
    path("backups/", site_jobs.BackupViewSet.as_view(LIST), name="api-backup-list"),
    path("backups/<int:pk>/", site_jobs.BackupViewSet.as_view({**ONE, "delete": "destroy"}), name="api-backup"),
    path("backups/<int:pk>/file/", site_jobs.BackupViewSet.as_view({"get": "file"}), name="api-backup-file"),
    path(f"{C}topics/", topics_api.TopicViewSet.as_view(LIST), name="api-topic-list"),
    *(
        path(
            f"{C}topics/<path:number>/{verb}/",
            topics_api.TopicChangeViewSet.as_view({"post": verb}),
            name=f"api-topic-{verb}",
        )
        for verb in ("amend", "drop", "restore", "remove")
    ),
    path(f"{C}topics/<path:number>/", topics_api.TopicViewSet.as_view(ONE), name="api-topic"),
    path(
        f"{C}user-agreement/",
        user_agreements.UserAgreementViewSet.as_view({"get": "retrieve", "post": "create"}),
        name="api-user-agreement",
    ),
    path(
        f"{C}user-agreement/accept/",
        user_agreements.UserAgreementViewSet.as_view({"post": "accept"}),
        name="api-user-agreement-accept",
    ),
    path(
        f"{C}design/",
        organising_designs.DesignViewSet.as_view({"get": "list", "post": "create"}),
        name="api-design-list",
    ),
    path(f"{C}design/saved/", organising_designs.DesignViewSet.as_view({"get": "saved"}), name="api-design-saved"),
    path(f"{C}design/try/", organising_designs.DesignViewSet.as_view({"post": "attempt"}), name="api-design-try"),
    path(
        f"{C}judged-topics/",
        organising_topics.JudgedTopicsViewSet.as_view({"get": "retrieve", "post": "create"}),
        name="api-judged-topics",
    ),
    path(
        f"{C}given-twice/",
        organising_topics.GivenTwiceViewSet.as_view({"get": "list", "patch": "partial_update"}),
        name="api-given-twice",
    ),
    path(
        f"{C}judgments/",
        replay.JudgmentsViewSet.as_view({"get": "list", "post": "create"}),
        name="api-judgment-list",
    ),
    path(f"{C}judgments/lines/", replay.JudgmentsViewSet.as_view({"get": "lines"}), name="api-judgment-lines"),
    path(f"{C}topic-files/", topics_api.TopicFileViewSet.as_view({"get": "list"}), name="api-topic-file-list"),
    path(f"{C}topic-files/<str:key>/", topics_api.TopicFileViewSet.as_view(ONE), name="api-topic-file"),
    path(
        f"{C}document-lists-file/",
        documents_lists.DocumentListViewSet.as_view({"get": "file"}),
        name="api-document-list-file",
    ),
    path(f"{C}document-lists/", documents_lists.DocumentListViewSet.as_view(LIST), name="api-document-list-list"),
    path(
        f"{C}document-lists/<path:number>/", documents_lists.DocumentListViewSet.as_view(ONE), name="api-document-list"
    ),
    path(f"{C}package/", documents_lists.DocumentListViewSet.as_view({"get": "package"}), name="api-package"),
    path(f"{C}documents/", documents.DocumentViewSet.as_view(LIST), name="api-document-list-all"),
    path(f"{C}documents/<path:docno>/raw/", documents.DocumentViewSet.as_view({"get": "raw"}), name="api-document-raw"),
    path(f"{C}documents/<path:docno>/", documents.DocumentViewSet.as_view(ONE), name="api-document"),
    path(
        f"{C}documents-taken-out/",
        documents.TakingOutViewSet.as_view({"get": "list", "post": "create"}),
        name="api-documents-taken-out",
    ),
    path(
        f"{C}document-clusters/",
        documents_clusters.ClusterViewSet.as_view({"get": "list", "post": "create"}),
        name="api-document-clusters",
    ),
    path(
        f"{C}documents-prepared/",
        documents.PreparedViewSet.as_view({"get": "list", "post": "create"}),
        name="api-documents-prepared",
    ),
    path(f"{C}document-records/", documents.RecordsViewSet.as_view({"post": "create"}), name="api-document-records"),
    path(
        f"{C}document-records/look/",
        documents.RecordsViewSet.as_view({"post": "look"}),
        name="api-document-records-look",
    ),
    path(
        f"{C}docnos/", documents_lists.DocnoViewSet.as_view({"post": "create", "delete": "destroy"}), name="api-docnos"
    ),
    path(
        f"{C}translations/",
        documents_translations.TranslationViewSet.as_view({"get": "list", "post": "create", "delete": "destroy"}),
        name="api-translations",
    ),
    path(f"{C}search/", documents.SearchViewSet.as_view({"get": "list"}), name="api-search"),
    *router.urls,
]
