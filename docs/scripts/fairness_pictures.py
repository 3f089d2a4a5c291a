"""Make the picture and the numbers of docs/fairness.md: python docs/scripts/fairness_pictures.py

A fifth of the links of a company is hidden, and the rest is embedded in four ways. The picture shows the first of five
splits; the numbers are means and standard deviations over the splits. It takes a minute.
"""

from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score

import netgiven as ng
from netgiven.splits import LinkSplit, hide_links

PICTURE = Path(__file__).parents[1] / "pictures" / "fairness" / "company.png"
PEOPLE, SPLITS, HIDDEN = 400, 5, 0.2
WAYS: dict[str, dict[str, Any]] = {
    "before": {"given": "degrees"},
    "after": {"train_given": "group_degrees:department", "predict_given": "degrees"},
    "blocks": {"train_given": "degrees+blocks:department", "predict_given": "degrees"},
    "knowing": {"given": "group_degrees:department"},
}
DRAWN = ("before", "after", "knowing")


def report_on(split: LinkSplit, embeddings: dict[str, ng.Embedding]) -> Any:
    """The fairness report on departments, with hidden links."""
    return ng.fairness(embeddings, "department", split.train.nodes.to_numpy()[split.hidden])


def forest_accuracy(embedding: ng.Embedding, column: str) -> float:
    """Accuracy with which a random forest predicts a column from positions, of more trees than that of the report."""
    codes, _ = embedding.network.groups(column)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    forest = RandomForestClassifier(200, random_state=0)
    return float(cross_val_score(forest, embedding.positions, codes, cv=folds).mean())


def measure(split: LinkSplit) -> pd.DataFrame:
    """The table of the report for one split, with two more columns."""
    embeddings = {name: ng.embed(split.train, **way) for name, way in WAYS.items()}
    if not PICTURE.exists():
        PICTURE.parent.mkdir(exist_ok=True)
        report_on(split, {name: embeddings[name] for name in DRAWN}).draw(PICTURE)
    table = report_on(split, embeddings).table
    for column in ("department", "project"):
        table[f"forest_{column}"] = [forest_accuracy(one, column) for one in embeddings.values()]
    return table


def main() -> None:
    """Draw the picture and print the numbers."""
    PICTURE.unlink(missing_ok=True)
    network = ng.datasets.company(PEOPLE)
    tables = pd.concat([measure(hide_links(network, HIDDEN, seed)) for seed in range(SPLITS)])
    splits = tables.groupby(level=0, sort=False)
    print(pd.concat({"mean": splits.mean().T, "deviation": splits.std().T}, axis=1).round(3).to_string())


if __name__ == "__main__":
    main()
