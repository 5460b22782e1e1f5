"""The list of all tables of this app, where Django looks for it. Each noun has its own in a module `models`."""

from assess.assignments.models import Assignment, ControlItem, DecidedLater, HelpRequest, NoticesSeen
from assess.campaigns.models import JUDGES, Activity, Campaign, Drafts, Guideline, Membership, Part, Role
from assess.documents.models import (
    DocnoList,
    Document,
    DocumentBody,
    DocumentCluster,
    DocumentTranslation,
    DocumentWords,
    ValidDocno,
)
from assess.items.models import Item, Pool, PoolItem
from assess.jobs.models import Job
from assess.judging.models import DraftSeen, Judgment
from assess.ledger.models import How, LedgerPoint, LedgerRow, take_points
from assess.mails.models import MailedUpTo, MailWish
from assess.people.models import AccountName, ApiToken, Invitation, PasswordLink, Remembered
from assess.progress.models import CountedUpTo, PooledCount, WorkDay
from assess.releases.models import Release, SiteJob, UnfinishedImport
from assess.runs.models import Citation, Response, Run, Segment
from assess.topic_drafts.models import DraftFind, DraftStep, TopicDraft
from assess.topics.models import ListedDocument, Topic
from assess.user_agreements.models import Acceptance, UserAgreement
from assess.webhooks.models import Webhook, WebhookCall

__all__ = [
    "JUDGES",
    "Acceptance",
    "AccountName",
    "Activity",
    "ApiToken",
    "Assignment",
    "Campaign",
    "Citation",
    "ControlItem",
    "CountedUpTo",
    "DecidedLater",
    "DocnoList",
    "Document",
    "DocumentBody",
    "DocumentCluster",
    "DocumentTranslation",
    "DocumentWords",
    "DraftFind",
    "DraftSeen",
    "DraftStep",
    "Drafts",
    "Guideline",
    "HelpRequest",
    "How",
    "Invitation",
    "Item",
    "Job",
    "Judgment",
    "LedgerPoint",
    "LedgerRow",
    "ListedDocument",
    "MailWish",
    "MailedUpTo",
    "Membership",
    "NoticesSeen",
    "Part",
    "PasswordLink",
    "Pool",
    "PoolItem",
    "PooledCount",
    "Release",
    "Remembered",
    "Response",
    "Role",
    "Run",
    "Segment",
    "SiteJob",
    "Topic",
    "TopicDraft",
    "UnfinishedImport",
    "UserAgreement",
    "ValidDocno",
    "Webhook",
    "WebhookCall",
    "WorkDay",
    "take_points",
]
