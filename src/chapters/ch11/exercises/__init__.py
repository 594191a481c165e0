"""The exercises of chapter 11, a record each."""
