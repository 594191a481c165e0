"""The exercises of chapter 05, a record each."""
