"""The exercises of chapter 01, one record in each module."""
