"""Every example in a docstring gives the output that it shows."""

import doctest
import importlib
import pkgutil

import pytest

import attention
import chapters
import course
import grading

MODULES = [
    module.name
    for package in (attention, chapters, course, grading)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith("__main__") and ".exercises." not in module.name
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, as_a_user):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [t for name in MODULES for t in finder.find(importlib.import_module(name))]
    assert sum(len(test.examples) for test in found) > 30
