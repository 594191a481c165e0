"""Chapter 13, a small GPT."""
