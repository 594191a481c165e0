"""What the appendices A1 to A4 look up: words, shapes, the sources' figures, and how to teach.

In: `attention`, and the chapters by their files. Out: tables, computed where they hold figures.
`words` and `glossary` are A1; `source`, `sources`, `traps` and `concordance` A3. (A5 is built like a
chapter, and is one of them.) Enters: `learn`.
"""
