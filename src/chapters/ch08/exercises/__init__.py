"""The exercises of chapter 08, a record each."""
