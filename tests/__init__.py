"""The tests. Annotations are checked as Python's type checkers read them: an int will do for a float."""

from beartype import BeartypeConf, beartype

checked = beartype(conf=BeartypeConf(is_pep484_tower=True))
