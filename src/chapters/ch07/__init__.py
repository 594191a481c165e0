"""Chapter 07, scaling and softmax."""
