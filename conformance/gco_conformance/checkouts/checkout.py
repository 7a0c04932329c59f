"""A checkout: the directory that a composer is asked to compose, as a value."""

from __future__ import annotations

import base64
import functools
import io
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gco_conformance.checkouts.edit import Edit, apply
from gco_conformance.importing import ALONE

CONFIGURATION = "gateway-composition.yaml"
DEFAULT_OUTPUT = "docs/openapi/cluster-gateway.json"
DEFAULT_SERVICES_DIRECTORY = "docs/openapi"


@dataclass(frozen=True)
class Checkout:
    """Files by path relative to the root, sorted by path. Equal checkouts have equal bytes in every file."""

    files: tuple[tuple[str, bytes], ...]

    @classmethod
    def of(cls, files: Mapping[str, bytes]) -> Checkout:
        return cls(tuple(sorted(files.items())))

    def write(self, root: Path) -> None:
        """Write every file below `root`, which is created."""
        root.mkdir(parents=True, exist_ok=True)
        for folder in {name.rpartition("/")[0] for name, _ in self.files} - {""}:
            (root / folder).mkdir(parents=True, exist_ok=True)
        for name, content in self.files:
            with io.FileIO(f"{root}/{name}", "w") as file:
                file.write(content)

    def edited(self, edits: tuple[Edit, ...]) -> Checkout:
        """A copy with the edits made in order."""
        files = dict(self.files)
        for edit in edits:
            apply(edit, files)
        return Checkout.of(files)

    @functools.cached_property
    def configuration(self) -> Mapping[str, Any]:
        """The content of `gateway-composition.yaml`, empty where it can't be read."""
        with ALONE:
            import yaml

        try:
            loaded = yaml.load(dict(self.files).get(CONFIGURATION, b""), Loader=yaml_loader())
        except (yaml.YAMLError, ValueError):  # the latter for what is no text, no date and no number
            return {}
        return loaded if isinstance(loaded, dict) else {}

    @property
    def output(self) -> str:
        """Where the composed document goes, relative to the root."""
        output = self.configuration.get("output")
        return output if isinstance(output, str) else DEFAULT_OUTPUT

    def manifest(self) -> list[dict[str, Any]]:
        """The documents of the manifest. Only for checkouts whose manifest is well formed."""
        with ALONE:
            import yaml

        text = dict(self.files)[self.configuration["manifest"]]
        return [document for document in yaml.load_all(text, Loader=yaml_loader()) if isinstance(document, dict)]

    def services(self) -> dict[str, dict[str, Any]]:
        """The document of each listed service. Only for checkouts whose documents are well formed."""
        directory = self.configuration.get("services_dir", DEFAULT_SERVICES_DIRECTORY)
        files = dict(self.files)
        return {name: json.loads(files[f"{directory}/{name}.json"]) for name in self.configuration["services"]}

    def as_script(self, command: str) -> str:
        """A shell script, free of this kit, that lays the checkout out in `$root` and runs `command`."""
        lines = ["root=$(mktemp -d)"]
        for folder in sorted({str(Path(name).parent) for name, _ in self.files} - {"."}):
            lines.append(f'mkdir -p "$root"/{shlex.quote(folder)}')
        for name, content in self.files:
            lines.extend(_here_document(name, content))
        lines += [command, 'echo "exit status $?"', f'cat "$root"/{shlex.quote(self.output)}']
        return "\n".join(lines) + "\n"


def yaml_loader() -> Any:
    """The safe loader, the one in C where PyYAML has it."""
    with ALONE:
        import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _here_document(name: str, content: bytes) -> list[str]:
    target = f'"$root"/{shlex.quote(name)}'
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = ""
    if content and (not text.endswith("\n") or "\r" in text or "\0" in text):
        return [f"base64 -d > {target} <<'EOF'", base64.b64encode(content).decode(), "EOF"]
    return [f"cat > {target} <<'EOF'", *text.splitlines(), "EOF"]
