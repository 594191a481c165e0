"""The exercises of chapter 02, one record in each module."""
