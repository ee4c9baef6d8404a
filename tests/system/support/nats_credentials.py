"""Keys and tokens of NATS for a test, as `nsc` makes them; signed by openssl.

The package nkeys, which nats-py needs for them, signs in the same way: without it, this module takes its place.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

OPERATOR, ACCOUNT, USER = 14 << 3, 0, 20 << 3
_SEED = 18 << 3
_PKCS8 = bytes.fromhex("302e020100300506032b657004220420")
_UNLIMITED = {"subs": -1, "data": -1, "payload": -1}


def _crc16(data: bytes) -> int:
    value = 0
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return value


def _encode(data: bytes) -> str:
    return base64.b32encode(data + _crc16(data).to_bytes(2, "little")).decode().rstrip("=")


def _openssl(seed: bytes, *arguments: str, data: bytes = b"") -> bytes:
    """Run openssl with a private key, and data in a file."""
    with tempfile.TemporaryDirectory() as folder:
        key, file = Path(folder, "key.der"), Path(folder, "data")
        key.write_bytes(_PKCS8 + seed)
        file.write_bytes(data)
        line = ["openssl", *(each.format(key=key, file=file) for each in arguments)]
        return subprocess.run(line, capture_output=True, check=True, timeout=30).stdout


class KeyPair:
    """A key of one kind."""

    def __init__(self, kind: int, seed: bytes | None = None) -> None:
        self.kind = kind
        self.raw = seed or os.urandom(32)
        public = _openssl(self.raw, "pkey", "-inform", "DER", "-in", "{key}", "-pubout", "-outform", "DER")[-32:]
        self.public = _encode(bytes([kind]) + public)

    @property
    def seed(self) -> str:
        return _encode(bytes([_SEED | self.kind >> 5, (self.kind & 31) << 3]) + self.raw)

    def sign(self, data: bytes) -> bytes:
        line = ("pkeyutl", "-sign", "-keyform", "DER", "-inkey", "{key}", "-rawin", "-in", "{file}")
        return _openssl(self.raw, *line, data=data)

    def wipe(self) -> None:
        """As in nkeys."""

    def token(self, of: KeyPair, name: str, claims: dict[str, Any]) -> str:
        """A signed statement about another key."""
        body = {"jti": name, "iat": 1, "iss": self.public, "name": name, "sub": of.public, "nats": claims}
        parts = [_text({"typ": "JWT", "alg": "ed25519-nkey"}), _text(body)]
        return ".".join([*parts, _base64(self.sign(".".join(parts).encode()))])


def from_seed(seed: bytearray) -> KeyPair:
    """As in nkeys."""
    text = bytes(seed).decode()
    raw = base64.b32decode(text + "=" * (-len(text) % 8))
    return KeyPair((raw[0] & 7) << 5 | raw[1] >> 3, raw[2:34])


def _text(value: dict[str, Any]) -> str:
    return _base64(json.dumps(value).encode())


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def configure() -> tuple[str, str]:
    """The options of a server with an operator and an account, and the content of a user's credentials file."""
    operator, system, account, user = KeyPair(OPERATOR), KeyPair(ACCOUNT), KeyPair(ACCOUNT), KeyPair(USER)
    limits = {**_UNLIMITED, "imports": -1, "exports": -1, "wildcards": True, "conn": -1, "leaf": -1}
    claims: dict[str, Any] = {"type": "operator", "system_account": system.public, "version": 2}
    about = operator.token(operator, "operator", claims)
    stored = {"mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1}
    its = operator.token(system, "SYS", {"limits": limits, "type": "account", "version": 2})
    team = operator.token(account, "team", {"limits": limits | stored, "type": "account", "version": 2})
    claims = {"pub": {}, "sub": {}, **_UNLIMITED, "type": "user", "version": 2}
    member = account.token(user, "member", claims)
    known = f"{account.public}: {team}, {system.public}: {its}"
    options = f"operator: {about}\nresolver: MEMORY\nresolver_preload: {{ {known} }}\n"
    credentials = (
        f"-----BEGIN NATS USER JWT-----\n{member}\n------END NATS USER JWT------\n\n"
        f"-----BEGIN USER NKEY SEED-----\n{user.seed}\n------END USER NKEY SEED------\n"
    )
    return options, credentials
