"""Addresses of this app's pages. The kinds of work add those of their benches."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from assess.adjudication.views import pages as adjudication
from assess.analysis.views import agreement, significance, stability
from assess.analysis.views import rankings as analysis
from assess.controls import views as controls
from assess.documents.views import clusters as documents_clusters
from assess.documents.views import desk as documents_desk
from assess.documents.views import reading as documents
from assess.documents.views import records as documents_records
from assess.exports import views as exports
from assess.jobs import views as jobs
from assess.kinds.base import BENCH
from assess.machines import views as machine_judges
from assess.mails.views import mail_notices
from assess.organising.views import (
    activity,
    audit,
    copying,
    designs,
    freezing,
    overview,
    settings,
    stopping,
    topic_changes,
    topics,
)
from assess.people.views import accounts, acting_for, invitations, languages
from assess.people.views import members as people
from assess.pools.views import pages as pool
from assess.pools.views import plan as pool_plan
from assess.pools.views import quality as pool_quality
from assess.practice import views as practice
from assess.progress import views as progress
from assess.releases.domain.releasing import released_names
from assess.releases.views import pages as releases
from assess.releases.views import public as public_releases
from assess.releases.views import site as site_jobs
from assess.runs.views import checks as run_checks
from assess.runs.views import pages as runs
from assess.scores.views import explain as score_explain
from assess.scores.views import pages as scores
from assess.scores.views import reports as score_report
from assess.topic_drafts.views import bench as drafts_bench
from assess.topic_drafts.views import lists as drafts_lists
from assess.topics import views as topics_views
from assess.user_agreements import views as user_agreement
from assess.web import guides
from assess.webhooks import views as webhooks
from assess.work.views import assignments, bulk, look_again, notices, questions_to_organiser
from assess.work.views import own_work as work

C = "c/<slug:slug>/"
RELEASED = {"released": released_names}  # releases, a higher layer, know the names of runs

DESK: list[URLPattern | URLResolver] = [
    path("campaigns/new/", overview.campaign_new, name="campaign-new"),
    path("campaigns/new/design/", designs.design_new, name="design-new"),
    path("design.schema.json", designs.design_schema, name="design-schema"),
    path(C, overview.overview, name="overview"),
    path(f"{C}state/", overview.campaign_state, name="campaign-state"),
    path(f"{C}stop/", stopping.stop, name="stop-judging"),
    path(f"{C}freeze/", freezing.freeze, name="freeze"),
    path(f"{C}unfreeze/", freezing.unfreeze, name="unfreeze"),
    path(f"{C}release/", releases.releases, name="release"),
    path(f"{C}release/make/", releases.release_make, name="release-make"),
    path(f"{C}release/key/", releases.release_names, name="release-names"),
    path(f"{C}release/<int:release_id>/", releases.release_file, name="release-file"),
    path(f"{C}release/<int:release_id>/publish/", releases.release_publish, name="release-publish"),
    path(f"{C}release/<int:release_id>/public/", releases.release_public, name="release-public"),
    path(f"{C}topics/", topics_views.topics, name="topics"),
    path(f"{C}topics/load/", topics_views.topics_load, name="topics-load"),
    path(f"{C}topics/judged/", topic_changes.judged_topics, name="judged-topics"),
    path(f"{C}topics/given-twice/", topics.given_twice, name="given-twice"),
    path(f"{C}topics/files/<str:key>/", topics_views.topics_file, name="topics-file"),
    path(f"{C}topics/<path:number>/view/", topics.topic, name="topic"),
    path(f"{C}topics/<path:number>/change/", topic_changes.topic_change, name="topic-change"),
    path(f"{C}documents/", documents_desk.documents, name="documents"),
    path(f"{C}documents/load/", documents_desk.documents_load, name="documents-load"),
    path(f"{C}documents/records/", documents_records.documents_records, name="documents-records"),
    path(f"{C}documents/take-out/", documents_desk.documents_take_out, name="documents-take-out"),
    path(f"{C}documents/prepare/", documents_desk.documents_prepare, name="documents-prepare"),
    path(f"{C}documents/clusters/", documents_clusters.document_clusters, name="document-clusters"),
    path(
        f"{C}documents/clusters/<path:number>/<int:cluster>/",
        documents_clusters.document_cluster,
        name="document-cluster",
    ),
    path(f"{C}documents/docnos/", documents_desk.docnos_load, name="docnos-load"),
    path(f"{C}documents/docnos/empty/", documents_desk.docnos_empty, name="docnos-empty"),
    path(f"{C}documents/translations/", documents_desk.translations_load, name="translations-load"),
    path(f"{C}documents/translations/take-out/", documents_desk.translations_take_out, name="translations-take-out"),
    path(f"{C}documents/lists/", documents_desk.document_list_load, name="document-list-load"),
    path(f"{C}documents/lists-file/", documents_desk.document_list_file, name="document-list-file"),
    path(f"{C}documents/package/", documents_desk.documents_package, name="documents-package"),
    path(f"{C}jobs/", jobs.jobs, name="works"),
    path(f"{C}webhooks/", webhooks.webhooks, name="webhooks"),
    path(f"{C}webhooks/<int:webhook_id>/", webhooks.webhook, name="webhook"),
    path(f"{C}webhooks/<int:webhook_id>/try/", webhooks.webhook_try, name="webhook-try"),
    path(f"{C}webhooks/<int:webhook_id>/remove/", webhooks.webhook_remove, name="webhook-remove"),
    path(f"{C}webhooks/<int:webhook_id>/calls/<int:call_id>/again/", webhooks.webhook_again, name="webhook-again"),
    path(f"{C}jobs/<int:job_id>/stop/", jobs.job_stop, name="work-stop"),
    path(f"{C}jobs/<int:job_id>/restart/", jobs.job_restart, name="work-restart"),
    path(f"{C}runs/", runs.runs, RELEASED, name="runs"),
    path(f"{C}runs/new/", runs.run_new, name="run-new"),
    path(f"{C}runs/<int:run_id>/", runs.run, name="run"),
    path(f"{C}runs/<int:run_id>/file/", runs.run_file, name="run-file"),
    path(f"{C}runs/<int:run_id>/report/", runs.run_report, name="run-report"),
    path(f"{C}runs/<int:run_id>/withdraw/", runs.run_withdraw, name="run-withdraw"),
    path(f"{C}runs/<int:run_id>/check/", run_checks.run_check_state, name="run-check"),
    path(f"{C}runs/<int:run_id>/repaired/", run_checks.run_repaired, name="run-repaired"),
    path(f"{C}runs/<int:run_id>/repaired/file/", run_checks.run_repaired_file, name="run-repaired-file"),
    path(f"{C}runs/<int:run_id>/repaired/submit/", run_checks.run_repaired_submit, name="run-repaired-submit"),
    path(f"{C}pool/", pool.pool, name="pool"),
    path(f"{C}pool/<slug:task>/build/", pool.pool_build, name="pool-build"),
    path(f"{C}pool/<slug:task>/plan/", pool_plan.pool_planning, name="pool-plan"),
    path(f"{C}pool/<slug:task>/plan/plot/", pool_plan.pool_plan_plot, name="pool-plan-plot"),
    path(f"{C}pool/<slug:task>/quality/", pool_quality.quality, name="pool-quality"),
    path(f"{C}pool/<slug:task>/quality/plot/", pool_quality.quality_plot, name="pool-quality-plot"),
    path(f"{C}people/", people.people, name="people"),
    path(f"{C}people/add/", people.member_add, name="member-add"),
    path(f"{C}people/<int:membership_id>/remove/", people.member_remove, name="member-remove"),
    path(f"{C}people/invite/", people.invitation_create, name="invitation-create"),
    path(
        f"{C}people/invitations/<int:invitation_id>/withdraw/", people.invitation_withdraw, name="invitation-withdraw"
    ),
    path(f"{C}assignments/", assignments.assignments, name="assignments"),
    path(f"{C}assignments/hand-out/", assignments.assignments_hand_out, name="assignments-hand-out"),
    path(f"{C}assignments/bulk/", bulk.assignments_bulk, name="assignments-bulk"),
    path(f"{C}assignments/balance/", assignments.assignments_balance, name="assignments-balance"),
    path(f"{C}assignments/<int:assignment_id>/take-back/", assignments.assignment_return, name="assignment-return"),
    path(f"{C}progress/", progress.progress, name="progress"),
    path(f"{C}adjudication/", adjudication.adjudication, name="adjudication"),
    path(f"{C}adjudication/<str:stage>/<str:criterion>/", adjudication.adjudicate, name="adjudicate"),
    path(
        f"{C}adjudication/<str:stage>/<str:criterion>/items/<str:thing>/",
        adjudication.adjudicate_item,
        name="adjudicate-item",
    ),
    path(
        f"{C}adjudication/<str:stage>/<str:criterion>/later/",
        adjudication.adjudicate_later,
        name="adjudicate-later",
    ),
    path(
        f"{C}adjudication/<str:stage>/<str:criterion>/decide/",
        adjudication.adjudicate_decide,
        name="adjudicate-decide",
    ),
    path(f"{C}questions/", questions_to_organiser.questions, name="questions"),
    path(f"{C}questions/<int:help_id>/", questions_to_organiser.question, name="question"),
    path(f"{C}agreement/", agreement.agreement, name="agreement"),
    path(f"{C}agreement/items/", agreement.agreement_items, name="agreement-items"),
    path(f"{C}agreement/plot/", agreement.agreement_plot, name="agreement-plot"),
    path(f"{C}stability/", stability.stability, name="stability"),
    path(f"{C}stability/plot/", stability.stability_plot, name="stability-plot"),
    path(f"{C}significance/", significance.significance, name="significance"),
    path(f"{C}significance/plot/", significance.significance_plot, name="significance-plot"),
    path(f"{C}scores/", scores.scores, name="scores"),
    path(f"{C}report/", score_report.score_report, RELEASED, name="score-report"),
    path(f"{C}report/plot/", score_report.score_report_plot, name="score-report-plot"),
    path(f"{C}analysis/", analysis.analysis, name="analysis"),
    path(f"{C}analysis/plot/", analysis.analysis_plot, name="analysis-plot"),
    path(f"{C}scores/plot/", scores.score_plot, name="score-plot"),
    path(f"{C}scores/run/", scores.score_topics, name="score-topics"),
    path(f"{C}scores/explain/", score_explain.score_explain, name="score-explain"),
    path(f"{C}scores/explain/judgments/", score_explain.score_judgments, name="score-judgments"),
    path(f"{C}exports/", exports.exports, name="exports"),
    path(f"{C}exports/all/", exports.exports_zip, name="exports-zip"),
    path(f"{C}exports/<str:name>/", exports.export_file, name="export-file"),
    path(f"{C}machines/", machine_judges.machines, name="machines"),
    path(f"{C}machines/offered/", machine_judges.offered, name="machines-offered"),
    path(f"{C}settings/drafts/", machine_judges.drafts, name="drafts"),
    path(f"{C}settings/", settings.settings, name="settings"),
    path(f"{C}settings/deadline/", settings.deadline, name="settings-deadline"),
    path(f"{C}user-agreement/", user_agreement.user_agreement, name="user-agreement"),
    path(f"{C}user-agreement/accept/", user_agreement.user_agreement_accept, name="user-agreement-accept"),
    path(f"{C}user-agreement/edit/", user_agreement.user_agreement_edit, name="user-agreement-edit"),
    path(f"{C}settings/release-dates/", settings.release_dates, name="settings-release-dates"),
    path(f"{C}settings/time-zone/", settings.time_zone, name="settings-time-zone"),
    path(f"{C}settings/design/", designs.design, name="design"),
    path(f"{C}settings/copy/", copying.copy, name="campaign-copy"),
    path(f"{C}settings/guidelines/", settings.guidelines_edit, name="guidelines-edit"),
    path(f"{C}settings/guidelines/<int:version>/", settings.guideline_version, name="guideline-version"),
    path(f"{C}activity/", activity.activity, name="activity"),
    path(f"{C}audit/", audit.audit, name="audit"),
    path(f"{C}people/time/", audit.time_sheets, name="time-sheets"),
    path("audit/", audit.site_audit, name="site-audit"),
    path("imports/", site_jobs.imports, name="imports"),
    path("backups/", site_jobs.backups, name="backups"),
    path("backups/<int:job_id>/file/", site_jobs.backup_file, name="backup-file"),
    path("backups/<int:job_id>/remove/", site_jobs.backup_remove, name="backup-remove"),
]


# Addresses of topics that assessors make.

DRAFTS_C = "c/<slug:slug>/topic-drafts/"

DRAFTS: list[URLPattern | URLResolver] = [
    path(DRAFTS_C, drafts_lists.topic_drafts, name="topic-drafts"),
    path(f"{DRAFTS_C}begin/", drafts_lists.topic_draft_begin, name="topic-draft-begin"),
    path(f"{DRAFTS_C}desk/", drafts_lists.topic_drafts_desk, name="topic-drafts-desk"),
    path(f"{DRAFTS_C}<int:number>/", drafts_bench.topic_draft, name="topic-draft"),
    path(f"{DRAFTS_C}<int:number>/write/", drafts_bench.topic_draft_write, name="topic-draft-write"),
    path(f"{DRAFTS_C}<int:number>/find/", drafts_bench.topic_draft_find, name="topic-draft-find"),
    path(f"{DRAFTS_C}<int:number>/decide/", drafts_lists.topic_draft_decide, name="topic-draft-decide"),
]


# Addresses of people and work: invitations, handing over, second assessors, control items and how they are judged.

PEOPLE: list[URLPattern | URLResolver] = [
    path(f"{C}people/<int:membership_id>/role/", people.member_role, name="member-role"),
    path(f"{C}people/<int:membership_id>/name/", acting_for.member_name, name="member-name"),
    path(f"{C}people/<int:membership_id>/erase/", acting_for.member_erase, name="member-erase"),
    path(f"{C}people/<int:membership_id>/password/", acting_for.member_password, name="member-password"),
    path(f"{C}people/<int:membership_id>/takes-work/", people.member_takes_work, name="member-takes-work"),
    path(f"{C}people/invitations/", invitations.invitations, name="invitations"),
    path(f"{C}people/invitations/list/", invitations.invitations_list, name="invitations-list"),
    path(f"{C}people/invitations/make/", invitations.invitations_make, name="invitations-make"),
    path(
        f"{C}assignments/<int:assignment_id>/hand-over/",
        assignments.assignment_hand_over,
        name="assignment-hand-over",
    ),
    path(f"{C}assignments/second/", assignments.double_judging, name="double-judging"),
    path(f"{C}assignments/plants/", controls.plants, name="plants"),
    path(f"{C}assignments/plants/remove/", controls.plants_remove, name="plants-remove"),
    path(f"{C}practice/<str:stage>/people/", practice.practice_people, name="practice-people"),
    path(f"{C}people/consistency/", controls.consistency, name="consistency"),
    path(f"{C}people/consistency/plot/", controls.consistency_plot, name="consistency-plot"),
    path(f"{C}settings/work/", assignments.work_rules, name="work-rules"),
]


# Addresses of public releases, for anybody.

PUBLIC: list[URLPattern | URLResolver] = [
    path("public/<slug:slug>/", public_releases.public_release, name="public-release"),
    path("public/<slug:slug>/<int:as_of>/", public_releases.public_release, name="public-release-point"),
    path("public/<slug:slug>/<int:as_of>/file/", public_releases.public_release_file, name="public-release-file"),
]


# Addresses of documents and search.

DOCUMENTS: list[URLPattern | URLResolver] = [
    path("d/<str:token>/", documents.document_page, name="document-page"),
    path("c/<slug:slug>/search/", documents.search, name="search"),
    path("c/<slug:slug>/documents/lists/<path:number>/", documents.document_list, name="document-list"),
    path("c/<slug:slug>/documents/<path:docno>/view/", documents.document, name="document"),
    path("c/<slug:slug>/documents/<path:docno>/raw/", documents.document_raw, name="document-raw"),
]


# Addresses of logging in, passwords, invitations, help.

ACCOUNTS: list[URLPattern | URLResolver] = [
    path("login/", accounts.log_in, name="login"),
    path("logout/", accounts.log_out, name="logout"),
    path("language/", languages.language, name="language"),
    path("profile/", accounts.profile, name="profile"),
    path("profile/password/", accounts.password_change, name="password_change"),
    path("profile/notices/", mail_notices, name="mail-notices"),
    path("profile/tokens/", accounts.tokens, name="tokens"),
    path("profile/tokens/<int:token_id>/revoke/", accounts.token_revoke, name="token-revoke"),
    path("invitation/<str:token>/", accounts.invitation, name="invitation"),
    path("password/<str:token>/", acting_for.new_password, name="new-password"),
    path("help/", guides.guide, name="help"),
    path("help/<slug:name>/", guides.guide, name="guide"),
]


# Addresses of the assessor's list and of what all workbenches share. The kinds of work add their own.

WORK: list[URLPattern | URLResolver] = [
    path("", work.home, name="home"),
    path("c/<slug:slug>/work/", work.work, name="work"),
    path("c/<slug:slug>/work/take/", work.take, name="work-take"),
    path("c/<slug:slug>/work/takes/", work.takes, name="work-takes"),
    path("c/<slug:slug>/look-again/", look_again.look_again, name="look-again"),
    path("c/<slug:slug>/work/notices/", notices.notices, name="notices"),
    path("c/<slug:slug>/guidelines/", work.guidelines, name="guidelines"),
    path(BENCH, work.workbench, name="workbench"),
    path(f"{BENCH}again/", work.again, name="work-again"),
    path(f"{BENCH}done/", work.done, name="work-done"),
    path(f"{BENCH}reopen/", work.reopen, name="work-reopen"),
    path(f"{BENCH}return/", work.give_back, name="work-return"),
    path(f"{BENCH}ask/", work.ask, name="work-ask"),
    path(f"{BENCH}later/", work.later, name="work-later"),
]


# Addresses of this app's pages, a file for each group of people.

urlpatterns = [
    *ACCOUNTS,
    *DESK,
    *DRAFTS,
    *PEOPLE,
    *PUBLIC,
    *DOCUMENTS,
    *WORK,
]
