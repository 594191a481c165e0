"""Chapter 15, fast attention."""
