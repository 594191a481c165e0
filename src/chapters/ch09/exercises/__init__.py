"""The exercises of chapter 09, a record each."""
