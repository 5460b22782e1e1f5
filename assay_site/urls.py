"""All addresses of the site."""

from django.contrib import admin
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView

from assay_site import health, security_txt, watching
from assess.admin import log_in_there
from assess.kinds.base import kinds

handler400 = "assay_site.outages.answer_bad_request"
handler500 = "assay_site.outages.answer_error"

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path(".well-known/security.txt", security_txt.security_txt, name="security-txt"),
    path("metrics", watching.metrics, name="metrics"),
    # Browsers ask for it on pages that name no icon.
    path("favicon.ico", RedirectView.as_view(url=static("icon.svg")), name="favicon"),
    path(
        "api/v1/", include("assay_site.api_urls")
    ),  # first, so that a call is not compared with the addresses of all pages
    *(pattern for kind in kinds().values() for pattern in kind.urls),  # the benches' clicks, before all other pages
    path("", include("assess.urls")),
    path("", include("assay_site.ways_in_urls")),
    path("admin/login/", log_in_there, name="admin-login"),
    path("admin/", admin.site.urls),
]
