"""Chapter 09, the causal attention module."""
