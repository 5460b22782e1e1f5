"""Register nugget lists and this app's ledgers in the admin site, read-only."""

from __future__ import annotations

from django.contrib import admin

from assess.admin import ReadOnlyAdmin
from nuggets import models

for name in models.__all__:
    admin.site.register(getattr(models, name), ReadOnlyAdmin)
