"""Pages from notebooks and their stored outputs: the book by mdBook, a deck by reveal.js, sheets.

In: notebooks with stored outputs. Out: the folders build/book, build/slides and build/sheets. `page`
turns a cell into HTML for all, `links` says where its addresses lead, `home` makes what readers take
away, `weights` what an explorer of a trained model computes with. `mdbook` builds the book, for which
`book` makes the pages. `talk` chooses slides by a chapter's
talk.md, `slides` takes its whole main line, `decks` writes either. Enters: `learn` and `execute`.
"""
