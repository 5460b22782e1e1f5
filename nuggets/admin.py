"""Nugget lists and the ledgers of this app in the admin site, to look at."""

from __future__ import annotations

from django.contrib import admin

from assess.admin import ReadOnlyAdmin
from nuggets import models

for name in models.__all__:
    admin.site.register(getattr(models, name), ReadOnlyAdmin)
