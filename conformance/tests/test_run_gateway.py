"""`gco-conformance run`: composed documents in use, those of the kit's checkouts and of a person's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gco_conformance.checkouts.build import build, operation, service
from gco_conformance.checkouts.route import Route
from gco_conformance.evidence.subject import Subject
from gco_conformance.evidence.violation import NotTested
from gco_conformance.extras import missing
from gco_conformance.suite.composer import test_gateway as suite
from gco_conformance.suite.routed.used import written

from .conformance_run import run_kit

SECURITY = ("--requirement", "composer.document.security")
CHECKOUT = build(
    [Route("/", "alpha", 80), Route("/b_c", "beta", 80)],
    {
        "alpha": service({"/a": {"get": operation("A")}}),
        "beta": service({"/b_c/{id}": {"get": operation("B"), "delete": operation("No B")}}),
    },
)


def checks(report: dict[str, list[dict[str, list[dict[str, str]]]]]) -> dict[str, str]:
    [requirement] = report["requirements"]
    return {check["id"]: check["outcome"] for check in requirement["checks"]}


@pytest.mark.skipif(bool(missing("schemathesis")), reason=missing("schemathesis"))
def test_each_operation_of_a_persons_checkout_is_an_item_of_its_own(tmp_path: Path) -> None:
    root = tmp_path / "mine"
    CHECKOUT.write(root)
    run = run_kit(tmp_path, *SECURITY, "--checkout", str(root), "--examples", "1")
    assert run.exit == 0, run.stdout
    found = checks(run.report)
    labels = ("GET /a", "GET /b_c/{id}", "DELETE /b_c/{id}")
    assert {found[f"gateway/signatures[{root} {label}]"] for label in labels} == {"passed"}
    assert found["gateway/signatures[bookshop GET /health]"] == "passed"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--checkout", "nowhere"], "nowhere: is no directory"),
        (["--examples", "-1"], "fewer than none"),
        (["--checkout", ".", "--examples", "0"], "leaves the checkouts"),
    ],
)
def test_a_slip_is_one_line(options: list[str], said: str, tmp_path: Path) -> None:
    run = run_kit(tmp_path, *SECURITY, *options)
    assert run.exit == 2
    [line] = run.stderr.splitlines()
    assert said in line


@pytest.mark.skipif(bool(missing("schemathesis")), reason=missing("schemathesis"))
def test_a_lie_is_told_with_a_request_to_send(tmp_path: Path) -> None:
    script = tmp_path / "composer.py"
    script.write_text(
        "from gco_reference.composer.composition import compose_checkout\n"
        "def compose(root):\n"
        "    document = compose_checkout(root).document\n"
        "    if '/news' in document['paths']:\n"
        "        document['paths']['/news']['get']['security'] = []\n"
        "    return document\n"
    )
    run = run_kit(tmp_path, *SECURITY, "--composer", f"python:{script}:compose", "--examples", "1")
    [requirement] = run.report["requirements"]
    [found] = [check for check in requirement["checks"] if check["outcome"] == "failed"]
    assert found["id"] == "gateway/signatures[kiosk GET /news]"
    assert "curl --path-as-is --globoff -i -X GET http://127.0.0.1:8080/v1/news" in found["actual"]
    assert "gco-conformance serve-gateway" in found["reproduction"]
    assert json.dumps(found["command"]).count("--examples 1") == 1


def test_where_schemathesis_is_not_installed_nothing_is_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gco_conformance.extras.MODULES", {"schemathesis": ("no_such_module",)})
    operation_in_use = next(written()[0].operations())
    composer = Subject.__new__(Subject)  # which isn't asked
    with pytest.raises(NotTested, match=r"pip install 'gco-conformance\[schemathesis\]'"):
        suite.test_routes(composer, operation_in_use)
