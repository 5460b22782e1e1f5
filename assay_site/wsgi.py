"""The WSGI entry point: `gunicorn assay_site.wsgi`."""

import sys

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver
from django.utils.module_loading import import_string

from assay_site.databases import hurry
from assay_site.start import CANNOT_LOAD, collect_seldom, end_loading, read_settings, require_begun_site

SWITCHING = 0.0005
"""Seconds that one thread may run Python while others wait; Python's default is 0.005.

A thread that saves a judgment stops running at each query, and may have to wait this long each time while another
thread checks a file.
"""

sys.setswitchinterval(SWITCHING)
collect_seldom()
require_begun_site("assay", status=CANNOT_LOAD)
read_settings(status=CANNOT_LOAD)
hurry()
application = get_wsgi_application()
# Every page's module and all tracks are loaded before the server forks, so that no request waits for them, nor for
# another that loads them while it holds a lock.
_ = get_resolver().url_patterns, import_string(settings.ASSAY_TRACKS)
end_loading()  # forked processes share what is loaded and never scan it for garbage
