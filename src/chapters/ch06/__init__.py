"""Chapter 06, queries, keys and values."""
