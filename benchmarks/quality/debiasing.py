"""Vectors that do not reveal gender: a network of users and films, trained with the degrees of films by gender.

    python benchmarks/quality/debiasing.py [--seeds 3] [--users 400] [--films 600] [--degree 35] [--gap 0.3]

Users (three in ten are women) link to films. Each genre appeals to one gender more than to the other (by a standard
deviation of `--gap` in log-odds, up for women, down for men), single films by half as much beyond that, and users and
films have six more tastes that have nothing to do with gender. A fifth of the links is hidden. For each way to embed
the rest: the AUC on the hidden links against pairs of a user and a film that are not linked, and the AUC with which a
logistic regression on the vectors of users predicts their gender (five folds). Targets: a gender AUC of debiased
vectors of at most .6, and the AUC on links falls by at most .01; exit code 1 if the first way that debiases misses one.

Debiasing also removes what gender says about links, so the second target depends on the gap.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit

import netgiven as ng
from netgiven.metrics import auc
from netgiven.splits import LinkSplit, hide_links

WOMEN, GENRES, TASTES = 0.3, 12, 6
TASTE = 0.45  # standard deviation, in log-odds
HIDDEN, MOST_GENDER, MOST_LOSS = 0.2, 0.6, 0.01
Doubles = npt.NDArray[np.float64]
GENDERED = "group_degrees:gender"


class Way(NamedTuple):
    """What positions are trained with, what links are predicted with, and other settings."""

    title: str
    train: str
    predict: str
    settings: dict[str, Any]


def ways(dimensions: int) -> list[Way]:
    """The plain way, the debiased way, and variants of it."""
    fixed = {"dimensions": dimensions}
    return [
        Way("degrees", "degrees", "degrees", {}),
        Way("group_degrees, then degrees", GENDERED, "degrees", {}),
        Way("degrees+blocks:kind", "degrees+blocks:kind", "degrees+blocks:kind", {}),
        Way("group_degrees, then degrees+blocks:kind", GENDERED, "degrees+blocks:kind", {}),
        Way("group_degrees both times", GENDERED, GENDERED, {}),
        Way(f"degrees+blocks:kind, d {dimensions}", "degrees+blocks:kind", "degrees+blocks:kind", fixed),
        Way(f"group_degrees, then degrees+blocks:kind, d {dimensions}", GENDERED, "degrees+blocks:kind", fixed),
    ]


# ---- the network -----------------------------------------------------------------------------------------------------


def tastes(users: int, films: int, gap: float, random: np.random.Generator) -> tuple[npt.NDArray[np.bool_], Doubles]:
    """Who is a woman, and the log-odds of each user and film but for a constant."""
    woman = random.permutation(np.arange(users) < WOMEN * users)
    genre = random.integers(GENRES, size=films)
    appeal = random.normal(0, gap, GENRES)[genre] + random.normal(0, gap / 2, films)
    liking = random.normal(size=(users, TASTES)) @ random.normal(0, TASTE, size=(TASTES, films))
    fame, active = random.normal(0, 1.3, films), random.normal(0, 0.8, users)
    return woman, np.where(woman, 1, -1)[:, None] * appeal + liking + fame + active[:, None]


def make_network(users: int, films: int, degree: float, gap: float, seed: int) -> ng.Network:
    """Users f and m, and films, with `degree` links per user on average."""
    random = np.random.default_rng(seed)
    woman, odds = tastes(users, films, gap, random)
    level = brentq(lambda height: expit(odds + height).sum() - degree * users, -30, 30)
    user, film = np.nonzero(random.random(odds.shape) < expit(odds + level))
    names = [f"user {number}" for number in range(users)] + [f"film {number}" for number in range(films)]
    kind = ["user"] * users + ["film"] * films
    gender = [*np.where(woman, "f", "m"), *["film"] * films]
    ends = pd.DataFrame({"source": np.take(names, user), "target": np.take(names, users + film)})
    return ng.Network.from_edges(ends, nodes={"name": names, "gender": gender, "kind": kind})


def hide(network: ng.Network, seed: int) -> LinkSplit:
    """Hidden links, and the same number of pairs of a user and a film without a link."""
    split = hide_links(network, HIDDEN, seed)
    random = np.random.default_rng(seed)
    film = network.column("kind").to_numpy() == "film"
    first = random.choice(np.flatnonzero(~film), 3 * len(split.hidden))
    second = random.choice(np.flatnonzero(film), 3 * len(split.hidden))
    pairs = np.unique(np.column_stack([first, second])[~network.are_linked(first, second)], axis=0)
    return split._replace(others=random.permutation(pairs)[: len(split.hidden)])


# ---- what is measured ------------------------------------------------------------------------------------------------


def gender_auc(embedding: ng.Embedding) -> float:
    """AUC with which gender is predicted from vectors of users."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    gender = embedding.network.column("gender").to_numpy()
    users = gender != "film"
    vectors, woman = embedding.positions[users].astype(np.float64), gender[users] == "f"
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2_000))
    return auc(woman, cross_val_predict(model, vectors, woman, cv=folds, method="decision_function"))


def measure(split: LinkSplit, way: Way, seed: int) -> list[float]:
    """AUC on links with the prior alone and with the embedding, AUC on gender, and the selected settings."""
    embedding = ng.embed(
        split.train, train_given=way.train, predict_given=way.predict, seed=seed, progress=False, **way.settings
    )
    prior, both = (one.log_odds_of(*split.pairs.T) for one in (embedding.prior, embedding))
    chosen = [embedding.dimensions, embedding.reach, embedding.fit.settings.shrinkage]
    return [auc(split.truth, prior), auc(split.truth, both), gender_auc(embedding), *chosen]


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--users", type=int, default=400)
    parser.add_argument("--films", type=int, default=600)
    parser.add_argument("--degree", type=float, default=35, help="links of a user, on average")
    parser.add_argument("--gap", type=float, default=0.3, help="how far genders differ in what a genre is to them")
    parser.add_argument("--dimensions", type=int, default=16, help="where they are not selected")
    options = parser.parse_args()
    wanted = options.users, options.films, options.degree, options.gap
    networks = [make_network(*wanted, seed) for seed in range(options.seeds)]
    splits = [hide(network, seed) for seed, network in enumerate(networks)]
    print(f"{options.seeds} networks, the first: {networks[0]}")
    print(f"{'given':52} prior   links   gender     d  reach  shr.")
    means = {}
    for way in ways(options.dimensions):
        means[way.title] = np.mean([measure(split, way, seed) for seed, split in enumerate(splits)], axis=0)
        prior, links, gender, dimensions, reach, shrinkage = means[way.title]
        numbers = f"{prior:.4f}  {links:.4f}  {gender:.4f}  {dimensions:4.0f} {reach:6.2f} {shrinkage:5.1f}"
        print(f"{way.title:52} {numbers}", flush=True)
    _, plain, _, *_ = means["degrees"]
    _, links, gender, *_ = means["group_degrees, then degrees"]
    print(f"gender {gender:.3f} (at most {MOST_GENDER}), links {links - plain:+.4f} (at least {-MOST_LOSS})")
    sys.exit(int(gender > MOST_GENDER or links < plain - MOST_LOSS))


if __name__ == "__main__":
    main()
