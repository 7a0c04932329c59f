"""Manifests and configurations in all the forms that people have them in; what is wrong stops nothing else."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.drift.gate import Request
from gco_conformance.drift.gate import run as run_gate
from gco_conformance.errors import UsageError
from gco_fixtures.drift import drift_base

from .drift_checkout import TODAY, base, broken, checkout, gated, rules, service

MANIFEST = "manifests/gateway.yaml"
CONFIGURATION = "gateway-composition.yaml"


def problems(files: Checkout, root: Path) -> list[str]:
    return [str(problem) for problem in gated(files, root).problems]


def configured(text: str) -> Checkout:
    """A checkout whose configuration has `text` behind what is needed."""
    return checkout(["/ alpha"], {"alpha": service("/a")}, text)


def test_a_directory_is_read_as_kubectl_reads_it(tmp_path: Path) -> None:
    files = base(
        {"file": CONFIGURATION, "replace": "manifest: manifests/gateway.yaml", "with": "manifest: manifests"}
    )
    report = gated(files, tmp_path)
    assert (report.findings, report.problems, report.checked.rules) == ((), (), 4)


def test_several_manifests_are_one(tmp_path: Path) -> None:
    text = dict(drift_base())[MANIFEST].decode()
    before, route = text.rsplit("---\n", 1)
    files = base(
        {"file": MANIFEST, "write": before},
        {"file": "manifests/route.yml", "write": route},
        {
            "file": CONFIGURATION,
            "replace": "manifest: manifests/gateway.yaml",
            "with": "manifest: [manifests/gateway.yaml, manifests/route.yml]",
        },
    )
    report = gated(files, tmp_path)
    assert (report.findings, report.problems, report.checked.rules) == ((), (), 4)


def test_a_list_is_unwrapped_and_keeps_its_lines(tmp_path: Path) -> None:
    files = broken("rule.invalid-path")
    parts = dict(files.files)[MANIFEST].decode().split("---\n")
    items = "".join("  -\n" + "".join(f"    {line}\n" for line in part.splitlines()) for part in parts)
    listed = Checkout.of({**dict(files.files), MANIFEST: f"apiVersion: v1\nkind: List\nitems:\n{items}".encode()})
    report = gated(listed, tmp_path)
    assert rules(report.findings) == ["rule.invalid-path"]
    line, column = report.findings[0].place.line, report.findings[0].place.column
    assert line is not None
    assert column is not None
    there = dict(listed.files)[MANIFEST].decode().splitlines()[line - 1]
    assert there[column - 1 :].startswith("/api//reports")


def test_json_from_kubectl_is_a_manifest_too(tmp_path: Path) -> None:
    import json

    import yaml

    documents = list(yaml.safe_load_all(dict(drift_base())[MANIFEST]))
    listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": documents}, indent=2)
    report = gated(base({"file": MANIFEST, "write": listed}), tmp_path)
    assert (report.findings, report.problems, report.checked.rules) == ((), (), 4)


def test_the_output_of_helm_comes_through_a_pipe(tmp_path: Path) -> None:
    files = broken("rule.invalid-path")
    files.write(tmp_path)
    command = [sys.executable, "-m", "gco_conformance", "drift", str(tmp_path), "--manifest", "-"]
    helm = b"# Source: shop/templates/gateway.yaml\n" + dict(files.files)[MANIFEST]
    done = subprocess.run(command, input=helm, capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stdout.startswith(b"<stdin>:45:50: error: '/api//reports' is no path")


def test_without_a_pipe_a_person_is_not_left_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    report = gated(base(), tmp_path, manifests=("-",))
    assert [str(problem) for problem in report.problems] == [
        "<stdin>: nothing is piped in; such as: helm template . | gco-conformance drift --manifest -"
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kind: HTTPRoute\nmetadata: {name: r}\n", "gateway.yaml:1:1: HTTPRoute r has no spec"),
        ("kind: HTTPRoute\nspec: {}\n", "gateway.yaml:1:1: the object has no metadata.name"),
        ("kind: HTTPRoute\nmetadata: {name: r}\nspec: {rules: 1}\n", "gateway.yaml:3:15: rules must be a list"),
        (
            "kind: HTTPRoute\nmetadata: {name: r}\nspec: {rules: [1]}\n",
            "gateway.yaml:3:16: a rule must be a mapping",
        ),
        (
            "kind: HTTPRoute\nmetadata: {name: r}\nspec: {rules: [{matches: [{path: {value: 1}}]}]}\n",
            "gateway.yaml:3:42: a match's path must be text",
        ),
        (
            "kind: HTTPRoute\nmetadata: {name: r}\nspec: {rules: [{backendRefs: [{port: 80}]}]}\n",
            "gateway.yaml:3:31: a backendRef has no name",
        ),
        (
            "kind: HTTPRoute\nmetadata: {name: r}\nspec: {rules: [{backendRefs: [{name: a, port: http}]}]}\n",
            "gateway.yaml:3:47: a backendRef's port must be a whole number",
        ),
        ("kind: ConfigMap\n", "gateway-composition.yaml:1:11: there is no HTTPRoute in gateway.yaml; name the"),
        ("", "gateway-composition.yaml:1:11: there is no HTTPRoute in gateway.yaml; name the"),
        ("a: [\n", "gateway.yaml:2:1: isn't YAML: did not find expected node content"),
    ],
)
def test_a_manifest_that_cannot_be_used_is_said_in_one_line(text: str, said: str, tmp_path: Path) -> None:
    files = Checkout.of({**dict(configured("").files), "gateway.yaml": text.encode()})
    report = gated(files, tmp_path)
    [problem] = map(str, report.problems)
    assert problem.startswith(said)
    assert "\n" not in problem
    assert report.exit_status == 2
    assert report.findings == ()


def test_the_same_route_in_two_manifests_is_no_second_route(tmp_path: Path) -> None:
    files = base(
        {"file": "manifests/overlay.yaml", "write": dict(drift_base())[MANIFEST].decode()},
        {"file": CONFIGURATION, "replace": "manifest: manifests/gateway.yaml", "with": "manifest: manifests"},
    )
    [problem] = problems(files, tmp_path)
    assert problem.startswith("manifests/overlay.yaml:33:1: HTTPRoute shop/shop-routes is already defined at")


def test_other_objects_of_the_same_kinds_are_passed_over(tmp_path: Path) -> None:
    istio = "---\napiVersion: networking.istio.io/v1\nkind: Gateway\nmetadata: {name: other}\nspec: 1\n"
    report = gated(base({"file": MANIFEST, "append": istio}), tmp_path)
    assert (report.findings, report.problems) == ((), ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("servises: []\n", "4:1: unknown key 'servises'; did you mean 'services'?"),
        ("whatever: []\n", "4:1: unknown key 'whatever'; the keys are manifest"),
        ("unauthenticated_paths: /healthz\n", "4:24: unauthenticated_paths must be a list"),
        ("unauthenticated_paths: [healthz]\n", "4:25: an unauthenticated path must begin with /"),
        ("internal_consumers: {reports: {via: orders}}\n", "4:31: internal_consumers.reports has no 'pathPrefix'"),
        ("expected_winners: {/a: alpha}\n", "4:24: expected_winners./a must be a mapping"),
        ("expected_winners: {/a: {reason: x}}\n", "4:24: expected_winners./a has no 'service'"),
        ("output: /etc/passwd\n", "4:9: output must be a path relative to the checkout"),
        ("info: 1\n", "4:7: info must be a mapping"),
        ("drift: {ignore: []}\n", "4:9: unknown key 'drift.ignore'; the only one is 'suppressions'"),
        ("drift: {suppressions: [{rule: a}]}\n", "4:24: a suppression has no 'reason'; say why"),
        ("drift: {suppressions: [{reason: a}]}\n", "4:24: a suppression names no 'rule'"),
        ("drift: {suppressions: [{role: a}]}\n", "4:25: unknown key 'role' in a suppression"),
        (
            "drift: {suppressions: [{rule: a, reason: b, expires: 31.12.2030}]}\n",
            "4:54: '31.12.2030' is no date; write it as 2030-12-31",
        ),
        (
            "drift: {suppressions: [{rule: a, reason: b, expires: 2030-02-30}]}\n",
            "4:54: '2030-02-30' is no date; write it as 2030-12-31",
        ),
        ("services: [a]\n", "4:1: isn't usable YAML: the key 'services' comes twice"),
    ],
)
def test_a_configuration_is_refused_at_its_line_and_key(text: str, said: str, tmp_path: Path) -> None:
    [first] = problems(configured(text), tmp_path)
    assert first.startswith(f"gateway-composition.yaml:{said}")


def test_what_is_wrong_in_the_configuration_leaves_the_rest_in_force(tmp_path: Path) -> None:
    report = gated(configured("servises: []\nunauthenticated_paths: [/nowhere, 7]\n"), tmp_path)
    assert len(report.problems) == 2
    assert rules(report.findings) == ["unauthenticated.unserved"]
    assert report.exit_status == 2


def test_everything_that_is_wrong_is_said_and_the_rest_is_checked(tmp_path: Path) -> None:
    services = {name: service(f"/{name}") for name in ("alpha", "beta", "gamma", "delta")}
    services["alpha"]["paths"]["/lost"] = services["alpha"]["paths"]["/alpha"]
    names = [f"/{name} {name}" for name in services if name != "delta"]
    files = dict(checkout([*names, "/ delta"], services).files)
    files["services/beta.json"] = b"{"
    files["services/gamma.json"] = b"\xff"
    del files["services/delta.json"]
    report = gated(Checkout.of(files), tmp_path)
    missing = "there is no document services/delta.json of the service delta; a .yaml will do, too"
    assert [str(problem) for problem in report.problems] == [
        "services/beta.json:1:2: isn't JSON: Expecting property name enclosed in double quotes",
        "services/gamma.json:1: isn't UTF-8 text",
        f"gateway-composition.yaml:3:32: {missing}",
    ]
    assert rules(report.findings) == ["route.not-delivered"]
    assert report.findings[0].client == "whatever delta answers: its document isn't known"
    assert report.exit_status == 2


def test_what_an_unreadable_service_may_have_is_not_missed(tmp_path: Path) -> None:
    text = "unauthenticated_paths: [/b]\nexpected_winners: {/b: {service: beta}}\n"
    files = checkout(["/b beta", "/ alpha"], {"alpha": service("/a"), "beta": service("/b")}, text)
    report = gated(files, tmp_path / "whole")
    assert report.findings == ()
    report = gated(Checkout.of({**dict(files.files), "services/beta.json": b"{"}), tmp_path / "broken")
    assert report.findings == ()
    assert report.exit_status == 2


def test_services_may_be_anywhere_and_in_yaml(tmp_path: Path) -> None:
    files = {
        CONFIGURATION: b"manifest: gateway.yaml\nservices: {alpha: src/alpha/openapi.yml, beta: docs/beta.json}\n",
        "gateway.yaml": dict(checkout(["/b beta", "/ alpha"], {}).files)["gateway.yaml"],
        "src/alpha/openapi.yml": b"openapi: 3.0.3\npaths:\n  /a:\n    get: {}\n  /b/x:\n    get: {}\n",
        "docs/beta.json": b'{"openapi": "3.1.0", "paths": {"/b": {"get": {}}}}',
    }
    report = gated(Checkout.of(files), tmp_path)
    assert report.problems == ()
    assert [str(finding.place) for finding in report.findings] == ["src/alpha/openapi.yml:5:3"]


def test_without_a_configuration_the_way_to_one_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no such file; 'gco-conformance drift init .*' writes one"):
        run_gate(Request(tmp_path), TODAY)
    with pytest.raises(UsageError, match="is not a directory"):
        run_gate(Request(tmp_path / "nowhere"), TODAY)


def test_a_composed_document_by_default_may_be_missing(tmp_path: Path) -> None:
    assert gated(configured(""), tmp_path / "default").findings == ()
    assert gated(configured("output: null\n"), tmp_path / "none").findings == ()
    assert rules(gated(configured("output: a.json\n"), tmp_path / "named").findings) == ["document.missing"]


def test_a_composed_document_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    files = {**dict(configured("output: composed.json\n").files), "composed.json": b"[]"}
    assert problems(Checkout.of(files), tmp_path) == ["composed.json: the document must be an object"]
