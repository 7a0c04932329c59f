"""One composed document and the gateway that it is about: what the checks of its use have in common."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.evidence.observation import Observation
from gco_conformance.evidence.violation import NotTested, Violation
from gco_conformance.gateway.routed import Gateway
from gco_conformance.gateway.service import Service
from gco_conformance.http_messages import Reply, Request
from gco_conformance.model.references import Dangling, at, reference_of, resolve
from gco_conformance.model.surface import Kept
from gco_conformance.suite.routed.requests import MAKING, Asked, Requests, Unmade, curl
from gco_conformance.suite.routed.variations import of_request

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    Made = tuple[tuple[Asked, ...], SearchStrategy[Asked] | None]
    # The requests at the limits of what a document says, and a strategy for others, if there are any.

ADDRESS = "http://127.0.0.1:8080"


@dataclass(frozen=True)
class Exchange:
    """A request through the gateway, as evidence: how to see it again."""

    observation: Observation
    request: Request
    seed: int

    @property
    def reproduction(self) -> str:
        """A shell script: compose, serve the gateway, send the request."""
        served = f'gco-conformance serve-gateway "$root" --port 8080 --seed {self.seed} &'
        sent = curl(self.request, ADDRESS)
        lines = [self.observation.command, served, "sleep 3", sent, "echo", "kill %1"]
        return self.observation.checkout.as_script("\n".join(lines))


class Own:
    """The side that no composer has a part in: the gateway, and the requests of its services' own documents."""

    def __init__(self, checkout: Checkout, seed: int) -> None:
        self.gateway = Gateway(checkout, seed)
        for name, service in self.gateway.services.items():
            reason = service.unusable()
            if reason:
                raise NotTested(f"the document of {name} can't be used: {reason}")
        mounted = self.gateway.mounted_at
        self._requests = {
            name: Requests(service.document, mounted + service.base)
            for name, service in self.gateway.services.items()
        }

    def requests(self, service: str) -> Requests:
        return self._requests[service]


@functools.lru_cache(maxsize=32)
def own(checkout: Checkout, seed: int) -> Own:
    """That side of a checkout, shared by all checks."""
    return Own(checkout, seed)


class Exercise:
    """A composed document in use.

    `examples` are the requests of each kind that are drawn for an operation, besides those at the limits of what
    the documents say.
    """

    def __init__(self, observation: Observation, document: Mapping[str, Any], seed: int, examples: int) -> None:
        self.observation = observation
        self.document = document
        self.seed = seed
        self.examples = examples
        self.own = own(observation.checkout, seed)
        self.gateway = self.own.gateway
        self.requests = Requests(document, self.gateway.mounted_at)
        self._services: dict[str, Service] = {}
        self._differing: dict[str, bool] = {}

    # What is known

    def kept(self, label: str) -> Kept:
        """The operation of the gateway's surface that is called `GET /path`."""
        method, path = label.split(" ", 1)
        return self.gateway.surface.kept[path, method.lower()]

    def own_label(self, label: str) -> str:
        """What an operation is called in its service's own document."""
        return f"{label.split(' ', 1)[0]} {self.kept(label).documented_path}"

    def described(self, label: str) -> Mapping[str, Any]:
        """The operation as the composed document has it. Raises `Violation` when it hasn't."""
        method, path = label.split(" ", 1)
        found = self.path_item(path).get(method.lower())
        if not isinstance(found, dict):
            raise self.violation(f"the composed document lacks {label}", expected=label, actual="nothing")
        return found

    def path_item(self, path: str) -> dict[str, Any]:
        """A path of the composed document with what it refers to; empty when there is none."""
        item = self.document["paths"].get(path)
        for _ in range(10):
            reference = reference_of(item)
            if reference is None:
                break
            try:
                item = {**resolve(self.document, reference), **{k: v for k, v in item.items() if k != "$ref"}}
            except (Dangling, TypeError):
                break
        return item if isinstance(item, dict) else {}

    def composed_service(self, path: str) -> Service:
        """A service that would be described by the composed document, as far as one path goes."""
        if path not in self._services:
            only = {path: self.document["paths"].get(path, {})}
            self._services[path] = Service({**self.document, "paths": only})
        return self._services[path]

    # What is asked

    def right(self, label: str) -> Made:
        """Right requests: of the composed document, or of the service's own where that gives none."""
        if not self._differs_at_the_limits(label):
            return self._made(*self._of_service(label), label, wrong=False)
        with contextlib.suppress(Unmade):
            return self._made(self.requests, label, label, wrong=False)
        with contextlib.suppress(Unmade):
            return self._made(*self._of_service(label), label, wrong=False)
        return (), None

    def every(self, label: str) -> Iterator[Made]:
        """Right and wrong requests of both documents.

        Raises `Violation` where the service's own document gives some, and the composed one doesn't.
        """
        for wrong in (False, True):
            try:
                yield self._made(*self._of_service(label), label, wrong=wrong)
            except Unmade:
                # A composed document that is as bad isn't to blame.
                continue
            try:
                if self._differs_at_the_limits(label):
                    yield self._made(self.requests, label, label, wrong=wrong)
            except Unmade as reason:
                raise self.violation(
                    f"no request for {label} can be made of the composed document",
                    expected="a document like the service's own, of which requests can be made",
                    actual=str(reason),
                ) from None

    def _differs_at_the_limits(self, label: str) -> bool:
        """Whether the two documents give other requests at their limits, or one of them none.

        Where they don't, the same would be drawn from both, which takes most of the time.
        """
        if label not in self._differing:
            requests, name = self._of_service(label)
            try:
                self._differing[label] = any(
                    repr(requests.at_the_limits(name, wrong=wrong))
                    != repr(self.requests.at_the_limits(label, wrong=wrong))
                    for wrong in (False, True)
                )
            except Unmade:
                self._differing[label] = True
        return self._differing[label]

    def varied(self, label: str) -> Iterator[Request]:
        """The fullest right request at the limits of either document, with one thing changed each time."""
        found: dict[str, Request] = {}
        for requests, name in (self._of_service(label), (self.requests, label)):
            with contextlib.suppress(Unmade):
                limits = requests.at_the_limits(name, wrong=False)
                fullest = max(limits, key=lambda asked: len(repr(asked)), default=None)
                if fullest is not None:
                    found[repr(fullest)] = fullest.request
        for request in found.values():
            yield from of_request(request, label.split(" ", 1)[1])

    def _of_service(self, label: str) -> tuple[Requests, str]:
        return self.own.requests(self.kept(label).service), self.own_label(label)

    def _made(self, requests: Requests, name: str, label: str, *, wrong: bool) -> Made:
        limits = requests.at_the_limits(name, wrong=wrong)
        if not self.examples or (wrong and not self._can_be_wrong(label)):
            return limits, None
        return limits, requests.strategy(name, wrong=wrong, seed=self.seed, examples=self.examples)

    def _can_be_wrong(self, label: str) -> bool:
        """Whether some request for an operation would be wrong. Where none is, a search for one takes long."""
        method, path = label.split(" ", 1)
        operation = self.gateway.services[self.kept(label).service].by_path[path][method]
        document = self.gateway.services[self.kept(label).service].document
        schemas = [_schema(document, parameter.schema) for parameter in operation.parameters]
        return operation.body is not None or any(
            parameter.location != "path" or schema.keys() - {"type", "title", "description"} or _not_text(schema)
            for parameter, schema in zip(operation.parameters, schemas, strict=True)
        )

    def signed(self, request: Request) -> Request:
        return self.gateway.envelope.signed(request)

    def reply(self, request: Request) -> Reply:
        """What the gateway answers, with all data."""
        return self.gateway.answer(request)

    def verdict(self, request: Request) -> Reply:
        """Who refuses or accepts a request, which takes a fraction of the time."""
        return self.gateway.answer(request, data=False)

    def below(self, request: Request) -> str:
        """The path of a request as the rules see it."""
        return request.path[len(self.gateway.mounted_at) :]

    def goes_where_its_template_goes(self, asked: Request, label: str) -> bool:
        """Whether a request is one that the rule of its template takes, and for that template.

        Others, that a longer rule takes or a more concrete path, are judged elsewhere.
        """
        kept, path, template = self.kept(label), self.below(asked), label.split(" ", 1)[1]
        found = self.gateway.services[kept.service].find(path)
        return self.gateway.route(path) == kept.route and found is not None and found.template == template

    # What is told

    def violation(self, message: str, *, expected: Any, actual: Any, request: Request | None = None) -> Violation:
        """What was found, with the request that shows it."""
        evidence = self.observation if request is None else Exchange(self.observation, request, self.seed)
        if request is not None:
            actual = f"{actual}\nto: {curl(request, ADDRESS)}"
        return Violation(message, expected=expected, actual=actual, observation=evidence)


def _schema(document: Mapping[str, Any], pointer: str) -> Mapping[str, Any]:
    """The schema at a place, `$ref` included; empty where it allows everything."""
    found = at(document, pointer) if pointer else {}
    return found if isinstance(found, dict) else {}


def _not_text(schema: Mapping[str, Any]) -> bool:
    return "type" in schema and schema["type"] != "string"


_KNOWN: dict[tuple[Checkout, bytes | None, int, int], Exercise] = {}


def exercise(observation: Observation, document: Mapping[str, Any], seed: int, examples: int) -> Exercise:
    """The use of a composed document, shared by all checks."""
    key = (observation.checkout, observation.output, seed, examples)
    with MAKING:
        if key not in _KNOWN:
            _KNOWN[key] = Exercise(observation, document, seed, examples)
        return _KNOWN[key]
