"""The exercises of chapter 02, a record each."""
