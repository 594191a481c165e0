"""Pages from notebooks and their stored outputs: the book by mdBook, a deck by reveal.js.

In: notebooks with stored outputs. Out: the folders build/book and build/slides. `page` turns a cell
into HTML for both, `links` says where its addresses lead, `home` makes what readers take away.
Enters: `learn` and `execute`.
"""
