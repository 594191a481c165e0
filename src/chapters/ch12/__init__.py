"""Chapter 12: the block, and what each of its parts is good for."""
