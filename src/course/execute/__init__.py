"""Notebooks executed side by side, each in a kernel of its own.

In: paths of notebooks. Out: their outputs, stored (`refresh`) or kept apart with a report (`run`).
`complete` adds what a notebook lacks, `kernel` starts a kernel and runs a notebook in it, `threads` does so for several at a time,
`processes` starts other programs and ends what was started, and `report` tells the user.
Enters: no other room.
"""
