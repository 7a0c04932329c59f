"""A long-lived child process that answers one line for each line it is given."""

from __future__ import annotations

import time

from gco_conformance.adapters.answer import Answer, Ending
from gco_conformance.adapters.child import GRACE, Child, Pause
from gco_conformance.adapters.process import Children, how_ended, no_answer, size, text

_QUOTED = 160


class Broken(Exception):
    """The worker is of no more use; `answer` says how its last call ended."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.detail)
        self.answer = answer


class Worker:
    """One conversation with a child that was started with `stdin`; one thread at a time leads it.

    The answers come on standard output, or, when the child has one, on its `reply` descriptor.
    """

    def __init__(self, children: Children, child: Child, *, replies: bool = False) -> None:
        self.child = child
        self._children = children
        self._replies = replies
        self._asked = False
        self._channel = child.reply if replies else child.out

    def ask(self, request: str, timeout: float) -> bytes:
        """The line that answers the line `request`, without its end. Raises `Broken`."""
        if self._asked:
            self._clear()
        self._asked = True
        self.child.send(request.encode() + b"\n")
        return self.listen(time.monotonic() + timeout, timeout)

    def listen(self, deadline: float, timeout: float) -> bytes:
        """The next line, until `deadline` (`time.monotonic`), at the end of `timeout`. Raises `Broken`."""
        pause = self.child.pump(deadline, self._answered)
        if pause is Pause.TIMEOUT:
            raise self.broken(no_answer(timeout), Ending.HUNG)
        if pause is Pause.FULL:
            raise self.flooded()
        if pause is Pause.EXITED:
            raise self._gone("without an answer")
        line, end, rest = self._channel.partition(b"\n")
        if not end:
            self.child.pump(time.monotonic() + GRACE)
            if self.child.exited:
                raise self._gone("without an answer")
            raise self.broken("closed its standard output without an answer" + self._last_words())
        if rest and not self._replies:
            raise self.broken(f"gave more than one line for an answer: {quoted(line)}, then {quoted(rest)}")
        self._channel[:] = rest
        return bytes(line)

    def broken(self, detail: str, ending: Ending = Ending.DIED) -> Broken:
        """What to raise when the child can't be used any more."""
        bound = self.child.bound
        out = self.child.out[:bound] if self._replies else b""
        return Broken(Answer(ending, None, text(out), text(self.child.err[:bound]), detail))

    def end(self) -> None:
        self._children.end(self.child)

    def dismiss(self) -> None:
        """Give the end of input, after which the child should end by itself; `end` must follow."""
        self.child.close_stdin()

    def settle(self, deadline: float) -> None:
        """Give a dismissed child until `deadline` (`time.monotonic`) to end by itself, then end it."""
        self.child.settle(deadline)
        self.end()

    def _answered(self) -> bool:
        return b"\n" in self._channel or not self.child.is_open(self._channel)

    def _clear(self) -> None:
        """Throw away what was printed between the calls, unless that itself breaks the conversation."""
        self.child.drain()
        if self.child.exited:
            raise self._gone("by itself after its last answer; it should answer until the end of input")
        if self._channel:
            raise self.broken(f"printed a line that nobody asked for: {quoted(self._channel)}")
        self.child.out.clear()
        self.child.err.clear()

    def _gone(self, when: str) -> Broken:
        self.child.drain(GRACE)
        self.end()
        return self.broken(f"{how_ended(self.child.status)} {when}" + self._last_words())

    def flooded(self) -> Broken:
        if not self._replies and len(self.child.out) > len(self.child.err):
            line = quoted(self.child.out[: 4 * _QUOTED])
            return self.broken(f"gave a line of more than {size(self.child.bound)} for an answer: {line}")
        return self.broken(f"printed more than {size(self.child.bound)}", Ending.BABBLED)

    def _last_words(self) -> str:
        lines = text(self.child.err[-4 * _QUOTED :]).split("\n")
        said = [line.strip() for line in lines if line.strip()]
        return f"; its standard error ends with {said[-1][-_QUOTED:]!r}" if said else ""


def quoted(output: bytes | bytearray) -> str:
    """The first line of what was printed, shortened, in quotes."""
    line = text(output[: 4 * _QUOTED]).split("\n")[0]
    return repr(line if len(line) <= _QUOTED else f"{line[:_QUOTED]}…")
