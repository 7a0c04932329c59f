"""What the log says of a failure."""

from __future__ import annotations


def details(error: BaseException) -> str:
    """The error and its causes, but for the text of a plain `ValueError`: http.client repeats a header that it
    refuses in it, and that may be the session token.
    """
    causes: list[str] = []
    cause: BaseException | None = error
    while cause is not None:
        causes.append(type(cause).__name__ if type(cause) is ValueError else repr(cause))
        cause = cause.__cause__
    return " from ".join(causes)
