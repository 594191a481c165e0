"""Bars that are dragged: what the explorers of chapters 03 and 07 have in common."""

from tests.chapters.live import Shown

KEYS = [shift + way for way in ("ArrowUp", "ArrowLeft") for shift in ("", "Shift+")]
KEYS += ["ArrowRight", "ArrowDown"]


class Bars(Shown):
    """A row of bars, of which each is pulled or follows keys."""

    SLOTS = 0  # bars in the picture
    PRESSED: list[tuple[int, str]] = []  # bars and keys

    def at(self, n):
        """Where bar n stands."""
        raise NotImplementedError

    def put(self, n, z):
        """What the page should have when bar n is here."""
        raise NotImplementedError

    def pulled(self, down):
        """Where a bar stands that was pulled to this share of the plane's height."""
        raise NotImplementedError

    def nudge(self, n, key):
        """What the page should have when a key was pressed on bar n."""
        raise NotImplementedError
