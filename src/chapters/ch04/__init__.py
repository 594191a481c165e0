"""Chapter 04, averaging the past."""
