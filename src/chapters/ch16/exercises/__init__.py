"""The exercises of chapter 16, a record each."""
