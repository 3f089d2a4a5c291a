"""Everything public is documented in NumPy style, with an example that runs (the doctests are run with the tests)."""

import inspect

import pytest

import netgiven as ng

FUNCTIONS = {name: getattr(ng, name) for name in ng.__all__ if inspect.isfunction(getattr(ng, name))}
CLASSES = {name: getattr(ng, name) for name in ng.__all__ if inspect.isclass(getattr(ng, name))}


def methods():
    for name, kind in CLASSES.items():
        for attribute, value in vars(kind).items():
            function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
            if not attribute.startswith("_") and inspect.isfunction(function):
                yield f"{name}.{attribute}", function


METHODS = {name: function for name, function in methods() if name != "Ray.log"}  # a field that holds a function


def missing(function):
    """The sections that a docstring lacks."""
    text, signature = inspect.getdoc(function) or "", inspect.signature(function)
    takes = [name for name in signature.parameters if name not in ("self", "cls")]
    returns = signature.return_annotation not in (None, "None", inspect.Signature.empty)
    wanted = {"Parameters": bool(takes), "Returns": returns}
    return [section for section, needed in wanted.items() if needed and f"{section}\n---" not in text]


@pytest.mark.parametrize("name", [*FUNCTIONS, *METHODS])
def test_parameters_and_results_are_documented(name):
    assert missing(FUNCTIONS.get(name) or METHODS[name]) == []


NO_EXAMPLE = {"embed_sharded", "Ray"}  # need a cluster; docs/cluster.md shows them


@pytest.mark.parametrize("name", sorted({*FUNCTIONS, *CLASSES} - NO_EXAMPLE))
def test_there_is_an_example(name):
    assert ">>> " in (inspect.getdoc(getattr(ng, name)) or "")


@pytest.mark.parametrize("name", CLASSES)
def test_properties_are_documented(name):
    properties = {key: value for key, value in vars(CLASSES[name]).items() if isinstance(value, property)}
    assert [key for key, value in properties.items() if not key.startswith("_") and not value.__doc__] == []
