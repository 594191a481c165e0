"""What a learner works with: exercises that say what is wrong and why, and quizzes that explain.

A notebook calls `exercises`. A `record` holds one exercise, and `draws` makes inputs. `verdict` judges
an answer: `attempt` calls the function, `restore` undoes what it changed, `values` compares results,
`words` turns values into text, and `sentences` says what is wrong. `apart` runs all of that in a forked
process, and asks `gradient` whether a right answer could be trained. `progress` saves which exercises
are passed. `quizzes` reads a chapter's quiz. The book and the decks use `html` and `solutions` as well.
`copies` makes and updates a learner's own notebooks.

In: the records of the chapters, which are found by their names, and a learner's function. Out: a
report, a quiz, and their HTML. Enters: no other room.
"""
