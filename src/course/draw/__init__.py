"""What all figures and explorers share: canvas, colours and text, and sliders that redraw.

In: a function of tensors that draws. Out: a `Picture`, which is an SVG with words for it, or an
`Explorer`, which is a picture with controls; or a `Live` one, a module that draws a state in the
page. Enters: no other room.
"""
