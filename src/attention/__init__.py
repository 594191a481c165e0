"""What the course teaches, as small pure functions in the order the data flows.

text (`corpus`) -> ids (`tokenizers`) -> examples (`batches`) -> counts and a first model
(`bigram`) -> who may look at whom (`masks`) -> means of the past (`averaging`) -> attention
(`heads`), causal (`causal`), with many heads (`multi_head`), what every right one does
(`properties`) and how it goes wrong (`wrong`) -> loss (`training`) -> samples (`sampling`).
"""
