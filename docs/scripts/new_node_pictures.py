"""Make the picture of docs/new_nodes.md: python docs/scripts/new_node_pictures.py"""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

import netgiven as ng

network = ng.datasets.company()
plane: dict[str, Any] = {"dimensions": 2, "reach": 2.0, "shrinkage": 0.0}
embedding = ng.embed(network, "degrees+blocks:department", **plane)
friends = ["person 003", "person 004", "person 005", "person 010", "person 031"]
extended = embedding.add("zoe", friends, {"department": "research"})
likely = extended.likely_links("zoe", 3)["node"]

figure, axes = plt.subplots(figsize=(6.4, 4.6), layout="constrained")
for colour, (project, members) in zip(
    ("#4477aa", "#ee6677", "#228833", "#ccbb44"), network.columns.groupby("project").groups.items(), strict=True
):
    axes.scatter(*embedding.positions[members].T, s=14, color=colour, label=str(project), linewidths=0)
for names, style in ((friends, "-"), (likely, ":")):
    for name in names:
        axes.plot(*zip(extended["zoe"], extended[name], strict=True), style, color="#333333", linewidth=1)
axes.scatter(*extended["zoe"], marker="*", s=220, color="black", zorder=3)
axes.annotate("zoe", extended["zoe"], xytext=(8, 8), textcoords="offset points")
axes.set(xticks=[], yticks=[], aspect="equal")
axes.legend(title="project", frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
target = Path(__file__).parents[1] / "pictures" / "new_node.png"
figure.savefig(target, dpi=110, metadata={"Software": None})
