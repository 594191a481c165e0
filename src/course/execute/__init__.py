"""Run several notebooks at the same time, each in its own kernel.

In: paths of notebooks. Out: their outputs, stored in them (`refresh`) or in a folder with a report (`run`).
`complete` adds missing cells to a notebook, `kernel` runs a notebook in a kernel, `threads` runs several at
the same time, `processes` starts and ends other programs, and `report` shows the user progress and results.
Enters: no other room.
"""
