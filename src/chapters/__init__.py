"""One package for each chapter, with its exercises, quiz, talk, figures and explorer, and with
`appendices.md`, its part of A2 and A4.

In: the helper package `attention` and the tensors of a page. Out: what that page shows and asks.
Exercises are the modules in a chapter's folder `exercises`. Code that several chapters share is here:
the laws in `laws`, the almost right functions in `families`, and `rates`, which chooses learning rates.
Enters: `draw` and `learn`.
"""
