"""The exercises of chapter 15, a record each."""
