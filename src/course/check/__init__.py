"""Whether notebooks still give what is stored in them.

In: notebooks with stored outputs. Out: a list of deviations, in pytest's words. `guards` look at a
notebook without a kernel, `nbval_plugin` runs it in pytest, and `compare` says what is equal.
Enters: `execute`.
"""
