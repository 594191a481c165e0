"""The number of operations of one forward pass of a GPT over n_tokens tokens, in blocks of T."""

from course.learn.record import Exercise

GIVEN = [(32, 32, 2, 64, 65), (64, 16, 1, 8, 5), (1024, 1024, 12, 768, 50_257), (6, 3, 3, 5, 7)]

def drawn(d):
    T, n_layer, n_embd, vocab_size = d.sizes(4, least=2)
    return T * d.size(), T, n_layer, 2 * n_embd, vocab_size

E = Exercise(__name__, GIVEN, drawn)

@E.answer
def count_flops(n_tokens, T, n_layer, n_embd, vocab_size):
    linear = 2 * 12 * n_embd * n_embd
    attention = 4 * T * n_embd
    logits = 2 * n_embd * vocab_size
    return n_tokens * (n_layer * (linear + attention) + logits)

E.slip("2 * 12 *", "12 *", """you count one operation for each weight. The four Linears of a block
    have 12 C C weights, and each is used for a multiplication *and* an addition, 2 operations.""")
E.slip("linear = 2 * 12 * n_embd * n_embd\n    attention = 4 *", """linear = 12 * n_embd * n_embd
    attention = 2 *""", """in the blocks you count only multiplications. Each comes with an
        addition.""")
E.slip("return n_tokens * (n_layer * (linear + attention) + logits)",
       "return n_tokens * (n_layer * (linear + attention) + logits) // 2", """your number is exactly
           half: you count only multiplications. Each comes with an addition.""")
E.slip("(linear + attention)", "linear", """you left out the two products of attention, scores and
    mix. Each takes T C multiplications for each character.""")
E.slip("4 * T *", "2 * T *", """attention has two products, q with all keys and the weights with all
    values. You counted only one of them.""")
E.slip(" + logits", "", "you left out the logits: each character's C channels become V numbers.")
E.slip("n_layer * (linear + attention) + logits", "n_layer * (linear + attention + logits)", """you
    count the logits once for each layer. They are computed once, at the end.""")
E.slip("2 * 12 *", "2 * 4 *", """you left out the MLP. It goes from C to 4 C and back, which takes 8
    C C weights in addition to the 4 C C of attention.""")
E.slip("4 * T * n_embd", "4 * T * T * n_embd", """you count 4 T T C for each character, but that is the
    attention of an entire block of T characters.""")
E.slip("return n_tokens * (", "return 3 * n_tokens * (", """you count an entire training step: the
    backward pass takes twice as much as the forward pass. Count only the forward pass.""")
E.slip("logits = 2 * n_embd * vocab_size", "logits = 4 * n_embd * vocab_size", """you count the
    embedding as a product. It only looks up a row of a table, which takes no operation.""")

@E.law
def two_for_every_weight(answer, n_tokens, T, n_layer, n_embd, vocab_size):
    """for each character, every weight has to count as two operations: 12 C C weights in each layer,
    and C V for the logits"""
    return answer >= 2 * n_tokens * n_embd * (12 * n_layer * n_embd + vocab_size)

E.hint("""A product of (M, K) and (K, N) takes 2 M K N operations. Which products is each character part
    of?""")
E.hint("""In each layer, a character takes 4 C C multiplications for q, k, v and the output, 8 C C for
    the MLP, and 2 T C for scores and mix.""")
E.hint("""Multiply these by 2, for multiplication and addition, and by the number of layers. Then
    add the logits, 2 C V, once, and multiply by the number of characters.""")
