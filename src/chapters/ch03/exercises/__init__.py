"""The exercises of chapter 03, a record each."""
