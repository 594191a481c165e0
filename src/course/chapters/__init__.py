"""One module a chapter: its exercises and its quiz, as records."""
