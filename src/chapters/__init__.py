"""One package a chapter, with all that is its own: exercises, quiz, talk, figures and explorer, and
`appendices.md`, what it gives to A2 and A4.

In: the helper package `attention` and the tensors of a page. Out: what that page shows and asks.
Exercises are the modules in a chapter's folder `exercises`. What several chapters share is here: the
laws of `laws`, the almost right functions of `families`, and `rates`, which chooses learning rates.
Enters: `draw` and `learn`.
"""
