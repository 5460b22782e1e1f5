"""The WSGI entry point: `gunicorn assay_site.wsgi`."""

import sys

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from assay_site.databases import hurry
from assay_site.start import CANNOT_LOAD, collect_seldom, end_loading, read_settings, require_begun_site

SWITCHING = 0.0005
"""Seconds for which one thread may keep Python to itself while others wait; 0.005 where nothing is said.

Who saves a judgment gives Python up at each question to the database, and may have to wait so long each time while
another thread checks a file.
"""

sys.setswitchinterval(SWITCHING)
collect_seldom()
require_begun_site("assay", status=CANNOT_LOAD)
read_settings(status=CANNOT_LOAD)
hurry()
application = get_wsgi_application()
_ = get_resolver().url_patterns  # every page's module, before the server forks: loaded once, and by nobody who waits
end_loading()  # the processes that are forked share what is loaded, and none looks through it for garbage
