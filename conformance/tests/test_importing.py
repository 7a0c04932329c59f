"""Libraries are imported late, to start fast, and then by one thread at a time: two could spoil it for both."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from textwrap import dedent

import pytest

KIT = Path(str(files("gco_conformance")))
# They run before there is a second thread, or in a process that has none.
ALONE_ALREADY = (
    "adapters/function_python_host.py",
    "adapters/python_host.py",
    "cli",
    "drift/writers",
    "requirements",
    "sealed/__main__.py",
)


def late_imports(tree: ast.AST) -> Iterator[tuple[int, bool]]:
    """Line, and whether `ALONE` is held, of each import of a library that happens within a function."""

    def walk(node: ast.AST, *, late: bool, held: bool) -> Iterator[tuple[int, bool]]:
        if late and isinstance(node, (ast.Import, ast.ImportFrom, ast.Call)) and of_library(node):
            yield node.lineno, held
        late = late or isinstance(node, ast.FunctionDef)
        held = held or (isinstance(node, ast.With) and ast.unparse(node.items[0].context_expr) == "ALONE")
        for child in ast.iter_child_nodes(node):
            yield from walk(child, late=late, held=held)

    return walk(tree, late=False, held=False)


def of_library(node: ast.Import | ast.ImportFrom | ast.Call) -> bool:
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) == "importlib.import_module"
    name = (node.names[0].name if isinstance(node, ast.Import) else node.module) or ""
    return name.partition(".")[0] not in {*sys.stdlib_module_names, "gco_conformance"}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def f():\n    import moto", [(2, False)]),
        ("def f():\n    with ALONE:\n        from moto import core", [(3, True)]),
        ("class C:\n    def f(self):\n        importlib.import_module('moto')", [(3, False)]),
        ("import moto\ndef f():\n    import json", []),
    ],
)
def test_a_late_import_is_seen(source: str, found: list[tuple[int, bool]]) -> None:
    assert list(late_imports(ast.parse(source))) == found


def test_every_late_import_of_a_library_holds_the_lock() -> None:
    loose = [
        f"{file.relative_to(KIT)}:{line}"
        for file in KIT.rglob("*.py")
        if not str(file.relative_to(KIT)).startswith(ALONE_ALREADY)
        for line, held in late_imports(ast.parse(file.read_text("utf-8")))
        if not held
    ]
    assert loose == []


def test_moto_and_schemathesis_are_imported_one_after_the_other(tmp_path: Path) -> None:
    """Both import werkzeug, from different ends."""
    script = tmp_path / "watch.py"
    script.write_text(
        dedent(
            """
            import sys, threading

            by = []
            watched = {"moto", "schemathesis", "werkzeug"}

            def note(event, arguments):
                name = threading.current_thread().name
                if event == "import" and arguments[0].partition(".")[0] in watched and by[-1:] != [name]:
                    by.append(name)

            from gco_conformance.suite.described import document
            from gco_conformance.world.moto import Moto

            sys.addaudithook(note)
            threads = [threading.Thread(target=each) for each in (document.prepare, Moto()._ready)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            print(len(by), len(set(by)))
            """
        )
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "2"]
