"""Addresses of this app's pages, a file for each group of people."""

from assess.urls import accounts, desk, documents, drafts, people, work

urlpatterns = [
    *accounts.urlpatterns,
    *desk.urlpatterns,
    *drafts.urlpatterns,
    *people.urlpatterns,
    *documents.urlpatterns,
    *work.urlpatterns,
]
