"""The exercises of chapter A5, a record each."""
