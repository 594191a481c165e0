"""The operations of one forward pass of a GPT over n_tokens, in blocks of T: an int."""

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

E.slip("2 * 12 *", "12 *", """the four Linears of a block have 12 C C numbers, and each is used for a
    multiplication *and* an addition: 2 operations.""")
E.slip("linear = 2 * 12 * n_embd * n_embd\n    attention = 4 *", """linear = 12 * n_embd * n_embd
    attention = 2 *""", """you count multiplications only, in the blocks. Each comes with an addition.""")
E.slip("return n_tokens * (n_layer * (linear + attention) + logits)",
       "return n_tokens * (n_layer * (linear + attention) + logits) // 2", """exactly half: you count
    multiplications only. Each comes with an addition.""")
E.slip("(linear + attention)", "linear", """the two products of the attention are missing: scores and
    mix, each T C multiplications for each word.""")
E.slip("4 * T *", "2 * T *", """the attention has two products: q with all keys, and the weights with all
    values. You count one.""")
E.slip(" + logits", "", "the logits are missing: each word's C channels become V numbers.")
E.slip("n_layer * (linear + attention) + logits", "n_layer * (linear + attention + logits)", """you count
    the logits once for each layer. They are made once, at the end.""")
E.slip("2 * 12 *", "2 * 4 *", """the MLP is missing: it goes from C to 4 C and back, 8 C C numbers
    beside the attention's 4 C C.""")
E.slip("4 * T * n_embd", "4 * T * T * n_embd", """4 T T C is the attention of a whole block of T words.
    Here it is multiplied by the number of words once more.""")
E.slip("return n_tokens * (", "return 3 * n_tokens * (", """that is a whole training step: the way back
    takes twice as much as the way forward. Only the way forward is asked for.""")
E.slip("logits = 2 * n_embd * vocab_size", "logits = 4 * n_embd * vocab_size", """you count the embedding
    as a product. It is a look into a table: no operation.""")

@E.law
def two_for_every_weight(answer, n_tokens, T, n_layer, n_embd, vocab_size):
    """for each word, every weight takes a multiplication and an addition: 12 C C weights in each
    layer, and C V for the logits"""
    return answer >= 2 * n_tokens * n_embd * (12 * n_layer * n_embd + vocab_size)

E.hint("A product of (M, K) and (K, N) takes 2 M K N operations. Which products does a word take part in?")
E.hint("For each word and layer: q, k, v and the output, 4 C C; the MLP, 8 C C; scores and mix, 2 T C.")
E.hint("Times 2 for multiplication and addition; times the layers; and the logits, 2 C V, once.")
