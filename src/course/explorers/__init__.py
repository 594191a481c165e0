"""The course's explorers: sliders that redraw a figure (the only place for ipywidgets)."""
