"""The exercises of chapter 00, one record in each module."""
