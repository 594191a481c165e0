"""Chapter 08, causal masking."""
