"""Notebooks side by side, each in a process and a kernel of its own.

In: paths of notebooks. Out: their outputs, stored (`refresh`) or kept apart with a report (`run`).
`children` starts the processes, `kernel` the kernels, `forkserver` forks them where it can, and
`report` tells the user.
Enters: no other room.
"""
