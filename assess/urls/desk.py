"""Addresses of the organiser's and participants' pages."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from assess.views import (
    analysis,
    assignments,
    documents_desk,
    exports,
    help,
    overview,
    people,
    pool,
    progress,
    runs,
    scores,
    settings,
    topics,
)

C = "c/<slug:slug>/"

urlpatterns: list[URLPattern | URLResolver] = [
    path("campaigns/new/", overview.campaign_new, name="campaign-new"),
    path(C, overview.overview, name="overview"),
    path(f"{C}state/", overview.campaign_state, name="campaign-state"),
    path(f"{C}topics/", topics.topics, name="topics"),
    path(f"{C}topics/load/", topics.topics_load, name="topics-load"),
    path(f"{C}topics/<path:number>/view/", topics.topic, name="topic"),
    path(f"{C}documents/", documents_desk.documents, name="documents"),
    path(f"{C}documents/load/", documents_desk.documents_load, name="documents-load"),
    path(f"{C}documents/docnos/", documents_desk.docnos_load, name="docnos-load"),
    path(f"{C}documents/lists/", documents_desk.document_list_load, name="document-list-load"),
    path(f"{C}documents/package/", documents_desk.documents_package, name="documents-package"),
    path(f"{C}jobs/", documents_desk.works, name="works"),
    path(f"{C}jobs/<int:work_id>/stop/", documents_desk.work_stop, name="work-stop"),
    path(f"{C}jobs/<int:work_id>/restart/", documents_desk.work_restart, name="work-restart"),
    path(f"{C}runs/", runs.runs, name="runs"),
    path(f"{C}runs/new/", runs.run_new, name="run-new"),
    path(f"{C}runs/<int:run_id>/", runs.run, name="run"),
    path(f"{C}runs/<int:run_id>/file/", runs.run_file, name="run-file"),
    path(f"{C}runs/<int:run_id>/report/", runs.run_report, name="run-report"),
    path(f"{C}runs/<int:run_id>/withdraw/", runs.run_withdraw, name="run-withdraw"),
    path(f"{C}pool/", pool.pool, name="pool"),
    path(f"{C}pool/<slug:task>/build/", pool.pool_build, name="pool-build"),
    path(f"{C}people/", people.people, name="people"),
    path(f"{C}people/add/", people.member_add, name="member-add"),
    path(f"{C}people/<int:membership_id>/remove/", people.member_remove, name="member-remove"),
    path(f"{C}people/invite/", people.invitation_create, name="invitation-create"),
    path(
        f"{C}people/invitations/<int:invitation_id>/withdraw/", people.invitation_withdraw, name="invitation-withdraw"
    ),
    path(f"{C}assignments/", assignments.assignments, name="assignments"),
    path(f"{C}assignments/hand-out/", assignments.assignments_hand_out, name="assignments-hand-out"),
    path(f"{C}assignments/balance/", assignments.assignments_balance, name="assignments-balance"),
    path(f"{C}assignments/<int:assignment_id>/take-back/", assignments.assignment_return, name="assignment-return"),
    path(f"{C}progress/", progress.progress, name="progress"),
    path(f"{C}questions/", help.questions, name="questions"),
    path(f"{C}questions/<int:help_id>/", help.question, name="question"),
    path(f"{C}scores/", scores.scores, name="scores"),
    path(f"{C}analysis/", analysis.analysis, name="analysis"),
    path(f"{C}analysis/plot/", analysis.analysis_plot, name="analysis-plot"),
    path(f"{C}scores/plot/", scores.score_plot, name="score-plot"),
    path(f"{C}scores/run/", scores.score_topics, name="score-topics"),
    path(f"{C}scores/explain/", scores.score_explain, name="score-explain"),
    path(f"{C}exports/", exports.exports, name="exports"),
    path(f"{C}exports/all/", exports.exports_zip, name="exports-zip"),
    path(f"{C}exports/<str:name>/", exports.export_file, name="export-file"),
    path(f"{C}settings/", settings.settings, name="settings"),
    path(f"{C}settings/guidelines/", settings.guidelines_edit, name="guidelines-edit"),
    path(f"{C}settings/guidelines/<int:version>/", settings.guideline_version, name="guideline-version"),
    path(f"{C}activity/", settings.activity, name="activity"),
]
