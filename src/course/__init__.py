"""The `course` command (`cli`), and the five rooms (subpackages) that teach and deliver the course.

`learn` judges answers, and `draw` draws figures and explorers. `execute` runs notebooks, `check` compares
their outputs with the stored ones, and `publish` makes the book and the decks. Every room may use the
modules at the top level: `notebooks` finds and reads notebooks, `outline` separates a page's main line from
its Deeper sections, `content` finds the chapters, `files` writes a file or a folder completely or not at
all, `serving` starts servers, `errors` defines all errors, and `colours` the colours of figures, book and
decks. The docstring of a room names the other rooms that it enters (imports), and a test checks this.
"""
