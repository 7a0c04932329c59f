"""The journal keeps all that happened, from every thread, in the order in which it happened."""

from __future__ import annotations

import threading
import time

from gco_conformance.world.journal import Journal


def test_nothing_is_lost_when_many_threads_write() -> None:
    journal = Journal()
    start = threading.Barrier(8)

    def write(region: str) -> None:
        start.wait()
        for number in range(500):
            journal.add("regional", region=region, path=f"/{number}")

    threads = [threading.Thread(target=write, args=(f"region-{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(journal.entries()) == 4000
    for number in range(8):
        paths = [entry.path for entry in journal.entries("regional", f"region-{number}")]
        assert paths == [f"/{each}" for each in range(500)]


def test_entries_are_told_by_the_time_at_which_things_happened() -> None:
    journal = Journal()
    earlier = time.monotonic()
    journal.add("regional", path="/second")
    journal.add("connection", detail="known only afterwards", moment=earlier)
    assert [entry.kind for entry in journal.entries()] == ["connection", "regional"]
    assert all(entry.at >= 0 for entry in journal.entries())


def test_times_are_seconds_since_the_beginning() -> None:
    journal = Journal()
    entry = journal.add("invocation", moment=journal.began + 1.5)
    assert entry.at == 1.5


def test_a_mark_divides_what_was_before_from_what_came_after() -> None:
    journal = Journal()
    journal.add("regional", region="us-east-1")
    mark = journal.mark()
    assert journal.since(mark) == ()
    journal.add("regional", region="eu-west-1")
    journal.add("answer", region="eu-west-1")
    assert [entry.kind for entry in journal.since(mark)] == ["regional", "answer"]
    assert journal.since(mark, "regional", "us-east-1") == ()
    assert len(journal.since(mark, "regional", "eu-west-1")) == 1


def test_entries_are_selected_by_kind_and_region() -> None:
    journal = Journal()
    journal.add("lookup", region="us-east-1")
    journal.add("regional", region="us-east-1")
    journal.add("regional", region="eu-west-1")
    assert len(journal.entries("regional")) == 2
    assert len(journal.entries(region="us-east-1")) == 2
    assert len(journal.entries("regional", "eu-west-1")) == 1


def test_waiting_ends_when_the_entry_comes_or_the_time_is_up() -> None:
    journal = Journal()
    threading.Timer(0.05, lambda: journal.add("invocation")).start()
    assert journal.wait_for(lambda entries: len(entries) == 1, 10)
    assert not journal.wait_for(lambda entries: len(entries) == 2, 0.01)


def test_a_header_is_found_in_any_case_and_repeated_ones_are_joined() -> None:
    entry = Journal().add("regional", headers=(("X-Amz-Date", "a"), ("x-amz-date", "b"), ("Host", "h")))
    assert entry.header("x-amz-date") == "a,b"
    assert entry.header("accept") is None
