"""What is given to a fit, as people say it, and the priors that it means."""

from __future__ import annotations

from typing import NamedTuple

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors import Knowledge, Prior, degrees, parse_knowledge
from netgiven.priors.learned import Learned

Given = Knowledge | Learned | Prior | str | None


class Priors(NamedTuple):
    """The prior that positions are fitted with, and the one that they are read with: mostly the same."""

    train: Prior
    predict: Prior


def first_told(first: Given, second: Given) -> Given:
    """The first, if there is one."""
    return second if first is None else first


def fit_priors(network: Network, train: Given, predict: Given) -> Priors:
    """Both priors; one fit where they are the same."""
    first = fit_prior(network, train)
    return Priors(first, first if predict is train else fit_prior(network, predict))


def fit_prior(network: Network, given: Given) -> Prior:
    """The prior that is meant: fitted already, or from knowledge or its text."""
    if isinstance(given, Prior):
        if not given.nodes.equals(network.nodes):
            raise InputError("The prior given was fitted to a network with other nodes; fit it to this one.")
        return given
    knowledge = parse_knowledge(given) if isinstance(given, str) else degrees() if given is None else given
    if not isinstance(knowledge, (Knowledge, Learned)):
        raise InputError(f"{given!r} was given; knowledge is degrees(), blocks('column'), a sum of such, or its text.")
    return knowledge.fit(network)


def fit_again(network: Network, given: str) -> Prior:
    """A prior that is known by its text only."""
    try:
        return fit_prior(network, given)
    except InputError as problem:
        raise InputError(
            f"The positions were found given {given}, which cannot be fitted again from its text ({problem}) "
            "Explanations need it: train and predict with the same knowledge, or with one that has a text."
        ) from problem
