"""Chapter 10, several heads."""
