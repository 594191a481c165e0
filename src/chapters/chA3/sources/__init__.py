"""The rows of the concordance: for each chapter, what it takes over from the source notebooks.

In: `attention`, and the text that a page is run on. Out: `SOURCES`, a list of rows. Each names the
source's figure and a function of that text which computes ours.
"""
