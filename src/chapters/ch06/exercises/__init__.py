"""The exercises of chapter 06, a record each."""
