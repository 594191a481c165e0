"""Chapter 01, text to tokens."""
