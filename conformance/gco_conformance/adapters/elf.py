"""What the first bytes of an ELF program tell: for which machine it is, and who links it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_MAGIC: Final = b"\x7fELF"
_READ: Final = 64 * 1024
_INTERPRETER: Final = 3
_NOTE: Final = 4
_GO: Final = b"Go\x00\x00"


@dataclass(frozen=True)
class Elf:
    """`machine` is word size, byte order and processor; `dynamic` is whether a dynamic linker starts it."""

    machine: bytes
    dynamic: bool
    go: bool


def read(path: Path) -> Elf | None:
    """What `path` is, `None` for anything but an ELF file. Raises `OSError`."""
    with path.open("rb") as file:
        content = file.read(_READ)
    if not content.startswith(_MAGIC):
        return None
    try:
        segments = _segments(content)
    except (struct.error, IndexError):
        return None
    notes = [content[start : start + size] for kind, start, size in segments if kind == _NOTE]
    return Elf(
        machine=content[4:6] + content[18:20],
        dynamic=any(kind == _INTERPRETER for kind, _, _ in segments),
        go=any(_GO in note for note in notes),
    )


def _segments(content: bytes) -> list[tuple[int, int, int]]:
    """Kind, place and size of each program header (System V ABI, chapter 5)."""
    order = "<" if content[5] == 1 else ">"
    wide = content[4] == 2
    (start,) = struct.unpack_from(order + ("Q" if wide else "I"), content, 32 if wide else 28)
    entry, count = struct.unpack_from(order + "HH", content, 54 if wide else 42)
    form = order + ("I4xQ16xQ" if wide else "II8xI")
    return [struct.unpack_from(form, content, start + number * entry) for number in range(count)]
