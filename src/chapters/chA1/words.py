"""The words of the course, each with its names elsewhere and the place where it is taught.

`papers` are words of the literature, `torch` names of PyTorch, `sources` those of the notebooks
behind this course; "" where there is none. `heading` is a heading of the notebook of `chapter`, under
which the word stands.
"""

from typing import NamedTuple


class Word(NamedTuple):
    """One word of the course."""

    ours: str
    means: str
    papers: str
    torch: str
    sources: str
    chapter: str
    heading: str


PARTS = {
    "Text and batches": [
        Word("token", "a piece of text that has a number", "token, symbol", "", "token, character", "01", "How does text become numbers?"),
        Word("vocabulary", "all tokens there are", "vocabulary, alphabet", "`num_embeddings` of `nn.Embedding` is its size", "vocab, chars", "01", "The vocabulary"),
        Word("ids", "the numbers of tokens", "token indices, input ids", "`torch.long`", "idx", "01", "The whole text as one tensor"),
        Word("byte pair", "encoding that merges the commonest pair again and again", "BPE (Sennrich et al., 2016)", "", "", "01", "Deeper: byte pair encoding, by hand"),
        Word("block", "a stretch of text that a model reads at once (in chapter 12: a layer, below)", "context length, sequence length", "`L` of `F.scaled_dot_product_attention`", "block_size, context_length", "02", "A block, and its targets"),
        Word("targets", "the ids one place further on", "labels, next tokens", "`target` of `F.cross_entropy`", "targets, y", "02", "A block, and its targets"),
        Word("batch", "sequences that are computed side by side, axis B", "minibatch", "`batch_first` of `nn.MultiheadAttention`", "batch, number of batches", "02", "A batch"),
        Word("channels", "the numbers of one position, axis C", "model dimension, d_model", "`embed_dim` of `nn.MultiheadAttention`", "C, d_in, number of classes", "00", "Three axes"),
    ],
    "Guessing the next token": [
        Word("logits", "scores of the next token, before softmax", "logits, unnormalised log-probabilities", "`input` of `F.cross_entropy`", "logits", "03", "A table that can learn"),
        Word("loss", "what a guess costs: minus the logarithm of the right one's share", "cross-entropy, negative log-likelihood", "`F.cross_entropy`, `F.nll_loss`", "loss", "03", "The loss of a guess"),
        Word("floor", "what no model of that kind can get below on this text", "entropy, maximum likelihood", "", "", "03", "Deeper: no table beats the counted one"),
        Word("temperature", "what logits are divided by before a token is drawn", "temperature", "", "", "03", "Deeper: temperature"),
        Word("top-p", "draw among the likeliest tokens that together have the share p", "nucleus sampling (Holtzman et al., 2020)", "", "", "13", "It writes"),
        Word("perplexity", "e to the loss: among how many equal choices a model hesitates", "perplexity", "", "", "03", "Deeper: costs, and equal choices"),
    ],
    "Attention": [
        Word("dot product", "multiply number by number, add up", "inner product, similarity", "`torch.dot`, `torch.matmul`", "affinity", "05", "Score: how well do two words fit?"),
        Word("scores", "how well each query fits each key, before softmax", "attention logits, energies, alignment, compatibility", "`attn_mask` of `F.scaled_dot_product_attention` is added to them", "wei, attn_scores, affinities", "05", "One query, six scores"),
        Word("weights", "the shares after softmax; a row sums to 1", "attention weights, attention probabilities, attention distribution", "`need_weights` of `nn.MultiheadAttention`", "wei, attn_weights", "05", "Softmax of a matrix: which axis?"),
        Word("context", "a mix of the values, with the weights as shares", "context vector, attention output, glimpse", "`attn_output` of `nn.MultiheadAttention`", "context_vec, out, xbow", "05", "Mix: the context vector"),
        Word("query", "what a position asks for", "Q", "`query` of `F.scaled_dot_product_attention`", "query: what am I looking for", "06", "Three vectors for each word"),
        Word("key", "what a position shows to those who ask", "K", "`key` of `F.scaled_dot_product_attention`", "key: what do I contain", "06", "Three vectors for each word"),
        Word("value", "what a position hands on", "V, content", "`value` of `F.scaled_dot_product_attention`", "value: what I will give you; x is private", "06", "Three vectors for each word"),
        Word("head size", "how many numbers a query and a key have, axis D", "d_k, d_head", "`E` of `F.scaled_dot_product_attention`", "head_size, d_out", "06", "A larger head"),
        Word("memory", "the sequence that cross-attention looks at", "encoder output, source, memory", "`memory` of `nn.TransformerDecoderLayer`", "encoder", "06", "Self-attention and cross-attention"),
        Word("scale", "what scores are multiplied by: 1/√d", "scaling factor", "`scale` of `F.scaled_dot_product_attention`", "head_size**-0.5", "07", "Why d?"),
        Word("saturate", "of a softmax: nearly all of it on one place, and nothing more to learn", "saturation, peaky, one-hot, low entropy", "", "too peaky, one-hot", "07", "Softmax saturates"),
    ],
    "Who may look at whom": [
        Word("mask", "True where a query may look", "mask, attention pattern, sparsity", "`attn_mask` of `F.scaled_dot_product_attention`", "tril, mask", "08", "A mask says who may look"),
        Word("causal", "no position sees its future", "masked, autoregressive, unidirectional, left-to-right", "`is_causal` of `F.scaled_dot_product_attention`", "decoder block", "08", "How do you keep a word from seeing its future?"),
        Word("padding", "places that only fill a row up", "padding", "`key_padding_mask` of `nn.MultiheadAttention`", "", "08", "Deeper: padding"),
        Word("leak", "an earlier output that changes with a later token", "information leakage, violated causality", "", "", "08", "Test it: change the future"),
        Word("buffer", "a tensor that moves with its module and isn't learnt", "", "`nn.Module.register_buffer`", "register_buffer", "09", "Three ways to keep a mask"),
        Word("dropout", "in training, weights become 0 at random and the others grow", "attention dropout (Srivastava et al., 2014)", "`dropout_p` of `F.scaled_dot_product_attention`, `nn.Dropout`", "dropout", "09", "Dropout"),
        Word("heads", "attentions side by side, each with its own rows of weights, axis H", "h, parallel attention layers", "`num_heads` of `nn.MultiheadAttention`", "num_heads, MultiHeadAttentionWrapper", "10", "Heads in a list"),
        Word("output projection", "the matrix behind the heads, which mixes them", "W^O", "`out_proj` of `nn.MultiheadAttention`", "", "10", "Deeper: the output projection is a sum over heads"),
    ],
    "Past the heads": [
        Word("rotary", "positions by turning queries and keys", "RoPE (Su et al., 2021)", "", "", "11", "Turn, don't add"),
        Word("half-split", "which two channels a turn pairs: i and i + D/2", "rotate_half, non-interleaved", "", "", "11", "Deeper: half-split or interleaved"),
        Word("ALiBi", "a penalty on scores for each step back", "ALiBi (Press et al., 2022)", "", "", "11", "Take something off for each step back"),
        Word("residual stream", "what layers add to, and never replace", "residual connection, skip connection, identity mapping", "", "", "12", "Add, instead of replacing"),
        Word("norm", "every position brought to one size", "layer normalisation (Ba et al., 2016), RMSNorm (Zhang & Sennrich, 2019)", "`nn.LayerNorm`, `nn.RMSNorm`", "", "12", "A norm in front"),
        Word("MLP", "two matrices and a bend between them, for each position alone", "position-wise feed-forward network, multi-layer perceptron", "`dim_feedforward` of `nn.TransformerEncoderLayer`", "", "12", "An MLP behind"),
        Word("block", "attention and MLP, each with a norm in front, added to the stream", "layer (Vaswani et al., 2017)", "`nn.TransformerEncoderLayer`", "block", "12", "The block"),
        Word("checkpoint", "the file with a model's numbers", "checkpoint", "`torch.save`", "", "13", "Deeper: the checkpoint"),
    ],
    "Reading and testing": [
        Word("map", "the weights of one head as a picture: rows look, columns are looked at", "attention map, attention pattern", "", "", "14", "A map whose right answer is known"),
        Word("induction head", "looks one further than the earlier place of its own token", "induction head (Elhage et al., 2021; Olsson et al., 2022)", "", "", "14", "Two heads set by hand"),
        Word("ablate", "set what a head gives to 0, or to its mean, and see what is lost", "ablation, knockout, pruning (Michel et al., 2019)", "`nn.Module.register_forward_hook` can do it", "", "14", "The same, grown by training"),
        Word("attribution", "how much each part of the stream adds to a logit", "direct logit attribution, logit lens", "", "", "14", "Deeper: who raised the logit?"),
        Word("patching", "put what one run computed into another run", "activation patching, causal tracing (Meng et al., 2022)", "", "", "14", "Deeper: patching an activation"),
        Word("patient", "a wrong program that is found by what it does", "mutant", "", "", "16", "What is wrong with this attention?"),
        Word("check", "a question that every right program answers alike", "property, metamorphic relation", "`torch.testing.assert_close`", "", "16", "Three checks to spend"),
    ],
    "Fast": [
        Word("cache", "keys and values that are kept while writing", "KV cache", "", "", "15", "Keep keys and values"),
        Word("prefill", "reading the whole beginning at once, before the first new token", "prefill, prompt processing", "", "", "15", "Prefill and decode"),
        Word("decode", "one new token a step (not the tokenizer's `decode`)", "decoding, generation, incremental inference (Shazeer, 2019)", "", "generate", "15", "Prefill and decode"),
        Word("fewer keys", "several query heads share one key head", "grouped-query attention, GQA (Ainslie et al., 2023); one for all: MQA", "`enable_gqa` of `F.scaled_dot_product_attention`", "", "15", "Fewer keys for the same queries"),
        Word("window", "a position sees only the last so many", "sliding window, local attention (Beltagy et al., 2020)", "", "", "15", "Deeper: a window, and sinks"),
        Word("sinks", "first positions that stay visible", "attention sinks (Xiao et al., 2024)", "", "", "15", "Deeper: a window, and sinks"),
        Word("block by block", "a softmax whose sum and largest score are kept up to date on the way", "online softmax (Milakov & Gimelshein, 2018), FlashAttention (Dao et al., 2022)", "", "", "15", "Softmax, block by block"),
    ],
}  # fmt: skip

WORDS = [word for words in PARTS.values() for word in words]
NOTEBOOKS = {
    "00": "00_start_here.ipynb",
    "01": "01_text_to_tokens.ipynb",
    "02": "02_batches_and_targets.ipynb",
    "03": "03_bigram_baseline.ipynb",
    "04": "04_averaging_the_past.ipynb",
    "05": "05_attention_without_weights.ipynb",
    "06": "06_queries_keys_values.ipynb",
    "07": "07_scaling_and_softmax.ipynb",
    "08": "08_causal_masking.ipynb",
    "09": "09_causal_attention_module.ipynb",
    "10": "10_multi_head.ipynb",
    "11": "11_where_am_i.ipynb",
    "12": "12_a_block.ipynb",
    "13": "13_a_small_gpt.ipynb",
    "14": "14_reading_attention.ipynb",
    "15": "15_fast_attention.ipynb",
    "16": "16_bug_clinic.ipynb",
}
