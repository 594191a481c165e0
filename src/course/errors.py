"""The errors of the course and their base class:

CourseError       an error whose message is for the user
  RecordError     the file of an exercise is broken or missing
  NoSandbox       this machine can't run submissions in a sandbox
"""


class CourseError(Exception):
    """An error whose message tells the user what was expected, what was found, and what to do."""

    exit_code = 2


class RecordError(CourseError):
    """An exercise doesn't exist, or its file is broken."""


class NoSandbox(CourseError):
    """This machine can't run submissions in a sandbox."""
