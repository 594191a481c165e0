"""From a folder or a zip of submissions to a gradebook; no learner's code is trusted.

`submissions` finds who has handed in what. `judge` grades one submission: its functions run in a
`sandbox`, where `inside` calls them with inputs that come one at a time over a `line`, and only raw
values come back (`wire`). `remote` is the judge's end, `cells` chooses what of a notebook is run,
`probe` tries whether the sandbox holds. `many` grades all, side by side, and `cluster` does so on
Dask; `results` keeps them, `feedback`, `tables` and `summary` are what is made of them.

In: notebooks that learners handed in, and the exercises' records. Out: results, feedback, and the
instructor's own tables with their grades in it. Enters: `learn`.
"""
