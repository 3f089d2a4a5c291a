"""A company: given the departments, the project teams appear.

    python examples/company.py --out pictures

Everybody belongs to a department, which is known, and works on a project, which is not. The network is generated.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors

import netgiven as ng

COLOURS = {"amber": "#E69F00", "birch": "#009E73", "coral": "#D55E00", "delta": "#0072B2"}
MARKERS = {"design": "o", "finance": "s", "production": "^", "research": "D", "sales": "v"}


def agreement(embedding, column):
    """Share of the ten nearest people who have the same value in a column."""
    nearest = NearestNeighbors(n_neighbors=10).fit(embedding.vectors).kneighbors(return_distance=False)
    values = embedding.network.column(column).to_numpy()
    return (values[nearest] == values[:, None]).mean()


def find_introductions(embedding, count=3):
    """List people of different departments who probably know each other, although they are not linked."""
    department = dict(zip(embedding.nodes, embedding.network.column("department"), strict=True))
    likely = embedding.likely_links(count=1000)
    return likely[likely["u"].map(department) != likely["v"].map(department)].head(count)


def draw(panel, embedding, title):
    """Draw a map: a colour for each project, a shape for each department."""
    for (project, department), people in embedding.network.columns.groupby(["project", "department"]):
        places = embedding.positions[people.index]
        panel.scatter(*places.T, s=26, c=COLOURS[project], marker=MARKERS[department], lw=0.3, ec="white")
    panel.set_title(title, loc="left", fontsize=11)
    panel.set_aspect("equal", adjustable="datalim")
    panel.axis("off")


def draw_legend(figure):
    """Name colours and shapes, on empty points."""
    looks = [("s", colour, f"project {name}") for name, colour in COLOURS.items()]
    looks += [(marker, "#9AA0A6", name) for name, marker in MARKERS.items()]
    points = [plt.Line2D([], [], ls="", marker=marker, c=colour, label=name) for marker, colour, name in looks]
    figure.legend(handles=points, loc="outside right center", frameon=False)


def main(out):
    """Fit a map given more and more, and print what people who are near each other have in common."""
    company = ng.datasets.company()
    print(company)
    known = [ng.density(), ng.degrees(), ng.degrees() + ng.blocks("department")]
    embeddings = [ng.embed(company, given, dimensions=2) for given in known]
    for embedding in embeddings:
        department, project = (100 * agreement(embedding, column) for column in ("department", "project"))
        print(f"given {embedding.prior.knowledge}: same department {department:.0f} %, same project {project:.0f} %")

    teams = KMeans(4, n_init=10, random_state=0).fit_predict(embedding.vectors)
    agree = adjusted_rand_score(company.column("project"), teams)
    print(f"four teams by k-means: agree with the projects by {agree:.2f} (adjusted Rand index)")
    print(find_introductions(embedding).round(2).to_string(index=False))

    figure, panels = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
    draw(panels[0], embeddings[1], "given degrees: five departments")
    draw(panels[1], embeddings[2], "given degrees and departments: four projects")
    draw_legend(figure)
    figure.savefig(out / "company.png", dpi=100)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(), help="folder for the picture")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    main(folder)
