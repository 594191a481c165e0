"""The glossary: our words beside those of the papers, of PyTorch and of the source notebooks."""
