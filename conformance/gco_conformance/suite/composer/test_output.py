"""The command line and the file that it writes: the composer contract's section 5."""

from __future__ import annotations

import datetime
import json
import time
from typing import Any

import pytest

from gco_conformance.adapters.answer import Ending
from gco_conformance.checkouts import samples
from gco_conformance.checkouts.case import Refusal, checks
from gco_conformance.evidence.expectations import composed, refused, refused_in_form
from gco_conformance.evidence.observation import Observation
from gco_conformance.evidence.subject import Subject
from gco_conformance.evidence.violation import NotTested, Violation

SECOND = 1.1


@pytest.mark.requirement("composer.output.deterministic")
def test_same_bytes_again(composer: Subject) -> None:
    """A document that differs from run to run makes every regeneration a diff, and `--check` useless."""
    first = _sample(composer)
    time.sleep(SECOND)  # so that a time stamp shows; checks run side by side, so nobody waits for it
    _same_bytes(first, composer.anew(samples.SHOP), "in a second run, one second later")


@pytest.mark.requirement("composer.output.deterministic")
@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_same_bytes_in_another_process(composer: Subject, seed: str) -> None:
    """Another process has other hash seeds, another locale, another time zone: none may show in the bytes."""
    environment = {"PYTHONHASHSEED": seed, "TZ": "Asia/Kathmandu", "LC_ALL": "C"}
    _same_bytes(_sample(composer), composer.anew(samples.SHOP, environment=environment), "in another process")


@pytest.mark.requirement("composer.output.deterministic")
def test_no_trace_of_date_or_place(composer: Subject) -> None:
    """The date or the directory of a run in the document makes two people's documents differ."""
    _sample(composer)
    with composer.laid_out(samples.SHOP) as root:
        observation = composer.ask(samples.SHOP, root)
        composed(observation, samples.SHOP_PATHS)
        text = (observation.output or b"").decode(errors="replace")
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        for trace in (today, str(root), root.name):
            if trace in text:
                raise Violation(
                    "the document depends on when or where it was written",
                    expected="the same bytes on every run and machine",
                    actual=f"{trace} in the document",
                    observation=observation,
                )


@pytest.mark.requirement("composer.output.reviewable")
def test_sorted_keys(composer: Subject) -> None:
    """Keys in any other order move about from one version to the next, and reviewers read noise."""
    observation = _written(composer)

    def sorted_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        if keys != sorted(keys):
            raise Violation("keys aren't sorted", expected=sorted(keys), actual=keys, observation=observation)
        return dict(pairs)

    json.loads(observation.output or b"", object_pairs_hook=sorted_pairs)


@pytest.mark.requirement("composer.output.reviewable")
def test_indented_by_two(composer: Subject) -> None:
    """One value a line, indented by two: a diff then shows the value that changed and nothing else."""
    observation = _written(composer)
    text = (observation.output or b"").decode(errors="replace")
    wanted = json.dumps(json.loads(text), indent=2)
    if _indentation(text) != _indentation(wanted):
        raise Violation(
            "the document isn't indented by two", expected=wanted, actual=text, observation=observation
        )


@pytest.mark.requirement("composer.output.reviewable")
def test_ascii_only(composer: Subject) -> None:
    """Non-ASCII characters are escaped, so that no tool's idea of an encoding changes the file."""
    observation = _written(composer)
    if not (observation.output or b"").isascii():
        raise Violation("characters aren't escaped", expected="ASCII only", observation=observation)


@pytest.mark.requirement("composer.output.reviewable")
def test_one_newline_at_the_end(composer: Subject) -> None:
    """No newline, or several, is what editors and linters change back."""
    observation = _written(composer)
    output = observation.output or b""
    if not output.endswith(b"}\n"):
        raise Violation(
            "the file doesn't end with one newline",
            expected=repr(b"}\n"),
            actual=repr(output[-4:]),
            observation=observation,
        )


@pytest.mark.requirement("composer.output.check")
def test_says_written_and_unchanged(composer: Subject) -> None:
    """CI logs show what a run did: written the first time, unchanged the second."""
    _needs_command_line(composer)
    with composer.laid_out(samples.SHOP) as root:
        first = composer.ask(samples.SHOP, root)
        composed(first, samples.SHOP_PATHS)
        _said(first, 0, f"{samples.SHOP.output}: written")
        again = composer.ask(samples.SHOP, root)
        _said(again, 0, f"{samples.SHOP.output}: unchanged")


@pytest.mark.requirement("composer.output.check")
def test_check_of_a_current_document(composer: Subject) -> None:
    """`--check` on a current document is silent success and touches nothing."""
    _needs_command_line(composer)
    with composer.laid_out(samples.SHOP) as root:
        written = composer.ask(samples.SHOP, root)
        composed(written, samples.SHOP_PATHS)
        checked = composer.ask(samples.SHOP, root, check=True)
        _said(checked, 0, "")
        _untouched(checked, written.output)


@pytest.mark.requirement("composer.output.check")
@pytest.mark.parametrize("change", [b" ", b"\n", b"{}\n"], ids=["space-appended", "newline-appended", "replaced"])
def test_check_of_a_document_changed_by_hand(composer: Subject, change: bytes) -> None:
    """A document that somebody edited is stale, says `--check`, and leaves it as it is."""
    _needs_command_line(composer)
    with composer.laid_out(samples.SHOP) as root:
        written = composer.ask(samples.SHOP, root)
        composed(written, samples.SHOP_PATHS)
        target = root / samples.SHOP.output
        edited = change if change.startswith(b"{") else target.read_bytes() + change
        target.write_bytes(edited)
        checked = composer.ask(samples.SHOP, root, check=True)
        _said(checked, 1, f"{samples.SHOP.output}: stale")
        _untouched(checked, edited)
        _tells_how_to_regenerate(checked)


@pytest.mark.requirement("composer.output.check")
def test_check_after_the_input_changed(composer: Subject) -> None:
    """The everyday case: a service's API changed and nobody composed again."""
    _needs_command_line(composer)
    with composer.laid_out(samples.SHOP) as root:
        written = composer.ask(samples.SHOP, root)
        composed(written, samples.SHOP_PATHS)
        samples.SHOP_CHANGED.write(root)
        checked = composer.ask(samples.SHOP_CHANGED, root, check=True)
        _said(checked, 1, f"{samples.SHOP.output}: stale")
        _untouched(checked, written.output)


@pytest.mark.requirement("composer.output.check")
def test_check_of_a_missing_document(composer: Subject) -> None:
    """A document that was never written is missing, and `--check` doesn't write it."""
    _needs_command_line(composer)
    composed(composer.compose(samples.SHOP), samples.SHOP_PATHS)
    with composer.laid_out(samples.SHOP) as root:
        checked = composer.ask(samples.SHOP, root, check=True)
        _said(checked, 1, f"{samples.SHOP.output}: missing")
        _untouched(checked, None)
        _tells_how_to_regenerate(checked)


@pytest.mark.requirement("composer.output.check")
def test_check_of_what_cannot_be_composed(composer: Subject) -> None:
    """Broken input is neither current nor stale: exit status 2, as without `--check`."""
    _needs_command_line(composer)
    twin = composer.compose(samples.SHOP)
    composed(twin, samples.SHOP_PATHS)
    with composer.laid_out(samples.SHOP_WITHOUT_A_ROUTE) as root:
        checked = composer.ask(samples.SHOP_WITHOUT_A_ROUTE, root, check=True)
        refused(checked, Refusal())
        if checked.answer.exit != 2:
            raise Violation(
                "broken input can't be told from a stale document",
                expected="exit status 2",
                actual=checked.summary(),
                observation=checked,
            )
        _untouched(checked, None)


@pytest.mark.requirement("composer.output.refusal")
def test_a_refusal_is_one_line(composer: Subject) -> None:
    """Whoever reads the log of a failed pipeline finds the reason in one line that begins with `ERROR: `."""
    _needs_command_line(composer)
    twin = composer.compose(samples.SHOP)
    composed(twin, samples.SHOP_PATHS)
    observation = composer.compose(samples.SHOP_WITHOUT_A_ROUTE)
    refused(observation, Refusal())
    refused_in_form(observation, twin)


@pytest.mark.requirement("composer.output.refusal")
def test_every_refusal_has_the_form(composer: Subject) -> None:
    """Whatever is refused in the other checks: exit status 2, one line, nothing written.

    Whether it is refused at all, they judge themselves.
    """
    _needs_command_line(composer)
    composed(composer.compose(samples.SHOP), samples.SHOP_PATHS)
    for check in checks():
        twin, observation = composer.compose(check.twin), composer.compose(check.checkout)
        if check.refusal is not None and twin.answer.exit == 0 and observation.is_refusal:
            refused_in_form(observation, twin)


@pytest.mark.requirement("composer.output.refusal")
def test_a_refusal_keeps_the_old_document(composer: Subject) -> None:
    """A document that was good yesterday isn't lost because today's input is broken."""
    _needs_command_line(composer)
    with composer.laid_out(samples.SHOP) as root:
        written = composer.ask(samples.SHOP, root)
        composed(written, samples.SHOP_PATHS)
        samples.SHOP_WITHOUT_A_ROUTE.write(root)
        observation = composer.ask(samples.SHOP_WITHOUT_A_ROUTE, root)
        if observation.answer.exit != 2 or not observation.error_lines():
            raise Violation(
                "a checkout that can't be composed wasn't refused cleanly",
                expected="exit status 2 and a line `ERROR: …` on stderr",
                actual=observation.summary(),
                observation=observation,
            )
        _untouched(observation, written.output)


@pytest.mark.requirement("composer.configuration.invalid")
def test_a_directory_without_a_configuration_is_refused(composer: Subject) -> None:
    """The wrong directory is the commonest slip of all: it is an error, and no empty document."""
    _needs_command_line(composer)
    composed(composer.compose(samples.SHOP), samples.SHOP_PATHS)
    refused(composer.compose(samples.EMPTY), Refusal())


@pytest.mark.requirement("composer.output.input-untouched")
def test_nothing_but_the_output_changes(composer: Subject) -> None:
    """A composer that rewrites, tidies or litters the checkout makes changes that nobody asked for."""
    observation = _sample(composer)
    _untouched(observation, observation.output)


@pytest.mark.requirement("composer.output.input-untouched")
def test_nothing_but_the_output_changes_in_a_second_run(composer: Subject) -> None:
    """A second run has nothing to do, and as little business with other files as the first."""
    _sample(composer)
    with composer.laid_out(samples.SHOP) as root:
        composed(composer.ask(samples.SHOP, root), samples.SHOP_PATHS)
        again = composer.ask(samples.SHOP, root)
        _untouched(again, again.output)


@pytest.mark.requirement("composer.output.atomic")
def test_the_old_document_survives_a_full_disk(composer: Subject) -> None:
    """A composer that dies half-way through writing must leave the old document, not the half of a new one.

    The process may write no file beyond a size that the old document is below and the new one above, as on a
    disk that is full. That it runs at all under the limit is seen on the small checkout first.
    """
    _needs_command_line(composer)
    with composer.laid_out(samples.SHOP) as root:
        written = composer.ask(samples.SHOP, root, file_size_limit=samples.LIMIT)
        composed(written, samples.SHOP_PATHS)
        samples.SHOP_GROWN.write(root)
        failed = composer.ask(samples.SHOP_GROWN, root, file_size_limit=samples.LIMIT)
        if failed.answer.ending is Ending.EXITED and failed.answer.exit == 0:
            raise NotTested("the composer wrote past the limit on file sizes, so that the fault didn't occur")
        if failed.output != written.output:
            raise Violation(
                "the old document didn't survive a composer that could not write the new one",
                expected=f"the old document, {len(written.output or b'')} bytes",
                actual="no file" if failed.output is None else f"{len(failed.output)} bytes",
                observation=failed,
            )


@pytest.mark.requirement("composer.output.atomic")
def test_who_reads_the_old_document_reads_all_of_it(composer: Subject) -> None:
    """Whoever has the old document open goes on reading it, as after a rename.

    When a composer is killed can't be chosen to the byte. But one that writes into the old document itself has
    moments in which half of each is there, and shows by what the open file holds afterwards.
    """
    _needs_command_line(composer)
    with composer.laid_out(samples.SHOP) as root:
        written = composer.ask(samples.SHOP, root)
        composed(written, samples.SHOP_PATHS)
        samples.SHOP_CHANGED.write(root)
        with (root / samples.SHOP.output).open("rb") as reader:
            replaced = composer.ask(samples.SHOP_CHANGED, root)
            held = reader.read()
        composed(replaced, samples.SHOP_PATHS)
        if replaced.output == written.output:
            raise Violation("other services give the same document", observation=replaced)
        if held != written.output:
            raise Violation(
                "the new document was written into the file of the old one",
                expected="a new file in place of the old one, which whoever has it open reads as it was",
                actual="an open file that has changed",
                observation=replaced,
            )


def _sample(composer: Subject) -> Observation:
    """What was seen of the sample. Another sample gives another document: a constant one proves nothing."""
    observation = composer.compose(samples.SHOP)
    composed(observation, samples.SHOP_PATHS)
    changed = composer.compose(samples.SHOP_CHANGED)
    composed(changed, samples.SHOP_PATHS)
    if changed.output == observation.output:
        raise Violation(
            "other services give the same document",
            expected="a document that shows the change of a summary",
            actual="the same bytes as before the change",
            observation=changed,
        )
    return observation


def _written(composer: Subject) -> Observation:
    _needs_command_line(composer)
    return _sample(composer)


def _needs_command_line(composer: Subject) -> None:
    if not composer.composer.has_command_line:
        raise NotTested("a composer that is called as a function has no command line and writes no file")


def _same_bytes(first: Observation, second: Observation, when: str) -> None:
    if first.output != second.output:
        raise Violation(
            f"the same input gave other bytes {when}",
            expected=_first_difference(first.output, second.output),
            actual=_first_difference(second.output, first.output),
            observation=second,
        )


def _first_difference(shown: bytes | None, other: bytes | None) -> str:
    """The first line of `shown` that `other` hasn't at the same place."""
    if shown is None:
        return "no document"
    lines, others = (
        shown.decode(errors="replace").splitlines(),
        (other or b"").decode(errors="replace").splitlines(),
    )
    for number, line in enumerate(lines):
        if number >= len(others) or others[number] != line:
            return f"line {number + 1}: {line.strip()[:200]}"
    return "the same lines, with other line ends"


def _indentation(text: str) -> list[int]:
    return [len(line) - len(line.lstrip(" ")) for line in text.splitlines()]


def _said(observation: Observation, exit_status: int, line: str) -> None:
    actual = observation.answer.stdout.strip()
    if observation.answer.exit != exit_status or actual != line:
        raise Violation(
            "exit status or standard output is wrong",
            expected=f"exit status {exit_status}; on stdout: {line or 'nothing'}",
            actual=f"{observation.summary()}; on stdout: {actual or 'nothing'}",
            observation=observation,
        )


def _untouched(observation: Observation, output: bytes | None) -> None:
    changed = list(observation.changed)
    if observation.output != output:
        changed.append(observation.checkout.output)
    if changed:
        raise Violation(
            "files changed that had to stay as they were",
            expected="no other file made, changed or removed",
            actual=changed,
            observation=observation,
        )


def _tells_how_to_regenerate(observation: Observation) -> None:
    if not observation.answer.stderr.strip():
        raise Violation(
            "a failed `--check` doesn't say how to regenerate the document",
            expected="the command on stderr",
            actual="nothing on stderr",
            observation=observation,
        )
