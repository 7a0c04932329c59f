"""A person sees in seconds what is wrong, and what they copy from the terminal works."""

from __future__ import annotations

import dataclasses
import io
import os
import pty
import subprocess
import sys
import threading

import pytest
from hypothesis import given

from gco_conformance.report.model import Report
from gco_conformance.report.terminal import LiveView, render, terminal_console
from gco_conformance.report.verdicts import Declared

from .report_samples import broken, every_shape, failed, passed, report, reports, requirement, skipped

COMMAND = "gco-conformance run --composer 'command:./compose {root}' --requirement 'composer.routing.*' --seed 42"


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")


def shown(any_report: Report, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, newline="")
    render(any_report, terminal_console(stream))
    stream.flush()
    return raw.getvalue().decode(encoding)


def squeezed(text: str) -> str:
    """The text as if it had not been folded."""
    return " ".join(text.split())


FAILURE = dataclasses.replace(
    failed("routing-order/last"),
    expected='service: "beta"',
    actual='service: "alpha"',
    why="clients of beta get 404",
    command=COMMAND,
    location="routing-order/case.yaml",
)


def test_a_failure_tells_all_that_is_known() -> None:
    text = squeezed(shown(report(requirement(FAILURE))))
    for told in (
        "FAILED composer.routing.longest-prefix (core, must)",
        "The match with the most segments MUST win.",
        "routing-order/last",
        "clients of beta get 404",
        'expected: service: "beta"',
        'actual: service: "alpha"',
        "it went to alpha",
        "routing-order/case.yaml",
        COMMAND,
    ):
        assert told in text


def test_failures_come_first_and_the_verdict_last() -> None:
    text = shown(
        report(
            requirement(passed(), id="composer.a.passes"),
            requirement(skipped(), id="composer.a.untested"),
            requirement(failed(), id="composer.a.expected", known_failure=Declared("rewritten soon")),
            requirement(broken(), id="composer.a.breaks"),
            requirement(failed(), id="composer.a.fails"),
            errors=("the report can't be written",),
        )
    )
    order = [
        "FAILED composer.a.fails",
        "ERROR composer.a.breaks",
        "ERROR the report can't be written",
        "composer.a.expected: rewritten soon",
        "composer.a.untested: it has no command line",
    ]
    places = [text.index(item) for item in order]
    assert places == sorted(places)
    assert places[0] == 0
    assert squeezed(text).endswith(
        "ERROR the run met 1 error and 1 requirement could not be judged"
        " (1 passed, 1 failed, 1 expected to fail, 1 not tested)"
    )


def test_the_end_names_seed_duration_and_implementation() -> None:
    text = squeezed(shown(report(requirement(passed()), seed=987)))
    for told in ("my-composer 2.1 (Go)", "seed 987", "12.3 s", "PASSED 1 of 1 tested requirement"):
        assert told in text


def test_the_first_failing_check_is_told_in_full_and_the_others_in_a_line_each() -> None:
    others = [failed(f"case/{name}", message=f"{name} is wrong\n" + "x" * 200) for name in ("b", "c")]
    text = shown(report(requirement(passed(), FAILURE, *others)))
    assert text.count("check:") == 1
    assert "2 more of its 4 checks failed" in text
    assert [line.split(":")[0].strip() for line in text.splitlines() if "is wrong" in line] == [
        "- case/b",
        "- case/c",
    ]


def test_a_message_that_several_checks_share_is_told_once() -> None:
    text = shown(report(requirement(failed("case/a"), failed("case/b"), failed("case/c", "another"))))
    assert "   - case/b\n   - case/c: another\n" in text
    assert text.count("it went to alpha") == 1


def test_several_failures_are_listed_again_before_the_verdict() -> None:
    two = [requirement(failed(message=f"{name} is wrong"), id=f"composer.a.{name}") for name in ("x", "y")]
    tail = shown(report(*two)).splitlines()[-8:]
    assert "FAILED composer.a.x: x is wrong" in tail
    assert "FAILED composer.a.y: y is wrong" in tail


def test_an_unexpected_pass_says_what_to_do() -> None:
    check = dataclasses.replace(passed(), command=COMMAND)
    text = shown(report(requirement(check, known_failure=Declared("rewritten soon"))))
    assert "unexpected pass: remove it from the known failures" in text
    assert COMMAND in text


def test_one_reason_for_many_requirements_is_told_once() -> None:
    many = [
        requirement(id=f"composer.a.r{n}", unsupported=Declared("not yet", "https://e.org/1")) for n in range(30)
    ]
    text = squeezed(shown(report(*many)))
    assert text.count("not yet (https://e.org/1)") == 1
    assert "30 requirements" in text
    assert "composer.a.r29" in text


def test_a_requirement_that_passed_in_part_is_named() -> None:
    text = shown(report(requirement(passed(), skipped(message="no command line"))))
    assert "composer.routing.longest-prefix (1 of 2 checks): no command line" in squeezed(text)


def test_a_short_script_is_printed_so_that_it_can_be_pasted() -> None:
    script = "cat >x <<'EOF'\n\tindented " + "long " * 40 + "\nEOF\nmake [red] :smile:\n"
    text = shown(report(requirement(dataclasses.replace(FAILURE, reproduction=script))))
    assert f"\n{script}" in text


@pytest.mark.parametrize(("id", "pasteable"), [("composer.a.b", True), ("aggregator.a.b", False)])
def test_what_only_a_world_can_repeat_is_not_offered_as_a_script(id: str, pasteable: bool) -> None:
    text = shown(report(requirement(dataclasses.replace(FAILURE, reproduction="the event\n"), id=id)))
    assert "\nthe event\n" in text
    assert ("without the kit" in text) is pasteable


@pytest.mark.parametrize(("script", "encoding"), [("x\n" * 31, "utf-8"), ("a\x1b[2Jb", "utf-8"), ("é", "ascii")])
def test_a_script_that_would_not_survive_is_left_to_the_json_report(script: str, encoding: str) -> None:
    text = shown(report(requirement(dataclasses.replace(FAILURE, reproduction=script))), encoding)
    assert "paste from here" not in text
    assert "--report-json" in text


def test_commands_are_never_folded_and_all_else_keeps_to_the_width() -> None:
    check = dataclasses.replace(FAILURE, message="word " * 60, actual="x" * 300, why="word " * 60)
    lines = shown(
        report(requirement(check, sentence="word " * 60), requirement(failed(), id="a.b.c"))
    ).splitlines()
    assert [line for line in lines if len(line) > 80] == [f"   repeat:   {COMMAND}"]


def test_an_address_is_never_folded() -> None:
    url = "https://example.org/" + "long-path/" * 8
    assert url in shown(report(requirement(unsupported=Declared("not yet", url))))


def test_a_huge_value_is_cut() -> None:
    check = dataclasses.replace(FAILURE, actual="line\n" * 1000, message="line\n" * 1000)
    text = shown(report(requirement(check)))
    assert len(text.splitlines()) < 70
    assert "more lines, see the report of --report-json FILE" in text


def test_what_an_implementation_prints_is_shown_as_it_is_and_rules_nothing() -> None:
    check = dataclasses.replace(FAILURE, message="[red]hi[/red] :smile: \x1b[2J\x07", actual="a\tb\r\n c \udcff")
    text = shown(report(requirement(check)))
    assert r"[red]hi[/red] :smile: \x1b[2J\x07" in text
    assert r"a\tb\r" in text
    assert r" c \udcff" in text


@every_shape
@given(reports())
def test_any_report_can_be_shown_without_control_characters(any_report: Report) -> None:
    any_report = dataclasses.replace(
        any_report,
        requirements=tuple(
            dataclasses.replace(item, checks=tuple(dataclasses.replace(c, reproduction=None) for c in item.checks))
            for item in any_report.requirements
        ),
    )
    for encoding in ("utf-8", "ascii"):
        text = shown(any_report, encoding)
        assert all(char.isprintable() for char in text.replace("\n", ""))


def test_no_colour_means_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1;31m" in shown(report(requirement(failed())))
    monkeypatch.setenv("NO_COLOR", "1")
    assert "31m" not in shown(report(requirement(failed())))


def test_without_a_terminal_nothing_but_the_final_text_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    stream = io.StringIO()
    view = LiveView(terminal_console(stream))
    view.start(1, "checks my-composer")
    view.advance(passed())
    view.finish()
    assert stream.getvalue() == ""


def test_on_a_terminal_the_progress_counts_and_goes_away() -> None:
    master, slave = pty.openpty()
    received: list[bytes] = []

    def receive() -> None:
        while chunk := os.read(master, 4096):
            received.append(chunk)
            if b"the end" in b"".join(received):
                return

    reader = threading.Thread(target=receive)
    reader.start()
    with os.fdopen(slave, "w", encoding="utf-8") as stream:
        view = LiveView(terminal_console(stream))
        view.start(8, "checks [my-composer]")
        threads = [threading.Thread(target=view.advance, args=[failed()]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        view.finish()
        view.finish()
        stream.write("the end\n")
        stream.flush()
        reader.join()
    os.close(master)
    text = b"".join(received).decode()
    assert "checks [my-composer]" in text
    assert "8/8" in text
    assert "8 failed" in text
    assert text.rpartition("8/8")[2].rpartition("the end")[0].endswith("\x1b[2K")


def test_a_reader_that_leaves_changes_no_exit_status() -> None:
    program = (
        "from gco_conformance.report.terminal import terminal_console\n"
        "console = terminal_console()\n"
        "for _ in range(100): console.print('nobody reads this ' * 200)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait() == 0
