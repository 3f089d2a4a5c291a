"""netgiven demo"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from netgiven.cli.options import Threads

PRIORS = ("density", "degrees", "degrees+blocks:department")


def demo(
    out: Annotated[Path, typer.Option(help="The folder to write to; made if it is not there.")] = Path("demo"),
    threads: Threads = None,
) -> None:
    """A company of departments and projects: give the departments, and see the project teams."""
    import netgiven as ng
    from netgiven.array_file import check_target, make_folder
    from netgiven.tasks.neighbours import agreement, chance_agreement
    from netgiven.tasks.pictures import compare

    make_folder(out)
    for name in ("company.png", "company.ng"):
        check_target(out / name)
    network = ng.datasets.company()
    print(f"A company: {network.node_count} people, {network.link_count:,} acquaintances, 5 departments, 4 projects.")
    print("Each person is placed in the plane. How many of the 10 nearest share ...\n")
    print(f"{'given':<28}{'the department':>16}{'the project':>14}{'bits a link gained':>21}")
    plane: dict[str, Any] = {"dimensions": 2, "spread": ng.Spread.from_reach(2.0), "shrinkage": 0.0}
    embeddings = [ng.embed(network, given, threads=threads, **plane) for given in PRIORS]
    for embedding in embeddings:
        shares = (agreement(embedding, "department"), agreement(embedding, "project"))
        given = "nothing but the density" if embedding.prior.knowledge == "density" else embedding.prior.knowledge
        print(f"{given:<28}{shares[0]:>16.0%}{shares[1]:>14.0%}{embedding.bits_per_link:>21.2f}")
    chance = [chance_agreement(embeddings[0], column) for column in ("department", "project")]
    print(f"{'(by chance)':<28}{chance[0]:>16.0%}{chance[1]:>14.0%}\n")
    print("Given departments and degrees, what remains to be seen are the project teams.\n")
    print("Likeliest acquaintances that are not there yet:")
    for row in embeddings[-1].likely_links(count=5, threads=threads).itertuples():
        print(f"  {row.u} and {row.v}: {row.probability:.0%} (by departments and degrees alone {row.prior:.0%})")
    compare(embeddings, ["department", "project"], out / "company.png")
    embeddings[-1].save(out / "company.ng")
    print(f"\nPicture: {out / 'company.png'}. Embedding: {out / 'company.ng'}; try: netgiven info {out / 'company.ng'}")
