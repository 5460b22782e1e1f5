"""Reading bytes and pages of documents from the database, from stored files, or from an external storage.

`ASSAY_DOCUMENT_STORE` says where new ones go. A column of `DocumentBody` holds either the bytes themselves (zlib, which
begins with 0x78), or `=` and the sha256 of the packed bytes, which is their name in the store. So what was stored
before the setting changed can still be read. Nothing in a store is ever changed or deleted, since several documents may
have the same bytes.
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
LONGEST_REFERENCE = 65  # with the digest


def raw_of(body: DocumentBody) -> bytes:
    """Return the document's bytes as they were loaded.

    Raises `NotFound` if they are gone from the store or were changed there, and `StoreAway` if it does not answer.
    """
    return zlib.decompress(_packed(bytes(body.raw)))


def page_of(body: DocumentBody) -> str:
    """Return the prepared page as text, or "" if there is none. Raises what `raw_of` raises."""
    return zlib.decompress(_packed(bytes(body.page))).decode() if body.page is not None else ""


def _packed(column: bytes) -> bytes:
    """Return the bytes that the column holds or refers to. Raises `NotFound` if they were changed in the store."""
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
    """Return the bytes from the storage, or from the stored files if they were put there under an earlier setting.

    Raises `StoreAway` if the storage does not answer, and `NotFound` if neither has them.
    """
    try:
        with document_storage().open(name_in_storage(digest)) as file:
            return bytes(file.read())
    except FileNotFoundError:
        return _from_files(digest)
    except Exception as error:  # each storage has errors of its own
        raise StoreAway(details=str(error)[:300]) from error


def name_in_storage(digest: str) -> str:
    """Return the name under which a storage has the bytes with this sha256."""
    return f"{digest[:2]}/{digest}"


def document_storage() -> Storage:
    """Return the storage that the setting ASSAY_DOCUMENT_STORE names."""
    return _storage_named(settings.ASSAY_DOCUMENT_STORE)


@lru_cache(maxsize=1)
def _storage_named(name: str) -> Storage:
    storage: Storage = import_string(name)(**settings.ASSAY_DOCUMENT_STORE_OPTIONS)
    return storage
