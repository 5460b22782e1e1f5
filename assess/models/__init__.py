"""Tables and their constraints, one noun a file."""

from assess.models.account import AccountName
from assess.models.assignment import Assignment, HelpRequest, Plant
from assess.models.campaign import JUDGES, Campaign, Drafts, Guideline, Invitation, Membership, Part, Role
from assess.models.counted import CountedUpTo, PooledCount, WorkDay
from assess.models.document import Document, DocumentBody, ValidDocno
from assess.models.item import Item, Pool, PoolItem
from assess.models.judgment import Activity, DraftSeen, Judgment
from assess.models.ledger import How, LedgerPoint, LedgerRow, take_points
from assess.models.release import Release
from assess.models.run import Citation, Response, Run, Segment
from assess.models.topic import ListedDocument, Topic
from assess.models.topic_draft import DraftFind, DraftStep, TopicDraft
from assess.models.user_agreement import Acceptance, UserAgreement
from assess.models.work import Work

__all__ = [
    "JUDGES",
    "Acceptance",
    "AccountName",
    "Activity",
    "Assignment",
    "Campaign",
    "Citation",
    "CountedUpTo",
    "Document",
    "DocumentBody",
    "DraftFind",
    "DraftSeen",
    "DraftStep",
    "Drafts",
    "Guideline",
    "HelpRequest",
    "How",
    "Invitation",
    "Item",
    "Judgment",
    "LedgerPoint",
    "LedgerRow",
    "ListedDocument",
    "Membership",
    "Part",
    "Plant",
    "Pool",
    "PoolItem",
    "PooledCount",
    "Release",
    "Response",
    "Role",
    "Run",
    "Segment",
    "Topic",
    "TopicDraft",
    "UserAgreement",
    "ValidDocno",
    "Work",
    "WorkDay",
    "take_points",
]
