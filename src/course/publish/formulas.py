"""Turn a page's formulas, TeX between dollars, into MathML, which a browser shows without a script."""

import re

from course.errors import CourseError

CODE = r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)"
SPAN = r"(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=ticks)(?!`)"
DISPLAY = r"\$\$(?P<display>(?:(?!\n[ \t]*\n).)+?)\$\$"
INLINE = r"\$(?=\S)(?P<inline>(?:\\.|(?!\n[ \t]*\n)[^$])+?)(?<=\S)\$(?!\d)"
MATH = re.compile(rf"{CODE}|{SPAN}|<!--.*?-->|\\.|{DISPLAY}|{INLINE}", re.DOTALL | re.MULTILINE)
THIN = '<mspace width="0.167em"/>'
CHILDREN = {"mfrac": 2, "msub": 2, "msup": 2, "msubsup": 3, "mroot": 2, "munder": 2, "mover": 2}
MARKS = {ord(mark): f"&#{ord(mark)};" for mark in "*_[]`|~\\"}  # escapes Markdown's marks


def mathml(tex: str, display: bool) -> str:
    r"""Return the MathML of a formula. Raises ValueError if a part would be lost or shown as TeX.

    >>> mathml(r"d_k", display=False)
    '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow><msub><mi>d</mi><mi>k</mi></msub></mrow></math>'
    """
    import xml.etree.ElementTree as ElementTree

    from latex2mathml.converter import convert

    bare = re.sub(r"\\.", "", tex)
    if bare.count("{") != bare.count("}"):
        raise ValueError("its braces don't pair")
    try:
        text = convert(tex.strip(), display="block" if display else "inline")
    except Exception as error:  # the converter has a dozen exceptions of its own
        raise ValueError(str(error) or _words(type(error).__name__)) from None
    if unknown := re.search(r"\\(?:[A-Za-z]+|.)", text):
        raise ValueError(f"{unknown[0]} is not known to latex2mathml")
    if "<mi>&</mi>" in text:
        raise ValueError("an & stands outside of a matrix, cases or align* (aligned is not known)")
    for element in ElementTree.fromstring(text).iter():
        name = element.tag.rpartition("}")[2]
        if len(element) != CHILDREN.get(name, len(element)):
            raise ValueError(f"a part is missing in {name}")
    # Join the letters of an upright word: otherwise screen readers spell it, and no search finds it.
    text = re.sub(r'(?:<mi mathvariant="normal">\w</mi>){2,}', _join, text)
    text = text.replace("negativethinmathspace", "-0.167em")
    text = re.sub(r"(<mi>(?:cos|exp|ln)</mi>)(?!<mo|</)", rf"\1{THIN}", text)  # as TeX sets them
    return " ".join(text.split())


def _words(name: str) -> str:
    """Split the name of an exception into words, such as `missing end error`."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", name).lower()


def _join(letters: re.Match[str]) -> str:
    return f"<mi>{''.join(re.findall(r'>(.)<', letters[0]))}</mi>"


def convert_math(markdown: str, where: str) -> str:
    """Return Markdown with its formulas as MathML; code is unchanged.

    Raises CourseError, which begins with `where`, for a formula that can't be converted.
    """

    def replace(match: re.Match[str]) -> str:
        display = match["display"] is not None
        tex = match["display"] if display else match["inline"]
        if tex is None:
            return match[0]
        try:
            found = mathml(tex, display)
        except ValueError as error:
            raise CourseError(
                f"{where}: the formula {match[0]!s} can't be shown, because {error}: "
                "write it with what latex2mathml knows"
            ) from None
        found = found.translate(MARKS)
        return f'<span class="course-math">{found}</span>' if display else found

    return MATH.sub(replace, markdown)
