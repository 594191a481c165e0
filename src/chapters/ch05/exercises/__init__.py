"""The exercises of chapter 05, one record each."""
