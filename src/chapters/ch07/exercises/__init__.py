"""The exercises of chapter 07, a record each."""
