"""Storing the bytes and pages of documents where `ASSAY_DOCUMENT_STORE` says; `assess.documents.queries.bodies` reads
them.
"""

from __future__ import annotations

import hashlib
import zlib

from django.conf import settings
from django.core.files.base import ContentFile

from assess.base.files import keep_bytes
from assess.base.outages import StoreAway
from assess.documents.queries.bodies import DATABASE, FILES, REFERENCE, document_storage, name_in_storage


def keep_body(content: bytes) -> bytes:
    """Store bytes where `ASSAY_DOCUMENT_STORE` says, and return the value for the body's column.

    The bytes are safely stored when this returns. Raise `StoreAway` if an external storage does not take them.
    """
    packed = zlib.compress(content)
    if settings.ASSAY_DOCUMENT_STORE == DATABASE:
        return packed
    if settings.ASSAY_DOCUMENT_STORE == FILES:
        return REFERENCE + keep_bytes(packed).encode()
    digest = hashlib.sha256(packed).hexdigest()
    name, storage = name_in_storage(digest), document_storage()
    try:
        if not storage.exists(name):
            storage.save(name, ContentFile(packed))
    except Exception as error:  # each storage has errors of its own
        raise StoreAway(details=str(error)[:300]) from error
    return REFERENCE + digest.encode()
