"""The vocabulary of scenarios: what can happen in a world, one small value for each kind of step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from gco_conformance.sealed.trust import Kind as CertificateKind
from gco_conformance.world.faults import WireFault


@dataclass(frozen=True)
class Planned:
    """A fault, and on which of the next requests it strikes (1 is the next); all, where that is None."""

    fault: WireFault
    ordinals: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Span:
    """A number from `least` to `most`, both included; without bound where `most` is None."""

    least: int = 0
    most: int | None = None

    def holds(self, number: int) -> bool:
        return self.least <= number and (self.most is None or number <= self.most)

    def __str__(self) -> str:
        if self.most is None:
            return f"at least {self.least}"
        return f"{self.least}" if self.most == self.least else f"{self.least} to {self.most}"


@dataclass(frozen=True)
class Whole:
    """A whole answer: its status, and exactly this JSON."""

    status: int
    json: Any


@dataclass(frozen=True)
class Asked:
    """What every request to a region asks for: these parameters, or not those that are None, and this JSON body.

    `json` is empty, or the one value that is wanted.
    """

    query: Mapping[str, str | None] = field(default_factory=dict)
    json: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Expectation:
    """What must be true of an answer and of what was seen while it was made. What is None or empty isn't judged.

    `json` is the body, exactly; `any_of` are answers one of which it must be. By JSON Pointer, `equals` are
    values, `mentions` text that is part of one, and `absent` pointers to nothing. By name, `headers` are text that
    is part of a header. `errors` are all regions that failed with their errors. `requests` are how many requests
    reached a region, `discoveries` how many calls CloudFormation got, both while this request was answered.
    `given_up` are regions whose answer, if they were asked, mustn't be read to its end. `accepted` wants every
    request to a region to be signed and valid, `asked` to ask for the right thing. `within` is in seconds.
    """

    status: int | None = None
    json: tuple[Any, ...] = ()
    """Empty, or the one value that is wanted: None is a value, too."""
    any_of: tuple[Whole, ...] = ()
    equals: Mapping[str, Any] = field(default_factory=dict)
    mentions: Mapping[str, str] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] | None = None
    requests: Mapping[str, Span] = field(default_factory=dict)
    discoveries: Span | None = None
    given_up: tuple[str, ...] = ()
    accepted: bool = False
    asked: Asked = Asked()
    within: float | None = None


@dataclass(frozen=True)
class Request:
    """The aggregator is asked. `body` is text, which the event has as Base64 where `base64` says so."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    base64: bool = False
    expect: Expectation = Expectation()


@dataclass(frozen=True)
class RegionFails:
    """Faults strike a region's API from now on, until it recovers."""

    region: str
    faults: tuple[Planned, ...]


@dataclass(frozen=True)
class RegionAnswers:
    """A region answers something else from now on: by route (`jobs`, `deletion`, …), as in a world file."""

    region: str
    answers: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class RegionRecovers:
    """All faults of a region's API are over, those of its certificate too; what it answers stays."""

    region: str


@dataclass(frozen=True)
class Certificate:
    """A region presents another certificate in new connections; those that are open end."""

    region: str
    kind: CertificateKind


@dataclass(frozen=True)
class StackBecomes:
    """A region's stack is told of in another way: a word or details, as in a world file."""

    region: str
    state: str | Mapping[str, Any]


@dataclass(frozen=True)
class StackFails:
    """Faults strike calls to CloudFormation in a region, until the stack is restored."""

    region: str
    faults: tuple[Planned, ...]


@dataclass(frozen=True)
class StackRestored:
    """A region's stack, and CloudFormation there, are as they were when the world began."""

    region: str


@dataclass(frozen=True)
class Redeploy:
    """A region's stack is replaced: its API has another id, and the old one is gone."""

    region: str


@dataclass(frozen=True)
class TimePasses:
    """All clocks move forward by so many seconds, at once."""

    seconds: float


@dataclass(frozen=True)
class Frozen:
    """The aggregator's process stands still as between two invocations, and its open connections end meanwhile."""

    hang_up: Literal["ended", "reset"] | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Restart:
    """The next request finds a process that starts cold."""


@dataclass(frozen=True)
class RotateCredentials:
    """The function has other credentials from now on; those from before are worth nothing."""


@dataclass(frozen=True)
class Arrive:
    """The regions' answers arrive in this order from now on; in any, where it is empty."""

    order: tuple[str, ...]


Step = (
    Request
    | RegionFails
    | RegionAnswers
    | RegionRecovers
    | Certificate
    | StackBecomes
    | StackFails
    | StackRestored
    | Redeploy
    | TimePasses
    | Frozen
    | Restart
    | RotateCredentials
    | Arrive
)
