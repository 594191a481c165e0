"""The exercises of chapter 10, a record each."""
