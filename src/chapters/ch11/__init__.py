"""Chapter 11, positions."""
