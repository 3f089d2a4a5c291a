"""What the explorer offers to know of a network."""

import numpy as np
import pandas as pd
import pytest

import netgiven as ng
from netgiven.explorer.knowing import options, together, unusable


@pytest.fixture
def network():
    plain = ng.datasets.company(40)
    return plain.with_columns(
        pd.DataFrame(
            {
                "year": np.arange(40) + 1980,
                "floor": np.arange(40) % 3,
                "key": [f"k{number}" for number in range(40)],
                "gap": [None, *["x", "y"] * 19, "x"],
                "same": ["all"] * 40,
                "a+b:c": ["left", "right"] * 20,
            }
        )
    )


def test_columns_decide_what_is_offered(network):
    texts = [option.text for option in options(network)]
    assert {"density", "degrees", "assortativity", "common_neighbours"} <= set(texts)
    assert {"blocks:department", "homophily:department", "group_degrees:department"} <= set(texts)
    assert {"order:year:bins=10", "homophily:year", "order:floor:bins=10", "blocks:floor"} <= set(texts)
    assert not any(name in text for text in texts for name in ("key", "gap", "same", "blocks:year"))


def test_what_cannot_be_known_is_told(network):
    told = unusable(network)
    assert [sentence.split(":")[0] for sentence in told] == ["key", "gap", "same"]
    assert "some linked nodes have no value" in told[1]


def test_each_option_can_be_given(network):
    for option in options(network):
        prior = option.make().fit(network)
        assert prior.expected_links() == pytest.approx(network.link_count, rel=1e-6)


def test_the_text_is_what_the_command_line_takes(network):
    chosen = [
        option for option in options(network) if option.text in ("degrees", "blocks:department", "homophily:year")
    ]
    text = str(together(chosen))
    assert str(ng.parse_knowledge(text)) == text == "degrees+blocks:department+density+homophily:year"


def test_nothing_ticked_is_the_density():
    assert str(together([])) == "density"
