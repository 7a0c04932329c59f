"""What runs are about: the share of each kind of step in a run. A run about one thing gets further into it."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from gco_conformance.campaigns.kinds import (
    Kind,
    answers,
    arrive,
    certificate,
    deletion,
    elsewhere,
    fails,
    fails_once,
    frozen,
    hangs,
    health,
    jobs,
    recovers,
    redeploys,
    refused,
    restarts,
    rotates,
    stack_becomes,
    stack_fails,
    stack_hangs,
    stack_restored,
    status,
    time,
)
from gco_conformance.campaigns.trying import tries_faults, tries_requests, tries_stacks

FOCUSES: Mapping[str, Mapping[Kind, int]] = {
    "everything": {
        status: 7,
        health: 7,
        jobs: 10,
        deletion: 10,
        refused: 6,
        elsewhere: 3,
        fails: 11,
        fails_once: 4,
        hangs: 2,
        recovers: 7,
        answers: 6,
        certificate: 1,
        stack_becomes: 3,
        stack_fails: 2,
        stack_hangs: 1,
        stack_restored: 5,
        redeploys: 2,
        time: 6,
        frozen: 3,
        restarts: 2,
        rotates: 2,
        arrive: 2,
    },
    "requests": {tries_requests: 23, rotates: 1, restarts: 1, fails_once: 1},
    "regions": {
        tries_faults: 60,
        fails_once: 1,
        answers: 1,
        frozen: 1,
        rotates: 1,
        arrive: 1,
    },
    "discovery": {tries_stacks: 20, time: 1, redeploys: 2},
}

KINDS: Mapping[str, SearchStrategy[Kind]] = {
    focus: st.sampled_from([kind for kind, share in shares.items() for _ in range(share)])
    for focus, shares in FOCUSES.items()
}
