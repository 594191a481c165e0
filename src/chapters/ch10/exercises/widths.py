"""For both conventions of d_out: the size of one head, and the width of the output."""

from course.learn.record import Exercise

GIVEN = [(2, 2), (4, 2), (15, 3), (768, 12)]
E = Exercise(__name__, GIVEN, lambda d: ((size := d.sizes(2))[0] * size[1], size[0]), n_drawn=9)

@E.answer
def widths(d_out, n_head):
    return {"wrapper": (d_out, d_out * n_head), "fused": (d_out // n_head, d_out)}

E.slip("(d_out, d_out * n_head)", "(d_out // n_head, d_out)", """you used the fused module's
    meaning of d_out for both. The wrapper gives every head d_out channels, and puts the outputs
    side by side.""")
E.slip("(d_out // n_head, d_out)", "(d_out, d_out * n_head)", """you used the wrapper's meaning of
    d_out for both. The fused module cuts d_out channels into heads, so d_out is the total
    width.""")
E.slip('"wrapper": (d_out, d_out * n_head), "fused"',
       '"fused": (d_out, d_out * n_head), "wrapper"', """you swapped the two. Which one cuts its
           width into heads, and which one puts heads side by side?""")
E.slip(" * n_head", "", """your answer for the fused module is right. The wrapper's heads are d_out
    wide each: how wide are n_head of them side by side?""")
E.slip(" // n_head", "", """your answer for the wrapper is right. But in the fused module n_head
    heads share d_out channels: how many does each head have?""")
E.mistake(lambda *sizes: {key: pair[::-1] for key, pair in widths(*sizes).items()}, """your pairs
    are in the wrong order: first the size of one head, then the width of the output.""")
E.slip("//", "/", "your numbers are right, but `/` makes a float, and a size is an int. Use `//`.")

@E.law
def sizes_add_up(answer, d_out, n_head):
    """n_head times the head size has to be the width of the output"""
    return all(size * n_head == width for size, width in answer.values())

E.hint("""In the notebook the wrapper with `head_size=2` and two heads gave an output 4 wide. Was
    its d_out 2 or 4?""")
E.hint("""In the wrapper each head has d_out channels, and the outputs are concatenated. In the
    fused module d_out is the total, which is cut.""")
E.hint("""Multiply by n_head in one of them, and divide in the other. Two of the four numbers are
    d_out.""")
