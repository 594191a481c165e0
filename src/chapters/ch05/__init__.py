"""Chapter 05, attention without weights."""
