"""The exercises of chapter 14, a record each."""
