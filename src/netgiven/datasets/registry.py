"""The networks that the paper measures on: what they hold, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PublicFile:
    """A file of a network, and the SHA-256 of its contents, decompressed: one text can be compressed in many ways."""

    name: str
    sha256: str


@dataclass(frozen=True)
class PublicNetwork:
    """A named network. `original` is the address of the file that it is made from; None if there is none to fetch, and
    then `absence` says why.

    `links` counts each link once; the paper counts those of PPI and Wikipedia twice. `label_pairs` counts lines of the
    file of labels. The `fingerprint` is that of the degrees: the same however nodes are numbered.
    """

    name: str
    title: str
    what: str
    nodes: int
    links: int
    labels: int | None
    label_pairs: int | None
    home: str
    original: str | None
    files: tuple[PublicFile, ...]
    fingerprint: str
    absence: str = ""

    @property
    def origin(self) -> str:
        """Where it can be had, or that it cannot."""
        return self.original or f"no download: {self.absence}"


NETWORKS = {
    network.name: network
    for network in (
        PublicNetwork(
            name="facebook",
            title="Facebook",
            what="friendships",
            nodes=4_039,
            links=88_234,
            labels=None,
            label_pairs=None,
            home="https://snap.stanford.edu/data/ego-Facebook.html",
            original="https://snap.stanford.edu/data/facebook_combined.txt.gz",
            files=(
                PublicFile("facebook.edges.gz", "a23ba0e1930d856fe71c3355969ca2a53756de3ea9ccae486fd7cb4294a59567"),
            ),
            fingerprint="cf5a34f952a7f948a8c610565825db5c6e62fa2ef8f09ab3e5b67968770e3a15",
        ),
        PublicNetwork(
            name="ppi",
            title="Protein-Protein Interactions",
            what="interactions of human proteins",
            nodes=3_890,
            links=37_845,
            labels=50,
            label_pairs=6_640,
            home="https://snap.stanford.edu/node2vec/",
            original="https://snap.stanford.edu/node2vec/Homo_sapiens.mat",
            files=(
                PublicFile("ppi.edges.gz", "c304d65cc1f5ff7008e6f2f9f66b86ba32fc1de41872bc91bb330e9dea15e4b1"),
                PublicFile("ppi.labels.gz", "fe5798a26b00b35f8d6045600bda875fcf1a912ae3547d66f06d141693f5f6db"),
            ),
            fingerprint="8139c1feb6b64665e2169d5befb73c88f5dd33be49f0732c78c130f44f32725d",
        ),
        PublicNetwork(
            name="arxiv_astroph",
            title="arXiv ASTRO-PH",
            what="co-authorships in astrophysics",
            nodes=18_772,
            links=198_050,
            labels=None,
            label_pairs=None,
            home="https://snap.stanford.edu/data/ca-AstroPh.html",
            original="https://snap.stanford.edu/data/ca-AstroPh.txt.gz",
            files=(
                PublicFile(
                    "arxiv_astroph.edges.gz", "8e92b81c7e8dc2cf750e6d92889581fbcb172dc84106d3562c1f7840c91cd0f9"
                ),
            ),
            fingerprint="1fe03544877e6db91e1ef96e40611ec6c554a35c7fe10107d95d33aa267a3c28",
        ),
        PublicNetwork(
            name="blogcatalog",
            title="BlogCatalog",
            what="friendships of bloggers, with their interests",
            nodes=10_312,
            links=333_983,
            labels=39,
            label_pairs=14_476,
            home="http://leitang.net/social_dimension.html",
            original="https://leitang.net/code/social-dimension/data/blogcatalog.mat",
            files=(
                PublicFile("blogcatalog.edges.gz", "728b630215973b055f0c8994509a46c67fb265a7f9f42e41f16e9180305f5131"),
                PublicFile("blogcatalog.labels.gz", "140d07f1b17eda8d590821dc967c1d73ad72623a2b03c3e36d86887d1d9b3503"),
            ),
            fingerprint="e4a01c55213a646b0e31228b314f56d9b24c16c42f193dfee2c9fd70c08e9036",
        ),
        PublicNetwork(
            name="wikipedia",
            title="Wikipedia",
            what="co-occurrence of words, with their parts of speech",
            nodes=4_777,
            links=92_295,
            labels=40,
            label_pairs=6_770,
            home="https://snap.stanford.edu/node2vec/",
            original="https://snap.stanford.edu/node2vec/POS.mat",
            files=(
                PublicFile("wikipedia.edges.gz", "053cb2eefb3b26ae14dc796a4bd522486b409a3901398adad8fc1e521696453b"),
                PublicFile("wikipedia.labels.gz", "abe9a25abf5657cff4ac78d587a1f5bda96564528db05eb0a26542150323afb9"),
            ),
            fingerprint="3eb105e857c6efb2bbbc9e7779b55ac22067c62ccc140717c7f1f8e68306adf9",
        ),
        PublicNetwork(
            name="studentdb_standin",
            title="StudentDB (synthetic stand-in)",
            what="a database of students, courses and rooms; synthetic, so never to be set beside the paper's numbers",
            nodes=403,
            links=3_429,
            labels=None,
            label_pairs=None,
            home="http://adrem.ua.ac.be/smurfig",
            original=None,
            files=(
                PublicFile(
                    "studentdb_standin.edges", "47ca112be184a04e5c978fb77919ced83b011cf4909ef21a5c9a2cab717f7810"
                ),
                PublicFile(
                    "studentdb_standin.types", "2573fb5bb9696159b802016eef91dd8ff7223eeb57b3e81ce2567215ff1861f8"
                ),
            ),
            fingerprint="06815f41c57acffef09c8a5f4735f3990181b7eb2b7b4da3e6a0b903f90a208f",
            absence="a synthetic stand-in, as the paper's StudentDB is not public any more",
        ),
    )
}
