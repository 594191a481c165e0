"""Pages from notebooks and their stored outputs: the book by mdBook, decks by reveal.js, worksheets.

In: notebooks with stored outputs. Out: the folders build/book, build/slides, build/present and
build/sheets. `page` turns a cell into HTML for all (`formulas` its TeX), `links` checks and writes its
addresses, `weights` adds what an explorer of a trained model computes with. The book: `mdbook` builds it,
`book` makes its pages and `index_page` the first one, `download` what readers take away, `search_index`
what a search shows. The talks: `talk_plan` reads talk.md, `talk` makes slides of it (`slide_parts` from
cells, `talk_notes` for the speaker), `decks` writes them, `pdf` prints them, and `live_talk` makes
notebooks of them. `worksheet` puts exercises on paper. Enters: `learn` and `execute`.
"""
