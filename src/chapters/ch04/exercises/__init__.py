"""The exercises of chapter 04, a record each."""
