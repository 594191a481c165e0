"""What the course teaches, as small pure functions in the order the data flows.

stories written by rules (`stories`) or another text (`corpus`) -> ids, one per character
(`tokenizers`) or by byte pair encoding, as it is defined (`bpe`), done quickly (`fast_bpe`) and
applied (`bpe_tokenizer`) -> examples (`batches`) -> counts and a first model (`bigram`) -> which
positions a token may attend to (`masks`) -> means of the past (`averaging`) -> attention (`heads`)
in modules that check what they are given (`checks`): causal (`causal`), with many heads
(`multi_head`), and the laws that every right one obeys (`properties`) -> loss (`training`) ->
samples (`sampling`). A model keeps the keys and values that it has computed (`cache`) and writes
text (`generation`). Then a GPT: positions (`positions`), the whole model in one file (`gpt`), and a
trained one on disk (`checkpoint`). It is trained with Muon (`muon`) and a schedule (`fitting`).
"""
