"""Whether notebooks still give what is stored in them.

In: notebooks with stored outputs. Out: a list of deviations, in pytest's words. `run` starts pytest,
`lint` looks at a notebook without a kernel, `prose` at the numbers in its Markdown cells,
`habits` at their English, `nbval_plugin` runs it in pytest, and `compare` says what is equal.
Enters: `execute`.
"""
