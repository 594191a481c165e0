"""Print decks to PDF, with Chromium."""

import importlib.util
import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from course.errors import CourseError


def chromium() -> str:
    """Return the path of Chromium. Raises CourseError if it or playwright, which drives it, is missing."""
    if importlib.util.find_spec("playwright") is None:
        raise CourseError(
            "a PDF needs playwright, and this Python has none: install it with "
            "`python install.py --book`, or leave out --pdf (`make slides PDF=`)"
        )
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if path := shutil.which(name):
            return path
    raise CourseError(
        "a PDF needs Chromium, and none was found on the PATH: install it "
        "(`apt-get install chromium`), or leave out --pdf (`make slides PDF=`)"
    )


def print_to_pdf(browser: str, folder: Path, stems: list[str]) -> None:
    """Print the decks of a folder, each to a PDF next to its page. Raises CourseError if that fails."""
    from playwright.sync_api import Error, sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    try:
        with TemporaryDirectory(prefix="course-") as scratch, sync_playwright() as playwright:
            own = os.environ | {"TMPDIR": scratch}  # so its files go, even if it is killed
            opened = playwright.chromium.launch(executable_path=browser, args=flags, env=own)
            page = opened.new_page()
            for stem in stems:
                page.goto(f"{(folder / stem).absolute().as_uri()}.html?print-pdf")
                page.wait_for_selector("html[data-deck=ready] .pdf-page", timeout=120_000)
                page.pdf(
                    path=folder / f"{stem}.pdf",
                    prefer_css_page_size=True,
                    print_background=True,
                    tagged=True,
                )
            opened.close()
    except Error as error:
        reason = str(error).splitlines()[0]
        raise CourseError(
            f"Chromium ({browser}) could not print the decks ({reason}): try it without --pdf, "
            "and print from the browser with ?print-pdf"
        ) from None
