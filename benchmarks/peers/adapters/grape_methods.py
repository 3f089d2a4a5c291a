"""grape: LINE, DeepWalk and HOPE, as they come."""

import numpy as np
from common import run
from grape import Graph
from grape.embedders import DeepWalkSkipGramEnsmallen, FirstOrderLINEEnsmallen, HOPEEnsmallen, SecondOrderLINEEnsmallen


def read(order):
    return Graph.from_csv(
        edge_path=str(order.edges),
        edge_list_separator="\t",
        edge_list_header=False,
        sources_column_number=0,
        destinations_column_number=1,
        directed=False,
    )


def method(kind):
    def embed(order):
        found = kind(embedding_size=order.dimensions, verbose=False).fit_transform(read(order))
        tables = found.get_all_node_embedding()
        order.save_named(tables[0].index.astype(int), np.concatenate([table.to_numpy() for table in tables], axis=1))

    return embed


run(
    {
        "LINE, first order": method(FirstOrderLINEEnsmallen),
        "LINE, second order": method(SecondOrderLINEEnsmallen),
        "DeepWalk": method(DeepWalkSkipGramEnsmallen),
        "HOPE": method(HOPEEnsmallen),
    }
)
