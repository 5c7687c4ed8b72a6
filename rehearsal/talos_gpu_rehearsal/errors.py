"""The error of a rehearsal that cannot go on."""


class RehearsalError(Exception):
    """A rehearsal lacks something, or a program of it failed; the message says what, and the fix."""
