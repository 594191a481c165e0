"""From a folder or a zip of submissions to a gradebook; no learner's code is trusted.

`command` is `course grade`, `run` does it. `submissions` finds who has handed in what. `judge` grades
one submission: its cells and the inputs go into a `sandbox` (functions `byvalue`), where `inside` calls
the learner's functions; plain data comes out (`answers`), which `collect` gathers and no one answers.
`cells` chooses what of a notebook is run, `forbidden` looks at its text, `probe` tries whether the
sandbox holds. `many` grades all, side by side, here or by the workers of Dask; `results`
keeps what was found, `rules` say what it is worth, and `feedback`, `tables` and `summary` are made of both.

In: notebooks that learners handed in, the exercises' records, the instructor's rules. Out: results,
feedback, and the instructor's own tables with their grades in it. Enters: `learn` and, for its
command, `cli`.
"""
