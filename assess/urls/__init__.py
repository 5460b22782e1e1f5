"""Addresses of this app's pages, a file for each group of people."""

from assess.urls import accounts, desk, documents, work

urlpatterns = [*accounts.urlpatterns, *desk.urlpatterns, *documents.urlpatterns, *work.urlpatterns]
