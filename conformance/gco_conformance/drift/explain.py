"""What a rule is about, for people who meet it."""

from __future__ import annotations

import textwrap
from typing import Final

from gco_conformance.drift.finding import Rule
from gco_conformance.drift.rules import RULES
from gco_conformance.errors import UsageError

WIDTH: Final = 100


def explain(rule: str) -> str:
    """A page about one rule, or a line about each for "". Raises `UsageError` for one that doesn't exist."""
    if not rule:
        width = max(map(len, RULES))
        return "\n".join(f"{own.id:<{width}}  {own.severity.value:<7}  {own.title}" for own in RULES.values())
    if rule not in RULES:
        import difflib

        close = difflib.get_close_matches(rule, RULES, n=1)
        raise UsageError(
            f"there is no rule '{rule}'", f"did you mean {close[0]}?" if close else "'--explain' alone lists them"
        )
    return "\n".join(_page(RULES[rule]))


def _page(rule: Rule) -> list[str]:
    page = [f"{rule.id} ({rule.severity.value})", *_folded(rule.title, ""), ""]
    for head, text in (("What a client sees", rule.client), ("The smallest mend", rule.mend)):
        page += [f"{head}:", *_folded(text, "  "), ""]
    if rule.sources:
        page += ["Where this is from:", *(f"  {source}" for source in rule.sources), ""]
    return [
        *page,
        "To live with a finding, in the configuration:",
        "  drift:",
        "    suppressions:",
        f"      - {{rule: {rule.id}, path: /…, service: …, reason: …, expires: 2030-12-31}}",
    ]


def _folded(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
