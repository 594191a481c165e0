"""Chapter 16, the bug clinic."""
