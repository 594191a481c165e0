"""The mask of new words after cached ones: True where a new word may look."""

import torch

from course.learn.record import Exercise

E = Exercise(__name__, without=("attention",),
    inputs=[(1, 0), (1, 3), (2, 2), (3, 1), (3, 0), (2, 5)],
    draw=lambda d: (d.size(), d.size(0)))

@E.answer
def cache_mask(n_new, n_kept):
    rows, columns = n_new, n_kept + n_new
    return torch.ones(rows, columns, dtype=torch.bool).tril(n_kept)

E.slip("tril(n_kept)", "tril()", """your triangle begins at the top left, so the first new word sees
    only the first word of all. Its own key is in column n_kept. PyTorch's `is_causal=True` does the
    same (PyTorch's issue 108108), and so did a mask without an offset in gpt-fast#233.""")
E.slip(".tril(n_kept)", "", """every new word sees all the others, including later ones. With one
    new word that is right; with several, it is a leak.""")
E.slip("tril(n_kept)", "tril(n_kept - 1)", """no new word sees itself. Row 0 is the word in column
    n_kept.""")
E.slip("tril(n_kept)", "tril(n_kept + 1)", """each new word sees the next one, which is a leak of
    one cell in each row but the last.""")
E.slip("columns = n_new, n_kept + n_new", "columns = n_kept + n_new, n_kept + n_new", """your mask
    also has rows for the cached words. These have no queries any more; only the new ones do.""")
E.slip("columns = n_new, n_kept + n_new", "columns = n_new, n_kept", """your columns leave out the
    new words' own keys. There are n_kept + n_new keys.""")
E.slip("tril(n_kept)", "triu(n_kept)", """you kept the wrong side of the diagonal: each word sees
    itself and the later words.""")
E.slip("(rows, columns, dtype=torch.bool).tril(n_kept)",
       "(columns, rows, dtype=torch.bool).tril()", """you swapped rows and columns. Rows look and
           columns are looked at, so the new words are rows.""")
E.mistake(lambda n, kept: torch.eye(kept + n)[kept:].flip(-1).cumsum(-1).flip(-1).bool()
          & (torch.arange(kept + n) >= kept), """you hid the cached words. They are the past of
              every new word, so their columns are open in each row.""")
E.mistake(lambda n, kept: ~cache_mask(n, kept), """your mask is inverted: it is True where a query
    must not look.""")

@E.law
def last_new_word_sees_all(mask, n_new, n_kept):
    """the last new word may look at every key"""
    return mask.shape == (n_new, n_kept + n_new) and bool(mask[-1].all())

@E.law
def one_key_more_in_each_row(mask, n_new, n_kept):
    """row t has to be open for the cached words and t + 1 new ones"""
    return mask.sum(-1).tolist() == [n_kept + t + 1 for t in range(n_new)]

E.hint("Row 0 is the first new word. In which column is its own key?")
E.hint("Draw the mask for two cached words and two new ones: 1 1 1 0 above 1 1 1 1.")
E.hint("`tril(diagonal)` moves the corner to the right. By how many columns?")
