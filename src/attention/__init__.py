"""What the course teaches, as small pure functions in the order the data flows.

text (`corpus`) -> ids, one per character (`tokenizers`) or by byte pair encoding, as it is defined
(`bpe`), done quickly (`fast_bpe`) and applied (`bpe_tokenizer`) -> examples (`batches`) -> counts
and a first model (`bigram`) -> who may look at whom (`masks`) -> means of the past (`averaging`) ->
attention (`heads`), causal (`causal`), with many heads (`multi_head`), what every right one does
(`properties`) and how it goes wrong (`wrong`) -> loss (`training`), of many models at once
(`paired`) -> samples (`sampling`). Then a GPT: where a word stands (`positions`), what was read before
(`cache`), attention with both (`self_attention`), a block around it (`block`), what becomes of words
in a stack of such blocks (`depth`), blocks on each other (`gpt`), and a trained one in a file
(`checkpoint`). What it costs (`counting`), what it has to beat (`ngrams`), steps that are equally long
in every direction (`muon`), training with care (`fitting`), text in and text out (`writing`), and its
weights in other people's layout (`hugging_face`). Then speed: writing with a cache (`decode`), softmax
a block at a time (`online`), and what length costs (`budget`). Then many machines: functions in several
processes (`processes`), attention over them (`ring`), tasks for each (`many`), and bytes that they send
(`traffic`).
"""
