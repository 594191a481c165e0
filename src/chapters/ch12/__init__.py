"""Chapter 12: the block, and what each part of it is good for."""
