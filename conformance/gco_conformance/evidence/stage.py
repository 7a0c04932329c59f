"""A world with an aggregator in it: the vocabulary in which checks of aggregators are written."""

from __future__ import annotations

import contextlib
import json
import os
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs

from gco_conformance.adapters.function import Function, Instance
from gco_conformance.evidence.patience import Patience
from gco_conformance.evidence.reply import Reply
from gco_conformance.evidence.seen import body_of, parameters_of, signed_at, told
from gco_conformance.evidence.turns import Turns
from gco_conformance.evidence.violation import NotTested, Violation
from gco_conformance.model.json_equality import equal
from gco_conformance.world.journal import Seen
from gco_conformance.world.regional import Region
from gco_conformance.world.secrets import leaks
from gco_conformance.world.stack import Stack
from gco_conformance.world.world import World

TIME_LIMIT = 60.0
"""Real seconds for one invocation: core aggregators may take longer than API Gateway waits."""

START_SECONDS = 2.0
"""How long a cold start keeps others from starting, at most: until it looks for all that it is to discover. Many
at once would take each other's time, and some aggregators give up when they haven't discovered within seconds."""


class Stages:
    """Opens worlds for checks, each with a process of its own of the aggregator under test.

    `make_world` makes a world with the given regions; `trust` are the variables by which its certificates are
    trusted. Generated cases come from `seed`. With `real_time` a check waits where a clock can't be moved.
    """

    def __init__(
        self,
        function: Function,
        make_world: Callable[..., World],
        trust: Mapping[str, str],
        seed: int,
        *,
        real_time: bool = False,
    ) -> None:
        self.function = function
        self.waits = bool(real_time and function.moves_time)
        self.seed = seed
        self._starts = Turns(os.cpu_count() or 1, START_SECONDS)
        self.patience = Patience()
        self._make_world = make_world
        self._trust = trust

    @contextlib.contextmanager
    def open(self, *regions: str, **options: Any) -> Iterator[Stage]:
        """A world in which all is well; `options` are `World`'s own.

        Raises `NotTested` at the end when a fault that was planned didn't strike: then nothing is known.
        """
        with self.open_to_anything(*regions, **options) as stage:
            yield stage
            stage.every_fault_struck()

    @contextlib.contextmanager
    def open_to_anything(self, *regions: str, **options: Any) -> Iterator[Stage]:
        """The same, where faults may be planned that never strike."""
        world = self._make_world(regions=regions, **options)
        stage = Stage(self.function, world, self._trust, self.seed, self._starts, self.patience, waits=self.waits)
        try:
            yield stage
        finally:
            stage.close()
            world.close()


class Stage:
    """An aggregator in a world. It is started cold with the first event, and again after `restart`."""

    def __init__(
        self,
        function: Function,
        world: World,
        trust: Mapping[str, str],
        seed: int,
        starts: Turns,
        patience: Patience,
        *,
        waits: bool = False,
    ) -> None:
        self.world = world
        self._waits = waits
        self._starts = starts
        self._patience = patience
        self.seed = seed
        self._function = function
        self._trust = trust
        self._overrides: Mapping[str, str | None] = {}
        self._instance: Instance | None = None
        self._restarted = world.journal.mark()
        self._last: Reply | None = None
        self.time_limit: float | None = None
        """Real seconds after which an invocation is given up, where that is to be sooner than usual."""

    # What the world does

    def region(self, name: str) -> Region:
        """The API of a region."""
        return self.world.region(name)

    def stack(self, region: str) -> Stack:
        """The stack in which CloudFormation has a region's API."""
        return self.world.stack(region)

    def time_passes(self, seconds: float) -> None:
        """Move all clocks forward, or wait as long."""
        if self._waits:
            time.sleep(seconds)
        else:
            self.world.clock.advance(seconds)

    def restart(self, **environment: str | None) -> None:
        """Start cold again, with these variables changed, or absent where they are `None`."""
        if self._function.starts_cold:
            raise NotTested(self._function.starts_cold)
        self.close()
        self._overrides = environment
        self._restarted = self.world.journal.mark()

    def needs_moved_time(self) -> None:
        """Leave the check where the aggregator's clock can't be moved and nobody wants to wait."""
        if self._function.moves_time and not self._waits:
            raise NotTested(f"{self._function.moves_time}; --real-time waits for it")

    @property
    def started(self) -> bool:
        """Whether there is a process of the aggregator."""
        return self._instance is not None

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """The aggregator's process stands still, as between two invocations."""
        if self._function.starts_cold:
            raise NotTested(self._function.starts_cold)
        if self._instance is None:
            raise ValueError("nothing has been asked of it yet")
        self._instance.freeze()
        try:
            yield
        finally:
            self._instance.thaw()

    def every_fault_struck(self) -> None:
        """Leave the check where a planned fault has not been met."""
        unfired = self.world.unfired()
        if unfired:
            raise NotTested(f"a planned fault never struck: {', '.join(dict.fromkeys(unfired))}")

    def close(self) -> None:
        """End the aggregator's process."""
        if self._instance is not None:
            self._instance.close()
            self._instance = None

    # What it is asked

    def get(self, path: str, **query: str) -> Reply:
        return self.send("GET", path, query=query)

    def delete(self, path: str, body: object) -> Reply:
        """Send a DELETE, with `body` as JSON, or with none when it is `None`."""
        return self.send("DELETE", path, body=None if body is None else json.dumps(body))

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: str | None = None,
        base64: bool = False,
    ) -> Reply:
        """Ask as API Gateway does; with `base64`, hand the body over as it does where binary types are set up."""
        if base64 and body is not None:
            body = b64encode(body.encode()).decode()
        return self.event(
            {
                "resource": "/{proxy+}",
                "httpMethod": method,
                "path": path,
                "headers": {"Accept": "application/json"},
                "queryStringParameters": dict(query) if query else None,
                "body": body,
                "isBase64Encoded": base64,
            }
        )

    def event(self, event: Mapping[str, Any]) -> Reply:
        """Hand over an API Gateway proxy event. Raises `NotTested` where none is ever answered."""
        self._is_worth_asking()
        mark = self.world.journal.mark()
        if self._instance is not None:
            invocation = self._instance.invoke(event, time_limit=self.time_limit or TIME_LIMIT)
        else:
            environment: dict[str, str | None] = {**self.world.environment(), **self._trust, **self._overrides}
            given = {name: value for name, value in environment.items() if value is not None}
            with self._starts.take(lambda seconds: self._has_looked_around(mark, seconds)):
                self._is_worth_asking()
                self._instance = self._function.cold(given, self.world.clock.file)
                invocation = self._instance.invoke(event, time_limit=self.time_limit or TIME_LIMIT)
        self._patience.saw(invocation)
        story = tuple(told(seen) for seen in self.world.journal.since(mark))
        self._last = Reply(event, invocation, story)
        return self._last

    def _has_looked_around(self, since: int, seconds: float) -> None:
        """Wait until it has looked for CloudFormation in all regions, or for a region, so many seconds at most."""
        apis = {region.host for region in self.world.regions}
        stacks = {f"cloudformation.{region.name}.{self.world.suffix}" for region in self.world.regions}

        def has(entries: tuple[Seen, ...]) -> bool:
            hosts = {seen.host for seen in entries[since:] if seen.kind == "lookup"}
            return not hosts.isdisjoint(apis) or hosts >= stacks

        self.world.journal.wait_for(has, seconds)

    def _is_worth_asking(self) -> None:
        if self.time_limit is None and self._patience.lost:
            raise NotTested(self._patience.lost)

    def works(self) -> None:
        """The control: all regions answer, and the aggregator says so."""
        regions = len(self.world.regions)
        self.get("/api/v1/global/status").says(regions_queried=regions, regions_successful=regions)

    # What was seen

    def mark(self) -> int:
        """A point in the journal, for `since`."""
        return self.world.journal.mark()

    def requests(self, region: str | None = None, since: int | None = None) -> tuple[Seen, ...]:
        """The requests to a region, or to all, since a mark or since the last cold start."""
        mark = self._restarted if since is None else since
        return self.world.journal.since(mark, "regional", region)

    def descriptions(self, since: int, region: str | None = None) -> tuple[Seen, ...]:
        """The requests that CloudFormation got since a mark, in a region or in all."""
        return self.world.journal.since(since, "cloudformation", region)

    def expect(self, holds: bool, what: str) -> None:
        """Something that must be true of what was seen."""
        if not holds:
            story = self._last.story if self._last else ()
            raise Violation(
                f"not seen: {what}",
                expected=what,
                actual="\n".join(story) or "nothing was asked of AWS or of a region",
                observation=self._last,
            )

    def nobody_was_asked(self, since: int | None = None) -> None:
        """No region got a request."""
        self.expect(not self.requests(since=since), "no request to any region")

    def every_request_was_accepted(self, at_least: int) -> None:
        """The regions got requests, and turned none of them away."""
        found = self.requests()
        self.expect(len(found) >= at_least, f"at least {at_least} requests to regions")
        turned_away = [f"{seen.region}: {seen.status} {seen.detail}" for seen in found if seen.status is not None]
        self.expect(not turned_away, f"every request accepted, not {'; '.join(turned_away)}")

    def signed_when_sent(self, within: float) -> None:
        """Every request to a region was signed at most so many seconds before it arrived."""
        offset = time.time() - time.monotonic() + self.world.clock.offset
        for seen in self.requests():
            arrived = self.world.journal.began + seen.at + offset
            age = arrived - signed_at(seen)
            what = f"a request to {seen.region} signed when it is sent, at most {within:g} s before it arrives"
            self.expect(age <= within, f"{what}, not {age:.2f} s")

    def each_signed_anew(self, since: int, apart: float) -> None:
        """No request since a mark has the date of one to its region that arrived at least so many seconds before.

        However slow a machine is, their dates differ. Those of quick attempts may be equal, without fractions.
        """
        first: dict[tuple[str | None, str | None], float] = {}
        for seen in self.requests(since=since):
            signed = (seen.region, seen.header("x-amz-date"))
            later = seen.at - first.setdefault(signed, seen.at)
            self.expect(
                later < apart, f"an attempt at {seen.region} signed anew, not as another was {later:.1f} s before"
            )

    def asked_once(self, region: str, path: str | None = None) -> Seen:
        """The one request that a region got, which was for `path`."""
        found = self.requests(region)
        self.expect(len(found) == 1, f"one request to {region}")
        self.expect(path is None or found[0].path == path, f"a request for {path} to {region}")
        return found[0]

    def bodies(self, region: str, since: int | None = None) -> list[Any]:
        """What the DELETE requests to a region carried: JSON, or the text where it is none."""
        return [body_of(seen) for seen in self.requests(region, since) if seen.method == "DELETE"]

    def asked_with_json(self, region: str, body: object) -> None:
        """A region got a DELETE, and none with another body than this."""
        sent = self.bodies(region)
        self.expect(bool(sent), f"a DELETE to {region}")
        for each in sent:
            self.expect(equal(each, body), f"the body {json.dumps(body)} to {region}, not {json.dumps(each)}")

    def deleted_with(self, region: str, **fields: object) -> None:
        """A region got a DELETE, and each had these fields, whatever else was in it."""
        sent = self.bodies(region)
        self.expect(bool(sent), f"a DELETE to {region}")
        for each in sent:
            had = {name: each[name] for name in fields if name in each} if isinstance(each, dict) else each
            self.expect(
                equal(had, fields), f"{json.dumps(fields)} in a DELETE to {region}, not {json.dumps(each)}"
            )

    def asked_with_query(self, region: str, **query: str | None) -> None:
        """A region got a GET for its jobs, and each had these parameters, or not those that are `None`."""
        jobs = [seen for seen in self.requests(region) if seen.path.endswith("/jobs")]
        found = [seen for seen in jobs if seen.method == "GET"]
        self.expect(bool(found), f"a GET for its jobs to {region}")
        for seen in found:
            sent = {(name, value) for name, value in parameters_of(seen) if name in query}
            wanted = {(name, value) for name, value in query.items() if value is not None}
            self.expect(sent == wanted, f"the query {query} to {region}, not {seen.query}")

    def described(self, region: str, stack: str) -> None:
        """CloudFormation got one DescribeStacks for this stack in this region, and nothing else there."""
        found = self.world.journal.since(self._restarted, "cloudformation", region)
        self.expect(len(found) == 1, f"one call of CloudFormation in {region}")
        asked = parse_qs(found[0].body.decode(errors="replace") or found[0].query)
        self.expect(asked.get("Action") == ["DescribeStacks"], f"DescribeStacks in {region}")
        self.expect(asked.get("StackName") == [stack], f"a description of {stack} in {region}")

    def only_described(self, region: str, stack: str) -> None:
        """CloudFormation was asked for this stack in this region, and for no other there."""
        found = self.world.journal.since(self._restarted, "cloudformation", region)
        bodies = [parse_qs(seen.body.decode(errors="replace") or seen.query) for seen in found]
        names = {name for body in bodies for name in body.get("StackName", ())}
        self.expect(names == {stack}, f"{stack} described in {region}, not {', '.join(sorted(names)) or 'none'}")

    def nothing_leaks(self, reply: Reply) -> None:
        """No secret of this world, and no host name, stands in the answer, in whatever form."""
        found = leaks(json.dumps(reply.invocation.payload), self.world.secrets)
        if found:
            raise Violation(
                "the answer gives secrets away",
                expected="no API id, key, token or host name",
                actual=f"{', '.join(found)} in {reply.summary()}",
                observation=reply,
            )
