"""Scenarios as they are written in files: from JSON values that fit the schema to values, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gco_conformance.scenarios.scenario import Scenario
from gco_conformance.scenarios.step import (
    Arrive,
    Asked,
    Certificate,
    Expectation,
    Frozen,
    Planned,
    Redeploy,
    RegionAnswers,
    RegionFails,
    RegionRecovers,
    Request,
    Restart,
    RotateCredentials,
    Span,
    StackBecomes,
    StackFails,
    StackRestored,
    Step,
    TimePasses,
    Whole,
)
from gco_conformance.world.faults import form as fault_form

Form = dict[str, Any]
ORDINALS = "ordinals"


def read_scenario(form: Mapping[str, Any], *, name: str = "", places: Sequence[str] = ()) -> Scenario:
    """The scenario that is written."""
    return Scenario(
        title=form["title"],
        steps=tuple(read_step(step) for step in form["steps"]),
        world=form["world"],
        why=form.get("why", ""),
        requirements=tuple(form.get("requirements", ())),
        name=name,
        places=tuple(places),
    )


def written_scenario(scenario: Scenario) -> Form:
    """A scenario as it is written. `read_scenario` gives the same again."""
    said = {"why": scenario.why, "requirements": list(scenario.requirements)}
    return {
        "title": scenario.title,
        **{key: value for key, value in said.items() if value},
        "world": scenario.world,
        "steps": [written_step(step) for step in scenario.steps],
    }


def read_step(form: Mapping[str, Any]) -> Step:
    """The step that is written: its first word tells its kind."""
    match form:
        case {"request": _}:
            return _read_request(form)
        case {"region": region, "fails": faults}:
            return RegionFails(region, _read_faults(faults))
        case {"region": region, "answers": answers}:
            return RegionAnswers(region, answers)
        case {"region": region, "certificate": kind}:
            return Certificate(region, kind)
        case {"region": region, "recovers": _}:
            return RegionRecovers(region)
        case {"region": region, "redeploys": _}:
            return Redeploy(region)
        case {"stack": region, "fails": faults}:
            return StackFails(region, _read_faults(faults))
        case {"stack": region, "becomes": state}:
            return StackBecomes(region, state)
        case {"stack": region, "restored": _}:
            return StackRestored(region)
        case {"time-passes": seconds}:
            return TimePasses(seconds)
        case {"frozen": frozen}:
            return Frozen((frozen or {}).get("hang-up"), (frozen or {}).get("seconds", 0.0))
        case {"process": _}:
            return Restart()
        case {"credentials": _}:
            return RotateCredentials()
        case {"arrive": order}:
            return Arrive(tuple(order))
    raise ValueError(f"no step is written like this: {form}")


def written_step(step: Step) -> Form:
    """A step as it is written."""
    match step:
        case Request():
            return _written_request(step)
        case RegionFails(region, faults):
            return {"region": region, "fails": _written_faults(faults)}
        case RegionAnswers(region, answers):
            return {"region": region, "answers": dict(answers)}
        case Certificate(region, kind):
            return {"region": region, "certificate": kind}
        case RegionRecovers(region):
            return {"region": region, "recovers": True}
        case Redeploy(region):
            return {"region": region, "redeploys": True}
        case StackFails(region, faults):
            return {"stack": region, "fails": _written_faults(faults)}
        case StackBecomes(region, state):
            return {"stack": region, "becomes": state}
        case StackRestored(region):
            return {"stack": region, "restored": True}
        case TimePasses(seconds):
            return {"time-passes": seconds}
        case Frozen(hang_up, seconds):
            said = {"hang-up": hang_up, "seconds": seconds}
            return {"frozen": {key: value for key, value in said.items() if value}}
        case Restart():
            return {"process": "restarts"}
        case RotateCredentials():
            return {"credentials": "rotate"}
        case Arrive(order):
            return {"arrive": list(order)}


def _read_request(form: Mapping[str, Any]) -> Request:
    method, _, path = form["request"].partition(" ")
    body = json.dumps(form["json"]) if "json" in form else form.get("body")
    query = {name: str(value) for name, value in form.get("query", {}).items()}
    base64 = form.get("base64", False)
    return Request(method, path, query, body, base64, _read_expectation(form.get("expect", {})))


def _written_request(request: Request) -> Form:
    form: Form = {"request": f"{request.method} {request.path}"}
    if request.query:
        form["query"] = dict(request.query)
    if request.body is not None:
        form |= _written_body(request.body)
    if request.base64:
        form["base64"] = True
    expect = _written_expectation(request.expect)
    return {**form, "expect": expect} if expect else form


def _written_body(body: str) -> Form:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {"body": body}
    return {"json": value} if json.dumps(value) == body else {"body": body}


def _read_expectation(form: Mapping[str, Any]) -> Expectation:
    return Expectation(
        status=form.get("status"),
        json=(form["json"],) if "json" in form else (),
        any_of=tuple(Whole(each["status"], each["json"]) for each in form.get("any-of", ())),
        equals=form.get("equals", {}),
        mentions=form.get("mentions", {}),
        absent=tuple(form.get("absent", ())),
        headers=form.get("headers", {}),
        errors=form.get("errors"),
        requests={region: _read_span(span) for region, span in form.get("requests", {}).items()},
        discoveries=_read_span(form["discoveries"]) if "discoveries" in form else None,
        given_up=tuple(form.get("given-up", ())),
        accepted=form.get("accepted", False),
        asked=_read_asked(form.get("asked", {})),
        within=form.get("within"),
    )


def _written_expectation(expect: Expectation) -> Form:
    said = {
        "status": expect.status,
        "any-of": [{"status": each.status, "json": each.json} for each in expect.any_of] or None,
        "equals": dict(expect.equals) or None,
        "mentions": dict(expect.mentions) or None,
        "absent": list(expect.absent) or None,
        "headers": dict(expect.headers) or None,
        "errors": None if expect.errors is None else dict(expect.errors),
        "requests": {region: _written_span(span) for region, span in expect.requests.items()} or None,
        "discoveries": None if expect.discoveries is None else _written_span(expect.discoveries),
        "given-up": list(expect.given_up) or None,
        "accepted": expect.accepted or None,
        "asked": _written_asked(expect.asked) or None,
        "within": expect.within,
    }
    form = {key: value for key, value in said.items() if value is not None}
    return {**form, "json": expect.json[0]} if expect.json else form


def _read_asked(form: Mapping[str, Any]) -> Asked:
    return Asked(form.get("query", {}), (form["json"],) if "json" in form else ())


def _written_asked(asked: Asked) -> Form:
    form = {"query": dict(asked.query)} if asked.query else {}
    return {**form, "json": asked.json[0]} if asked.json else form


def _read_span(form: int | Mapping[str, int]) -> Span:
    return Span(form, form) if isinstance(form, int) else Span(form.get("from", 0), form.get("to"))


def _written_span(span: Span) -> int | Form:
    if span.least == span.most:
        return span.least
    return {"from": span.least} if span.most is None else {"from": span.least, "to": span.most}


def _read_faults(form: Any) -> tuple[Planned, ...]:
    return tuple(_read_fault(each) for each in (form if isinstance(form, list) else [form]))


def _read_fault(form: str | Mapping[str, Any]) -> Planned:
    if isinstance(form, str):
        return Planned(fault_form.read(form))
    ordinals = form.get(ORDINALS)
    fault = fault_form.read({key: value for key, value in form.items() if key != ORDINALS})
    return Planned(fault, None if ordinals is None else tuple(ordinals))


def _written_faults(faults: Sequence[Planned]) -> Any:
    forms = [_written_fault(planned) for planned in faults]
    return forms[0] if len(forms) == 1 else forms


def _written_fault(planned: Planned) -> str | Form:
    form = fault_form.written(planned.fault)
    if planned.ordinals is not None:
        return {**form, ORDINALS: list(planned.ordinals)}
    return planned.fault.name if len(form) == 1 else form
