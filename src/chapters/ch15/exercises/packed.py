"""Documents in one row: each word's position in its own document, and which words it may look
at."""

import torch

from course.learn.record import Exercise

E = Exercise(__name__, without=("attention",),
    inputs=[([1],), ([2, 1],), ([1, 3, 2],), ([2, 2],)],
    draw=lambda d: ([d.size() for _ in range(d.randint(1, 4))],))

@E.answer
def packed(lengths):
    document = torch.arange(len(lengths)).repeat_interleave(torch.tensor(lengths))
    positions = torch.cat([torch.arange(length) for length in lengths])
    same = document[:, None] == document
    return positions, same.tril()

E.slip("same.tril()", "torch.ones_like(same).tril()", """your documents aren't kept apart: each later
    one sees the earlier ones. Restarted positions don't separate them (nanoVLM#204).""")
E.slip("same.tril()", "same", """you separate the documents, but each word sees its own document's
    future.""")
E.slip("torch.cat([torch.arange(length) for length in lengths])", "torch.arange(len(document))",
    """your positions continue across documents. Each document begins at 0, as if there were no
    others.""")
E.slip("torch.cat([torch.arange(length) for length in lengths])",
    "torch.cat([torch.arange(1, length + 1) for length in lengths])", """your positions begin at 1.
        They have to begin at 0.""")
E.slip("same.tril()", "same.tril(-1)", """no word sees itself, and the first word of each document
    sees nothing.""")
E.slip("return positions, same", "return document, same", """you return which document each word is
    in. Return its position within the document.""")
E.slip("(torch.tensor(lengths))", "(max(lengths))[:sum(lengths)]", """you gave all documents the
    length of the longest, so the documents no longer end where they should.""")
E.mistake(lambda lengths: (packed(lengths)[0], ~packed(lengths)[1]), """your mask is inverted: it
    is True where a query must not look.""")

@E.law
def every_document_begins_at_0(answer, lengths):
    """each document has to have exactly one position 0"""
    return (answer[0] == 0).sum() == len(lengths)

@E.law
def no_row_crosses(answer, lengths):
    """row t of a document has to be open for t + 1 keys"""
    return answer[1].sum(-1).tolist() == [t + 1 for length in lengths for t in range(length)]

E.hint("""For lengths 2 and 3, write down the document and the position within it for each of the
    five words.""")
E.hint("""The documents are 0 0 1 1 1, and the positions 0 1 0 1 2. A word may look at another if
    both are in one document, and the other isn't later.""")
E.hint("""`torch.arange(n).repeat_interleave(torch.tensor(lengths))` gives the documents. Compare
    them as a column with themselves as a row, and keep the lower triangle.""")
