"""What the course teaches, as small pure functions in the order the data flows.

text (`corpus`) -> ids (`tokenizers`) -> examples (`batches`) -> counts and a first model
(`bigram`) -> means of the past (`averaging`) -> attention (`heads`) -> loss (`training`) ->
samples (`sampling`).
"""
