"""What a learner does: exercises that say what is wrong and why, and quizzes that explain.

`exercises` is what a notebook calls. `record` is the form in which an exercise is told, with inputs of
`draws`. `verdict` judges an answer: `attempt` runs it, `restore` puts back what it changed, `values`
compares what came, `words` shows it, and `sentences` says what is wrong. `apart` does all of that in a
forked process, and asks `gradient` whether a right answer could be trained. `progress` keeps what is
passed. `quizzes` are plain text. `html` and `solutions` serve book and decks, too. `copies` are a
learner's own notebooks, and how they are updated.

In: the records of the chapters, which it finds by their names, and a learner's function. Out: a
report, a quiz, and their HTML. Enters: no other room.
"""
