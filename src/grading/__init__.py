"""Grade a folder or a zip of submissions, without trusting any learner's code.

`command` defines `course grade`, and `run` carries it out. `submissions` finds out who handed in what.
`judge` grades one submission. For that, `collect` sends its cells and the inputs (pickled by `byvalue`)
into a `sandbox`, where `inside` runs the statements that `cells` chooses, calls the learner's functions,
and returns plain data (`answers`). `forbidden` searches the cells' text for what an exercise forbids, and
`probe` tests the sandbox. `many` grades all submissions in parallel, here or on Dask workers. `results`
stores what was found, `rules` turns it into points, and `feedback`, `tables` and `summary` report both.

In: notebooks that learners handed in, the exercises' records, the instructor's rules. Out: results,
feedback, and copies of the instructor's own tables with the grades filled in. Enters: `learn` and, for
its command, `cli`.
"""
