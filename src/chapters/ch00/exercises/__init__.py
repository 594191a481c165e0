"""The exercises of chapter 00, a record each."""
