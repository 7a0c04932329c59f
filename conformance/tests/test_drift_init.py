"""`gco-conformance drift init` writes a configuration that fits the repository, and asks only people."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from gco_conformance.cli import main

from .drift_checkout import base, checkout, service

CONFIGURATION = Path("gateway-composition.yaml")


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def repository(*rules: str, **documents: str) -> None:
    """A gateway.yaml with these rules, and documents: file names with __ for slashes and titles."""
    Path("gateway.yaml").write_text(
        "apiVersion: gateway.networking.k8s.io/v1\n" + dict(checkout(rules, {}).files)["gateway.yaml"].decode()
    )
    for name, title in documents.items():
        path = Path(name.replace("__", "/") + ".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        document = service(f"/{title.split()[0].lower()}")
        path.write_text(json.dumps({**document, "info": {"title": title, "version": "1"}}))


def test_the_clean_checkout_is_found_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    base().write(Path())
    CONFIGURATION.unlink()
    assert main(["drift", "init"]) == 0
    assert CONFIGURATION.read_text() == (
        "manifest: manifests/gateway.yaml\n"
        "services_dir: docs/openapi\n"
        "services:\n  - catalogue\n  - orders\n  - reports\n  - web\n"
        "output: composed.json\n"
    )
    assert "gateway-composition.yaml: written" in capsys.readouterr().out
    assert main(["drift"]) == 1


def test_documents_are_named_by_file_folder_or_title() -> None:
    repository(
        *("/jobs jobs", "/orders orders", "/ the-web"),
        services__jobs__openapi="Something",
        specs__orders_api="Another thing",
        specs__v1="The Web API",
        node_modules__petstore="Petstore",
    )
    Path("specs/orders_api.json").rename("specs/orders-api.json")
    assert main(["drift", "init", "."]) == 0
    assert CONFIGURATION.read_text() == (
        "manifest: gateway.yaml\n"
        "services:\n  jobs: services/jobs/openapi.json\n  orders: specs/orders-api.json\n"
        "  the-web: specs/v1.json\n"
        "output: null  # nothing is composed here\n"
    )


def test_what_could_not_be_matched_is_left_to_people_as_a_comment() -> None:
    repository("/jobs jobs", "/ web", services__web="Web", examples__petstore="Petstore")
    assert main(["drift", "init"]) == 0
    assert CONFIGURATION.read_text() == (
        "manifest: gateway.yaml\n"
        "services_dir: services\n"
        "services:\n  - web\n"
        "  # jobs: a rule leads to it, and no document of it was found\n"
        "  # not the document of a backend, as it seems: examples/petstore.json\n"
        "output: null  # nothing is composed here\n"
    )


def test_an_existing_configuration_is_kept_unless_it_is_forced(capsys: pytest.CaptureFixture[str]) -> None:
    repository("/ web", web="Web")
    CONFIGURATION.write_text("mine\n")
    assert main(["drift", "init"]) == 2
    assert capsys.readouterr().err == "gco-conformance: gateway-composition.yaml exists; --force replaces it\n"
    assert CONFIGURATION.read_text() == "mine\n"
    assert main(["drift", "init", "--force"]) == 0


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("kind: ConfigMap\n", "name another directory"),
        ("kind: HTTPRoute\nname: {{ .Values.name }}\n", "chart.yaml is a template: pipe 'helm template' into"),
    ],
)
def test_a_repository_without_routes_is_told_the_way(
    text: str, way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("chart.yaml").write_text(text)
    assert main(["drift", "init"]) == 2
    assert f"there is no HTTPRoute below .; {way}" in capsys.readouterr().err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_people_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    repository("/jobs jobs", "/ web", services__web="Web", a__one="One", b__two="Two")
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(sys, "stdin", Terminal("2\n"))
    monkeypatch.setattr(sys, "stdout", out := Terminal())
    assert main(["drift", "init"]) == 0
    assert "Which document describes jobs?\n  1  a/one.json\n  2  b/two.json\n" in out.getvalue()
    assert "  jobs: b/two.json\n" in CONFIGURATION.read_text()


@pytest.mark.parametrize("variable", [None, "CI"])
def test_machines_are_not_asked(variable: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    repository("/jobs jobs", "/ web", services__web="Web", a__one="One")
    if variable is not None:
        monkeypatch.setenv(variable, "true")
        monkeypatch.setattr(sys, "stdout", Terminal())
    else:
        monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(sys, "stdin", Terminal() if variable else io.StringIO())
    assert main(["drift", "init"]) == 0
    assert "# jobs: a rule leads to it" in CONFIGURATION.read_text()
