"""The final text of a run as lines of spans: what a person reads. No colours and no terminal in here.

All text that comes from an implementation is shown as it is, with what can't be seen escaped. It holds no
box drawing and nothing but ASCII of its own, so that it survives a CI log and an issue.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Set
from typing import Final, Literal, NamedTuple

from gco_conformance.report import verdicts
from gco_conformance.report.differing import about_regions, differing, regions
from gco_conformance.report.model import CheckResult, Outcome, Report, RequirementResult

Role = Literal["plain", "quiet", "strong", "good", "bad", "expected", "actual"]

SCRIPT_LINES: Final = 30
"""A longer reproduction isn't printed."""
VALUE_LINES: Final = 20
"""What an expected or actual value may take up."""

_INDENT: Final = "   "
_LABEL_WIDTH: Final = len("expected: ")


class Span(NamedTuple):
    text: str
    role: Role = "plain"


Line = tuple[Span, ...]
_BLANK: Final[Line] = ()
_NOTHING: Final = Span("")


def report_lines(report: Report, width: int, encoding: str = "utf-8") -> Iterator[Line]:
    """Failures, errors, expected failures, what wasn't tested, and at the end what was run and the verdict.

    Prose and values are folded at `width`. Commands and scripts never are: they must survive being copied,
    and a script that `encoding` can't carry is not printed at all.
    """
    failed = [item for item in report.requirements if item.outcome == Outcome.FAILED]
    broken = [item for item in report.requirements if item.outcome == Outcome.ERROR]
    for requirement in (*failed, *broken):
        yield from _block(requirement, width, encoding)
        yield _BLANK
    for error in report.errors:
        yield from _prose(error, width, first=Span("ERROR ", "bad"))
        yield _BLANK
    yield from _expected_failures(report, width)
    yield from _not_tested(report, width)
    if len(failed) + len(broken) > 1:
        yield from (_reminder(requirement, width) for requirement in (*failed, *broken))
        yield _BLANK
    yield from _prose(_what_was_run(report), width)
    conclusion = verdicts.conclusion(report)
    yield from _prose(conclusion.text, width, role="bad" if conclusion.exit_status else "good")


def visible(text: str) -> str:
    """The text with everything that can't be seen escaped, tabs and odd spaces too; newlines stay."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def _block(requirement: RequirementResult, width: int, encoding: str) -> Iterator[Line]:
    """One requirement that failed or couldn't be judged: its first such check in full, the others listed."""
    yield (
        Span(f"{requirement.outcome.upper()} ", "bad"),
        Span(_one_line(requirement.id), "strong"),
        Span(f" ({requirement.profile}, {requirement.level})", "quiet"),
    )
    yield from _prose(requirement.sentence, width, first=Span(_INDENT), role="strong")
    checks = [check for check in requirement.checks if check.outcome == requirement.outcome]
    yield _BLANK
    if not checks:
        yield from _field("reason", _with_issue(requirement), width)
        yield from _repeat(next((check.command for check in requirement.checks if check.command), None))
        return
    yield from _check(checks[0], width, encoding)
    if others := checks[1:]:
        yield _BLANK
        share = f"{len(others)} more of its {len(requirement.checks)} checks"
        yield (Span(f"{_INDENT}{share} {requirement.outcome}:", "quiet"),)
        for check in others:
            news = check.id if check.message == checks[0].message else _saying(check)
            yield (Span(_cut(f"{_INDENT}- {news}", width)),)


def _check(check: CheckResult, width: int, encoding: str) -> Iterator[Line]:
    expected, actual = _difference(check, width)
    yield from _field("check", check.id, width)
    yield from _field("why", check.why, width)
    yield from _field("message", check.message, width)
    yield from _field("expected", expected, width, role="expected", literal=True)
    yield from _field("actual", actual, width, role="actual", literal=True)
    yield from _field("where", check.location, width)
    yield from _repeat(check.command)
    if check.reproduction:
        # An aggregator can only be asked again in a world: its events are told, and what was seen meanwhile.
        is_script = not check.requirement.startswith("aggregator.")
        names = regions(check.message) or regions(f"{expected}\n{actual}")
        script = check.reproduction if is_script else _story(check.reproduction, names)
        yield from _reproduction(script, width, encoding, is_script)


def _difference(check: CheckResult, width: int) -> tuple[str, str]:
    """What was expected and what was seen, without what tells nothing where that is too long to be shown."""
    expected, actual = check.expected or "", check.actual or ""
    if max(len(_value(text, width)) for text in (expected, actual)) <= VALUE_LINES:
        return expected, actual
    expected, actual = differing(expected, actual)
    names = regions(check.message)
    # A list of what was seen is about all regions, the message is about one.
    if names and len(_lines(actual)) > VALUE_LINES and not actual.startswith(("{", "[")):
        actual = "\n".join(about_regions(_lines(actual), names))
    return expected, actual


def _story(reproduction: str, names: Set[str]) -> str:
    """What was asked and seen; what was seen of other regions is left out where it is too long with that."""
    if not names or len(_lines(reproduction)) <= SCRIPT_LINES:
        return reproduction
    left = about_regions(_lines(reproduction), names, indent="#   ")
    return "\n".join(left) if len(left) <= SCRIPT_LINES else reproduction


def _repeat(command: str | None) -> Iterator[Line]:
    if command:
        yield (_label("repeat"), Span(_one_line(command), "strong"))


def _reproduction(script: str, width: int, encoding: str, is_script: bool) -> Iterator[Line]:
    """The script at the left margin between two comments, since an indented here-document doesn't end."""
    about = "reproduce without the kit: paste from here" if is_script else "what was asked and seen, from here"
    lines = _lines(script)
    if len(lines) > SCRIPT_LINES:
        hidden = f"{len(lines)} lines"
    elif not _pasteable(script, encoding):
        hidden = "it has characters that can't be shown"
    else:
        yield _BLANK
        yield (Span(f"# --- {about} ---", "quiet"),)
        yield from ((Span(line),) for line in lines)
        yield (Span("# --- to here ---", "quiet"),)
        return
    yield from _field("script", f"{hidden}, see `reproduction` in the report of --report-json FILE", width)


def _expected_failures(report: Report, width: int) -> Iterator[Line]:
    items = [item for item in report.requirements if item.outcome == Outcome.EXPECTED_FAILURE]
    if items:
        yield (Span("EXPECTED FAILURES", "strong"),)
        yield from _grouped(((_with_issue(item), item.id) for item in items), width)
        yield _BLANK


def _not_tested(report: Report, width: int) -> Iterator[Line]:
    """Requirements without a verdict, and those that passed although some of their checks couldn't run."""
    gaps: list[tuple[str, str]] = []
    for item in report.requirements:
        if item.outcome == Outcome.NOT_TESTED:
            gaps.append((_with_issue(item), item.id))
        elif item.outcome == Outcome.PASSED:
            skipped = [check for check in item.checks if check.outcome == Outcome.NOT_TESTED]
            share = f"{item.id} ({len(skipped)} of {len(item.checks)} checks)"
            gaps.extend((reason, share) for reason in dict.fromkeys(check.message for check in skipped))
    if gaps:
        yield (Span("NOT TESTED", "strong"),)
        yield from _grouped(gaps, width)
        yield _BLANK


def _grouped(items: Iterable[tuple[str, str]], width: int) -> Iterator[Line]:
    """Pairs of reason and name, each reason once."""
    names: dict[str, list[str]] = {}
    for reason, name in items:
        names.setdefault(reason or "no reason given", []).append(name)
    for reason, group in names.items():
        if len(group) == 1:
            yield from _prose(f"{group[0]}: {reason}", width, first=Span(_INDENT), below=_INDENT * 2)
        else:
            told = f"{len(group)} requirements: {reason}"
            yield from _prose(told, width, first=Span(_INDENT), below=_INDENT * 2)
            yield from _prose(", ".join(group), width, first=Span(_INDENT * 2), role="quiet")


def _reminder(requirement: RequirementResult, width: int) -> Line:
    """One line per requirement near the end, where the eye is after a long report."""
    told = next((check for check in requirement.checks if check.outcome == requirement.outcome), None)
    saying = told.message or told.id if told else _with_issue(requirement)
    mark = f"{requirement.outcome.upper()} "
    return (Span(mark, "bad"), Span(_cut(f"{requirement.id}: {saying}", width - len(mark))))


def _what_was_run(report: Report) -> str:
    who, run = report.implementation, report.run
    name = " ".join(part for part in (who.name, who.version, f"({who.language})" if who.language else "") if part)
    facts = [
        f"{name}, {who.spec}" if who.spec not in ("", name) else name,
        f"profile {run.profile}",
        *([f"requirements {' '.join(run.requirements)}"] if run.requirements else []),
        f"seed {run.seed}",
        f"{run.jobs} job" if run.jobs == 1 else f"{run.jobs} jobs",
        f"{run.seconds:.1f} s",
        f"{report.kit.name} {report.kit.version}",
    ]
    return "; ".join(facts)


def _field(
    label: str, text: str | None, width: int, *, role: Role = "plain", literal: bool = False
) -> Iterator[Line]:
    """A label and its text beside it, cut after `VALUE_LINES`. A literal text keeps its spaces."""
    if not text:
        return
    lines = _value(text, width, literal=literal)
    if len(lines) > VALUE_LINES:
        hidden = len(lines) - VALUE_LINES + 1
        lines[VALUE_LINES - 1 :] = [f"... {hidden} more lines, see the report of --report-json FILE"]
    yield from _hanging(lines, _label(label), role, " " * len(_label(label).text))


def _value(text: str, width: int, *, literal: bool = True) -> list[str]:
    beside = max(width - len(_INDENT) - _LABEL_WIDTH, 20)
    return list((_folded if literal else _wrapped)(visible(text), beside))


def _lines(text: str) -> list[str]:
    return text.rstrip("\n").split("\n")


def _prose(
    text: str, width: int, *, first: Span = _NOTHING, below: str | None = None, role: Role = "plain"
) -> Iterator[Line]:
    """Folded text: `first` stands before its first line, `below` (or as many spaces) before the others."""
    indent = " " * len(first.text) if below is None else below
    lines = _wrapped(visible(text), max(width - len(indent), 20))
    yield from _hanging(lines, first, role, indent)


def _hanging(lines: Iterable[str], first: Span, role: Role, indent: str) -> Iterator[Line]:
    for number, line in enumerate(lines):
        yield (Span(indent) if number else first, Span(line, role))


def _wrapped(text: str, width: int) -> Iterator[str]:
    """Folded between words, so that ids and URLs stay whole, its own line breaks kept."""
    for line in text.rstrip("\n").split("\n"):
        yield from textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]


def _folded(text: str, width: int) -> Iterator[str]:
    """Folded anywhere, so that every space stays."""
    for line in text.rstrip("\n").split("\n"):
        yield from (line[start : start + width] for start in range(0, max(len(line), 1), width))


def _label(name: str) -> Span:
    return Span(f"{_INDENT}{name + ':':<{_LABEL_WIDTH}}", "quiet")


def _saying(check: CheckResult) -> str:
    return f"{check.id}: {check.message}" if check.message else check.id


def _with_issue(requirement: RequirementResult) -> str:
    return f"{requirement.reason} ({requirement.issue})" if requirement.issue else requirement.reason


def _cut(text: str, width: int) -> str:
    line = _one_line(text, keep_indent=True)
    return line if len(line) <= width else f"{line[: max(width - 3, 20)]}..."


def _one_line(text: str, *, keep_indent: bool = False) -> str:
    indent = text[: len(text) - len(text.lstrip(" "))] if keep_indent else ""
    return indent + visible(" ".join(text.split()))


def _pasteable(script: str, encoding: str) -> bool:
    """Whether every character reaches the clipboard as it is."""
    if not all(char.isprintable() or char in "\n\t" for char in script):
        return False
    return script.encode(encoding, "replace").decode(encoding, "replace") == script
