"""Chapter 02, batches and targets."""
