"""A security key in software: what a browser sends when somebody touches one."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from fido2.cose import ES256
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import Aaguid, AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

ID = b"a key made by a test"
FLAG = AuthenticatorData.FLAG


class SoftKey:
    """A key for one site; ``origin`` is the address at which it is touched."""

    def __init__(self, origin: str, host: str) -> None:
        self.origin, self.host_digest = origin, sha256(host.encode()).digest()
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.touched = 0

    def _said(self, kind: str, challenge: str) -> CollectedClientData:
        return CollectedClientData.create(type=kind, challenge=websafe_decode(challenge), origin=self.origin)

    def _answer(self, said: bytes, **response: bytes) -> str:
        members = {"clientDataJSON": said, **response}
        answer: dict[str, Any] = {"id": websafe_encode(ID), "rawId": websafe_encode(ID), "type": "public-key"}
        answer["response"] = {name: websafe_encode(each) for name, each in members.items()}
        return json.dumps({**answer, "clientExtensionResults": {}})

    def register(self, challenge: str) -> str:
        """Return what the browser sends when the key is added."""
        public = ES256.from_cryptography_key(self.private.public_key())
        made = AttestedCredentialData.create(Aaguid(bytes(16)), ID, public)
        about = AuthenticatorData.create(self.host_digest, FLAG.UP | FLAG.AT, 0, made)
        attested = AttestationObject.create("none", about, {})
        return self._answer(self._said("webauthn.create", challenge), attestationObject=attested)

    def sign(self, challenge: str) -> str:
        """Return what the browser sends when somebody logs in by the key."""
        self.touched += 1
        about = AuthenticatorData.create(self.host_digest, FLAG.UP, self.touched)
        said = self._said("webauthn.get", challenge)
        signature = self.private.sign(about + said.hash, ec.ECDSA(SHA256()))
        return self._answer(said, authenticatorData=about, signature=signature)
