"""What all figures and explorers share: canvas, colours and text, and sliders that redraw.

In: a function that draws tensors. Out: a `Picture`, which is an SVG with a sentence that describes
it, an `Explorer`, which is a picture with controls, or a `Live` explorer, which draws a state in the
page with JavaScript. Enters: no other room.
"""
