"""The exercises of chapter 13, a record each."""
