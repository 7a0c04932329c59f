"""Edits: the small changes that turn one checkout into another, such as an accepted one into a faulty one."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

How = Literal["replace", "merge", "append", "write", "base64", "delete"]
KINDS: tuple[How, ...] = ("replace", "merge", "append", "write", "base64", "delete")


@dataclass(frozen=True)
class Edit:
    """One change to one file.

    `replace` replaces a text that occurs exactly once by `replacement`; `merge` merges a JSON Merge Patch
    (RFC 7386), given as JSON text; `append` and `write` take text, `base64` takes bytes that no text can say.
    """

    file: str
    how: How
    what: str = ""
    replacement: str = ""


def from_data(data: Mapping[str, Any]) -> Edit:
    """The edit that a mapping of `case.yaml` describes."""
    for how in KINDS:
        if how in data:
            what = json.dumps(data[how]) if how == "merge" else str(data[how])
            return Edit(data["file"], how, what, data.get("with", ""))
    raise ValueError(f"an edit needs one of {', '.join(KINDS)}: {dict(data)}")


def apply(edit: Edit, files: dict[str, bytes]) -> None:
    """Make the edit in `files`. Raises `ValueError` when it doesn't fit them."""
    if edit.how == "delete":
        del files[edit.file]
    elif edit.how == "write":
        files[edit.file] = edit.what.encode()
    elif edit.how == "base64":
        files[edit.file] = base64.b64decode(edit.what)
    elif edit.how == "append":
        files[edit.file] += edit.what.encode()
    elif edit.how == "merge":
        merged = merge_patch(json.loads(files[edit.file]), json.loads(edit.what))
        files[edit.file] = (json.dumps(merged, indent=2) + "\n").encode()
    else:
        text = files[edit.file].decode()
        if text.count(edit.what) != 1:
            raise ValueError(f"{edit.file}: {text.count(edit.what)} places read {edit.what!r}, not one")
        files[edit.file] = text.replace(edit.what, edit.replacement).encode()


def merge_patch(target: Any, patch: Any) -> Any:
    """RFC 7386: mappings are merged, `None` deletes, anything else replaces."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged
