import pytest
from typer.testing import CliRunner

import netgiven as ng
from netgiven.cli.evaluate import app


@pytest.mark.parametrize("name", ["all", "DeepWalk", "node2vec", "LINE", "metapath2vec++"])
@pytest.mark.parametrize("task", [("links", "links.csv"), ("labels", "links.csv", "--labels", "labels.csv")])
def test_baselines_that_are_not_in_the_package_are_named(name, task):
    result = CliRunner().invoke(app, [*task, "--baselines", name])
    assert isinstance(result.exception, ng.InputError)
    assert "make reproduce" in str(result.exception) and "fast or none" in str(result.exception)
