"""Chapter 03, the bigram baseline."""
