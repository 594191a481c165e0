"""How the course is taught and delivered, in eight rooms, and the `course` command (`cli`).

`learn` judges answers, `draw` shows figures and explorers, and each of the `chapters` uses both;
the `appendices` hold what is looked up. `grade` judges the answers of a class. `execute` runs
notebooks, `check` compares what they give with what is stored, and `publish` makes the book and the
decks. On the ground floor `notebooks` finds and reads them, `errors` is the tree of all errors, and
`colours` are those that figures, book and decks share; every room may use these three. A room names
the other rooms that it enters, and a test holds it to that.
"""
