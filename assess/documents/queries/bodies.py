"""Reading bytes and pages of documents where they are kept: in the database, in kept files, in a storage elsewhere.

`ASSAY_DOCUMENT_STORE` says where new ones go. A column of `DocumentBody` holds either the bytes themselves (zlib, which
begins with 0x78) or `=` and the sha256 of the packed bytes, under which they lie in the store: so what was stored
before the setting changed is read as ever. What is in a store is never changed or taken away, since other documents may
be the same.
"""

from __future__ import annotations

import hashlib
import logging
import zlib
from functools import lru_cache

from django.conf import settings
from django.core.files.storage import Storage
from django.utils.module_loading import import_string
from django.utils.translation import gettext

from assess.base.errors import NotFound
from assess.base.files import open_file
from assess.base.outages import StoreAway
from assess.documents.models import DocumentBody

logger = logging.getLogger(__name__)

DATABASE, FILES = "database", "files"
REFERENCE = b"="


def raw_of(body: DocumentBody) -> bytes:
    """Return the document's bytes as they were loaded."""
    return zlib.decompress(_packed(bytes(body.raw)))


def page_of(body: DocumentBody) -> str:
    """The prepared page as text, or "" where there is none."""
    return zlib.decompress(_packed(bytes(body.page))).decode() if body.page is not None else ""


def _packed(column: bytes) -> bytes:
    """What the column holds or refers to. Bytes that are not those that were stored are never shown."""
    if not column.startswith(REFERENCE):
        return column
    digest = column.removeprefix(REFERENCE).decode()
    packed = _from_files(digest) if settings.ASSAY_DOCUMENT_STORE in (DATABASE, FILES) else _from_storage(digest)
    if hashlib.sha256(packed).hexdigest() != digest:
        logger.error("The document store holds other bytes than it should under %s", digest)
        raise NotFound(
            gettext("The document was changed in the store. Restore it there, or take it out and load it again.")
        )
    return packed


def _from_files(digest: str) -> bytes:
    with open_file(digest) as file:
        return file.read()


def _from_storage(digest: str) -> bytes:
    """From the storage; from the kept files where it lies there since the setting was another."""
    try:
        with document_storage().open(name_in_storage(digest)) as file:
            return bytes(file.read())
    except FileNotFoundError:
        return _from_files(digest)
    except Exception as error:  # each storage has errors of its own
        raise StoreAway(details=str(error)[:300]) from error


def name_in_storage(digest: str) -> str:
    """Return where bytes with this sha256 lie in a storage."""
    return f"{digest[:2]}/{digest}"


def document_storage() -> Storage:
    """Return the storage that the setting names."""
    return _made(settings.ASSAY_DOCUMENT_STORE)


@lru_cache(maxsize=1)
def _made(name: str) -> Storage:
    storage: Storage = import_string(name)(**settings.ASSAY_DOCUMENT_STORE_OPTIONS)
    return storage
