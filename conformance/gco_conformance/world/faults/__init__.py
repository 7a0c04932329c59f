"""The catalogue of faults: small values, each of which strikes at one stage of a request.

Faults of a region's API and of CloudFormation alike: `Region.fails` and `Stack.fails` plan them by ordinal.
"""

from __future__ import annotations

from collections.abc import Mapping

from gco_conformance.world.faults.answer import (
    BadChunk,
    Chunks,
    CutBody,
    DeadConnection,
    Delay,
    Drip,
    End,
    ExtraBytes,
    Flood,
    Hang,
    Interim,
    Phase,
    Reset,
    WrongLength,
)
from gco_conformance.world.faults.fault import ReplyFault, Scene, Stage, WireFault
from gco_conformance.world.faults.network import (
    BadCertificate,
    BlackHole,
    NotTls,
    OldTls,
    Refuse,
    SilentDns,
    TlsAlert,
    Unresolved,
)
from gco_conformance.world.faults.reply import (
    Body,
    Charset,
    CompressionBomb,
    DeepNesting,
    DuplicateMember,
    HugeBody,
    Member,
    Redirect,
    Status,
    WrongCoding,
)

_ALL: tuple[type[WireFault], ...] = (
    Unresolved,
    SilentDns,
    Refuse,
    BlackHole,
    BadCertificate,
    TlsAlert,
    OldTls,
    NotTls,
    Reset,
    Hang,
    Delay,
    Drip,
    Interim,
    End,
    CutBody,
    WrongLength,
    Chunks,
    BadChunk,
    ExtraBytes,
    Flood,
    DeadConnection,
    Status,
    Redirect,
    Body,
    HugeBody,
    CompressionBomb,
    WrongCoding,
    Charset,
    Member,
    DuplicateMember,
    DeepNesting,
)

CATALOGUE: Mapping[str, type[WireFault]] = {fault.name_of_kind(): fault for fault in _ALL}
"""Every kind of fault, by its name."""

__all__ = [
    "CATALOGUE",
    "BadCertificate",
    "BadChunk",
    "BlackHole",
    "Body",
    "Charset",
    "Chunks",
    "CompressionBomb",
    "CutBody",
    "DeadConnection",
    "DeepNesting",
    "Delay",
    "Drip",
    "DuplicateMember",
    "End",
    "ExtraBytes",
    "Flood",
    "Hang",
    "HugeBody",
    "Interim",
    "Member",
    "NotTls",
    "OldTls",
    "Phase",
    "Redirect",
    "Refuse",
    "ReplyFault",
    "Reset",
    "Scene",
    "SilentDns",
    "Stage",
    "Status",
    "TlsAlert",
    "Unresolved",
    "WireFault",
    "WrongCoding",
    "WrongLength",
]
