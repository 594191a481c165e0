"""How the course is delivered: the `course` command and what stands behind it."""
