"""Chapter 14, reading attention."""
