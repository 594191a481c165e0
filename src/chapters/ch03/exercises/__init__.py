"""The exercises of chapter 03, one record each."""
