"""One package a chapter, with all that is its own: exercises, quiz.md, figures and explorer.

In: the helper package `attention` and the tensors of a page. Out: what that page shows and asks.
A module of a chapter is an exercise, except `figures`, `explorer` and those that
`learn.exercises.BESIDES` names. Enters: `draw` and `learn`.
"""
