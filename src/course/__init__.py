"""How the course is taught and delivered, in five rooms, and the `course` command (`cli`).

`learn` judges answers, and `draw` shows figures and explorers. `execute` runs notebooks, `check`
compares their outputs with the stored ones, and `publish` makes the book and the decks. At the top
level, `notebooks` finds and reads notebooks, `errors` is the tree of all errors, and `colours` are
those of figures, book and decks; every room may use these. A room names the other rooms that it
enters, and a test checks that.
"""
