"""How the course is taught and delivered, in five rooms, and the `course` command (`cli`).

`learn` judges answers, and `draw` shows figures and explorers. `execute` runs notebooks, `check`
compares their outputs with the stored ones, and `publish` makes the book and the decks. Every room may
use the modules of the top level: `notebooks` finds and reads notebooks, `outline` knows the two ways
through one, `content` finds the chapters, `files` writes a file or a folder completely or not at all,
`serving` starts servers, `errors` is the tree of all errors, and `colours` are those of figures, book and
decks. A room names the other rooms that it enters, and a test checks that.
"""
