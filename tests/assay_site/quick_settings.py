"""The site's settings with a quick hash of passwords: a slow one takes a quarter of a second for each guess."""

from assay_site.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
