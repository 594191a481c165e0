"""The errors of the course, one tree:

CourseError       a sentence for the user
  RecordError     ... about the file of an exercise, which is broken or missing
  NoSandbox       ... about this machine, on which nobody's code can be shut in
"""


class CourseError(Exception):
    """A sentence for the user: what was expected, what came, what to do."""

    exit_code = 2


class RecordError(CourseError):
    """An exercise that doesn't exist, or whose file is broken."""


class NoSandbox(CourseError):
    """A machine on which submissions can't be run in a sandbox."""
