"""The exercises of chapter 12, a record each."""
