"""Publish notebooks with their stored outputs: as a book (mdBook), decks (reveal.js) and worksheets.

In: notebooks with stored outputs. Out: the folders build/book, build/slides, build/present and
build/sheets. `page` and `formulas` turn cells into HTML, `links` checks and rewrites addresses, `here` shows
where a chapter is in the course, and `explorers` adds what live explorers need. For the book, `book` makes the pages,
`index_page` the front page, `download` the files to download, and `search_index` the search index; `mdbook`
builds it. For talks, `talk_plan` reads talk.md, `talk` makes the slides with `slide_parts` and `talk_notes`,
`decks` writes them, `pdf` prints them, and `live_talk` turns them into notebooks. For paper, `worksheet`
makes pages of exercises. Enters: `learn`, `execute` and `draw`.
"""
