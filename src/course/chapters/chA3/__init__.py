"""The concordance: every figure of the source notebooks, computed anew, and every bug of theirs."""
