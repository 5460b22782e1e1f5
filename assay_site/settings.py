"""Settings, all from the environment; docs/settings-and-commands.md describes every ASSAY_… name below.

The defaults suit one machine: SQLite in `var/`, and a secret key that the commands that begin a site write there.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from contextlib import suppress

from csp.constants import NONE, SELF

from assay_site import environment
from assay_site.client_address import read_proxies
from assay_site.databases import database
from assay_site.mail_settings import mail
from assay_site.sentry import report_errors
from assay_site.site_folders import begins_site, files_folder, usual_data_folder
from assess.base.private_files import begin_privately

BASE_DIR = files_folder()
DATA_DIR = environment.folder("ASSAY_DATA_DIR", usual_data_folder())
begin_privately(DATA_DIR, make=begins_site())  # every process reads its settings before it writes anything


def _secret_key() -> str:
    """Return the secret key: from the environment, or else from the data folder, where the first command that begins a
    site writes it.

    If there is none and this command begins no site, return a key that only this process has.
    """
    if key := environment.text("ASSAY_SECRET_KEY"):
        return key
    path = DATA_DIR / "secret-key"
    if not path.exists() and not begins_site():
        return secrets.token_urlsafe(50)  # this process signs nothing that lasts
    if not path.exists():  # it appears complete or not at all, even if another process starts or this one fails
        with tempfile.NamedTemporaryFile("w", dir=DATA_DIR, prefix="secret-key-") as file:  # readable only by its owner
            file.write(secrets.token_urlsafe(50))
            file.flush()
            with suppress(FileExistsError):
                os.link(file.name, path)
    return path.read_text().strip()


SECRET_KEY = _secret_key()
DEBUG = environment.flag("ASSAY_DEBUG", False)
ALLOWED_HOSTS = environment.hosts("ASSAY_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = environment.origins("ASSAY_ORIGINS")
# The origin that serves documents ("https://docs.example.org"); if empty, this one, in a sandboxed frame.
ASSAY_DOCUMENT_ORIGIN = environment.document_origin(
    "ASSAY_DOCUMENT_ORIGIN",
    hosts=ALLOWED_HOSTS,
    site=CSRF_TRUSTED_ORIGINS,
    https=environment.flag("ASSAY_HTTPS", False),
)
# Proxies that are trusted to say where a request came from: "127.0.0.1,10.0.0.0/8"
ASSAY_TRUSTED_PROXIES = environment.setting(
    "ASSAY_TRUSTED_PROXIES",
    read_proxies(""),
    read_proxies,
    "addresses and networks with commas between, such as 127.0.0.1,10.0.0.0/8, or unix",
)
ASSAY_TRACKS = "tracks.TRACKS"
ASSAY_DESIGNS = "tracks.designs.reading.DESIGNS"
ASSAY_KINDS = "assay_site.kinds.KINDS"
ASSAY_RENDER_SECONDS = environment.seconds("ASSAY_RENDER_SECONDS", 5)
ASSAY_RENDER_PROCESSES = environment.whole_number("ASSAY_RENDER_PROCESSES", 2, least=1)
# Where the bytes and pages of documents are stored, and the options of a storage's class.
ASSAY_DOCUMENT_STORE = environment.document_store("ASSAY_DOCUMENT_STORE", "database")
ASSAY_DOCUMENT_STORE_OPTIONS = environment.json_object("ASSAY_DOCUMENT_STORE_OPTIONS")
# Addresses below which webhooks are allowed, and whether these may be http and private.
ASSAY_WEBHOOKS = environment.addresses("ASSAY_WEBHOOKS")
ASSAY_WEBHOOKS_PRIVATE = environment.flag("ASSAY_WEBHOOKS_PRIVATE", False)
# Services that search whole collections, each with an address and the campaigns that it searches.
ASSAY_PYSERINI = environment.address("ASSAY_PYSERINI")
ASSAY_PYSERINI_TOKEN = environment.token("ASSAY_PYSERINI_TOKEN")
ASSAY_PYSERINI_INDEXES = environment.searched("ASSAY_PYSERINI_INDEXES", ASSAY_PYSERINI)
ASSAY_ROUTIR = environment.address("ASSAY_ROUTIR")
ASSAY_ROUTIR_TOKEN = environment.token("ASSAY_ROUTIR_TOKEN")
ASSAY_ROUTIR_SERVICES = environment.searched("ASSAY_ROUTIR_SERVICES", ASSAY_ROUTIR, elsewhere=ASSAY_PYSERINI_INDEXES)
ASSAY_SEARCH_SECONDS = environment.seconds("ASSAY_SEARCH_SECONDS", 5)
# The least similarity of near-identical documents, from 0 to 1.
ASSAY_NEAR_IDENTICAL = environment.share("ASSAY_NEAR_IDENTICAL", 0.8)
ASSAY_UPLOAD_MB = environment.whole_number("ASSAY_UPLOAD_MB", 500, least=1)
# For how many days the files stay that a job has read; 0: for good.
ASSAY_UPLOADS_DAYS = environment.whole_number("ASSAY_UPLOADS_DAYS", 90, least=0)
# For how many days the addresses and browsers of logins stay; 0: for good.
ASSAY_LOGINS_DAYS = environment.whole_number("ASSAY_LOGINS_DAYS", 365, least=0)
# Limits for one team in a campaign: megabytes of files, and runs that were rejected or withdrawn.
ASSAY_TEAM_MB = environment.whole_number("ASSAY_TEAM_MB", 5000, least=1)
ASSAY_TEAM_TRIES = environment.whole_number("ASSAY_TEAM_TRIES", 200, least=1)
# Megabytes of the disk that stay free for judging: a file that would leave less is refused.
ASSAY_RESERVE_MB = environment.whole_number("ASSAY_RESERVE_MB", 200, least=0)
ASSAY_JOBS = "assess.worker.JOBS"
# Seconds that a request may wait for another that writes; it holds a thread meanwhile.
ASSAY_LOCK_SECONDS = environment.seconds("ASSAY_LOCK_SECONDS", 5)
# If no server is named, mail is printed; nothing depends on it.
globals().update(mail("ASSAY_MAIL"))
DEFAULT_FROM_EMAIL = environment.text("ASSAY_MAIL_FROM", "assay@localhost")
# Ways to log in besides name and password, each off unless it is set: docs/running-a-site.md.
ASSAY_PASSWORD_MAIL = environment.flag("ASSAY_PASSWORD_MAIL", False)
ASSAY_SECOND_FACTOR = environment.flag("ASSAY_SECOND_FACTOR", False)
ASSAY_SESSIONS = environment.flag("ASSAY_SESSIONS", False)
ASSAY_OIDC = environment.provider("ASSAY_OIDC")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "axes",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    *(["allauth.socialaccount.providers.openid_connect"] if ASSAY_OIDC else []),  # no tables; a third of the start
    "allauth.mfa",
    "allauth.usersessions",
    "django_htmx",
    "django_tasks",
    "rest_framework",
    "drf_spectacular",
    "assess",
    "nuggets",
    "django_tasks_db",  # after assess, so that the command db_worker is that of assess
]

MIDDLEWARE = [
    "assay_site.middleware.AnswerMiddleware",  # first, so that each line of the log has its request's id
    "assay_site.watching.WatchMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "assay_site.middleware.AdmissionMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "assay_site.middleware.LanguageMiddleware",
    "assay_site.middleware.AddressMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "assay_site.middleware.RefusedMiddleware",
    "assay_site.middleware.LoginMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "assay_site.urls"
WSGI_APPLICATION = "assay_site.wsgi.application"
DATABASES = {"default": database("ASSAY_DATABASE", DATA_DIR)}
CACHES = {  # what allauth counts and which codes were used: for all processes and machines, so in the database
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "assess_remembered",
        "KEY_FUNCTION": "assay_site.ways_in.remembered_as",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    }
}
ASSAY_DATABASE_AT = "assay_site.databases.database_at"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["django.templatetags.i18n"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
ACCOUNT_ADAPTER = "assay_site.ways_in.Accounts"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Assay: "
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_METHODS = ["password", "mfa"]  # not by a code in a mail, for which there is no page
SOCIALACCOUNT_ADAPTER = "assay_site.ways_in.ProviderAccounts"
SOCIALACCOUNT_AUTO_SIGNUP = False
SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": ASSAY_OIDC}}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_ALLOW_UNVERIFIED_EMAIL = True  # nobody makes an account under another's address, and only confirmed ones get links
MFA_TOTP_ISSUER = "Assay"
MFA_TOTP_TOLERANCE = 1  # of 30 seconds: clocks of phones are a little fast or slow
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours
AXES_HANDLER = "assay_site.wrong_passwords.DeviceHandler"
AXES_LOCKOUT_PARAMETERS = "assay_site.wrong_passwords.counted_by"
AXES_CLIENT_IP_CALLABLE = "assay_site.client_address.client_address"
AXES_LOCKOUT_TEMPLATE = "registration/locked.html"
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "old_password", "new_password1", "new_password2", "again"]
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # otherwise further guessing would keep the name locked
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = "en"  # for everything outside people's pages: the API, files, commands, the worker
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "locale", BASE_DIR / "locale" / "allauth"]  # the second: allauth's texts in our words
LANGUAGE_COOKIE_NAME = "assay-language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_HTTPONLY = True
ASSAY_LANGUAGE = environment.one_of("ASSAY_LANGUAGE", "en", [code for code, _ in LANGUAGES])
TIME_ZONE = environment.time_zone("ASSAY_TIME_ZONE", "UTC")
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static", ("pictures", BASE_DIR / "docs" / "pictures")]
# Collected by `serve` if that is wanted; otherwise files are served from where they are.
ASSAY_COLLECT_STATIC = environment.flag("ASSAY_COLLECT_STATIC", False)
STATIC_ROOT = DATA_DIR / "static" if ASSAY_COLLECT_STATIC else None
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": DATA_DIR / "files"}},
    "staticfiles": {
        "BACKEND": "assay_site.static_files.HashedFiles"
        if ASSAY_COLLECT_STATIC
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = True  # what is not collected is served from where it is
# Uploads arrive on the disk that stores them, so that storing needs no second copy; /tmp may be in memory.
FILE_UPLOAD_TEMP_DIR = DATA_DIR / "incoming" if begins_site() else None
if FILE_UPLOAD_TEMP_DIR is not None:
    FILE_UPLOAD_TEMP_DIR.mkdir(parents=True, exist_ok=True)
FILE_UPLOAD_PERMISSIONS, FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o600, 0o700
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 4000

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = environment.flag("ASSAY_HTTPS", False)
if SESSION_COOKIE_SECURE:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31536000
# The proxy redirects http to https, and this site does not decide for other names of the domain.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W008", "security.W021"]
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:", *([ASSAY_DOCUMENT_ORIGIN] if ASSAY_DOCUMENT_ORIGIN else [])],
        "frame-src": [ASSAY_DOCUMENT_ORIGIN or SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF, *(environment.origin_of(each["settings"]["server_url"]) for each in ASSAY_OIDC)],
        "frame-ancestors": [NONE],
    },
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "assay_site.logins.TokenLogin",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PAGINATION_CLASS": "assay_site.api.Pages",
    "PAGE_SIZE": 100,
    # The code that describes calls, `assay_site.api_schema`, is loaded when the description is asked for.
    "DEFAULT_SCHEMA_CLASS": "assess.web.strict_calls.CallDescription",
    "DEFAULT_PARSER_CLASSES": ["assay_site.api_bodies.PlainJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "EXCEPTION_HANDLER": "assay_site.api.refuse",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Assay",
    "DESCRIPTION": "Campaigns, topics, documents, runs, pools, judgments, nuggets and scores.",
    "VERSION": "1",
    "SERVERS": [{"url": "/", "description": "The site that gives this description"}],
    "SERVE_INCLUDE_SCHEMA": False,
    "DEFAULT_GENERATOR_CLASS": "assay_site.api_schema.ProblemGenerator",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "assay_site.api_schema.describe_refusals",
        "assay_site.api_schema.add_examples",
    ],
    "ENUM_NAME_OVERRIDES": {
        "CampaignState": "assess.models.Campaign.State",
        "RunState": "assess.models.Run.State",
        "AssignmentState": "assess.models.Assignment.State",
        "JobState": "assess.models.Job.State",
        "MemberRole": "assess.models.Role",
        "AssignmentRole": "assess.models.Assignment.Role",
    },
}
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": ["default", "short"]}}

ASSAY_SECURITY_CONTACT = environment.contacts("ASSAY_SECURITY_CONTACT")
ASSAY_ACCESS_LOG = environment.flag("ASSAY_ACCESS_LOG", False)
ASSAY_METRICS_TOKEN = environment.text("ASSAY_METRICS_TOKEN")
_LINES = (
    "assay_site.logs.JsonFormatter" if environment.flag("ASSAY_LOG_JSON", False) else "assay_site.logs.PlainFormatter"
)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": _LINES}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "loggers": {"assay.access": {"level": "INFO"}},
    "root": {"handlers": ["console"], "level": environment.log_level("ASSAY_LOG", "WARNING")},
}

ASSAY_SENTRY_DSN = environment.setting(
    "ASSAY_SENTRY_DSN",
    "",
    report_errors,
    "the address of a Sentry project, https://KEY@sentry.example.org/1",
    secret=True,
)

ASSAY_UNREAD = environment.misspelt_settings()  # names in the environment that nearly match one of the above
