"""`python -m course` is the same as `course`."""

import sys

from course.cli import main

sys.exit(main())
