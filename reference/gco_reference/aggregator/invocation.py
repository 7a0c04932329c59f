"""The Lambda handler: from an API Gateway proxy event to its result (contract section 4)."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from functools import partial
from typing import Any, TypeVar

from gco_reference.aggregator import answers, configuration, regional
from gco_reference.aggregator.budget import Context, Deadline, of_invocation
from gco_reference.aggregator.cloudformation import find_host
from gco_reference.aggregator.configuration import Configuration, NotConfiguredError
from gco_reference.aggregator.connections import Connections
from gco_reference.aggregator.details import details
from gco_reference.aggregator.discovery import DISCOVERY, DiscoveryFailedError, HostMap, Hosts, discover
from gco_reference.aggregator.exchange import Request
from gco_reference.aggregator.fan_out import ask_all, ask_one
from gco_reference.aggregator.merging import Collected
from gco_reference.aggregator.regional import REDACTED, RegionFailedError
from gco_reference.aggregator.reports import WrongShapeError
from gco_reference.aggregator.request_check import BadRequestError
from gco_reference.aggregator.routes import MethodNotAllowedError, NotFoundError, Question, question
from gco_reference.aggregator.signing import CredentialChain, Credentials

CREDENTIALS = 5.0  # seconds at most for the AWS chain, which may ask a service
_STAGE = "/prod"

_log = logging.getLogger(__name__)
Report = TypeVar("Report")


class Aggregator:
    """What a warm process keeps: connections, the map of regions and where credentials come from."""

    def __init__(self) -> None:
        self._chain = CredentialChain()
        self._connections = Connections()
        self._map = HostMap()

    def answer(self, asked: Question[Any], deadline: Deadline) -> Mapping[str, Any]:
        """The body of the answer. Raises `NotConfiguredError` or `DiscoveryFailedError`."""
        configured = configuration.read(os.environ)
        if not configured.regions:
            return asked.merge(Collected({}, {}))
        credentials = self._credentials(deadline)
        hosts = self._map.hosts(configured, lambda: self._discover(configured, credentials, deadline))
        return asked.merge(self._collect(asked, hosts, credentials, deadline))

    def close(self) -> None:
        """Closes the connections that are kept."""
        self._connections.close()

    def _credentials(self, deadline: Deadline) -> Credentials | None:
        try:
            return ask_one(self._chain.read, deadline.at_most(CREDENTIALS))
        except Exception as error:
            _log.error("no credentials: %s", details(error))
            return None  # whoever needs them fails: discovery, or every region

    def _discover(self, configured: Configuration, credentials: Credentials | None, deadline: Deadline) -> Hosts:
        until = deadline.at_most(min(DISCOVERY, deadline.remaining() / 2))
        find = partial(
            find_host,
            configuration=configured,
            credentials=credentials,
            connections=self._connections,
            deadline=until,
        )
        return discover(configured.regions, find, until)

    def _collect(
        self,
        asked: Question[Report],
        hosts: Hosts,
        credentials: Credentials | None,
        deadline: Deadline,
    ) -> Collected[Report]:
        """Every region asked at once; each is a report or an error when the deadline has come."""

        def ask(region: str) -> Report:
            request = Request(
                method=asked.method,
                host=hosts[region],
                target=_STAGE + asked.target,
                body=asked.body,
                headers={"Content-Type": "application/json"},
            )
            body = regional.ask(
                region,
                request,
                successes=asked.successes,
                credentials=credentials,
                connections=self._connections,
                deadline=deadline,
            )
            report = asked.read(body)
            if not asked.rows_are_cut and answers.size(vars(report)) > answers.MAX_BODY // len(hosts):
                raise WrongShapeError("the report would take more than its share of the answer")
            return report

        reports: dict[str, Report] = {}
        errors: dict[str, str] = {}
        for region, outcome in ask_all(list(hosts), ask, deadline):
            if isinstance(outcome, Exception):
                _log.warning("%s: %s", region, details(outcome))
                errors[region] = str(outcome) if isinstance(outcome, RegionFailedError) else REDACTED
            else:
                reports[region] = outcome
        return Collected(reports, errors)


_aggregator = Aggregator()  # made while Lambda starts the process, not while a caller waits


def handler(event: Mapping[str, Any], context: Context | None = None) -> dict[str, Any]:
    """Answers one API Gateway proxy event with a proxy result; never raises, whatever goes wrong."""
    try:
        deadline = of_invocation(context)
        return answers.result(200, _aggregator.answer(question(event), deadline))
    except NotFoundError:
        return answers.error(404, "Not found", path=event.get("path"))
    except MethodNotAllowedError:
        return answers.error(405, "Method not allowed", headers={"Allow": "GET"})
    except BadRequestError as error:
        return answers.error(400, str(error))
    except (NotConfiguredError, DiscoveryFailedError) as error:
        _log.error("unavailable: %s", details(error))
        return answers.error(503, "Regional aggregation is temporarily unavailable")
    except Exception:
        _log.exception("unforeseen failure")
        return answers.error(500, "Internal server error")
