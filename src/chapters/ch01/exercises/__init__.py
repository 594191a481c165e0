"""The exercises of chapter 01, a record each."""
