"""The exercises of chapter 04, one record each."""
