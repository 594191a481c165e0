"""Check whether notebooks still give the outputs that are stored in them.

In: notebooks with stored outputs. Out: a list of deviations, as pytest reports them. `run` starts
pytest. `lint` examines a notebook without a kernel, `prose` the numbers in its Markdown cells, and
`habits` their English. `nbval_plugin` runs it in pytest, and `compare` compares two outputs.
Enters: `execute`.
"""
