"""The CloudFormation stack of one region: what DescribeStacks tells of it, and what goes wrong instead."""

from __future__ import annotations

import dataclasses
import threading
import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from gco_conformance.http_messages import Reply, Request
from gco_conformance.world import stack_xml
from gco_conformance.world.connection import ConnectionLog
from gco_conformance.world.faults import Delay, End, Scene, Stage, WireFault
from gco_conformance.world.front import Answering, Front
from gco_conformance.world.journal import Journal, Seen
from gco_conformance.world.moto import Moto, with_new_request_id
from gco_conformance.world.plan import Plan
from gco_conformance.world.script import Script

ENDPOINT = "RegionalApiEndpoint"
"""The output that holds the URL of the regional API."""


class Holder(Protocol):
    """What a stack needs of its world."""

    @property
    def journal(self) -> Journal: ...

    @property
    def account(self) -> str: ...

    def host_of(self, region: str) -> str: ...

    def cloudformation(self, region: str) -> Front:
        """The host of CloudFormation in a region. Raises `ValueError` while other worlds use it too."""


@dataclasses.dataclass(frozen=True)
class _State:
    """What is told of the stack. `refusals` counts down with each refused call; None: all calls are refused."""

    outputs: tuple[tuple[str, str], ...] | None
    status: str = "CREATE_COMPLETE"
    told_name: str | None = None
    copies: int = 1
    paged: bool = False
    refusal: tuple[str, str, int] | None = None
    refusals: int | None = None

    @property
    def ordinary(self) -> bool:
        """Whether it's a state that moto can be brought into."""
        keys = [key for key, _ in self.outputs or ()]
        plain = dataclasses.replace(self, outputs=None, refusal=None, refusals=None)
        return plain == _State(None) and len(keys) == len(set(keys))


class Stack:
    """The stack that bridges to a region's API. Setters take effect at the next call, and can be chained."""

    def __init__(
        self, name: str, region: str, outputs: Sequence[tuple[str, str]], world: Holder, moto: Moto | None
    ) -> None:
        self.name = name
        self.region = region
        self._world = world
        self._moto = moto
        self._healthy = _State(tuple(outputs))
        self._state = self._healthy
        self._in_moto: _State | None = None
        self._told: dict[frozenset[tuple[str, str]], Reply] = {}
        self._own_arn = f"arn:aws:cloudformation:{region}:{world.account}:stack/{name}/{uuid.uuid4()}"
        self._lock = threading.Lock()
        self._plan = Plan()
        self._answering = Answering(self._plan)
        self._fronts: list[Front] = []

    def missing(self) -> Stack:
        """There is no such stack."""
        return self._set(outputs=None)

    def output(self, value: str) -> Stack:
        """The endpoint that the stack names; other outputs stay. Raises `ValueError` for what XML can't hold."""
        others = [(key, old) for key, old in self._state.outputs or () if key != ENDPOINT]
        return self.outputs([*others, (ENDPOINT, value)])

    def outputs(self, outputs: Sequence[tuple[str, str]]) -> Stack:
        """All outputs of the stack, as keys and values, in order; a key may come twice."""
        for _, value in outputs:
            if not all(_in_xml(character) for character in value):
                raise ValueError(f"XML can't hold {value!r}")
        return self._set(outputs=tuple(outputs))

    def replaced(self, outputs: Sequence[tuple[str, str]]) -> Stack:
        """The stack has these outputs from now on, and after `restored` too."""
        self._healthy = _State(tuple(outputs))
        return self.outputs(outputs)

    def told(self) -> tuple[tuple[str, str], ...]:
        """The outputs that are told now; none of a stack that is missing."""
        return self._state.outputs or ()

    def status(self, status: str) -> Stack:
        """The state of the stack, as `ROLLBACK_COMPLETE`."""
        return self._set(status=status)

    def several(self) -> Stack:
        """The answer names the stack twice, under two ids."""
        return self._set(copies=2)

    def named(self, name: str) -> Stack:
        """The answer is about a stack of another name."""
        return self._set(told_name=name)

    def paged(self) -> Stack:
        """The answer says that there is more to come."""
        return self._set(paged=True)

    def throttled(self, times: int | None = None) -> Stack:
        """The next calls (all of them, by default) are refused since there were too many."""
        return self._refuse("Throttling", "Rate exceeded", 400, times)

    def denied(self) -> Stack:
        """The caller isn't allowed to describe stacks."""
        caller = f"arn:aws:sts::{self._world.account}:assumed-role/aggregator/aggregator"
        action = "cloudformation:DescribeStacks"
        return self._refuse(
            "AccessDenied",
            f"User: {caller} is not authorized to perform: {action} on resource: {self._own_arn} because no "
            f"identity-based policy allows the {action} action",
            403,
            None,
        )

    def error(self, code: str, status: int, message: str = "", *, times: int | None = None) -> Stack:
        """The next calls (all of them, by default) end in this error, as `InternalFailure` with 500."""
        return self._refuse(code, message or f"The request ended in {code}", status, times)

    def slow(self, seconds: float) -> Stack:
        """Every answer comes after so many seconds."""
        return self.fails(Delay(seconds))

    def drops(self) -> Stack:
        """The connection ends without an answer."""
        return self.fails(End())

    def fails(self, fault: WireFault, *, on: Collection[int] | None = None) -> Stack:
        """Play a fault on calls to CloudFormation, as `Region.fails` does on requests.

        Faults before the request strike the host of CloudFormation itself, which worlds share: raises `ValueError`
        while others use it in this region.
        """
        if fault.stage in {Stage.REPLY, Stage.ANSWER, Stage.REUSE}:
            self._plan.add(fault, on)
        else:
            front = self._world.cloudformation(self.region)
            front.fails(fault, on)
            self._fronts.append(front)
        return self

    def restored(self) -> Stack:
        """All is as at the beginning, and all faults are over."""
        self._plan.end()
        for front in self._fronts:
            front.recovers()
        return self._become(self._healthy)

    def fired(self, fault: WireFault) -> int:
        """How often a fault has been played since it was planned."""
        fronts = {id(front): front for front in self._fronts}.values()
        return self._plan.fired(fault) + sum(front.plan.fired(fault) for front in fronts)

    def unfired(self) -> tuple[WireFault, ...]:
        """The faults that were planned and never played."""
        fronts = {id(front): front for front in self._fronts}.values()
        return sum((front.plan.unfired() for front in fronts), self._plan.unfired())

    def calls(self) -> tuple[Seen, ...]:
        """Every call to CloudFormation in this region, in order; those with a `status` were badly signed."""
        return self._world.journal.entries("cloudformation", self.region)

    # What the service's front asks

    def prepare(self) -> None:
        """Bring moto into the state that is told of."""
        with self._lock:
            self._mirror()

    def answer(self, request: Request, parameters: Mapping[str, str], log: ConnectionLog, now: float) -> Script:
        """What to do about a call."""
        scene = Scene(self._reply(parameters, now), request, self.region, self._world.host_of)
        reply, changed_by = self._answering.changed(scene)
        return self._answering.script(request, kept_open_as_asked(request, reply), log, changed_by)

    def _reply(self, parameters: Mapping[str, str], now: float) -> Reply:
        with self._lock:
            state = self._state
            if state.refusal is not None and state.refusals != 0:
                if state.refusals is not None:
                    self._state = dataclasses.replace(state, refusals=state.refusals - 1)
                return stack_xml.error(*state.refusal)
            return self._tell(state, parameters, now)

    def _tell(self, state: _State, parameters: Mapping[str, str], now: float) -> Reply:
        if self._moto is not None and state.ordinary and self._moto.knows(self.region):
            self._mirror()
            key = frozenset(parameters.items())
            if key not in self._told:
                self._told[key] = self._moto.ask(self._world.account, self.region, parameters)
            return with_new_request_id(self._told[key])
        if parameters.get("Action") != "DescribeStacks":
            return stack_xml.error("InvalidAction", f"Could not find operation {parameters.get('Action')}", 400)
        asked = parameters.get("StackName")
        if asked not in {None, self.name, self._own_arn} or (asked is not None and state.outputs is None):
            return stack_xml.does_not_exist(asked or "")
        if state.outputs is None:
            return stack_xml.stacks([])
        arns = [self._own_arn, *(self._own_arn[:-36] + str(uuid.uuid4()) for _ in range(state.copies - 1))]
        name = state.told_name or self.name
        described = [stack_xml.Described(name, arn, state.status, state.outputs, now - 86400) for arn in arns]
        return stack_xml.stacks(described, next_token=str(uuid.uuid4()) if state.paged else "")

    def _mirror(self) -> None:
        state = self._state
        if self._moto is None or not state.ordinary or not self._moto.knows(self.region):
            return
        there, wanted = (None if each is None else each.outputs for each in (self._in_moto, state))
        if self._in_moto is not None and there == wanted:
            return
        account = self._world.account
        if there is not None:
            self._moto.delete(account, self.region, self.name)
        if wanted is not None:
            self._moto.create(account, self.region, self.name, dict(wanted))
        self._in_moto = state
        self._told.clear()

    def _refuse(self, code: str, message: str, status: int, times: int | None) -> Stack:
        return self._set(refusal=(code, message, status), refusals=times)

    def _set(self, **changes: Any) -> Stack:
        return self._become(dataclasses.replace(self._state, **changes))

    def _become(self, state: _State) -> Stack:
        with self._lock:
            self._state = state
        return self


def kept_open_as_asked(request: Request, reply: Reply) -> Reply:
    """The answer, which says that it ends the connection where the client wants that."""
    if request.keeps_alive:
        return reply
    return Reply(reply.status, reply.body, (*reply.headers, ("Connection", "close")))


def _in_xml(character: str) -> bool:
    """Whether XML 1.0 has a way to say it, so that it arrives as it was sent."""
    code = ord(character)
    return code in {0x9, 0xA} or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code > 0xFFFF
